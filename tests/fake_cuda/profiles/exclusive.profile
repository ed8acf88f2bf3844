# SPDX-License-Identifier: Apache-2.0
# Two A100 in exclusive-process mode, as batch systems set it.
name NVIDIA A100-SXM4-40GB
gpus 2
capability 80
multiprocessors 108
memory_mib 40536
bus_bits 5120
memory_mhz 1215
l2_kib 40960
exclusive 1
idle_mhz 210
boost_mhz 1410
sustained_mhz 1410
most_mhz 1410
ramp_ms 20
idle_watts 50
busy_watts 380
limit_watts 400
f32_per_clock 128
f64_per_clock 128
f16_per_clock 2048
tf32_per_clock 1024
memory_gbs 1400
pcie_gbs 25
host_gbs 50
peer_gbs 250
driver_ms 300
nvml_ms 60
context_ms 250

# SPDX-License-Identifier: Apache-2.0
# Three of seven slices of an A100, as MIG gives them out.
name NVIDIA A100-SXM4-40GB MIG 3g.20gb
gpus 1
capability 80
multiprocessors 42
memory_mib 19968
bus_bits 5120
memory_mhz 1215
l2_kib 20480
mig 1
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
memory_gbs 700
pcie_gbs 25
host_gbs 25
driver_ms 300
nvml_ms 60
context_ms 250

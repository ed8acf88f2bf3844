# SPDX-License-Identifier: Apache-2.0
# Eight H100 SXM behind NVLink switches.
name NVIDIA H100 80GB HBM3
gpus 8
capability 90
multiprocessors 132
memory_mib 81559
bus_bits 5120
memory_mhz 2619
l2_kib 51200
idle_mhz 345
boost_mhz 1980
sustained_mhz 1980
most_mhz 1980
ramp_ms 20
idle_watts 70
busy_watts 650
limit_watts 700
f32_per_clock 256
f64_per_clock 256
f16_per_clock 4096
tf32_per_clock 2048
memory_gbs 3000
pcie_gbs 55
host_gbs 220
peer_gbs 400
call_us 2
operation_us 1
copy_us 5
driver_ms 400
nvml_ms 60
context_ms 250

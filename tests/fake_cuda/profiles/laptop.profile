# SPDX-License-Identifier: Apache-2.0
# A GeForce RTX 4060 of a laptop, slow to leave its idle clock.
name NVIDIA GeForce RTX 4060 Laptop GPU
gpus 1
capability 89
multiprocessors 24
memory_mib 8188
bus_bits 128
memory_mhz 8001
l2_kib 32768
idle_mhz 210
boost_mhz 2370
sustained_mhz 2370
most_mhz 3105
ramp_ms 120
idle_after_ms 5
idle_watts 5
busy_watts 100
limit_watts 115
f32_per_clock 256
f64_per_clock 4
f16_per_clock 512
tf32_per_clock 256
memory_gbs 230
pcie_gbs 12
host_gbs 12
call_us 4
operation_us 3
copy_us 10
driver_ms 150
nvml_ms 30
context_ms 100

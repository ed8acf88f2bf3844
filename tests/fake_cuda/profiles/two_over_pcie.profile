# SPDX-License-Identifier: Apache-2.0
# Two GeForce RTX 4090 in PCIe 4.0 slots, which cannot reach each other.
name NVIDIA GeForce RTX 4090
gpus 2
capability 89
multiprocessors 128
memory_mib 24564
bus_bits 384
memory_mhz 10501
l2_kib 73728
idle_mhz 210
boost_mhz 2520
sustained_mhz 2520
most_mhz 3105
ramp_ms 20
idle_watts 25
busy_watts 400
limit_watts 450
f32_per_clock 256
f64_per_clock 4
f16_per_clock 512
tf32_per_clock 256
memory_gbs 920
pcie_gbs 25
host_gbs 40
peer_gbs 0
call_us 2
operation_us 8
copy_us 8
driver_ms 150
nvml_ms 30
context_ms 120

# SPDX-License-Identifier: Apache-2.0
# An L4, whose f64 is a sixty-fourth of its f32 and whose clock falls to what 72 W allow.
name NVIDIA L4
gpus 1
capability 89
multiprocessors 58
memory_mib 23034
bus_bits 192
memory_mhz 6251
l2_kib 49152
idle_mhz 210
boost_mhz 2040
sustained_mhz 1200
most_mhz 2040
ramp_ms 20
sustained_after_ms 100
idle_watts 16
busy_watts 72
limit_watts 72
f32_per_clock 256
f64_per_clock 4
f16_per_clock 1024
tf32_per_clock 512
memory_gbs 260
pcie_gbs 25
host_gbs 25
driver_ms 150
nvml_ms 30
context_ms 120

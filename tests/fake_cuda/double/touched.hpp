// SPDX-License-Identifier: Apache-2.0
// Memory that a plugin maps, which lies where the thread runs that touches it first. The double
// notes that thread's processors: a plugin is linked with --wrap=mmap,--wrap=munmap.
#pragma once

extern "C" {

// The first of the processors that the thread was bound to which touched the page first; -1: nobody
// has, or it is not such memory.
int fake_cuda_touched_from(const void* address);

}  // extern "C"

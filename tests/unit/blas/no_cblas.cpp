// SPDX-License-Identifier: Apache-2.0
// A library of something else.
extern "C" [[gnu::visibility("default")]] int answer() {
  return 42;
}

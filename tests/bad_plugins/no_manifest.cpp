// SPDX-License-Identifier: Apache-2.0
// a library that is no plugin
int animals() {
  return 0;
}

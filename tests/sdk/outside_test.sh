# SPDX-License-Identifier: Apache-2.0
# outside_test.sh SOURCE BUILD SCRATCH COMPILER PROGRAM: builds the example, and a plugin as it was
# written for API 1, as projects of their own, with nothing but the installed SDK, and holds them
# against the contract.
set -eu
source=$1 build=$2 scratch=$3 compiler=$4 program=$5
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build/suite/sdk" --prefix "$scratch/prefix" >/dev/null
for project in plugins/example tests/sdk/api_1; do
  name=${project##*/}
  cp -r "$source/$project" "$scratch/$name"
  env -i PATH="$PATH" HOME="$scratch" cmake -S "$scratch/$name" -B "$scratch/$name/build" \
    -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$scratch/prefix" \
    -D CMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wswitch -Werror" >/dev/null
  cmake --build "$scratch/$name/build"
  "$program" check "$scratch/$name/build/"*.so
done

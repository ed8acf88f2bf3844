# SPDX-License-Identifier: Apache-2.0
# outside_test.sh SOURCE BUILD SCRATCH COMPILER PROGRAM: builds the example as a project of its own,
# with nothing but the installed SDK, and holds it against the contract.
set -eu
source=$1 build=$2 scratch=$3 compiler=$4 program=$5
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build/suite/sdk" --prefix "$scratch/prefix" >/dev/null
cp -r "$source/plugins/example" "$scratch/example"
env -i PATH="$PATH" HOME="$scratch" cmake -S "$scratch/example" -B "$scratch/build" \
  -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$scratch/prefix" \
  -D CMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Werror" >/dev/null
cmake --build "$scratch/build"
"$program" check "$scratch/build/example.so"

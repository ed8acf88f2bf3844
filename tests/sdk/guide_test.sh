# SPDX-License-Identifier: Apache-2.0
# guide_test.sh SOURCE BUILD SCRATCH: runs the first sh block of plugins/README.md.
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
sed -n '/^```sh$/,/^```$/p' "$source/plugins/README.md" | sed '/^```/d' >"$scratch/commands"
count=$(grep -c . "$scratch/commands")
[ "$count" -ge 5 ] && [ "$count" -le 10 ] || { echo "the guide has $count commands"; exit 1; }
# Only the place of the build differs from what a newcomer types.
sed -i "s|build/default|$build|" "$scratch/commands"
cd "$scratch"
PREFIX=$scratch/prefix sh -eux ./commands
rows=$(grep -c '^' fast/fast.csv)
[ "$rows" -ge 2 ] || { echo "no row in fast.csv"; exit 1; }
grep -q ',ok,' fast/fast.csv || { cat fast/fast.csv; exit 1; }

# SPDX-License-Identifier: Apache-2.0
# make_broken_files.sh SOUND_PLUGIN FOLDER: files that are no plugins, from one that is.
set -eu
sound=$1
cd "$2"
echo "this is a text" >not-elf.so
: >empty.so
head -c "$(($(wc -c <"$sound") / 2))" "$sound" >truncated.so
# e_machine, two bytes at 18: 0xfefe is nobody's number.
cp "$sound" wrong-architecture.so
printf '\376\376' | dd of=wrong-architecture.so bs=1 seek=18 conv=notrunc 2>/dev/null
cp "$sound" writable-by-others.so
chmod o+w writable-by-others.so

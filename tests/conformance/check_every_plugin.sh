# SPDX-License-Identifier: Apache-2.0
# check_every_plugin.sh PROGRAM FOLDER: every plugin in the folder keeps every rule.
set -u
failed=0
found=0
for plugin in "$2"/*.so; do
  case ${plugin##*/} in lib*) continue ;; esac
  found=$((found + 1))
  echo "== ${plugin##*/}"
  "$1" check "$plugin" || failed=1
done
[ "$found" -gt 0 ] || { echo "no plugin in $2"; exit 1; }
exit "$failed"

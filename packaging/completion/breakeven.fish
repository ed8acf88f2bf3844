# SPDX-License-Identifier: Apache-2.0
# Completion for fish: asks the one for bash, which is installed beside.
set -g __breakeven_completion (path resolve (status dirname))/../../bash-completion/completions/breakeven
test -r $__breakeven_completion; or set -g __breakeven_completion (status dirname)/breakeven.bash
function __breakeven_candidates
    bash $__breakeven_completion (commandline -opc) (commandline -ct) 2>/dev/null
end
complete -c breakeven -a '(__breakeven_candidates)'

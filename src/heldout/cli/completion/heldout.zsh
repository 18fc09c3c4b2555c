#compdef heldout git-heldout
# Completion of heldout for zsh: heldout --show-completion zsh

_heldout() {
    local -a lines names
    local line name meaning
    lines=("${(@f)$(_HELDOUT_COMPLETE=zsh heldout "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    lines=("${(@)lines:#}")
    if (( ! ${#lines} )); then
        _files
        return
    fi
    for line in "${lines[@]}"; do
        name=${line%%$'\t'*}
        meaning=
        [[ $line == *$'\t'* ]] && meaning=${line#*$'\t'}
        names+=("${name//:/\\:}${meaning:+:$meaning}")
    done
    if [[ ${#names} -eq 1 && ${lines[1]} == */ ]]; then
        _describe -V heldout names -S ''
    else
        _describe -V heldout names
    fi
}

# What Git's own completion calls for `git heldout`.
_git-heldout() {
    _heldout "$@"
}

if [[ ${funcstack[1]} == _heldout ]]; then
    _heldout "$@"
else
    compdef _heldout heldout git-heldout
fi

# Completion of heldout for bash 4 and newer: heldout --show-completion bash

# Readline cuts words at @, = and :, which names of versions hold; ours are cut at blanks, up to the cursor.
_heldout_completion() {
    local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} word prefix
    local -a words=() found=()
    read -r -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    # `git heldout ...` and `git -C folder heldout ...` are lines of Git: what stands before our name is not ours.
    local folder=.
    if [[ ${words[0]##*/} == git ]]; then
        local at=1
        while ((at < ${#words[@]})) && [[ ${words[at]} != heldout ]]; do
            [[ ${words[at]} == -C ]] && folder=${words[at + 1]}
            at=$((at + 1))
        done
        words=("${words[@]:at}")
    fi
    word=${words[${#words[@]} - 1]}
    mapfile -t found < <(cd -- "$folder" 2>/dev/null && _HELDOUT_COMPLETE=bash heldout "${words[@]:1}" 2>/dev/null)
    # Readline puts a reply in place of what stands after its last cut, not of the whole word; an @ belongs to what
    # follows it, as for names of hosts.
    prefix=${word%"${word##*["${COMP_WORDBREAKS//[^@=:]/}"]}"}
    prefix=${prefix%@}
    [[ $COMP_WORDBREAKS == *[@=:]* ]] || prefix=
    COMPREPLY=("${found[@]#"$prefix"}")
    # After the / of a dataset goes a slice, and no blank.
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace
    return 0
}

_git_heldout() {
    _heldout_completion
}

complete -o bashdefault -o default -F _heldout_completion heldout git-heldout

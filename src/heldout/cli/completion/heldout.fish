# Completion of heldout for fish 3.4 and newer: heldout --show-completion fish

function __heldout_words
    set -l words (commandline -opc)
    # `git heldout ...`: what stands before our name is Git's.
    while test (count $words) -gt 0; and not string match -qr '(^|/|git-)heldout$' -- $words[1]
        set -e words[1]
    end
    set -l found (_HELDOUT_COMPLETE=fish heldout $words[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c heldout -f -a '(__heldout_words)'
complete -c git-heldout -f -a '(__heldout_words)'
complete -c git -f -n '__fish_seen_subcommand_from heldout' -a '(__heldout_words)'

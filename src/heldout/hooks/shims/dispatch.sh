# Shared by the shims beside it. Sourced when the shims are used where they lie; put into them by `heldout init`,
# so that an installed hook is one file. Each shim sets heldout_name first: $0 lies once another tool renames the file.
#
# HELDOUT_PYTHON is the interpreter that has heldout installed; `heldout init` writes it at the top of each hook.
: "${HELDOUT_PYTHON:=python3}"
heldout_dir=${0%/*}
heldout_stdin=

# The hooks that were here first, oldest first. They keep running.
heldout_has_chained() {
	for heldout_hook in "$heldout_dir/$heldout_name.heldout-chained"*; do
		[ -x "$heldout_hook" ] && return 0
	done
	return 1
}

# Read standard input once, exactly (a variable would lose newlines at the end), for us and for every chained hook.
heldout_spool() {
	heldout_stdin=$(cat && echo .)
	heldout_stdin=${heldout_stdin%.}
}

# Run the chained hooks with the spooled input; the first that fails decides the status.
heldout_chained() {
	for heldout_hook in "$heldout_dir/$heldout_name.heldout-chained"*; do
		[ -x "$heldout_hook" ] || continue
		printf %s "$heldout_stdin" | (heldout_as_before "$heldout_hook" "$@") || return
	done
}

# Run a displaced hook under its old name: husky and its like find by $0 what to run. Only a shell can be told another
# $0, so a shell script that looks at it is read by its own interpreter; every other hook is simply run.
heldout_as_before() {
	export HELDOUT_CHAIN="$heldout_name:$PWD" HELDOUT_CHAINED="$1"
	heldout_first=
	IFS= read -r heldout_first 2>/dev/null <"$1" || :
	case $heldout_first in
	'#!'*[/\ ]sh | '#!'*[/\ ]sh\ -* | '#!'*[/\ ]bash | '#!'*[/\ ]bash\ -* | '#!'*[/\ ]dash) heldout_asks_its_name "$1" ;;
	*) false ;;
	esac || exec "$@"
	shift
	# shellcheck disable=SC2086,SC2016 # the interpreter and its options; the script reads the variable
	exec ${heldout_first#??} -c '. "$HELDOUT_CHAINED"' "$heldout_dir/$heldout_name" "$@"
}

heldout_asks_its_name() {
	while IFS= read -r heldout_line || [ -n "$heldout_line" ]; do
		case $heldout_line in *'$0'* | *'${0'*) return 0 ;; esac
	done <"$1"
	return 1
}

# Not for us: hand over to the chained hooks, standard input untouched where there is one of them.
heldout_pass() {
	heldout_has_chained || exit 0
	case $heldout_name in
	reference-transaction | post-rewrite | pre-push) heldout_spool ;;
	esac
	heldout_chained "$@"
	exit
}

# A hook manager that took our place may run us from a hook that we would chain to: once is enough.
[ "${HELDOUT_CHAIN-}" = "$heldout_name:$PWD" ] && exit 0
# Git started by Heldout itself.
[ -n "${HELDOUT_HOOK-}" ] && heldout_pass "$@"

# Run a Git command over the paths that can change a dataset, and those that heldout_prompts has added.
heldout_more=
heldout_watched() {
	# shellcheck disable=SC2086 # pathspecs without blanks
	GIT_LITERAL_PATHSPECS=0 git "$@" -- ':(top)datasets' ':(top)heldout.yaml' \
		':(top,glob)**/*.dvc' ':(top,glob)**/dvc.lock' $heldout_more 2>/dev/null
}

# Watch the prompt files that heldout.yaml names, too. Without a process: each word from `prompts:` to the next key is
# taken for a pattern, which neither blanks nor brackets nor quotes may stand in. What is none matches no file, or makes
# Python look once more than needed; an escape means any file.
heldout_prompts() {
	[ -r heldout.yaml ] || return 0
	heldout_in=
	set -f
	while IFS= read -r heldout_line || [ -n "$heldout_line" ]; do
		case $heldout_line in
		[\ \	]*) ;;
		*prompts*:* | '{'*) heldout_in=1 ;;
		[!]}#-]*) heldout_in= ;;
		esac
		[ -n "$heldout_in" ] || continue
		IFS=" 	[]{},\"'"
		for heldout_word in $heldout_line; do
			case $heldout_word in
			*[[:cntrl:]]) heldout_word=${heldout_word%?} ;;
			esac
			case $heldout_word in
			'' | - | *: | '#'*) ;;
			*\\*) heldout_more="$heldout_more :(top)" ;;
			*) heldout_more="$heldout_more :(top,glob)$heldout_word" ;;
			esac
		done
		unset IFS
	done <heldout.yaml
	set +f
}

# Is one of them different, by the `git diff` command given? A command that fails means: look closer.
heldout_differs() {
	! heldout_watched "$@"
}

# In the middle of a rebase, a series of picks or a bisection, commits are not the user's last word.
heldout_busy() {
	heldout_git=$(git rev-parse --absolute-git-dir) || return 0
	for heldout_state in "$@"; do
		[ -e "$heldout_git/$heldout_state" ] && return 0
	done
	return 1
}

# Run Heldout. Status 127 when it is not there: no interpreter, or one without the package.
heldout_run() {
	command -v "$HELDOUT_PYTHON" >/dev/null 2>&1 || return 127
	HELDOUT_HOOK=1 "$HELDOUT_PYTHON" -P -m heldout.hooks "$@"
	heldout_status=$?
	[ $heldout_status -eq 0 ] && return 0
	"$HELDOUT_PYTHON" -P -c 'import heldout.hooks' 2>/dev/null || return 127
	return $heldout_status
}

# Run Heldout and end with its status; without it, warn and let Git go on.
heldout_finish() {
	heldout_run "$@"
	heldout_status=$?
	if [ $heldout_status -eq 127 ]; then
		echo "heldout: nothing was checked: $HELDOUT_PYTHON does not run Heldout any more. Repair with: heldout init" >&2
		exit 0
	fi
	exit $heldout_status
}

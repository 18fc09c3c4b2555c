#!/bin/sh
# The steps of a check of evaluation data in CI: what action.yml and ci/gitlab/heldout.yml run, one step a call.
#
#   steps.sh install | history | data | verify | report | comment | judge
#
# `verify` keeps its verdict for `judge`, so that the report is posted whatever it says. Settings, each with a default:
#
#   HELDOUT_INSTALL          what pip installs; `none` where it is there already   (the package that holds this file)
#   HELDOUT_ALSO_INSTALL     more for pip, such as `dvc[s3]`
#   HELDOUT_BASE             the branch to merge into, `origin/main`               (GitHub and GitLab say it)
#   HELDOUT_VERIFY_OPTIONS   more options of `heldout verify`
#   HELDOUT_UNKNOWN          `fail` or `allow`: whether what nobody can tell is a failure
#   HELDOUT_COMMENT          `changes` (where data is touched), `always` or `never`
#   HELDOUT_OUT              the folder for the report and the verdict
#   HELDOUT_GITLAB_TOKEN     a token with the scope `api`, for comments on GitLab; GitHub's is GH_TOKEN
set -euf # without file names for patterns: `dvc[s3]` is one word

: "${HELDOUT_INSTALL:=}" "${HELDOUT_ALSO_INSTALL:=}" "${HELDOUT_BASE:=}" "${HELDOUT_VERIFY_OPTIONS:=}"
: "${HELDOUT_UNKNOWN:=fail}" "${HELDOUT_COMMENT:=changes}" "${HELDOUT_OUT:=${RUNNER_TEMP:-.}/heldout-ci}"

marker='<!-- heldout-report -->'
unchanged='<!-- heldout-report: unchanged -->'
report=$HELDOUT_OUT/report.md
on_github=${GITHUB_ACTIONS:-}
on_gitlab=${GITLAB_CI:-}

if [ -z "$HELDOUT_BASE" ]; then
    if [ -n "${GITHUB_BASE_REF:-}" ]; then
        HELDOUT_BASE=origin/$GITHUB_BASE_REF
    elif [ -n "${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}" ]; then
        HELDOUT_BASE=origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME
    fi
fi

say() { printf 'heldout: %s\n' "$*" >&2; }

warn() {
    if [ -n "$on_github" ]; then printf '::warning title=heldout::%s\n' "$*"; else say "$*"; fi
}

install() {
    [ "$HELDOUT_INSTALL" != none ] || return 0
    wanted=$HELDOUT_INSTALL
    [ -n "$wanted" ] || wanted=$(cd "$(dirname "$0")/../../.." && pwd)
    # An environment of its own: a runner's Python may be the system's, or the project's with other versions in it.
    # Isolated (-I): this runs in the checkout, where a random.py or a pip.py would be taken for Python's own.
    python=${HELDOUT_PYTHON:-python3}
    "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        say "Python 3.11 or newer is needed; on GitHub, put actions/setup-python before this step"
        exit 2
    }
    folder=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/heldout-environment
    "$python" -I -m venv "$folder"
    # shellcheck disable=SC2086  # several requirements are several words
    "$folder/bin/python" -I -m pip install --quiet --disable-pip-version-check "$wanted" $HELDOUT_ALSO_INSTALL
    [ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$folder/bin" >>"$GITHUB_PATH"
    say "installed $("$folder/bin/python" -I -c 'import heldout; print(heldout.__version__)') into $folder"
}

history() {
    # Versions are tags and answers rest on every branch's records: a shallow clone would make all of it unknown.
    # The remote's tags are right, whatever the checkout has made of the one that started this run.
    deepen=
    [ "$(git rev-parse --is-shallow-repository)" = false ] || deepen=--unshallow
    git fetch --quiet $deepen --tags --force origin '+refs/heads/*:refs/remotes/origin/*'
}

data() {
    if [ ! -d .dvc ]; then
        say "no DVC here, so there is no data to fetch"
        return 0
    fi
    # What is missing now, heldout asks for again where it needs it; an answer without its data is unknown.
    dvc fetch --quiet || warn "dvc fetch failed: are the remote's credentials in the environment of this job?"
}

verify() {
    mkdir -p "$HELDOUT_OUT"
    rm -f "$HELDOUT_OUT/verdict" # an older run's, or the checkout's own
    code=0
    set -- ${HELDOUT_BASE:+--base "$HELDOUT_BASE"}
    if [ -n "$on_github" ]; then set -- "$@" --format github; fi
    # shellcheck disable=SC2086  # several options are several words
    if [ -n "$on_gitlab" ] && [ -n "$HELDOUT_BASE" ]; then
        # What GitLab shows beside the changed lines of a merge request; elsewhere only the log is read.
        heldout verify "$@" $HELDOUT_VERIFY_OPTIONS --format gitlab >gl-code-quality-report.json || code=$?
    else
        heldout verify "$@" $HELDOUT_VERIFY_OPTIONS || code=$?
    fi
    printf '%s\n' "$code" >"$HELDOUT_OUT/verdict"
    [ -z "${GITHUB_OUTPUT:-}" ] || printf 'verdict=%s\nreport=%s\n' "$code" "$report" >>"$GITHUB_OUTPUT"
}

report() {
    if [ -z "$HELDOUT_BASE" ]; then
        say "no branch to merge into, so there is nothing to report on"
        return 0
    fi
    mkdir -p "$HELDOUT_OUT"
    room=65536
    [ -z "$on_gitlab" ] || room=1000000
    heldout report --base "$HELDOUT_BASE" --format markdown --max-characters "$room" --quiet >"$report"
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$report" >>"$GITHUB_STEP_SUMMARY"; fi
    if [ -n "$on_gitlab" ]; then heldout report --base "$HELDOUT_BASE" --quiet; fi
}

comment() {
    [ "$HELDOUT_COMMENT" != never ] && [ -s "$report" ] || return 0
    if [ -n "$on_github" ]; then
        [ -n "${HELDOUT_PULL_REQUEST:-}" ] || return 0
        comment_on_github || warn "the report could not be posted; the job needs the permission pull-requests: write"
    elif [ -n "${CI_MERGE_REQUEST_IID:-}" ]; then
        if [ -n "${HELDOUT_GITLAB_TOKEN:-}" ]; then
            HELDOUT_REPORT=$report python -P -m heldout.ci.gitlab_note || warn "the report could not be posted"
        else
            say "no HELDOUT_GITLAB_TOKEN, so the report is not posted; it is among the artifacts"
        fi
    fi
}

comment_on_github() {
    [ -n "${GITHUB_REPOSITORY:-}" ] || return 1
    comments=repos/$GITHUB_REPOSITORY/issues/$HELDOUT_PULL_REQUEST/comments
    export HELDOUT_COMMENT_AUTHOR="${HELDOUT_COMMENT_AUTHOR:-github-actions[bot]}"
    # Only a comment of our own is replaced: anybody can write one that begins like it.
    mine=".[] | select(.user.login == env.HELDOUT_COMMENT_AUTHOR) | select(.body | startswith(\"$marker\")) | .id"
    known=$(gh api --paginate "$comments?per_page=100" --jq "$mine") || return 1
    known=$(printf '%s\n' "$known" | head -n 1)
    if [ -n "$known" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$report"
    elif is_worth_it; then
        gh api --silent --method POST "$comments" -F "body=@$report"
    fi
}

is_worth_it() {
    [ "$HELDOUT_COMMENT" = always ] || ! head -n 2 "$report" | grep -qxF "$unchanged"
}

judge() {
    code=$(cat "$HELDOUT_OUT/verdict" 2>/dev/null || echo 2)
    case $code in
    0) say "verified" ;;
    1) say "not verified: see above, or the report" ;;
    3)
        say "unknown: evidence is missing, see the report"
        [ "$HELDOUT_UNKNOWN" != allow ] || code=0
        ;;
    *)
        say "heldout verify gave no verdict (exit $code)"
        case $code in
        '' | *[!0-9]* | 0* | ????*) code=2 ;; # no exit status at all: never one that passes
        esac
        [ "$code" -lt 256 ] || code=2
        ;;
    esac
    return "$code"
}

case ${1:-} in
install | history | data | verify | report | comment | judge) "$1" ;;
*)
    say "usage: steps.sh install | history | data | verify | report | comment | judge"
    exit 2
    ;;
esac

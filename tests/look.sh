#!/bin/sh
# Plays a key script in tmux against the demo agent and saves the pane, with and without escapes, for people to judge.
#
#   tests/look.sh 100x30 SCRIPT [OUT]
#
# SCRIPT is a file, one step a line: `type TEXT` (pasted), `key NAME…` (tmux names), `wait TEXT`, `shot NAME`.
set -eu

size=$1 script=$2 out=${3:-look}
name=craze-look-$$
home=$(mktemp -d)
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
trap 'tmux kill-session -t "$name" 2>/dev/null || true; rm -rf "$home"' EXIT

tmux new-session -d -s "$name" -x "${size%x*}" -y "${size#*x}" \
    "cd '$home' && CRAZE_HOME='$home' PYTHONPATH='$root' ${PYTHON:-python3} -m craze --agent demo; sleep 5"

shown() { tmux capture-pane -p -t "$name"; }

wait_for() {
    tries=0
    until shown | grep -qF -- "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { echo "not shown: $1" >&2; shown >&2; exit 1; }
        sleep 0.1
    done
}

wait_for 'Code'
while IFS= read -r line; do
    rest=${line#* }
    case $line in
    'type '*) tmux set-buffer -b look "$rest"; tmux paste-buffer -p -b look -t "$name" ;;
    'key '*) tmux send-keys -t "$name" $rest ;;
    'wait '*) wait_for "$rest" ;;
    'shot '*)
        shown >"$out/$rest.$size.txt"
        tmux capture-pane -p -e -t "$name" >"$out/$rest.$size.ansi"
        ;;
    '' | '#'*) ;;
    *) echo "unknown step: $line" >&2; exit 2 ;;
    esac
done <"$script"

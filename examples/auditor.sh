#!/usr/bin/env bash
# What an auditor does with a store: who ran what, whether anything was changed, whether it is decided again alike, and a
# proof for somebody who has nothing but the public key.
#
#     examples/auditor.sh [STORE [PROGRAM]]       PROGRAM: the file of the functions to replay with
#
# Without STORE it makes one with openai_loop.py, in a temporary folder. `mace` must be on the path (. .venv/bin/activate).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

store=$(realpath -m "${1:-$work/store}")
program=$(realpath "${2:-$here/openai_loop.py}")
if [ $# -eq 0 ]; then
  export XDG_STATE_HOME="$work/state" # where checkpoints are kept
  python3 "$here/openai_loop.py" "$store" > "$work/said"
fi
export MACE_LOCATION="$store"
cd "$work"

step() { printf '\n$ %s\n' "$*"; "$@"; }
field() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }

step mace jobs list                                  # who ran what, and how it ended
job=$(mace jobs list --json | field '["items"][0]["job_id"]')
step mace jobs show "$job"                           # the newest: its calls, branches, times and tokens
step mace log show "$job"                            # its events; what is personal stands there as a hash
step mace log verify --read-only                     # every byte of the store
step mace replay "$job" --program "$program"         # decided again from the record; nobody is asked

# For a stranger: the log, and a proof that the last event of the job is in it.
event=$(mace log show "$job" --json | field '["events"][-1]["event_id"]')
step mace log export log.jsonl
step mace log prove "$event" -o proof.json
unset MACE_LOCATION # from here on without the store
step mace log verify-proof proof.json --public-key log.jsonl.pub
step mace log verify log.jsonl --checkpoint log.jsonl.checkpoint --public-key log.jsonl.pub

#!/bin/sh
# Checks up to 500 targets, one per line of a file, and prints the results as CSV. Requires PLUMBLINE_KEY.
# Usage: PLUMBLINE_KEY=plk_... sh bulk.sh MODULE FILE [URL] > results.csv    (default URL: http://127.0.0.1:8080)
set -eu
module=${1:?MODULE is missing} file=${2:?FILE is missing} jobs=${3:-http://127.0.0.1:8080}/api/v1/jobs
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
printf 'header = "X-Api-Key: %s"\n' "$PLUMBLINE_KEY" >"$dir/key" # not visible in the process list
api() { curl -sS --fail-with-body --retry 5 --retry-max-time 60 -K "$dir/key" "$@"; }
fail() { cat "$dir/job" >&2 && exit 1; }

# Converts each line to a JSON string.
items=$(tr -d '\r' <"$file" | sed 's/[\\"]/\\&/g; s/	/\\t/g; s/.*/"&"/' | paste -sd, -)
printf '{"module":"%s","items":[%s]}' "$module" "$items" >"$dir/body"
api -o "$dir/job" -H 'Content-Type: application/json' -H 'Prefer: return=minimal' \
  -H "Idempotency-Key: $(date +%s)-$$" --data-binary "@$dir/body" "$jobs" || fail
job=$jobs/$(sed 's/.*"token":"\([^"]*\)".*/\1/' "$dir/job")
until grep -q '"finished_at":"' "$dir/job"; do
  api -o "$dir/job" -H 'Prefer: wait=30' "$job?results=false" || fail
done
api "$job/results.csv"

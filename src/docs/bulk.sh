#!/bin/sh
# Checks the lines of a file, 500 at most, and prints the results as CSV:
#   PLUMBLINE_KEY=plk_... sh bulk.sh http-status urls.txt http://127.0.0.1:8080 > results.csv
set -eu
module=${1:?a module} file=${2:?a file of lines} jobs=${3:-http://127.0.0.1:8080}/api/v1/jobs
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
printf 'header = "X-Api-Key: %s"\n' "$PLUMBLINE_KEY" >"$dir/key" # where no list of processes shows it
api() { curl -sS --fail-with-body --retry 5 --retry-max-time 60 -K "$dir/key" "$@"; }
why() { cat "$dir/job" >&2 && exit 1; }

# each line becomes a JSON string
items=$(tr -d '\r' <"$file" | sed 's/[\\"]/\\&/g; s/	/\\t/g; s/.*/"&"/' | paste -sd, -)
printf '{"module":"%s","items":[%s]}' "$module" "$items" >"$dir/body"
api -o "$dir/job" -H 'Content-Type: application/json' -H 'Prefer: return=minimal' \
  -H "Idempotency-Key: $(date +%s)-$$" --data-binary "@$dir/body" "$jobs" || why
job=$jobs/$(sed 's/.*"token":"\([^"]*\)".*/\1/' "$dir/job")
until grep -q '"finished_at":"' "$dir/job"; do
  api -o "$dir/job" -H 'Prefer: wait=30' "$job?results=false" || why
done
api "$job/results.csv"

#!/usr/bin/env bash
# CPU time of searches with two versions of oxbox, in turn on one machine, and the memory of the new
# one. The figure to compare is the ratio.
#
#   benches/search.sh OLD NEW [TURNS]      (benches/search.txt has figures)
#
# OLD and NEW are paths of oxbox, built in the same way.
set -euo pipefail
[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//p' "$0" | tail -n +2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2") turns=${3:-3}
cd "$(dirname "$0")"

searches=(
    "ttt1 --choices 0-8 --depth 6 --same state"
    "ttt1 --choices any --depth 3"
    "eecs2100 --choices 1-9 --depth 4"
    "grid18 --choices 1-3 --depth 12"
    "oxo --choices 1-9 --depth 4"
    "chip --choices any --depth 3"
    "search/snake.asm --choices any --depth 3"
)
report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT

# Prints the CPU time in s and the memory in MiB of one search.
measure() {
    local oxbox=$1 search=$2 out=$3
    # shellcheck disable=SC2086 # the words of a search
    command time -f '%U %S %M' -o "$report/time" "$oxbox" explore $search --threads 1 >"$out" 2>/dev/null || true
    # An older version may not know the options.
    [ -s "$out" ] || { echo '- -'; return; }
    awk 'END { printf "%.2f %.0f\n", $1 + $2, $3 / 1024 }' "$report/time"
}

least() {
    awk 'NR == 1 || $1 < time { time = $1; memory = $2 } END { print time, memory }' "$1"
}

printf '%-44s %9s %9s %8s %7s %6s %6s\n' search states choices 'old, s' 'new, s' ratio MiB
for search in "${searches[@]}"; do
    : >"$report/old" >"$report/new"
    for _ in $(seq "$turns"); do
        measure "$old" "$search" "$report/old.txt" >>"$report/old"
        measure "$new" "$search" "$report/new.txt" >>"$report/new"
    done
    read -r before _ < <(least "$report/old")
    read -r now memory < <(least "$report/new")
    read -r states _ choices _ < <(tr -d , <"$report/new.txt")
    ratio=$(awk -v before="$before" -v now="$now" 'BEGIN { if (before == "-" || !now) print "-"; else printf "%.2f", before / now }')
    printf '%-44s %9s %9s %8s %7s %6s %6s\n' "$search" "$states" "$choices" "$before" "$now" "$ratio" "$memory"
done

#!/usr/bin/env bash
# Seeded mutants of the five games, each with one bit of the program changed. `oxbox same`
# distinguishes them from the original with the shortest keys, or shows that they are equal; it does
# not compare sound. Prints one row per mutant and the sums: benches/mutants.sh [MUTANTS-PER-GAME]
# [OXBOX]
set -euo pipefail
cd "$(dirname "$0")/.."
each=${1:-20}
oxbox=${2:-target/release/oxbox}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Little-endian word of a file at an offset.
word() { od -An -tu2 -j "$2" -N 2 "$1" | tr -d ' '; }

declare -A sums
# TTT1 echoes refused keys, so its states are unlimited. Five moves are a whole game.
while IFS='|' read -r program options; do
    size=$(stat -c %s "roms/$program")
    header=$(($(word "roms/$program" 8) * 16))
    for ((number = 0; number < each; number++)); do
        # Spread over the image: a step that is coprime to its size, from a different start in each
        # game.
        at=$((header + (size / 3 + number * 7919) % (size - header)))
        bit=$((number % 8))
        cp "roms/$program" "$scratch/$program"
        byte=$(od -An -tu1 -j "$at" -N 1 "roms/$program" | tr -d ' ')
        printf "\\x$(printf %02x $((byte ^ 1 << bit)))" |
            dd of="$scratch/$program" bs=1 seek="$at" conv=notrunc status=none
        # shellcheck disable=SC2086
        verdict=$(eval "timeout 300 '$oxbox' same 'roms/$program' '$scratch/$program' $options" | head -1 || true)
        verdict=${verdict:-no answer}
        kind=${verdict%%[ :]*}
        [[ $verdict == "equal within"* ]] && kind=bounded
        sums["$program $kind"]=$((${sums["$program $kind"]:-0} + 1))
        printf '%-13s %5d bit %d  %s\n' "$program" "$at" "$bit" "$verdict"
    done
done <<'GAMES'
TTT1.EXE|--choices "0-8" --depth 5
EECS2100.EXE|--keys SP --choices "1-9"
GRID18.EXE|--choices "1-3"
OXO.EXE|--choices "1-8 q"
CHIP.EXE|--keys u --choices "0-8"
GAMES
printf '%s\n' "${!sums[@]}" | sort | while read -r sum; do echo "$sum: ${sums[$sum]}"; done

#!/usr/bin/env bash
# Host instructions per guest instruction of each kernel, counted by valgrind. Load on the host does
# not change them. Fails if a kernel needs MARGIN percent more than in benches/callgrind.txt.
#
#   cargo build --profile dist && benches/callgrind.sh [--bless] [path of oxbox]
#
# --bless writes the figures into benches/callgrind.txt.
set -euo pipefail
benches=$(cd "$(dirname "$0")" && pwd)
MARGIN=8
bless=false
if [ "${1:-}" = --bless ]; then
    bless=true
    shift
fi
oxbox=$(realpath "${1:-$benches/../target/dist/oxbox}")
cd "$benches"
command -v valgrind >/dev/null || { echo "callgrind.sh: valgrind is missing (Debian: apt install valgrind)"; exit 2; }

# Host instructions of the first $2 guest instructions of a kernel, without the replay at the end of
# a run.
host_instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*Session::run_through*' "$oxbox" run --headless --speed 100000 \
        --instruction-limit "$2" "kernels/$1.com" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}

# Both counts include start-up and decoding, so their difference is only the kernel's loop.
measure() {
    local from=500000 to=1500000
    echo "$(host_instructions "$1" $from) $(host_instructions "$1" $to)" |
        awk -v guest=$((to - from)) 'NF == 2 && $2 > $1 { printf "%.2f\n", ($2 - $1) / guest }'
}

measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
failed=0
printf '%-10s %8s %8s %8s\n' kernel now before change
# Not n_mandel, z_matrix, z_trig and z_convert: valgrind's x87 has shorter significands, so the translator does not use it.
for kernel in b_sieve d_fib e_crc f_text g_conout h_smc i_ttt j_pixel k_sort l_plasma m_words o_far p_patch q_number r_calls \
    s_emit t_hash u_dos v_short w_386 x_list y_flags z_bcd z_inter z_ports z_sprite \
    z_vm z_overlay z_plane z_tasks z_rotate z_frames; do
    now=$(measure $kernel)
    [ -n "$now" ] || { echo "callgrind.sh: $oxbox does not run kernels/$kernel.com under valgrind"; exit 2; }
    echo "$kernel $now" >>"$measured"
    before=$(awk -v kernel=$kernel '$1 == kernel { print $2 }' callgrind.txt 2>/dev/null || true)
    awk -v kernel=$kernel -v now="$now" -v before="${before:-0}" -v margin=$MARGIN 'BEGIN {
        change = before ? 100 * (now / before - 1) : 0
        slower = before && change > margin
        printf "%-10s %8.2f %8.2f %+7.1f%%%s\n", kernel, now, before, change, slower ? "  slower" : ""
        exit slower
    }' || failed=1
done
if $bless; then
    cp "$measured" callgrind.txt
elif [ $failed = 1 ]; then
    echo "callgrind.sh: more than $MARGIN % slower; if that is meant, bless the new figures: benches/callgrind.sh --bless"
    exit 1
fi

#!/bin/bash
# Guest speed of oxbox against DOSBox (Debian's package "dosbox"), kernel by kernel, in CPU time of the whole process less
# that of an empty program. Each figure is the best of three runs; only the ratios mean anything.
#
#   cargo build --release && benches/compare-dosbox.sh [path of oxbox]
set -eu
cd "$(dirname "$0")/.."
oxbox=$(realpath "${1:-target/release/oxbox}")
command -v dosbox >/dev/null || { echo "skipped: no dosbox on this machine"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp benches/kernels/*.com "$work"
mv "$work/a_busy386.com" "$work/a_386.com" # DOSBox knows only names of eight characters
export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy
for core in normal dynamic; do
    printf '%s\n' '[sdl]' 'output=surface' '[mixer]' 'nosound=true' '[cpu]' "core=$core" 'cputype=pentium_slow' \
        'cycles=max' '[speaker]' 'pcspeaker=false' '[joystick]' 'joysticktype=none' >"$work/$core.conf"
done

# CPU seconds (user and system) of a command: the best of three.
seconds() {
    local best=999999 spent
    TIMEFORMAT='%U %S'
    for _ in 1 2 3; do
        spent=$({ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
        best=$(awk -v a="$best" -v b="$spent" 'BEGIN { print (b < a) ? b : a }')
    done
    echo "$best"
}
ours() { seconds "$oxbox" run --headless --speed 100000 "$work/$1.com"; }
theirs() {
    seconds dosbox -noconsole -conf "$work/$2.conf" -c "mount c $work" -c "c:" -c "$1.com > out.txt" -c exit
}

empty=$(ours empty)
empty_normal=$(theirs empty normal)
empty_dynamic=$(theirs empty dynamic)
printf '%-11s %8s %8s %8s   %s\n' kernel oxbox normal dynamic 'oxbox is faster by (normal, dynamic)'
for kernel in a_386 a_busy86 b_sieve d_fib e_crc i_ttt j_pixel f_text h_smc c_movs c_stos c_scas; do
    printf '%-11s ' "$kernel"
    echo "$(ours $kernel) $empty $(theirs $kernel normal) $empty_normal $(theirs $kernel dynamic) $empty_dynamic" |
        awk '{ a = $1 - $2; n = $3 - $4; d = $5 - $6; if (a < 0.005) a = 0.005;
               printf "%8.3f %8.3f %8.3f   %.1f %.1f\n", a, n, d, n / a, d / a }'
done

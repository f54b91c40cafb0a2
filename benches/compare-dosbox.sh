#!/bin/bash
# Compares the guest speed of oxbox with DOSBox (Debian's package "dosbox"), and with DOSBox Staging
# and emu2 if there are any, for each kernel: CPU time of the process less that of an empty program,
# the best of five runs. Only the ratios are meaningful.
#
#   cargo build --release && [STAGING=PATH] [EMU2=PATH] benches/compare-dosbox.sh [OXBOX [KERNEL...]]
#
# Prints the Markdown table of the guide: seconds of oxbox, how many times as long the others take,
# and how many times as long oxbox takes as kernels/native.c, if there is a C compiler. STAGING and
# EMU2 are the paths of DOSBox Staging and emu2, built with -O3.
set -eu
cd "$(dirname "$0")/.."
oxbox=$(realpath "${1:-target/release/oxbox}")
staging=${STAGING:+$(realpath "$STAGING")}
emu2=${EMU2:+$(realpath "$EMU2")}
chosen=("${@:2}")
((${#chosen[@]})) || chosen=(sieve fib crc tree text smc pixel sort plasma words mandel far patch number \
    calls emit hash dos short 386 list flags matrix bcd inter scroll ports sprite \
    vm overlay plane tasks rotate trig convert frames)
for tool in dosbox nasm; do
    command -v $tool >/dev/null || { echo "skipped: no $tool on this machine"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy

# The kernels, some with more iterations so that none ends at once. DOSBox supports only names of
# eight characters.
kernel() { # NAME SOURCE [DEFINITION]
    (cd benches/kernels && nasm ${3:+-D"$3"} -o "$work/$1.com" "$2.asm")
}
kernel empty empty
kernel sieve b_sieve
kernel fib d_fib N=300
kernel crc e_crc N=2000
kernel tree i_ttt
kernel text f_text N=40000
kernel smc h_smc N=2000
kernel pixel j_pixel
kernel sort k_sort
kernel plasma l_plasma
kernel words m_words
kernel mandel n_mandel N=60
kernel far o_far N=800
kernel patch p_patch N=200
kernel number q_number N=3000
kernel calls r_calls N=10000
kernel emit s_emit N=100
kernel hash t_hash N=4000
kernel dos u_dos N=100
kernel short v_short N=400
kernel 386 w_386 N=1500
kernel list x_list N=20000
kernel flags y_flags N=300
kernel matrix z_matrix N=1000
kernel bcd z_bcd N=1000
kernel inter z_inter N=100
kernel scroll z_scroll N=30000
kernel ports z_ports N=100
kernel sprite z_sprite N=200
kernel vm z_vm N=100
kernel overlay z_overlay N=3000
kernel plane z_plane N=1500
kernel tasks z_tasks N=120
kernel rotate z_rotate N=1500
kernel trig z_trig N=200
kernel convert z_convert N=2000
kernel frames z_frames N=20000

# The same number of turns, for the kernels that exist in C.
declare -A turns=([sieve]=4200 [fib]=300 [crc]=2000 [tree]=10 [sort]=600 [mandel]=60)
native=$work/native
command -v cc >/dev/null && cc -O3 -o "$native" benches/kernels/native.c || turns=()

cat >"$work/dosbox.conf" <<'CONF'
[sdl]
output=surface
[mixer]
nosound=true
[cpu]
core=dynamic
cputype=pentium_slow
cycles=max
[speaker]
pcspeaker=false
[joystick]
joysticktype=none
CONF
cat >"$work/staging.conf" <<'CONF'
[sdl]
output=texture
texture_renderer=software
[mixer]
nosound=true
[cpu]
core=dynamic
cpu_cycles=max
[speaker]
pcspeaker=off
[joystick]
joysticktype=disabled
CONF

# CPU seconds (user and system) of a command.
seconds() {
    TIMEFORMAT='%U %S'
    { time timeout 120 "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
ours() { seconds "$oxbox" run --headless --speed 100000 "$work/$1.com"; }
interpreted() { seconds "$oxbox" run --headless --no-translate --speed 100000 "$work/$1.com"; }
dosbox074() {
    seconds dosbox -noconsole -conf "$work/dosbox.conf" -c "mount c $work" -c c: -c "$1.com > out.txt" -c exit
}
staged() {
    seconds "$staging" --exit --noprimaryconf --nolocalconf -conf "$work/staging.conf" -c "mount c $work" -c c: \
        -c "$1.com > out.txt" -c exit
}
emulated() { seconds sh -c "'$emu2' '$work/$1.com' > '$work/out.txt'"; }
compiled() { [ -z "${turns[$1]:-}" ] || seconds sh -c "'$native' $1 ${turns[$1]} > '$work/out.txt'"; }

others=(interpreted dosbox074 ${staging:+staged} ${emu2:+emulated} compiled)
declare -A best printed nothing

# The best time of each for a kernel, and what the others print. They take turns, so that a slow moment of
# the computer falls on all of them.
measure() { # KERNEL
    local who spent output
    best=() printed=()
    for _ in 1 2 3 4 5; do
        for who in ours "${others[@]}"; do
            rm -f "$work"/out.txt "$work"/OUT.TXT
            spent=$($who "$1")
            output=$(cat "$work"/out.txt "$work"/OUT.TXT 2>/dev/null | head -c 4 || true)
            # DOSBox sometimes ends before the program.
            if [[ $who =~ ^(dosbox074|staged)$ && $1 != empty && -z $output ]]; then continue; fi
            best[$who]=$(awk -v a="${best[$who]:-999999}" -v b="${spent:-999999}" 'BEGIN { print (b < a) ? b : a }')
            printed[$who]=$output
        done
    done
}

measure empty
for who in ours "${others[@]}"; do nothing[$who]=${best[$who]}; done
nothing[compiled]=0
echo "| kernel | oxbox, s | --no-translate | DOSBox 0.74 dynamic |${staging:+ DOSBox Staging dynamic |}${emu2:+ emu2 |} native C |"
echo "| --- | --- | --- | --- |${staging:+ --- |}${emu2:+ --- |} --- |"
for kernel in "${chosen[@]}"; do
    measure $kernel
    time=$(awk -v a="${best[ours]}" -v b="${nothing[ours]}" 'BEGIN { t = a - b; printf "%.3f", t < 0.005 ? 0.005 : t }')
    printf '| %s | %s |' $kernel "$time"
    # Four digits: oxbox prints the program's final screen after them.
    expected=$("$oxbox" run --headless --speed 100000 "$work/$kernel.com" | head -c 4)
    for other in "${others[@]}"; do
        if [ $other = compiled ] && [ -z "${turns[$kernel]:-}" ]; then
            printf ' |'
        elif [ $other != interpreted ] && [ "${printed[$other]:-}" != "$expected" ]; then
            printf ' prints %s for %s |' "${printed[$other]:-nothing}" "$expected"
        else
            awk -v t="${best[$other]}" -v e="${nothing[$other]}" -v o="$time" -v inverse="$([ $other = compiled ] && echo 1)" \
                'BEGIN { ratio = (t - e) / o; printf " %.1f |", inverse ? 1 / ratio : ratio }'
        fi
    done
    echo
done

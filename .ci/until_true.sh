# Source this file. It waits for a condition, never for a time.

# Runs a command every 0.1 s until it succeeds; fails after TRIES attempts. A busy machine only
# takes longer.
until_true() { # TRIES COMMAND...
    local tries=$1
    shift
    for _ in $(seq "$tries"); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

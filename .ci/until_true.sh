# To be sourced: waits for a fact, and never for a time.

# Tries a command every 0.1 s until it succeeds; fails after so many tries. A busy machine only takes longer.
until_true() { # TRIES COMMAND...
    local tries=$1
    shift
    for _ in $(seq "$tries"); do
        "$@" && return
        sleep 0.1
    done
    return 1
}

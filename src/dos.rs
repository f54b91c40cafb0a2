//! DOS: what the traps 20h to 2Fh do, its memory, files and programs.

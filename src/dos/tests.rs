//! Services called as the firmware's stubs call them, without a processor that runs.

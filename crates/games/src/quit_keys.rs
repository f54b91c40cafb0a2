//! The keys that leave OXO, GRID18 and the CHIP game at any prompt: `leave_on_q` of `asm/include/dos.inc`.

const KEYS: [u8; 3] = [b'q', b'Q', 0x1B];

pub(super) fn leaves(key: u8) -> bool {
    KEYS.contains(&key)
}

/// Returns one of the keys; successive numbers give each in turn.
pub(super) fn key(number: usize) -> u8 {
    KEYS[number % KEYS.len()]
}

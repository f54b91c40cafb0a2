//! The keys that leave OXO, GRID18 and the CHIP game at any prompt: `leave_on_q` of `asm/include/dos.inc`.

const KEYS: [u8; 3] = [b'q', b'Q', 0x1B];

/// Does this key leave?
pub(super) fn leaves(key: u8) -> bool {
    KEYS.contains(&key)
}

/// One of the keys: each in turn as `number` counts up.
pub(super) fn key(number: usize) -> u8 {
    KEYS[number % KEYS.len()]
}

//! The window's icon: a board on a blue screen.

/// Width and height in pixels.
const SIZE: usize = 48;

/// Returns the icon for `_NET_WM_ICON`: width, height, and the pixels as AARRGGBB.
pub(super) fn argb_with_size() -> Vec<u32> {
    let mut numbers = vec![SIZE as u32, SIZE as u32];
    numbers.extend((0..SIZE * SIZE).map(|at| pixel(at % SIZE, at / SIZE)));
    numbers
}

/// Returns a pixel: two lines across and two down, an X, a ring, an X.
fn pixel(x: usize, y: usize) -> u32 {
    const FIELD: usize = SIZE / 3;
    let (column, row) = (x / FIELD, y / FIELD);
    // The distance from the centre of its field, doubled.
    let (across, down) = (2 * (x % FIELD) as i32 - 15, 2 * (y % FIELD) as i32 - 15);
    let on_line = |at: usize| (FIELD - 1..=FIELD).contains(&at) || (2 * FIELD - 1..=2 * FIELD).contains(&at);
    let on_cross = (across.abs() - down.abs()).abs() <= 3 && across.abs() <= 9;
    let on_ring = (40..=110).contains(&(across * across + down * down));
    match (column, row) {
        _ if on_line(x) || on_line(y) => 0xFFAA_AAAA,
        (1, 1) if on_ring => 0xFFFF_FFFF,
        (0, 0) | (2, 0) | (0, 2) if on_cross => 0xFFFF_FF55,
        _ => 0xFF00_00AA,
    }
}

//! INT 33h, one row per function.

use super::advanced;
use super::shapes::{Graphic, SIZE, TextCursor};
use super::state::{BUTTONS, Driver, Listener, Strokes, WIDTH};
use crate::bios::state::{Bios, Handler};
use crate::bios::video::pointer;
use crate::firmware::{Far, Functions, Guest, GuestMemory, Resume, row};

/// Driver version 8.20. The mouse is a PS/2 mouse, whose interrupt is reported as 0.
pub(super) const VERSION: u16 = 0x0814;
pub(super) const PS2_MOUSE: u16 = 0x0400;

const STATE_SIZE: u16 = 0x200;

/// 23h: the language of messages.
const ENGLISH: u16 = 0;

/// 25h: a driver loaded as a program, with one mouse.
const RESIDENT: u16 = 0x8001;

/// 32h: all functions from 25h (bit 15) to 34h (bit 0) exist except 30h (BallPoint).
const ADVANCED: u16 = 0xFFEF;

#[rustfmt::skip]
pub(in crate::bios) static INT_33: Functions<Handler> = Functions::new(&[
    row(0x00, "reset driver and read status",          reset),
    row(0x01, "show mouse cursor",                     |bios, g| with(bios, g, |d, g| { d.exclusion = None; d.shown = (d.shown + 1).min(0); d.show(g.hw); })),
    row(0x02, "hide mouse cursor",                     |bios, g| with(bios, g, |d, g| { d.hide(g.hw); d.shown = d.shown.saturating_sub(1); })),
    row(0x03, "return position and button status",     |bios, g| with(bios, g, position)),
    row(0x04, "position mouse cursor",                 |bios, g| with(bios, g, |d, g| { let (x, y) = (g.cpu.regs.cx(), g.cpu.regs.dx()); d.move_to(g.hw, x, y); })),
    row(0x05, "return button press data",              |bios, g| with(bios, g, |d, g| strokes(d.buttons, &mut d.presses, g))),
    row(0x06, "return button release data",            |bios, g| with(bios, g, |d, g| strokes(d.buttons, &mut d.releases, g))),
    row(0x07, "define horizontal cursor range",        |bios, g| with(bios, g, |d, g| { d.range_x = range(g); let (x, y) = (d.x, d.y); d.move_to(g.hw, x, y); })),
    row(0x08, "define vertical cursor range",          |bios, g| with(bios, g, |d, g| { d.range_y = range(g); let (x, y) = (d.x, d.y); d.move_to(g.hw, x, y); })),
    row(0x09, "define graphics cursor",                |bios, g| with(bios, g, define_graphic)),
    row(0x0A, "define text cursor",                    |bios, g| with(bios, g, define_text)),
    row(0x0B, "read motion counters",                  |bios, g| with(bios, g, motion)),
    row(0x0C, "define interrupt subroutine parameters", |bios, g| with(bios, g, |d, g| d.listener = listener(g))),
    row(0x0F, "define mickey/pixel ratio",             |bios, g| with(bios, g, |d, g| d.ratio = (g.cpu.regs.cx().max(1), g.cpu.regs.dx().max(1)))),
    row(0x10, "define screen region for updating",     |bios, g| with(bios, g, exclude)),
    row(0x13, "define double-speed threshold",         |bios, g| with(bios, g, |d, g| d.threshold = if g.cpu.regs.dx() == 0 { 64 } else { g.cpu.regs.dx() })),
    row(0x14, "exchange interrupt subroutines",        |bios, g| with(bios, g, exchange)),
    row(0x15, "return driver storage requirements",    |bios, g| with(bios, g, |_, g| g.cpu.regs.set_bx(STATE_SIZE))),
    row(0x16, "save driver state",                     |bios, g| with(bios, g, save)),
    row(0x17, "restore driver state",                  |bios, g| with(bios, g, restore)),
    row(0x18, "set alternate mouse user handler",      |bios, g| with(bios, g, advanced::set_alternate)),
    row(0x19, "return user alternate interrupt vector", |bios, g| with(bios, g, advanced::alternate)),
    row(0x1A, "set mouse sensitivity",                 |bios, g| with(bios, g, |d, g| d.sensitivity = (g.cpu.regs.bx(), g.cpu.regs.cx(), g.cpu.regs.dx()))),
    row(0x1B, "return mouse sensitivity",              |bios, g| with(bios, g, sensitivity)),
    // Sets the rate of a mouse that reports at once.
    row(0x1C, "set interrupt rate",                    |_, _| Resume::Return),
    row(0x1D, "define display page number",            |bios, g| with(bios, g, |d, g| { d.hide(g.hw); d.page = g.cpu.regs.bl() & 7; d.show(g.hw); })),
    row(0x1E, "return display page number",            |bios, g| with(bios, g, |d, g| g.cpu.regs.set_bx(u16::from(d.page)))),
    row(0x1F, "disable mouse driver",                  disable),
    row(0x20, "enable mouse driver",                   |_, g| { g.cpu.regs.set_ax(0xFFFF); Resume::Return }),
    row(0x21, "software reset",                        reset),
    row(0x22, "set language for messages",             |_, _| Resume::Return),
    row(0x23, "get language for messages",             |_, g| { g.cpu.regs.set_bx(ENGLISH); Resume::Return }),
    row(0x24, "get software version, mouse type and IRQ", |_, g| { g.cpu.regs.set_bx(VERSION); g.cpu.regs.set_cx(PS2_MOUSE); Resume::Return }),
    row(0x25, "get general driver information",        |bios, g| with(bios, g, information)),
    row(0x26, "get maximum virtual coordinates",       |bios, g| with(bios, g, maximum)),
    row(0x27, "get screen/cursor masks and mickey counts", |bios, g| with(bios, g, masks)),
    row(0x28, "set video mode",                        advanced::set_video_mode),
    row(0x29, "enumerate video modes",                 |bios, g| with(bios, g, advanced::next_video_mode)),
    row(0x2A, "get cursor hot spot",                   |bios, g| with(bios, g, hot_spot)),
    row(0x2B, "load acceleration profiles",            |bios, g| with(bios, g, advanced::load_profiles)),
    row(0x2C, "get acceleration profiles",             |bios, g| with(bios, g, advanced::profiles)),
    row(0x2D, "select acceleration profile",           |bios, g| with(bios, g, advanced::select_profile)),
    row(0x2E, "set acceleration profile names",        |bios, g| with(bios, g, advanced::name_profiles)),
    row(0x2F, "mouse hardware reset",                  |bios, g| { bios.mouse.reset(g.hw); g.cpu.regs.set_ax(0xFFFF); Resume::Return }),
    row(0x30, "get BallPoint information",             |_, g| { g.cpu.regs.set_ax(0xFFFF); Resume::Return }),
    row(0x31, "get current minimum/maximum virtual coordinates", |bios, g| with(bios, g, limits)),
    row(0x32, "get active advanced functions",         |_, g| { set_results(g, [ADVANCED, 0, 0, 0]); Resume::Return }),
    row(0x33, "get switch settings and acceleration profile data", |bios, g| with(bios, g, advanced::settings)),
    row(0x34, "get initialization file",               |bios, g| with(bios, g, advanced::initialization_file)),
    row(0x35, "LCD screen large pointer support",      |bios, g| with(bios, g, advanced::large_pointer)),
    row(0x4D, "return pointer to copyright string",    |bios, g| with(bios, g, advanced::copyright)),
    row(0x6D, "get version string",                    |bios, g| with(bios, g, advanced::version_bytes)),
]);

fn with(bios: &mut Bios, g: &mut Guest, act: impl FnOnce(&mut Driver, &mut Guest)) -> Resume {
    bios.mouse.begin_unless_used(g.hw);
    act(&mut bios.mouse, g);
    Resume::Return
}

/// 00h and 21h: AX is FFFFh, as the driver is installed; BX is the number of buttons.
fn reset(bios: &mut Bios, g: &mut Guest) -> Resume {
    bios.mouse.reset(g.hw);
    g.cpu.regs.set_ax(0xFFFF);
    g.cpu.regs.set_bx(BUTTONS as u16);
    Resume::Return
}

/// 03h: buttons in BX, position in CX, DX.
fn position(driver: &mut Driver, g: &mut Guest) {
    let (x, y) = driver.told(g.hw);
    g.cpu.regs.set_bx(driver.buttons);
    g.cpu.regs.set_cx(x);
    g.cpu.regs.set_dx(y);
}

/// 05h and 06h: button BX. Returns the count since the last call in BX, the buttons held in AX.
fn strokes(buttons: u16, all: &mut [Strokes; BUTTONS], g: &mut Guest) {
    let Strokes { count, x, y } = match all.get_mut(usize::from(g.cpu.regs.bx())) {
        Some(strokes) => Strokes { count: std::mem::take(&mut strokes.count), ..*strokes },
        None => Strokes::default(),
    };
    set_results(g, [buttons, count, x, y]);
}

/// Returns CX and DX, the smaller one first. The range is signed; negative values become 0.
fn range(g: &Guest) -> (u16, u16) {
    let (a, b) = (g.cpu.regs.cx() as i16, g.cpu.regs.dx() as i16);
    (a.min(b).max(0) as u16, a.max(b).max(0) as u16)
}

/// 09h: the hot spot is BX, CX; two masks of 16 words are at ES:DX.
fn define_graphic(driver: &mut Driver, g: &mut Guest) {
    let at = Far::new(g.cpu.regs.es(), g.cpu.regs.dx());
    let mask =
        |g: &mut Guest, from: u16| std::array::from_fn(|line| g.hw.word(at.plus(from + 2 * line as u16)));
    let (hot_x, hot_y) = (g.cpu.regs.bx() as i16, g.cpu.regs.cx() as i16);
    let (screen, cursor) = (mask(g, 0), mask(g, 2 * SIZE));
    driver.hide(g.hw);
    driver.graphic = Graphic { hot_x: hot_x.clamp(-128, 127), hot_y: hot_y.clamp(-128, 127), screen, cursor };
    driver.show(g.hw);
}

/// 0Ah: with BX = 0 CX and DX are masks; otherwise the hardware cursor with the lines CX to DX.
fn define_text(driver: &mut Driver, g: &mut Guest) {
    let (first, second) = (g.cpu.regs.cx(), g.cpu.regs.dx());
    driver.hide(g.hw);
    driver.text = if g.cpu.regs.bx() == 0 {
        TextCursor::Cell { screen: first, cursor: second }
    } else {
        pointer::set_hardware_shape(g.hw, first as u8, second as u8);
        TextCursor::Hardware
    };
    driver.show(g.hw);
}

/// 0Bh: mickeys since the last call, in CX and DX.
fn motion(driver: &mut Driver, g: &mut Guest) {
    let (x, y) = std::mem::take(&mut driver.moved);
    g.cpu.regs.set_cx(x as u16);
    g.cpu.regs.set_dx(y as u16);
}

/// Returns the mask CX and the handler ES:DX.
pub(super) fn listener(g: &Guest) -> Listener {
    Listener { mask: g.cpu.regs.cx(), at: Far::new(g.cpu.regs.es(), g.cpu.regs.dx()) }
}

/// 10h: hides the cursor within CX, DX to SI, DI until it is shown again.
fn exclude(driver: &mut Driver, g: &mut Guest) {
    let r = &g.cpu.regs;
    driver.exclusion = Some((r.cx(), r.dx(), r.si(), r.di()));
    driver.hide(g.hw);
    driver.show(g.hw);
}

/// 14h: like 0Ch, and returns the old mask and handler.
fn exchange(driver: &mut Driver, g: &mut Guest) {
    let Listener { mask, at } = std::mem::replace(&mut driver.listener, listener(g));
    g.cpu.regs.set_cx(mask);
    g.cpu.regs.set_es(at.segment);
    g.cpu.regs.set_dx(at.offset);
}

/// 16h: saves the state to ES:DX: its length and its bytes.
fn save(driver: &mut Driver, g: &mut Guest) {
    let at = Far::new(g.cpu.regs.es(), g.cpu.regs.dx());
    let state = Driver { drawn: None, ..driver.clone() };
    let bytes = postcard::to_stdvec(&state).unwrap_or_default();
    if bytes.len() <= usize::from(STATE_SIZE) - 2 {
        g.hw.set_word(at, bytes.len() as u16);
        g.hw.set_bytes(at.plus(2), &bytes);
    }
}

/// 17h: restores the state from ES:DX if it is valid.
fn restore(driver: &mut Driver, g: &mut Guest) {
    let at = Far::new(g.cpu.regs.es(), g.cpu.regs.dx());
    let len = usize::from(g.hw.word(at)).min(usize::from(STATE_SIZE) - 2);
    let bytes = g.hw.bytes(at.plus(2), len);
    let Ok(state) = postcard::from_bytes::<Driver>(&bytes) else { return };
    driver.hide(g.hw);
    *driver = Driver { drawn: None, ..state };
    driver.show(g.hw);
}

/// 1Bh: returns the values set by 1Ah.
fn sensitivity(driver: &mut Driver, g: &mut Guest) {
    let (x, y, threshold) = driver.sensitivity;
    g.cpu.regs.set_bx(x);
    g.cpu.regs.set_cx(y);
    g.cpu.regs.set_dx(threshold);
}

/// 1Fh: AX is 001Fh; ES:BX is the handler of INT 33h before the driver: none.
fn disable(bios: &mut Bios, g: &mut Guest) -> Resume {
    bios.mouse.hide(g.hw);
    g.cpu.regs.set_es(0);
    g.cpu.regs.set_bx(0);
    Resume::Return
}

/// Sets AX, BX, CX and DX.
pub(super) fn set_results(g: &mut Guest, [ax, bx, cx, dx]: [u16; 4]) {
    let registers = &mut g.cpu.regs;
    registers.set_ax(ax);
    registers.set_bx(bx);
    registers.set_cx(cx);
    registers.set_dx(dx);
}

/// 25h: bits 12 and 13 of AX are the kind of cursor: software text, hardware text, graphics. No
/// flag in BX, CX, DX: nothing else runs in the driver.
fn information(driver: &mut Driver, g: &mut Guest) {
    let kind = match driver.text {
        _ if pointer::cells(g.hw).is_none() => 2,
        TextCursor::Hardware => 1,
        TextCursor::Cell { .. } => 0,
    };
    set_results(g, [RESIDENT | kind << 12, 0, 0, 0]);
}

/// 27h: the masks of the text cursor, or the lines of the hardware cursor, in AX and BX; mickeys
/// since the last call in CX and DX.
fn masks(driver: &mut Driver, g: &mut Guest) {
    let (x, y) = std::mem::take(&mut driver.moved);
    let (screen, cursor) = match driver.text {
        TextCursor::Cell { screen, cursor } => (screen, cursor),
        TextCursor::Hardware => {
            let (first, last) = pointer::hardware_shape(g.hw);
            (u16::from(first), u16::from(last))
        }
    };
    set_results(g, [screen, cursor, x as u16, y as u16]);
}

/// 2Ah: whether the cursor is shown in AX, its hot spot in BX and CX, the type of the mouse in DX.
fn hot_spot(driver: &mut Driver, g: &mut Guest) {
    let Graphic { hot_x, hot_y, .. } = driver.graphic;
    set_results(g, [driver.shown as u16, hot_x as u16, hot_y as u16, PS2_MOUSE >> 8]);
}

/// 31h: the ranges of 07h and 08h: the least x and y in AX and BX, the greatest in CX and DX.
fn limits(driver: &mut Driver, g: &mut Guest) {
    let (x, y) = (driver.range_x, driver.range_y);
    set_results(g, [x.0, y.0, x.1, y.1]);
}

/// 26h: not disabled; the maximum coordinates in CX, DX.
fn maximum(_: &mut Driver, g: &mut Guest) {
    let height = pointer::height(g.hw);
    g.cpu.regs.set_bx(0);
    g.cpu.regs.set_cx(WIDTH - 1);
    g.cpu.regs.set_dx(height - 1);
}

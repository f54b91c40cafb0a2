//! Compares a program with its twin: everything that a user sees and hears, and the state
//! left behind.

use super::channel::{Channel, Difference};
use super::screen::Screen;
use super::{sound, twin::Twin};
use crate::engine::tune::Tune;
use crate::walk::ProgramUnderTest;
use oxbox_machine::hardware::vga::{TextScreen, TextStyle};
use oxbox_machine::hardware::{PIT_HZ, SideEffect};
use oxbox_machine::machine::{End, Machine, Remains, SystemState};

/// Size of the interrupt vectors in bytes.
const VECTORS: usize = 0x400;
/// Vectors that DOS itself sets for each program: 22h to 24h.
const OF_DOS: std::ops::Range<usize> = 0x22 * 4..0x25 * 4;
/// The address of the video mode in the BIOS data area.
const VIDEO_MODE: usize = 0x449;
/// The video mode that programs must leave: text, 80 columns by 25 lines in colour.
const TEXT_MODE: u8 = 3;
/// The bit of Insert in the shift flags.
const INSERT: u8 = 0x80;

/// Returns the difference by an effect that a twin never has.
pub(super) fn side_effect(machine: &Machine) -> Option<Difference> {
    Some(match machine.side_effect()? {
        SideEffect::Printer => Channel::Devices.differs("the program sends data to a parallel port"),
        SideEffect::SerialPort => Channel::Devices.differs("the program sends data to a serial port"),
        SideEffect::Clock => Channel::Devices.differs("the program sets the date or the time"),
        SideEffect::Text => Channel::Console.differs("the program prints with the BIOS, not with DOS"),
    })
}

/// Returns the difference of a BIOS clock that does not count the time since it was `then`: tick count and
/// nanoseconds. Midnight, when it begins again, is left out.
pub(super) fn clock_difference(machine: &Machine, then: (u32, u64)) -> Option<Difference> {
    /// The length of a tick in nanoseconds: 65,536 periods of the timer's clock.
    const TICK_NS: u64 = 65_536 * 1_000_000_000 / PIT_HZ;
    /// Both ends may be inside a tick, and an interrupt may be pending.
    const MOST: u32 = 2;
    let now = machine.ticks_and_time();
    let counted = now.0.checked_sub(then.0)?;
    let elapsed = (now.1.saturating_sub(then.1) / TICK_NS) as u32;
    if counted.abs_diff(elapsed) > MOST {
        let what = format!("the BIOS clock counts {counted} ticks in the time of {elapsed}");
        return Some(Channel::Devices.differs(what));
    }
    let stops = machine.stops_clock();
    stops.then(|| Channel::Devices.differs("the timer's interrupt is masked, so the BIOS clock stands still"))
}

/// The result of comparing a program with its twin.
pub(super) enum Agreement {
    Same,
    /// Equal with an alternative layout that the twin permits.
    OtherLayout,
    Differs(Difference),
}

/// The initial state of the machine, which a program must restore.
#[derive(Debug, Clone)]
pub(super) struct Baseline {
    vectors: Vec<u8>,
    /// The colours and the cursor's shape.
    text: Option<TextScreen>,
    /// Font, border and sizes.
    style: Option<TextStyle>,
    remains: Remains,
    system: SystemState,
    files: u64,
    psp: u16,
}

impl Baseline {
    /// Returns the state before the program's first instruction.
    pub(super) fn of(machine: &Machine) -> Baseline {
        Baseline {
            vectors: machine.hardware().memory.bytes()[..VECTORS].to_vec(),
            text: machine.text(),
            style: machine.hardware().vga.text_style(),
            remains: machine.remains(),
            system: machine.system_state(),
            files: machine.added_to_drives(),
            psp: machine.psp(),
        }
    }

    /// Returns the screen before the program's first instruction.
    pub(super) fn screen(&self) -> Option<Screen> {
        self.text.as_ref().map(|text| Screen::Text(text.into()))
    }

    /// Compares the display of text: the sixteen colours, blinking, the cursor's shape.
    pub(super) fn text_difference(&self, found: &TextScreen) -> Option<Difference> {
        let expected = self.text.as_ref()?;
        if let Some(number) = (0..16).find(|&number| found.colours[number] != expected.colours[number]) {
            let (found, expected) = (found.colours[number], expected.colours[number]);
            let what = format!("colour {number} of the palette is {found:06X}, not {expected:06X}");
            return Some(Channel::Look.differs(what));
        }
        if found.blink != expected.blink {
            return Some(Channel::Look.differs("attribute bit 7 has a different meaning"));
        }
        let lines = |text: &TextScreen| text.cursor.map(|cursor| (cursor.start, cursor.end));
        match (lines(found), lines(expected)) {
            (Some(found), Some(expected)) if found != expected => Some(Channel::Look.differs(format!(
                "the cursor is {} to {} lines high, not {} to {}",
                found.0, found.1, expected.0, expected.1
            ))),
            _ => None,
        }
    }

    /// Compares the style of text on the current screen; `None` in graphics modes.
    pub(super) fn style_difference(&self, machine: &Machine) -> Option<Difference> {
        let part = machine.hardware().vga.text_style_difference(self.style.as_ref()?)?;
        Some(Channel::Look.differs(format!("{part} is not restored")))
    }

    /// Checks whether the program has added files or folders, or written to files.
    pub(super) fn files_difference(&self, machine: &Machine) -> Option<Difference> {
        let added = machine.added_to_drives() != self.files;
        added.then(|| Channel::Files.differs("the program has written a file"))
    }

    /// Compares the state after the program's end: the video mode, interrupt vectors, the timer,
    /// the lock keys, memory, the devices, the BIOS and DOS. The user has toggled the lock keys in
    /// `toggled`, and may have `typed_ahead`. Insert is not compared: its key is one of those that are tried.
    pub(super) fn left_behind(
        &self,
        machine: &Machine,
        toggled: u8,
        typed_ahead: bool,
    ) -> Option<Difference> {
        let memory = machine.hardware().memory.bytes();
        let mode = memory[VIDEO_MODE];
        if mode != TEXT_MODE {
            let what = format!("the video mode is {mode:02X}h at the end, not 03h");
            return Some(Channel::LeftBehind.differs(what));
        }
        let differs = |at: &usize| memory[*at] != self.vectors[*at] && !OF_DOS.contains(at);
        if let Some(at) = (0..VECTORS).find(differs) {
            let what = format!("interrupt vector {:02X}h is not restored at the end", at / 4);
            return Some(Channel::LeftBehind.differs(what));
        }
        let (found, expected) = (machine.remains(), &self.remains);
        let parts = [
            ("the speaker is still on", found.speaker == expected.speaker),
            ("the system timer runs at a different rate", found.timer == expected.timer),
            ("the interrupt mask has changed", found.interrupts == expected.interrupts),
            ("a lock key has changed", (found.locks ^ expected.locks ^ toggled) & !INSERT == 0),
            ("address line 20 has changed", found.a20 == expected.a20),
            ("an unread key is in the keyboard buffer", typed_ahead || !found.unread_key),
            ("the program keeps memory", !machine.keeps_memory_of(self.psp)),
        ];
        let part = parts.into_iter().find(|(_, is_same)| !is_same).map(|(part, _)| part.to_owned());
        let changed = || Some(format!("{} has changed", machine.changed_system(&self.system)?));
        Some(Channel::LeftBehind.differs(format!("{} at the end", part.or_else(changed)?)))
    }
}

/// Compares the program's state, its `screen` and its sounds with its twin's: the `expected` screen, and
/// the tunes that the twin permits, `None` if that is not specified.
pub(super) fn compare(
    twin: &dyn Twin,
    (expected, tunes): (&Screen, Option<&[Tune]>),
    program: &ProgramUnderTest,
    screen: &Screen,
) -> Agreement {
    if let Some(what) = state_difference(twin, program) {
        return Agreement::Differs(Channel::State.differs(what));
    }
    let seen = screen.difference_in(expected);
    let is_seen = seen.is_some();
    let seen = seen.filter(|_| !twin.allows(screen));
    let heard = || Some(Channel::Sound.differs(sound::difference(tunes?, &program.performance()?.notes)?));
    match (seen.or_else(heard), is_seen) {
        (Some(difference), _) => Agreement::Differs(difference),
        (None, true) => Agreement::OtherLayout,
        (None, false) => Agreement::Same,
    }
}

/// Returns the difference between a program and its twin after a key: state, screen, and sounds if
/// they are [recorded](ProgramUnderTest::start_recording); `None` if they agree.
pub fn difference(twin: &dyn Twin, program: &mut ProgramUnderTest) -> Option<String> {
    let screen = Screen::from(&program.shot());
    match compare(twin, (&twin.screen(), twin.tunes()), program, &screen) {
        Agreement::Differs(difference) => Some(difference.what),
        Agreement::Same | Agreement::OtherLayout => None,
    }
}

/// Compares whether the program and its twin wait for a key or have ended.
fn state_difference(twin: &dyn Twin, program: &ProgramUnderTest) -> Option<String> {
    match (program.end(), twin.ended()) {
        (None, false) | (Some(End::Exited(_)), true) => None,
        (None, true) => Some("the program waits for a key; the twin has ended".to_owned()),
        (Some(End::Exited(_)), false) => Some("the program has ended; the twin waits for a key".to_owned()),
        (Some(end), _) => Some(program.why().unwrap_or_else(|| end.label())),
    }
}

//! The screen of the terminal's debugger, from 80 columns and 25 rows.
//!
//! No information depends on colour alone: the current line has `>`, a breakpoint `*`, and a value
//! that has just changed a `!` after it.

use super::app::{App, BYTES_A_ROW, Pane};
use crate::frontend::terminal::canvas::{Area, BRIGHT, Canvas, Line, MARKED, PLAIN, YELLOW};
use crate::frontend::terminal::still;
use oxbox::cpu::{Flags, Registers};
use oxbox::hardware::linear;
use oxbox::hardware::vga::cp437::{self, Controls};
use oxbox::inspect::StopReason;
use oxbox::inspect::{Place, disassemble};
use oxbox::machine::End;

const KEYS: [(char, &str); 11] = [
    ('s', "s step"),
    ('n', "n over"),
    ('o', "o out"),
    ('c', "c run"),
    ('S', "S N O C back"),
    ('t', "t b stop"),
    ('k', "k keys"),
    ('y', "y who"),
    ('\t', "Tab"),
    ('?', "? help"),
    ('q', "q quit"),
];

const HELP: &str = "\
s  F7    one line, into calls               S  the same backwards
n  F8    one line, over calls              N  the same backwards
o        out of the procedure              O  back to the call of it
c  F5    run to a breakpoint               C  run back to the last one

t  F2    a breakpoint at the marked line, or no more; a click does so too
b        a breakpoint anywhere, the same again takes it away: a line, a
         name, SEG:OFF, int, port, read, write; with a condition
w        watch an expression, the same again ends that
e        change a register or memory
y        who wrote this: a register, a byte, what a click on the screen hits

k        keys for the program              v  F4  its whole screen
Tab      instructions, memory, screen, output
m        memory at a place                 g  go to an instruction or a time
arrows   up, down: the source; left, right, Home, End, a click: the time line
q        quit

An edit or a key in the past begins a new branch of history. The folder
of the program is not changed. Interrupts are done in one step.";

const AFTER_THE_END: &str = "  S and N lead back into it, C to the breakpoint passed last,
  y finds the instruction that wrote a part of its screen.";

pub(super) fn draw(app: &mut App, canvas: &mut Canvas) {
    let area = canvas.area();
    if app.whole_screen {
        app.areas.screen = Some(area);
        return screen(app, canvas, area);
    }
    let (top, below) = area.split_rows(1);
    let (panes, below) = below.split_rows(below.rows.saturating_sub(3));
    let (time, below) = below.split_rows(1);
    let (message, keys) = below.split_rows(1);
    // The source gets 12 rows and 50 columns before the other panes get more than a part of the
    // space.
    let lower = (area.rows / 3).clamp(8, 16).min(panes.rows.saturating_sub(12).max(panes.rows / 3));
    let (upper, lower) = panes.split_rows(panes.rows - lower);
    let side = 28.min(area.columns.saturating_sub(51));
    let columns = |area: Area| {
        let (left, right) = area.split_columns(area.columns - side);
        (Area { columns: left.columns.saturating_sub(1), ..left }, right)
    };
    let ((source_area, side), (pane_area, stack_area)) = (columns(upper), columns(lower));
    app.areas.screen = None;
    app.areas.pane = pane_area;
    app.areas.width = area.columns;
    app.areas.time_line = time.row;
    app.areas.bottom = keys.row;
    title(app, canvas, top);
    source(app, canvas, source_area);
    registers(app, canvas, side);
    pane(app, canvas, pane_area);
    stack(app, canvas, stack_area);
    time_line(app, canvas, time);
    bottom(app, canvas, message, keys);
    if app.help {
        let (columns, rows) = (area.columns.min(80), area.rows.saturating_sub(2).min(22));
        let help = Area { column: (area.columns - columns) / 2, row: 1.min(area.rows), columns, rows };
        let inside = canvas.boxed(help, "Keys");
        canvas.text(inside, HELP);
    }
}

fn title(app: &App, canvas: &mut Canvas, area: Area) {
    let machine = app.debuggee.timeline.machine();
    let branch = if app.debuggee.timeline.is_past() { " (in the past)" } else { "" };
    let text = format!(
        " {} {} | instruction {}, {} ms{branch}",
        app.debuggee.title,
        app.state(),
        machine.instructions(),
        machine.nanoseconds() / 1_000_000,
    );
    canvas.lines(area, &[Line::styled(format!("{text:width$}", width = area.columns), MARKED)]);
}

/// Draws the source around the current line, or instructions without a source.
fn source(app: &mut App, canvas: &mut Canvas, area: Area) {
    let rows = area.rows.saturating_sub(1);
    app.areas.source = None;
    if let StopReason::Ended(End::Exited(code)) = app.halted {
        let inside = canvas.titled(area, "The end");
        let text = format!("\n  The program has ended with code {code}.\n\n{AFTER_THE_END}");
        return canvas.text(inside, &text);
    }
    let Some(here) = app.debuggee.line() else {
        let lines = code(app, rows);
        let title = if app.debuggee.running().symbols().files().is_empty() {
            "Instructions (no source)"
        } else {
            "Instructions"
        };
        let inside = canvas.titled(area, title);
        return canvas.lines(inside, &lines);
    };
    let stops: Vec<u32> = app
        .debuggee
        .breakpoints
        .iter()
        .filter_map(|breakpoint| match breakpoint.place {
            Place::Address(address) => app.debuggee.line_at(address).filter(|line| line.file == here.file),
            _ => None,
        })
        .map(|line| line.line)
        .collect();
    let text = app.debuggee.source(&here.file);
    let count = text.len() as i64;
    let line = i64::from(here.line);
    app.scroll = i64::from(app.scroll).clamp(1 - line, (count - line).max(1 - line)) as i32;
    let middle = i64::from(here.line) + i64::from(app.scroll);
    let first = (middle - rows as i64 / 2).min(count - rows as i64 + 1).max(1);
    let lines: Vec<Line> = (first..first + rows as i64)
        .map(|number| {
            let text = text.get((number - 1) as usize).map_or("", String::as_str);
            if number > count && count > 0 {
                return Line::plain("~");
            }
            let current = number == i64::from(here.line);
            let shown = app.scroll != 0 && number == middle;
            let stop = stops.iter().any(|line| i64::from(*line) == number);
            let mark = match (current, stop) {
                (true, true) => "*>",
                (true, false) => " >",
                (false, true) => "* ",
                (false, false) if shown => " .",
                _ => "  ",
            };
            let line = format!("{mark}{number:4} {text}");
            let line = format!("{line:width$}", width = area.columns);
            Line::styled(line, if current { MARKED } else { PLAIN })
        })
        .collect();
    app.areas.source = Some((area.row + 1, rows, first as u32));
    app.areas.source_width = area.columns;
    let inside = canvas.titled(area, &here.file);
    canvas.lines(inside, &lines);
}

/// Draws instructions from the current one.
fn code(app: &mut App, rows: usize) -> Vec<Line> {
    if matches!(app.halted, StopReason::Ended(End::Exited(_))) {
        return Vec::new();
    }
    let mut registers = app.debuggee.registers().clone();
    let (cs, mut ip) = app.debuggee.place();
    registers.set_cs(cs);
    let mut lines = Vec::new();
    for row in 0..rows {
        let address = linear(cs, ip);
        let bytes = app.debuggee.read(address, 15);
        let at = Registers { ip: u32::from(ip), ..registers.clone() };
        let debuggee = &app.debuggee;
        let names = |segment: u16, offset: u16| debuggee.name_at(linear(segment, offset));
        let instruction = disassemble(&bytes, &at, &names);
        let stop = debuggee.breakpoints.iter().any(|breakpoint| breakpoint.place == Place::Address(address));
        let mark = match (row, stop) {
            (0, true) => "*>",
            (0, false) => " >",
            (_, true) => "* ",
            _ => "  ",
        };
        let name = debuggee.name_at(address).map(|name| format!("{name}: ")).unwrap_or_default();
        let hex: String =
            bytes[..instruction.length.min(6)].iter().map(|byte| format!("{byte:02X}")).collect();
        let text = format!("{mark}{cs:04X}:{ip:04X} {hex:12} {name}{}", instruction.text);
        lines.push(Line::styled(text, if row == 0 { MARKED } else { PLAIN }));
        ip = ip.wrapping_add(instruction.length as u16);
    }
    lines
}

fn registers(app: &mut App, canvas: &mut Canvas, area: Area) {
    let (now, before) = (app.debuggee.registers(), &app.before);
    let word = |name: &str, now: u16, before: u16| {
        let changed = now != before;
        let text = format!("{name} {now:04X}{}", if changed { '!' } else { ' ' });
        (format!("{text:9}"), if changed { YELLOW } else { PLAIN })
    };
    let rows = [
        [("AX", now.ax(), before.ax()), ("SI", now.si(), before.si()), ("CS", now.cs(), before.cs())],
        [("BX", now.bx(), before.bx()), ("DI", now.di(), before.di()), ("DS", now.ds(), before.ds())],
        [("CX", now.cx(), before.cx()), ("BP", now.bp(), before.bp()), ("ES", now.es(), before.es())],
        [("DX", now.dx(), before.dx()), ("SP", now.sp(), before.sp()), ("SS", now.ss(), before.ss())],
    ];
    let mut lines: Vec<Line> = rows
        .iter()
        .map(|row| Line::from_iter(row.map(|(name, now, before)| word(name, now, before))))
        .collect();
    const FLAGS: [(&str, u32); 8] = [
        ("O", Flags::OF),
        ("D", Flags::DF),
        ("I", Flags::IF),
        ("S", Flags::SF),
        ("Z", Flags::ZF),
        ("A", Flags::AF),
        ("P", Flags::PF),
        ("C", Flags::CF),
    ];
    let mut flags = vec![(format!("IP {:04X}  ", now.ip), PLAIN)];
    flags.extend(FLAGS.iter().map(|(name, mask)| {
        let changed = now.flag(*mask) != before.flag(*mask);
        let name = if now.flag(*mask) { (*name).to_owned() } else { name.to_lowercase() };
        let style = if changed { YELLOW } else { PLAIN };
        (format!("{name}{}", if changed { "!" } else { "" }), style)
    }));
    lines.push(Line::from_iter(flags));
    lines.push(Line::styled("Watches", BRIGHT));
    for watch in app.watches.clone() {
        let value = match app.debuggee.evaluate(&watch) {
            Ok(value) => format!("{watch} = {:X}h {}", value.bits(), value.get()),
            Err(why) => format!("{watch}: {why}"),
        };
        lines.push(Line::plain(value));
    }
    lines.push(Line::styled("Breakpoints", BRIGHT));
    let numbered = app.debuggee.breakpoints.iter().enumerate();
    lines.extend(
        numbered.map(|(number, breakpoint)| Line::plain(format!("{} {}", number + 1, breakpoint.text))),
    );
    let inside = canvas.titled(area, "Registers");
    canvas.lines(inside, &lines);
}

fn pane(app: &mut App, canvas: &mut Canvas, area: Area) {
    let tabs =
        Pane::ALL.map(|(pane, name)| if pane == app.pane { format!("[{name}]") } else { name.to_owned() });
    let inside = canvas.titled(area, &tabs.join(" "));
    let lines = match app.pane {
        Pane::Code => code(app, inside.rows),
        Pane::Memory => memory(app, inside.rows),
        Pane::Screen => {
            app.areas.screen = Some(inside);
            return screen(app, canvas, inside);
        }
        Pane::Output => {
            let printed = app.debuggee.timeline.printed();
            let text = cp437::text(&printed, Controls::Lines);
            let lines: Vec<&str> = text.lines().collect();
            let skip = lines.len().saturating_sub(inside.rows);
            lines.into_iter().skip(skip).map(Line::plain).collect()
        }
    };
    canvas.lines(inside, &lines);
}

fn memory(app: &mut App, rows: usize) -> Vec<Line> {
    (0..rows as u32)
        .map(|row| {
            let at = app.memory + row * BYTES_A_ROW;
            let bytes = app.debuggee.read(at, BYTES_A_ROW);
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            let text = cp437::text(&bytes, Controls::Drawn);
            let name = app.debuggee.name_of(at).unwrap_or_default();
            Line::plain(format!("{at:05X} {} {text} {name}", hex.join(" ")))
        })
        .collect()
}

/// Draws the guest's screen, or the part that fits.
fn screen(app: &App, canvas: &mut Canvas, area: Area) {
    still::draw(app.debuggee.timeline.machine(), canvas, area);
}

/// Draws the stack from SP, and the callers of the procedures.
fn stack(app: &mut App, canvas: &mut Canvas, area: Area) {
    let registers = app.debuggee.registers().clone();
    let frames = app.debuggee.frames();
    let mut lines = Vec::new();
    for word in 0..area.rows.saturating_sub(1) {
        let offset = registers.sp().wrapping_add(word as u16 * 2);
        let bytes = app.debuggee.read(linear(registers.ss(), offset), 2);
        let value = u16::from_le_bytes([bytes[0], bytes[1]]);
        let returns = frames.iter().skip(1).any(|(_, ip)| *ip == value);
        let note = if returns { app.debuggee.describe(registers.cs(), value) } else { String::new() };
        let bp = if offset == registers.bp() { "BP" } else { "  " };
        lines.push(Line::plain(format!("{bp}{offset:04X} {value:04X} {note}")));
    }
    let inside = canvas.titled(area, "Stack");
    canvas.lines(inside, &lines);
}

/// Draws the whole history, and the current position in it.
fn time_line(app: &App, canvas: &mut Canvas, area: Area) {
    let timeline = &app.debuggee.timeline;
    let (start, end, now) = (timeline.start().cycle, timeline.end().cycle, timeline.position().cycle);
    let width = (area.columns as u64).saturating_sub(2).max(1);
    let at = (now - start) * (width - 1) / (end - start).max(1);
    let bar: String = (0..width)
        .map(|column| match column.cmp(&at) {
            std::cmp::Ordering::Less => '=',
            std::cmp::Ordering::Equal => '#',
            std::cmp::Ordering::Greater => '-',
        })
        .collect();
    canvas.text(area, &format!("[{bar}]"));
}

fn bottom(app: &mut App, canvas: &mut Canvas, message: Area, keys: Area) {
    if let Some((ask, line)) = &app.asks {
        canvas.text(message, ask.text());
        return canvas.text(keys, &format!("> {line}_   (Enter, Esc)"));
    }
    canvas.text(message, &app.message);
    let mut column = keys.column;
    let mut parts = Vec::new();
    app.areas.keys.clear();
    for (command, text) in KEYS {
        app.areas.keys.push((column, column + text.len(), command));
        parts.extend([(text.to_owned(), MARKED), (" ".to_owned(), PLAIN)]);
        column += text.len() + 1;
    }
    canvas.lines(keys, &[Line::from_iter(parts)]);
}

//! What the terminal's debugger shows, from 80 columns and 25 rows on.
//!
//! Nothing is told by colour alone: the current line has `>`, a breakpoint `*`, what has just changed a `!` behind it.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use super::app::{App, BYTES_A_ROW, Pane};
use crate::debug::debuggee::Halted;
use crate::frontend::terminal::still;
use oxbox::cpu::{Flags, Registers};
use oxbox::hardware::linear;
use oxbox::hardware::vga::cp437;
use oxbox::inspect::{Place, disassemble};

const MARKED: Style = Style::new().add_modifier(Modifier::REVERSED);
const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);

/// The keys at the bottom.
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
s  F7    one line, into what is called     S  the same backwards
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
  y tells who wrote what stands on its screen.";

/// Draws everything.
pub(super) fn draw(app: &mut App, frame: &mut Frame) {
    let area = frame.area();
    if app.whole_screen {
        app.areas.screen = Some(area);
        return frame.render_widget(Paragraph::new(screen(app, area)), area);
    }
    let [top, middle, bottom_panes, time, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(12),
        Constraint::Length((area.height / 3).clamp(8, 16)),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let columns = Layout::horizontal([Constraint::Min(50), Constraint::Length(28)]).spacing(1);
    let [source_area, side] = columns.areas(middle);
    let [pane_area, stack_area] = columns.areas(bottom_panes);
    app.areas.screen = None;
    app.areas.pane = pane_area;
    app.areas.width = area.width;
    app.areas.time_line = time.y;
    app.areas.bottom = keys.y;
    title(app, frame, top);
    source(app, frame, source_area);
    registers(app, frame, side);
    pane(app, frame, pane_area);
    stack(app, frame, stack_area);
    time_line(app, frame, time);
    bottom(app, frame, message, keys);
    if app.help {
        let inner = Rect {
            x: area.x + area.width.saturating_sub(80) / 2,
            y: area.y + 1,
            width: area.width.min(80),
            height: area.height.saturating_sub(2).min(22),
        };
        frame.render_widget(Clear, inner);
        frame.render_widget(Paragraph::new(HELP).block(Block::bordered().title(" Keys ")), inner);
    }
}

fn title(app: &App, frame: &mut Frame, area: Rect) {
    let machine = app.debuggee.history.machine();
    let branch = if app.debuggee.history.is_past() { " (in the past)" } else { "" };
    let text = format!(
        " {} {} | instruction {}, {} ms{branch}",
        app.debuggee.title,
        app.state(),
        machine.instructions(),
        machine.nanoseconds() / 1_000_000,
    );
    frame.render_widget(Paragraph::new(text).style(MARKED), area);
}

fn framed(title: &str) -> Block<'_> {
    Block::new().borders(Borders::TOP).title(Span::styled(format!(" {title} "), TITLE))
}

/// The source around the current line, or instructions where there is none.
fn source(app: &mut App, frame: &mut Frame, area: Rect) {
    let rows = area.height.saturating_sub(1);
    app.areas.source = None;
    if let Halted::Exited(code) = app.halted {
        let text = format!("\n  The program has ended with code {code}.\n\n{AFTER_THE_END}");
        return frame.render_widget(Paragraph::new(text).block(framed("The end")), area);
    }
    let Some(here) = app.debuggee.line() else {
        let lines = code(app, rows);
        let title = if app.debuggee.running().symbols().files().is_empty() {
            "Instructions (no source)"
        } else {
            "Instructions"
        };
        return frame.render_widget(Paragraph::new(lines).block(framed(title)), area);
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
    let first = (middle - i64::from(rows) / 2).min(count - i64::from(rows) + 1).max(1);
    let lines: Vec<Line> = (first..first + i64::from(rows))
        .map(|number| {
            let text = text.get((number - 1) as usize).map_or("", String::as_str);
            if number > count && count > 0 {
                return Line::raw("~");
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
            let line = format!("{line:width$}", width = usize::from(area.width));
            Line::styled(line, if current { MARKED } else { Style::new() })
        })
        .collect();
    app.areas.source = Some((area.y + 1, rows, first as u32));
    app.areas.source_width = area.width;
    frame.render_widget(Paragraph::new(lines).block(framed(&here.file)), area);
}

/// Instructions from the one at hand on.
fn code(app: &mut App, rows: u16) -> Vec<Line<'static>> {
    if matches!(app.halted, Halted::Exited(_)) {
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
        lines.push(Line::styled(text, if row == 0 { MARKED } else { Style::new() }));
        ip = ip.wrapping_add(instruction.length as u16);
    }
    lines
}

fn registers(app: &mut App, frame: &mut Frame, area: Rect) {
    let (now, before) = (app.debuggee.registers(), &app.before);
    let word = |name: &str, now: u16, before: u16| {
        let changed = now != before;
        let text = format!("{name} {now:04X}{}", if changed { '!' } else { ' ' });
        Span::styled(format!("{text:9}"), if changed { CHANGED } else { Style::new() })
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
    let mut flags = vec![Span::raw(format!("IP {:04X}  ", now.ip))];
    flags.extend(FLAGS.iter().map(|(name, mask)| {
        let changed = now.flag(*mask) != before.flag(*mask);
        let name = if now.flag(*mask) { (*name).to_owned() } else { name.to_lowercase() };
        let style = if changed { CHANGED } else { Style::new() };
        Span::styled(format!("{name}{}", if changed { "!" } else { "" }), style)
    }));
    lines.push(Line::from(flags));
    lines.push(Line::styled("Watches", TITLE));
    for watch in app.watches.clone() {
        let value = match app.debuggee.evaluate(&watch) {
            Ok(value) => format!("{watch} = {:X}h {value}", value & 0xFFFF_FFFF),
            Err(why) => format!("{watch}: {why}"),
        };
        lines.push(Line::raw(value));
    }
    lines.push(Line::styled("Breakpoints", TITLE));
    let numbered = app.debuggee.breakpoints.iter().enumerate();
    lines.extend(
        numbered.map(|(number, breakpoint)| Line::raw(format!("{} {}", number + 1, breakpoint.text))),
    );
    frame.render_widget(Paragraph::new(lines).block(framed("Registers")), area);
}

fn pane(app: &mut App, frame: &mut Frame, area: Rect) {
    let rows = area.height.saturating_sub(1);
    let lines = match app.pane {
        Pane::Code => code(app, rows),
        Pane::Memory => memory(app, rows),
        Pane::Screen => {
            let inside = Rect { y: area.y + 1, height: rows, ..area };
            app.areas.screen = Some(inside);
            screen(app, inside)
        }
        Pane::Output => {
            let printed = app.debuggee.history.printed();
            let text: String = printed
                .iter()
                .filter(|byte| **byte != b'\r')
                .map(|&byte| if byte == b'\n' { '\n' } else { cp437::glyph(byte) })
                .collect();
            let lines: Vec<&str> = text.lines().collect();
            let skip = lines.len().saturating_sub(usize::from(rows));
            lines.iter().skip(skip).map(|line| Line::raw((*line).to_owned())).collect()
        }
    };
    let tabs =
        Pane::ALL.map(|(pane, name)| if pane == app.pane { format!("[{name}]") } else { name.to_owned() });
    frame.render_widget(Paragraph::new(lines).block(framed(&tabs.join(" "))), area);
}

fn memory(app: &mut App, rows: u16) -> Vec<Line<'static>> {
    (0..u32::from(rows))
        .map(|row| {
            let at = app.memory + row * BYTES_A_ROW;
            let bytes = app.debuggee.read(at, BYTES_A_ROW);
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            let text: String = bytes.iter().map(|&byte| cp437::glyph(byte)).collect();
            let name = app.debuggee.name_of(at).unwrap_or_default();
            Line::raw(format!("{at:05X} {} {text} {name}", hex.join(" ")))
        })
        .collect()
}

/// The guest's screen, or what of it there is room for.
fn screen(app: &App, area: Rect) -> Vec<Line<'static>> {
    still::lines(app.debuggee.history.machine(), usize::from(area.width), usize::from(area.height))
}

/// The stack from SP on, and where the procedures were called from.
fn stack(app: &mut App, frame: &mut Frame, area: Rect) {
    let registers = app.debuggee.registers().clone();
    let rows = area.height.saturating_sub(1);
    let frames = app.debuggee.frames();
    let mut lines = Vec::new();
    for word in 0..rows {
        let offset = registers.sp().wrapping_add(word * 2);
        let bytes = app.debuggee.read(linear(registers.ss(), offset), 2);
        let value = u16::from_le_bytes([bytes[0], bytes[1]]);
        let returns = frames.iter().skip(1).any(|(_, ip)| *ip == value);
        let note = if returns { app.debuggee.describe(registers.cs(), value) } else { String::new() };
        let bp = if offset == registers.bp() { "BP" } else { "  " };
        lines.push(Line::raw(format!("{bp}{offset:04X} {value:04X} {note}")));
    }
    frame.render_widget(Paragraph::new(lines).block(framed("Stack")), area);
}

/// The whole history, and where the present is in it.
fn time_line(app: &App, frame: &mut Frame, area: Rect) {
    let history = &app.debuggee.history;
    let (start, end, now) = (history.start().cycle, history.end().cycle, history.position().cycle);
    let width = u64::from(area.width.saturating_sub(2)).max(1);
    let at = (now - start) * (width - 1) / (end - start).max(1);
    let bar: String = (0..width)
        .map(|column| match column.cmp(&at) {
            std::cmp::Ordering::Less => '=',
            std::cmp::Ordering::Equal => '#',
            std::cmp::Ordering::Greater => '-',
        })
        .collect();
    frame.render_widget(Paragraph::new(format!("[{bar}]")), area);
}

fn bottom(app: &mut App, frame: &mut Frame, message: Rect, keys: Rect) {
    if let Some((ask, line)) = &app.asks {
        frame.render_widget(Paragraph::new(ask.text()), message);
        frame.render_widget(Paragraph::new(format!("> {line}_   (Enter, Esc)")), keys);
        return;
    }
    frame.render_widget(Paragraph::new(app.message.as_str()), message);
    let mut column = keys.x;
    let mut spans = Vec::new();
    app.areas.keys.clear();
    for (command, text) in KEYS {
        let width = text.len() as u16;
        app.areas.keys.push((column, column + width, command));
        spans.push(Span::styled(text, MARKED));
        spans.push(Span::raw(" "));
        column += width + 1;
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), keys);
}

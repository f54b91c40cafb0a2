//! State and actions of the terminal's debugger: steps, breakpoints, watches, edits, and the input
//! line.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use oxbox::cpu::Registers;
use oxbox::inspect::{StepKind, StopReason};
use oxbox::machine::{End, Position};

use crate::debug::debuggee::Debuggee;
use crate::debug::{monitor, repl};
use crate::frontend::terminal::canvas::Area;
use crate::frontend::terminal::still;

/// Bytes per row of the memory pane.
pub(super) const BYTES_A_ROW: u32 = 8;

/// Virtual time between two polls for keys, in cycles.
const SLICE: u64 = 300_000;

/// The content of the lower left part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Code,
    Memory,
    Screen,
    Output,
}

impl Pane {
    pub(super) const ALL: [(Pane, &str); 4] = [
        (Pane::Code, "Instructions"),
        (Pane::Memory, "Memory"),
        (Pane::Screen, "Screen"),
        (Pane::Output, "Output"),
    ];
}

/// The purpose of the input line at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Breakpoint,
    Watch,
    Edit,
    Keys,
    GoTo,
    Memory,
    Who,
}

impl Ask {
    pub(super) fn text(self) -> &'static str {
        match self {
            Ask::Breakpoint => {
                "stop at (game.asm:12, NAME, SEG:OFF, int 21h ah=9, port 3C8h, write NAME; ... if ax==5)"
            }
            Ask::Watch => "watch (total, byte [bx], vals[si] == 3; the same again removes it)",
            Ask::Edit => "change (ax=5, byte board=58h, word es:[di]=0)",
            Ask::Keys => "keys for the program (SP 5 ENTER)",
            Ask::GoTo => "go to (instruction 1234, or 500ms)",
            Ask::Memory => "memory at (NAME, SEG:OFF, ds:bx)",
            Ask::Who => "who wrote (ROW,COL of the screen, pixel X,Y, al, NAME, SEG:OFF)",
        }
    }
}

/// The areas of the screen that react to clicks, set when it is drawn.
#[derive(Debug, Default, Clone)]
pub(super) struct Areas {
    /// First row and first line number of the source.
    pub(super) source: Option<(usize, usize, u32)>,
    pub(super) source_width: usize,
    pub(super) time_line: usize,
    pub(super) pane: Area,
    /// The guest's screen, if it is shown.
    pub(super) screen: Option<Area>,
    pub(super) width: usize,
    /// The keys at the bottom: first column, last column, key.
    pub(super) keys: Vec<(usize, usize, char)>,
    pub(super) bottom: usize,
}

pub(super) struct App {
    pub(super) debuggee: Debuggee,
    pub(super) halted: StopReason,
    why: String,
    pub(super) message: String,
    pub(super) before: Registers,
    pub(super) pane: Pane,
    pub(super) whole_screen: bool,
    pub(super) help: bool,
    pub(super) asks: Option<(Ask, String)>,
    pub(super) watches: Vec<String>,
    pub(super) memory: u32,
    /// Lines by which the source is scrolled away from the current one.
    pub(super) scroll: i32,
    pub(super) areas: Areas,
    running: bool,
    over: bool,
}

impl App {
    pub(super) fn new(debuggee: Debuggee) -> App {
        let before = debuggee.registers().clone();
        let memory = u32::from(before.ds()) * 16;
        App {
            debuggee,
            halted: StopReason::Step,
            why: String::new(),
            message: "F1 or ? shows the keys".to_owned(),
            before,
            pane: Pane::Code,
            whole_screen: false,
            help: false,
            asks: None,
            watches: Vec::new(),
            memory,
            scroll: 0,
            areas: Areas::default(),
            running: false,
            over: false,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    /// Runs the program for a slice, if it is running.
    pub(super) fn advance(&mut self) {
        if !self.running {
            return;
        }
        let halted = self.debuggee.go_on(SLICE);
        self.running = halted == StopReason::Running;
        self.halted = halted;
        self.explain();
    }

    pub(super) fn state(&self) -> String {
        match &self.halted {
            _ if self.running => "runs; a key stops it".to_owned(),
            StopReason::Step | StopReason::Running => "stands".to_owned(),
            StopReason::Breakpoint(number) => match self.debuggee.breakpoints.get(*number) {
                Some(breakpoint) => format!("at breakpoint {}: {}", number + 1, breakpoint.text),
                None => "at a breakpoint".to_owned(),
            },
            StopReason::KeyWait => "waits for a key (k types)".to_owned(),
            StopReason::Beginning => "at its beginning".to_owned(),
            StopReason::Ended(end @ End::Exited(_)) => format!("has {end}"),
            StopReason::Ended(_) => self.why.clone(),
        }
    }

    /// Finds out the reason for an abnormal end, if any.
    fn explain(&mut self) {
        if let StopReason::Ended(end) = &self.halted
            && !matches!(end, End::Exited(_))
        {
            self.why = self.debuggee.why(end).0;
        }
    }

    fn moved(&mut self, halted: StopReason, before: Registers) {
        self.halted = match self.debuggee.timeline.finale() {
            Some(end) if halted == StopReason::Step => end.clone().into(),
            _ => halted,
        };
        self.explain();
        self.before = before;
        self.scroll = 0;
        self.message.clear();
        if self.halted == StopReason::KeyWait {
            self.message.push_str("it waits for a key: k types one, S N O C lead back");
        }
    }

    fn step(&mut self, kind: StepKind) {
        let before = self.debuggee.registers().clone();
        let halted = self.debuggee.step(kind);
        self.moved(halted, before);
    }

    fn step_back(&mut self, kind: StepKind) {
        let before = self.debuggee.registers().clone();
        let halted = self.debuggee.step_back(kind);
        self.moved(halted, before);
    }

    pub(super) fn key(&mut self, key: KeyEvent) {
        if self.running {
            self.running = false;
            self.halted = StopReason::Step;
            return;
        }
        if self.help || self.whole_screen {
            (self.help, self.whole_screen) = (false, false);
            return;
        }
        if self.asks.is_some() {
            return self.edit_line(key);
        }
        let shift = key.modifiers.contains(KeyModifiers::SHIFT);
        let command = match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => 'q',
            KeyCode::Char(letter) => letter,
            KeyCode::F(1) => '?',
            KeyCode::F(2) => 't',
            KeyCode::F(4) => 'v',
            KeyCode::F(5 | 9) => {
                if shift {
                    'C'
                } else {
                    'c'
                }
            }
            KeyCode::F(7 | 11) => {
                if shift {
                    'S'
                } else {
                    's'
                }
            }
            KeyCode::F(8 | 10) => {
                if shift {
                    'N'
                } else {
                    'n'
                }
            }
            KeyCode::Tab => '\t',
            KeyCode::Up => '-',
            KeyCode::Down => '+',
            KeyCode::Left => '<',
            KeyCode::Right => '>',
            KeyCode::PageUp => '(',
            KeyCode::PageDown => ')',
            KeyCode::Home => '{',
            KeyCode::End => '}',
            _ => return,
        };
        self.command(command);
    }

    fn command(&mut self, command: char) {
        let ask = |ask: Ask| Some((ask, String::new()));
        match command {
            's' => self.step(StepKind::Into),
            'n' => self.step(StepKind::Over),
            'o' => self.step(StepKind::Out),
            'S' => self.step_back(StepKind::Into),
            'N' => self.step_back(StepKind::Over),
            'O' => self.step_back(StepKind::Out),
            'c' => {
                self.moved(StopReason::Running, self.debuggee.registers().clone());
                self.running = true;
            }
            'C' => {
                let before = self.debuggee.registers().clone();
                let halted = self.debuggee.go_back();
                self.moved(halted, before);
            }
            't' => {
                if let Some(line) = self.debuggee.line() {
                    let shown = i64::from(line.line) + i64::from(self.scroll);
                    self.toggle_line(&line.file, u32::try_from(shown).unwrap_or(1));
                }
            }
            'b' => self.asks = ask(Ask::Breakpoint),
            'w' => self.asks = ask(Ask::Watch),
            'e' => self.asks = ask(Ask::Edit),
            'k' => self.asks = ask(Ask::Keys),
            'g' => self.asks = ask(Ask::GoTo),
            'm' => self.asks = ask(Ask::Memory),
            'y' => self.asks = ask(Ask::Who),
            'v' => self.whole_screen = true,
            '?' => self.help = true,
            '\t' => {
                let at = Pane::ALL.iter().position(|(pane, _)| *pane == self.pane).unwrap_or(0);
                self.pane = Pane::ALL[(at + 1) % Pane::ALL.len()].0;
            }
            '-' => self.scroll -= 1,
            '+' => self.scroll += 1,
            '(' => self.scroll -= 8,
            ')' => self.scroll += 8,
            '<' => self.jump(-1),
            '>' => self.jump(1),
            '{' => self.go_to_cycle(self.debuggee.timeline.start().cycle),
            '}' => self.go_to_cycle(self.debuggee.timeline.end().cycle),
            'q' => self.over = true,
            _ => {}
        }
    }

    /// Jumps by twentieths of the time line.
    fn jump(&mut self, twentieths: i64) {
        let (start, end) = (self.debuggee.timeline.start().cycle, self.debuggee.timeline.end().cycle);
        let step = ((end - start) / 20).max(1) as i64 * twentieths;
        let now = self.debuggee.timeline.position().cycle as i64;
        self.go_to_cycle((now + step).max(start as i64) as u64);
    }

    fn go_to_cycle(&mut self, cycle: u64) {
        let before = self.debuggee.registers().clone();
        self.debuggee.timeline.go_to(Position { cycle, interrupted: false });
        self.moved(StopReason::Step, before);
    }

    fn edit_line(&mut self, key: KeyEvent) {
        let Some((ask, line)) = &mut self.asks else { return };
        match key.code {
            KeyCode::Esc => self.asks = None,
            KeyCode::Backspace => {
                line.pop();
            }
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => self.asks = None,
            KeyCode::Char(letter) => line.push(letter),
            KeyCode::Enter => {
                let (ask, line) = (*ask, std::mem::take(line));
                self.asks = None;
                if !line.trim().is_empty() {
                    self.message = self.answer(ask, line.trim()).unwrap_or_else(|why| why);
                }
            }
            _ => {}
        }
    }

    fn answer(&mut self, ask: Ask, line: &str) -> Result<String, String> {
        match ask {
            Ask::Breakpoint => {
                let list = &mut self.debuggee.breakpoints;
                if let Some(at) = list.iter().position(|breakpoint| breakpoint.text == line) {
                    list.remove(at);
                    return Ok(format!("removed the breakpoint at {line}"));
                }
                let number = self.debuggee.add_breakpoint(line)?;
                Ok(format!("breakpoint {}: {line}", number + 1))
            }
            Ask::Watch => {
                if let Some(at) = self.watches.iter().position(|watch| watch == line) {
                    self.watches.remove(at);
                    return Ok(String::new());
                }
                self.debuggee.condition(line)?;
                self.watches.push(line.to_owned());
                Ok(String::new())
            }
            Ask::Edit => repl::change(&mut self.debuggee, line),
            Ask::Keys => {
                monitor::type_keys(&mut self.debuggee, line)?;
                self.halted = StopReason::Step;
                Ok(format!("typed: {line}"))
            }
            Ask::GoTo => {
                let before = self.debuggee.registers().clone();
                match line.strip_suffix("ms").map(|ms| ms.trim().parse::<u64>()) {
                    Some(Ok(ms)) => {
                        let cycle = self.debuggee.timeline.machine().cycle_at_ms(ms);
                        self.debuggee.timeline.go_to(Position { cycle, interrupted: false });
                    }
                    Some(Err(_)) => return Err(format!("'{line}' is not a number of milliseconds")),
                    None => {
                        let number = line.trim_start_matches("instruction").trim();
                        let number = number.parse().map_err(|_| format!("'{number}' is not a number"))?;
                        self.debuggee.timeline.go_to_instruction(number);
                    }
                }
                self.moved(StopReason::Step, before);
                Ok(String::new())
            }
            Ask::Memory => {
                self.memory = self.debuggee.address_of(line)?;
                self.pane = Pane::Memory;
                Ok(String::new())
            }
            Ask::Who => {
                let before = self.debuggee.registers().clone();
                let answer = monitor::who(&mut self.debuggee, line);
                self.moved(StopReason::Step, before);
                Ok(answer)
            }
        }
    }

    fn toggle_line(&mut self, file: &str, line: u32) {
        let Some((line, address)) = self.debuggee.addresses_of_line(file, line) else {
            self.message = format!("{file}:{line} has no code");
            return;
        };
        let place = oxbox::inspect::Place::Address(address);
        let list = &mut self.debuggee.breakpoints;
        match list.iter().position(|breakpoint| breakpoint.place == place) {
            Some(at) => {
                list.remove(at);
                self.message = format!("removed the breakpoint at {file}:{line}");
            }
            None => match self.debuggee.add_breakpoint(&format!("{file}:{line}")) {
                Ok(number) => self.message = format!("breakpoint {}: {file}:{line}", number + 1),
                Err(why) => self.message = why,
            },
        }
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent) {
        let (column, row) = (usize::from(mouse.column), usize::from(mouse.row));
        match mouse.kind {
            MouseEventKind::ScrollUp => self.wheel(-3, column, row),
            MouseEventKind::ScrollDown => self.wheel(3, column, row),
            MouseEventKind::Down(MouseButton::Left) => self.click(column, row),
            _ => {}
        }
    }

    fn wheel(&mut self, rows: i32, column: usize, row: usize) {
        if self.pane == Pane::Memory && self.areas.pane.contains(column, row) {
            let last = 0x10_FFEF - BYTES_A_ROW;
            self.memory = self.memory.saturating_add_signed(rows * BYTES_A_ROW as i32).min(last);
        } else {
            self.scroll += rows;
        }
    }

    fn click(&mut self, column: usize, row: usize) {
        let areas = self.areas.clone();
        if self.help {
            self.help = false;
            return;
        }
        if let Some(screen) = areas.screen.filter(|screen| screen.contains(column, row)) {
            self.whole_screen = false;
            let size = (screen.columns, screen.rows);
            let at = (column - screen.column, row - screen.row);
            let what = still::what_is_at(self.debuggee.timeline.machine(), size, at);
            self.message = self.answer(Ask::Who, &what).unwrap_or_else(|why| why);
            return;
        }
        if row == areas.bottom && self.asks.is_none() {
            if let Some(&(_, _, command)) =
                areas.keys.iter().find(|(from, to, _)| (*from..*to).contains(&column))
            {
                self.command(command);
            }
        } else if row == areas.time_line && areas.width > 2 {
            let (start, end) = (self.debuggee.timeline.start().cycle, self.debuggee.timeline.end().cycle);
            let part = column.saturating_sub(1).min(areas.width - 3) as u64;
            self.go_to_cycle(start + (end - start) * part / (areas.width as u64 - 3).max(1));
        } else if let Some((first, rows, line)) = areas.source
            && (first..first + rows).contains(&row)
            && column < areas.source_width
            && let Some(here) = self.debuggee.line()
        {
            self.toggle_line(&here.file, line + (row - first) as u32);
        }
    }
}

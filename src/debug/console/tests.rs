//! Screens of the debugger after keys, on a terminal of 80 by 25.

use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use oxbox::machine::{Config, Machine, Script};
use oxbox::toolchain::{BuildRequest, build};

use super::app::{App, Ask};
use super::view;
use crate::debug::debuggee::Debuggee;
use crate::frontend::terminal::canvas::Canvas;

fn debugged(sources: &[&str], keys: &str) -> App {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let inputs = sources.iter().map(|source| folder.join(source)).collect();
    let linked = build(&BuildRequest { inputs, ..oxbox::built_in::build_request() }).expect("builds");
    let mut machine = Machine::new(&Config::default()).expect("a machine");
    machine.load(&linked.bytes, "PROGRAM.EXE", "").expect("loads");
    let (symbols, size) = (Some(linked.symbols), linked.bytes.len());
    let lookup = Box::new(|_: &str| None);
    let script = Script::from_keys(keys).expect("keys");
    App::new(Debuggee::new(machine, script, "program", symbols, size, Path::new("."), lookup))
}

fn app() -> App {
    debugged(&["tests/debug/sum.asm"], "")
}

/// The 2007 game, whose screens are pictures and whose waits are macros.
fn game() -> App {
    let game = oxbox::games::find("eecs2100").expect("one of the games");
    let sources: Vec<String> = game.sources.iter().map(|source| format!("asm/{source}")).collect();
    debugged(&sources.iter().map(String::as_str).collect::<Vec<_>>(), "SP 5")
}

fn seen(app: &mut App) -> String {
    let mut canvas = Canvas::new(80, 25);
    view::draw(app, &mut canvas);
    canvas.characters().iter().map(|row| row.trim_end().to_owned() + "\n").collect()
}

/// Presses keys: letters are keys; text in brackets is typed into the opened input line.
fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '[' | ' ' if app.asks.is_none() => continue,
            '[' => continue,
            ']' => KeyCode::Enter,
            letter => KeyCode::Char(letter),
        };
        app.key(KeyEvent::new(code, KeyModifiers::NONE));
        while app.is_running() {
            app.advance();
        }
    }
}

#[test]
fn keys_lead_to_these_screens() {
    // Keys from the start, text expected, and text that must not appear.
    let rows: [(&str, &[&str], &[&str]); 17] = [
        ("", &["> ", "start:  mov ax, @data", "Registers", "s step", "instruction 0"], &["!"]),
        ("s", &["mov ds, ax", "AX ", "!"], &[]),
        ("nnn", &["call add_up", "BX 0005"], &[]),
        ("nnns", &["push bx", "sum.asm:2"], &[]),
        ("nnnn", &["AX 000F!", "mov total, ax"], &[]),
        ("nnnnN", &["> ", "call add_up", "AX", "in the past"], &["AX 000F"]),
        ("nnnsss o", &["AX 000F", "mov total, ax"], &[]),
        ("b[sum.asm:10 if bx==2]c", &["at breakpoint 1: sum.asm:10 if bx==2", "BX 0002", "*> "], &[]),
        ("b[write total]cw[total]", &["total = Fh 15", "breakpoint"], &[]),
        ("c", &["waits for a key", ">  38         int 16h", ">0648:", "int 16h"], &[]),
        ("ck[x]c", &["has ended with code 0", "S and N lead back"], &["add [bx+si]", "0000:0000"]),
        ("ck[x]cN", &["int 21h", "in the past", "instruction"], &["S and N lead back"]),
        ("cs", &["waits for a key", "k types one"], &[]),
        ("c\t\t", &["[Screen]", "Sum: 15"], &[]),
        ("nnm[ds:bx+2]", &["[Memory]"], &["unknown name"]),
        ("?", &["program is not changed", "with a condition", "a click: the time line"], &[]),
        ("cy[0,5]", &["0,5: ", "sum.asm:", "INT 21h AH=02h"], &[]),
    ];
    check(app, &rows);
}

#[test]
fn watches_and_breakpoints_take_any_expression() {
    let rows = [
        (Ask::Watch, "msg[si] == 7553h && byte ptr [bx+1] > 10h", "= "),
        (Ask::Watch, "sword ptr total lt 0", "sword ptr total lt 0 = 0h 0"),
        (Ask::Watch, "total == 0x1G", "column 10: cannot parse '0x1G'"),
        (
            Ask::Breakpoint,
            "add_up if total[si] == 3 && byte ptr [bx+1] > 10h",
            "breakpoint 1: add_up if total[si]",
        ),
        (Ask::Breakpoint, "add_up if total[si", "column 9: expected ']'"),
        (Ask::Edit, "byte ptr total[1] = 12h or 1", "byte ptr total[1] is 13h now"),
        (Ask::Memory, "total+2", "[Memory]"),
    ];
    for (ask, text, present) in rows {
        let mut app = app();
        press(&mut app, "nn");
        app.asks = Some((ask, text.to_owned()));
        app.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        let screen = seen(&mut app);
        assert!(screen.contains(present), "{text}: no {present:?} in\n{screen}");
    }
}

/// Checks the screen text after keys, and text that must not appear.
fn check(app: impl Fn() -> App, rows: &[(&str, &[&str], &[&str])]) {
    for (keys, present, absent) in rows {
        let mut app = app();
        press(&mut app, keys);
        let screen = seen(&mut app);
        for text in *present {
            assert!(screen.contains(text), "{keys}: no {text:?} in\n{screen}");
        }
        for text in *absent {
            assert!(!screen.contains(text), "{keys}: {text:?} in\n{screen}");
        }
    }
}

#[test]
fn the_2007_game_is_stepped_through_in_both_directions() {
    let rows: [(&str, &[&str], &[&str]); 9] = [
        ("nnn", &[">  36         call    clear_board"], &[]),
        ("nnnN", &[">  33         call    set_graphics", "in the past"], &[]),
        ("nnnS", &["vga.asm", "ret"], &[]),
        ("nnnSO", &[">  33         call    set_graphics"], &[]),
        ("nnnNNN", &[">  31 start:  mov     ax, @data", "instruction 0,"], &[]),
        // A macro of two instructions is one line in both directions.
        ("nnnnnnnn", &[">  41         call    show_board"], &[]),
        ("nnnnnnnnN", &[">  40         read_key", "mov ah,8"], &[]),
        ("nnnnnnnnNN", &[">  39         call    show_title"], &[]),
        // So is a delay of hundreds of thousands of instructions.
        ("b[fill_white]cnnnN", &["> 153         idle    WHITE_IDLE", "mov ecx,"], &[]),
    ];
    check(game, &rows);
}

#[test]
fn a_click_on_a_picture_asks_who_drew_it() {
    let mut app = game();
    press(&mut app, "c\t\t");
    let screen = seen(&mut app);
    assert!(screen.contains("[Screen]") && screen.contains('▀'), "{screen}");
    assert!(screen.contains("waits for a key") && screen.contains(">  99         read_key"), "{screen}");
    press(&mut app, "v");
    assert!(seen(&mut app).lines().all(|line| line.contains('▀')));
    app.mouse(click(40, 12));
    let screen = seen(&mut app);
    assert!(
        screen.contains("pixel ") && screen.contains("in the past") && screen.contains(".asm:"),
        "{screen}"
    );
}

fn click(column: u16, row: u16) -> MouseEvent {
    MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, modifiers: KeyModifiers::NONE }
}

#[test]
fn clicks_set_breakpoints_and_jump() {
    let mut app = app();
    let screen = seen(&mut app);
    let row = screen.lines().position(|line| line.contains("call add_up")).expect("shown") as u16;
    app.mouse(click(10, row));
    press(&mut app, "c");
    assert!(seen(&mut app).contains("at breakpoint 1"), "{}", seen(&mut app));
    press(&mut app, "c");
    app.mouse(click(1, app.areas.time_line as u16));
    let screen = seen(&mut app);
    assert!(screen.contains("instruction 0") && screen.contains("[#--"), "{screen}");
}

#[test]
fn a_small_terminal_is_no_reason_to_end() {
    for (width, height) in [(80, 25), (40, 12), (10, 4), (1, 1), (200, 60)] {
        let mut app = app();
        press(&mut app, "nnn");
        for keys in ["", "\t", "\t", "\t", "?"] {
            press(&mut app, keys);
            view::draw(&mut app, &mut Canvas::new(width, height));
        }
    }
}

//! The machine with programs that are assembled by the test: waits, interrupts, keys, time, stops,
//! snapshots.
#![cfg(feature = "assembler")]

mod breakpoints;
mod input_end;
mod keys;
mod memory;
mod mouse;
mod scripts;
mod states;
mod stops;
mod time;
mod timeline;
mod waits;

use oxbox::machine::{Config, Machine, Playback, Played, Polls, Script, Stop, Until};
use oxbox::toolchain::{BuildRequest, Format, LinkOptions, build};

/// The end of every program: prints AX as four hex digits, and exits with code AL.
const TAIL: &str = "
print_ax proc near
        push ax
        push bx
        push cx
        push dx
        mov bx, ax
        mov cx, 4
digit:  rol bx, 4
        mov dl, bl
        and dl, 15
        add dl, 90h
        xchg al, dl
        daa
        adc al, 40h
        daa
        mov dl, al
        mov ah, 2
        int 21h
        loop digit
        mov dl, ' '
        int 21h
        pop dx
        pop cx
        pop bx
        pop ax
        ret
print_ax endp
quit:   mov ah, 4Ch
        int 21h
code ends
end start
";

fn assemble(body: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("test.asm");
    let text = format!(".386\ncode segment use16\nassume cs:code, ds:code\norg 100h\nstart:\n{body}\n{TAIL}");
    std::fs::write(&source, text).expect("a file");
    let options = LinkOptions { format: Some(Format::Com), ..LinkOptions::default() };
    let request = BuildRequest { inputs: vec![source], options, ..oxbox::built_in::build_request() };
    build(&request).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn machine(body: &str) -> Machine {
    let mut machine = Machine::new(&Config::default()).expect("a machine");
    machine.load(&assemble(body), "TEST.COM", "").expect("loads");
    machine
}

/// Ten seconds of virtual time, more than any of these programs takes.
const LIMIT: Until = Until { cycle: 30_000_000, ..Until::KEY_WAIT };

fn play(machine: &mut Machine, keys: &str) -> Played {
    Playback::new(Script::from_keys(keys).expect("keys")).run(machine, &LIMIT, &mut (), &mut ())
}

/// Returns the screen's first line.
fn line(machine: &Machine) -> String {
    machine.text().expect("a text screen").line(0)
}

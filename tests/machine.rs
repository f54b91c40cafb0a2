//! The machine under programs that are assembled on the spot: waits, interrupts, keys, time, stops, snapshots.
#![cfg(feature = "assembler")]

use oxbox::cpu::Cpu;
use oxbox::hardware::Hardware;
use oxbox::hardware::vga::Frame;
use oxbox::machine::{Config, Key, Machine, Observer, Played, Player, Script, ScriptHost, Stop, Until};
use oxbox::toolchain::{BuildRequest, Format, LinkOptions, build};

/// What every program has at its end: AX as four hex digits, and the way out with code AL.
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

/// Assembles the body of a COM program.
fn assemble(body: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("test.asm");
    let text = format!(".386\ncode segment use16\nassume cs:code, ds:code\norg 100h\nstart:\n{body}\n{TAIL}");
    std::fs::write(&source, text).expect("a file");
    let options = LinkOptions { format: Some(Format::Com), ..LinkOptions::default() };
    let request = BuildRequest { inputs: vec![source], options, ..BuildRequest::default() };
    build(&request).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn machine(body: &str) -> Machine {
    let mut machine = Machine::new(&Config::default()).expect("a machine");
    machine.load(&assemble(body), "TEST.COM", "").expect("loads");
    machine
}

/// A host for scripts without files.
struct NoFiles;

impl ScriptHost for NoFiles {
    fn shot(&mut self, file: &str, _: &Frame) -> Result<(), String> {
        Err(format!("no file {file} here"))
    }
    fn text(&mut self, file: &str, _: &str) -> Result<(), String> {
        Err(format!("no file {file} here"))
    }
}

/// Ten seconds of virtual time are more than any of these programs takes.
const LIMIT: Until = Until { cycle: 30_000_000, ..Until::KEY_WAIT };

fn play(machine: &mut Machine, keys: &str) -> Played {
    Player::new(Script::from_keys(keys).expect("keys")).run(machine, &LIMIT, &mut NoFiles, &mut ())
}

/// The screen's first line.
fn line(machine: &Machine) -> String {
    machine.text().expect("a text screen").line(0)
}

#[test]
fn programs_get_keys_by_every_way_there_is() {
    let rows = [
        (
            "INT 16h waits",
            "a F1",
            "1E61 3B00",
            "
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "INT 16h AH=10h shows grey keys",
            "UP F12 DEL",
            "48E0 8600 53E0",
            "
            mov cx, 3
        l:  mov ah, 10h
            int 16h
            call print_ax
            loop l
            jmp quit",
        ),
        (
            "INT 16h AH=00h hides what only the enhanced calls know",
            "F12 UP",
            "4800",
            "
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "INT 16h is polled",
            "x",
            "2D78",
            "
        l:  mov ah, 1
            int 16h
            jz l
            call print_ax
            jmp quit",
        ),
        (
            "INT 21h AH=06h is polled",
            "x",
            "0078",
            "
        l:  mov ah, 6
            mov dl, 0FFh
            int 21h
            jz l
            mov ah, 0
            call print_ax
            jmp quit",
        ),
        (
            "DOS gives extended keys as two bytes",
            "F5",
            "0800 083F",
            "
            mov ah, 8
            int 21h
            call print_ax
            mov ah, 8
            int 21h
            call print_ax
            jmp quit",
        ),
        (
            "shift flags",
            "LSHIFT CAPSLOCK x",
            "0040",
            "
        l:  mov ah, 0
            int 16h
            mov ah, 2
            int 16h
            mov ah, 0
            call print_ax
            jmp quit",
        ),
        (
            "Ctrl-letters and Alt-letters",
            "CTRL+A ALT+A",
            "1E01 1E00",
            "
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            jmp quit",
        ),
        (
            "the ports themselves, IRQ 1 masked",
            "a b",
            "001E 009E 0030 00B0",
            "
            mov al, 2
            out 21h, al
            mov cx, 4
        l:  in al, 64h
            test al, 1
            jz l
            in al, 60h
            mov ah, 0
            call print_ax
            loop l
            jmp quit",
        ),
        (
            "IRQ 1 hooked, the BIOS not asked",
            "a b",
            "001E 009E 0030 00B0",
            "
            mov ax, 2509h
            mov dx, offset irq
            int 21h
            mov cx, 4
        l:  cmp code_seen, 0
            je l
            mov al, code_seen
            mov ah, 0
            mov code_seen, 0
            call print_ax
            loop l
            jmp quit
        code_seen db 0
        irq: push ax
            in al, 60h
            mov cs:code_seen, al
            mov al, 20h
            out 20h, al
            pop ax
            iret",
        ),
        (
            "IRQ 1 hooked and chained",
            "a b",
            "1E61 3062 0004",
            "
            mov ax, 3509h
            int 21h
            mov old, bx
            mov old+2, es
            mov ax, 2509h
            mov dx, offset irq
            int 21h
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 0
            int 16h
            call print_ax
            mov ah, 1
        w:  int 16h
            cmp count, 4
            jb w
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        old dw 0, 0
        irq: inc cs:count
            jmp dword ptr cs:old",
        ),
    ];
    for (what, keys, expected, body) in rows {
        let mut machine = machine(body);
        let end = play(&mut machine, keys);
        assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{what}: {end:?}\n{}", line(&machine));
        assert_eq!(line(&machine), expected, "{what}");
    }
}

#[test]
fn time_passes_as_the_clock_says() {
    let rows = [
        (
            "1.5 s of INT 15h AH=86h are 27 ticks",
            "001B",
            "
            mov ah, 0
            int 1Ah
            push dx
            mov cx, 16h
            mov dx, 0E360h
            mov ah, 86h
            int 15h
            mov ah, 0
            int 1Ah
            mov ax, dx
            pop dx
            sub ax, dx
            call print_ax
            jmp quit",
        ),
        (
            "INT 1Ch runs at each tick",
            "0003",
            "
            mov ax, 251Ch
            mov dx, offset tick
            int 21h
        l:  hlt
            cmp count, 3
            jb l
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        tick: inc cs:count
            iret",
        ),
        (
            "channel 0 can be made faster",
            "0064",
            "
            mov ax, 2508h
            mov dx, offset tick
            int 21h
            mov al, 36h
            out 43h, al
            mov al, 0A9h        ; 1193 ticks: 1000 a second
            out 40h, al
            mov al, 04h
            out 40h, al
        l:  hlt
            cmp count, 100
            jb l
            mov ax, count
            call print_ax
            jmp quit
        count dw 0
        tick: push ax
            inc cs:count
            mov al, 20h
            out 20h, al
            pop ax
            iret",
        ),
        (
            "the date at power-on is 1980-01-01",
            "07BC 0101",
            "
            mov ah, 2Ah
            int 21h
            mov ax, cx
            call print_ax
            mov ax, dx
            call print_ax
            jmp quit",
        ),
    ];
    for (what, expected, body) in rows {
        let mut machine = machine(body);
        let end = play(&mut machine, "");
        assert!(matches!(end, Played::Stopped(Stop::Exited(_))), "{what}: {end:?}\n{}", line(&machine));
        assert_eq!(line(&machine), expected, "{what}");
    }
}

#[test]
fn what_cannot_go_on_is_said_with_its_place() {
    let rows = [
        ("HLT with no interrupt to come", "cli\n hlt", "HLT with no interrupt to come at "),
        ("an invalid opcode", "db 0Fh, 0FFh, 0FFh", "invalid opcode (INT 06h) at "),
        (
            "protected mode",
            "mov eax, cr0\n or al, 1\n mov cr0, eax",
            "the program switches to protected mode",
        ),
        ("INT 19h", "int 19h", "the program reboots the machine at "),
        ("the reset line", "mov al, 0FEh\n out 64h, al\n jmp $", "the program resets the machine at "),
    ];
    for (what, body, message) in rows {
        let end = play(&mut machine(body), "");
        assert!(
            matches!(&end, Played::Stopped(Stop::Dead(why)) if why.starts_with(message)),
            "{what}: {end:?}"
        );
    }
}

#[test]
fn limits_are_met_to_the_cycle_and_to_the_instruction() {
    let mut machine = machine("l: inc ax\n jmp l");
    assert_eq!(machine.run(&Until::cycle(12_345), &mut ()), Stop::Cycle);
    assert_eq!(machine.now(), 12_345);
    let until = Until { instructions: 54_321, ..Until::KEY_WAIT };
    assert_eq!(machine.run(&until, &mut ()), Stop::Instructions);
    assert_eq!(machine.cpu.retired, 54_321);
}

#[test]
fn a_vector_that_nobody_provides_is_named_once() {
    let mut machine = machine("mov cx, 3\nl: mov ax, 1234h\n int 5Ch\n loop l\n jmp quit");
    play(&mut machine, "");
    let notices = machine.take_notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("not there: INT 5Ch (AX=1234)"), "{notices:?}");
}

#[test]
fn pause_holds_the_program_and_ctrl_break_reaches_it() {
    let ticking = "
        mov ax, 251Bh
        mov dx, offset broken
        int 21h
    l:  inc count
        mov ah, 1
        int 16h
        cmp done, 0
        je l
        mov ax, 5
        jmp quit
    count dw 0
    done db 0
    broken: mov cs:done, 1
        iret";
    let mut machine = machine(ticking);
    machine.run(&Until::cycle(100_000), &mut ());
    machine.type_key("PAUSE".parse().expect("a key"));
    machine.run(&Until::cycle(200_000), &mut ());
    let held = machine.cpu.retired;
    machine.run(&Until::cycle(2_000_000), &mut ());
    assert!(machine.cpu.retired - held < 2_000, "only the timer runs: {}", machine.cpu.retired - held);
    machine.type_key(Key::typing('x').expect("a key"));
    machine.run(&Until::cycle(2_200_000), &mut ());
    assert!(machine.cpu.retired - held > 50_000, "the program runs again");
    machine.type_key("CTRL+SCROLLLOCK".parse().expect("a key"));
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(5));
}

#[test]
fn alt_and_the_keypad_type_any_character() {
    let mut machine = machine("mov ah, 0\n int 16h\n call print_ax\n jmp quit");
    machine.key_down("LALT".parse().expect("a key"));
    for scan in [0x4F, 0x4D, 0x4B] {
        machine.type_key(Key::new(scan, false)); // keypad 1, 6, 4
    }
    machine.key_up("LALT".parse().expect("a key"));
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0xA4));
    assert_eq!(line(&machine), "00A4");
}

/// Looks at every instruction, which makes the machine step.
#[derive(Default)]
struct Steps(u64);

impl Observer for Steps {
    const EVERY_INSTRUCTION: bool = true;
    fn instruction(&mut self, _: &Cpu, _: &Hardware) {
        self.0 += 1;
    }
}

const BUSY: &str = "
        mov ax, 251Ch
        mov dx, offset tick
        int 21h
        mov bp, 40
    l:  mov cx, 5000
    d:  loop d
        mov si, 100h
        mov di, 4000h
        mov cx, 300
        rep movsb
        mov ax, count
        call print_ax
        inc byte ptr patched + 1
    patched: mov al, 0
        dec bp
        jnz l
        mov ah, 0
        int 16h
        jmp quit
    count dw 0
    tick: inc cs:count
        iret";

#[test]
fn stepping_and_running_give_the_same_state() {
    let mut stepped = machine(BUSY);
    let mut steps = Steps::default();
    assert_eq!(stepped.run(&LIMIT, &mut steps), Stop::KeyWait);
    let mut ran = machine(BUSY);
    assert_eq!(ran.run(&LIMIT, &mut ()), Stop::KeyWait);
    assert_eq!(steps.0, ran.cpu.retired);
    assert_eq!(stepped.now(), ran.now());
    assert_eq!(stepped.state_hash(), ran.state_hash());
}

#[test]
fn slices_do_not_change_a_run() {
    let mut whole = machine(BUSY);
    assert_eq!(whole.run(&LIMIT, &mut ()), Stop::KeyWait);
    let mut sliced = machine(BUSY);
    let mut cycle = 0;
    loop {
        cycle += 777;
        match sliced.run(&Until { cycle, ..Until::KEY_WAIT }, &mut ()) {
            Stop::Cycle => {}
            stop => break assert_eq!(stop, Stop::KeyWait),
        }
    }
    assert_eq!(sliced.state_hash(), whole.state_hash());
}

#[test]
fn a_snapshot_goes_back_and_survives_storing() {
    let mut machine = machine(BUSY);
    machine.run(&Until::cycle(100_000), &mut ());
    let snapshot = machine.snapshot();
    let stored = snapshot.to_bytes().expect("bytes");
    assert_eq!(play(&mut machine, "x"), Played::Stopped(Stop::Exited(b'x')));
    let end = machine.state_hash();
    machine.restore(&snapshot);
    assert_eq!(play(&mut machine, "x"), Played::Stopped(Stop::Exited(b'x')));
    assert_eq!(machine.state_hash(), end, "the same after going back");
    let mut other = Machine::new(&Config::default()).expect("a machine");
    other.restore(&oxbox::machine::Snapshot::from_bytes(&stored).expect("a snapshot"));
    assert_eq!(play(&mut other, "x"), Played::Stopped(Stop::Exited(b'x')));
    assert_eq!(other.state_hash(), end, "the same in another machine, from bytes");
    assert!(oxbox::machine::Snapshot::from_bytes(&stored[..stored.len() / 2]).is_err(), "cut short");
    assert!(oxbox::machine::Snapshot::from_bytes(b"nonsense").is_err());
}

#[test]
fn going_back_undoes_what_a_program_has_written_into_its_code() {
    let mut machine = machine(
        "xor bx, bx
        xor dl, dl
again:  mov ah, 0
        int 16h
        inc byte ptr cs:[patch + 1]
        xor byte ptr cs:[other], 8      ; INC BX and DEC BX by turns
patch:  mov al, 0
other:  inc bx
        add dl, al
        jmp again",
    );
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
    let start = machine.snapshot();
    let mut play = |keys: usize| {
        machine.restore(&start);
        for _ in 0..keys {
            machine.type_key(Key::typing('a').expect("a key"));
            assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
        }
        let regs = &machine.cpu.regs;
        (regs.bx() as i16, regs.dl(), machine.state_hash())
    };
    let [once, often] = [1, 5].map(&mut play);
    let (bx, dl, _) = often;
    assert_eq!((once.0, once.1), (-1, 1));
    assert_eq!((bx, dl), (-1, 1 + 2 + 3 + 4 + 5));
    assert_eq!([1, 5].map(play), [once, often]);
}

#[test]
fn a_wait_in_the_middle_of_a_service_survives_a_snapshot() {
    let mut machine = machine("mov ah, 8\n int 21h\n jmp quit");
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::KeyWait);
    let snapshot = machine.snapshot();
    for key in ['a', 'b'] {
        machine.restore(&snapshot);
        machine.type_key(Key::typing(key).expect("a key"));
        assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(key as u8));
    }
}

#[test]
fn scripts_expect_and_say_what_they_found() {
    let body = "mov ax, 0BEEFh\n call print_ax\n mov ah, 0\n int 16h\n call print_ax\n jmp quit";
    let run = |text: &str| {
        let mut machine = machine(body);
        Player::new(text.parse().expect("a script")).run(&mut machine, &LIMIT, &mut NoFiles, &mut ())
    };
    assert_eq!(run("expect BEEF\nkey a\nexpect \"BEEF 1E61\""), Played::Stopped(Stop::Exited(0x61)));
    let failed = run("key a\nexpect FEED");
    assert!(
        matches!(&failed, Played::Failed(2, why) if why.contains("does not hold \"FEED\"") && why.contains("1E61"))
    );
    assert_eq!(run("shot x.png"), Played::Unwritten(1, "no file x.png here".to_owned()));
    assert_eq!(run("at 500\nexpect BEEF\npress a\nrelease a"), Played::Stopped(Stop::Exited(0x61)));
}

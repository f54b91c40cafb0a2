//! The state is the same in every way of running: stepped, in slices, from a snapshot.

use super::*;
use oxbox::cpu::Cpu;
use oxbox::hardware::Hardware;
use oxbox::machine::{Key, Observer, Snapshot};

/// Observes every instruction, which makes the machine single-step.
#[derive(Default)]
struct Steps(u64);

impl Observer for Steps {
    const EVERY_INSTRUCTION: bool = true;
    fn instruction(&mut self, _: &Cpu, _: &Hardware) {
        self.0 += 1;
    }
}

/// Observes every service, so that none is done without leaving the processor.
struct Services;

impl Observer for Services {}

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
fn stepping_looking_and_running_give_the_same_state() {
    let mut stepped = machine(BUSY);
    let mut steps = Steps::default();
    assert_eq!(stepped.run(&LIMIT, &mut steps), Stop::KeyWait);
    let mut ran = machine(BUSY);
    assert_eq!(ran.run(&LIMIT, &mut ()), Stop::KeyWait);
    assert_eq!(steps.0, ran.instructions());
    assert_eq!(stepped.now(), ran.now());
    assert_eq!(stepped.state_hash(), ran.state_hash());
    let mut observed = machine(BUSY);
    assert_eq!(observed.run(&LIMIT, &mut Services), Stop::KeyWait);
    assert_eq!((observed.now(), observed.state_hash()), (ran.now(), ran.state_hash()));
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
    other.restore(&Snapshot::from_bytes(&stored).expect("a snapshot"));
    assert_eq!(play(&mut other, "x"), Played::Stopped(Stop::Exited(b'x')));
    assert_eq!(other.state_hash(), end, "the same in another machine, from bytes");
    assert!(Snapshot::from_bytes(&stored[..stored.len() / 2]).is_err(), "cut short");
    assert!(Snapshot::from_bytes(b"nonsense").is_err());
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
        let regs = &machine.cpu().regs;
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

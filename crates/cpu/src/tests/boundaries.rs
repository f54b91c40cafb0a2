//! Events between instructions: deadlines, interrupts, the interrupt shadow, single-stepping,
//! self-modifying code.

use proptest::prelude::*;

use super::program::{CODE, HANDLERS, Machine, START, hex};
use crate::flat::Flat;
use crate::{Blocks, Bus, Cpu, Exit, Flags, Model, Registers, Segment};

/// Calls, loops, flags across blocks, strings, changed code, the stack, a delay, MOV SS, STI, CLI.
pub(super) const PROGRAM: &str = "
    BE 00 01          BF 00 02          B9 05 00
    FC 26 F3 A5       26 C6 06 00 05 7F
    2E C6 06 1A 01 05
    04 01             14 00
    BB 03 00
    01 D8 11 D2       4B 75 F9
    8C D0 8E D0 BC 00 10
    FB 90 FA 90 FB
    B9 07 00          90 49 75 FC
    E8 02 00          EB 04
    50 40 58 C3
    9C 5A             B9 40 00 E2 FE
    AB AA             66 48 66 0F AF C0
    F4
";

/// Runs a machine until HLT and returns the exits on the way.
pub(super) fn run_to_halt(machine: &mut Machine) {
    loop {
        match machine.cpu.run(&mut machine.blocks, &mut machine.bus, machine.cpu.cycles + 1_000_000) {
            Exit::Halt => return,
            Exit::Deadline | Exit::InterruptWindow => {}
            other => panic!("{other:?}"),
        }
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct State {
    regs: Registers,
    cycles: u64,
    retired: u64,
    interruptible: bool,
}

pub(super) fn state(cpu: &Cpu) -> State {
    State {
        regs: cpu.regs.clone(),
        cycles: cpu.cycles,
        retired: cpu.retired,
        interruptible: cpu.interruptible(),
    }
}

pub(super) fn memory_differs(a: &Machine, b: &Machine) -> Option<usize> {
    std::iter::zip(a.bus.bytes(), b.bus.bytes()).position(|(a, b)| a != b)
}

#[test]
fn every_deadline_stops_at_the_same_instruction() {
    let mut stepped = Machine::new(Model::I386, &hex(PROGRAM), Blocks::uncached());
    for deadline in 1..400 {
        let mut cached = Machine::new(Model::I386, &hex(PROGRAM), Blocks::new());
        let exit = cached.cpu.run(&mut cached.blocks, &mut cached.bus, deadline);
        let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
        assert_eq!((exit, state(&cached.cpu)), (stepped_exit, state(&stepped.cpu)), "at {deadline}");
        assert_eq!(memory_differs(&cached, &stepped), None, "at {deadline}");
        if exit == Exit::Halt {
            return;
        }
    }
    panic!("the program does not end");
}

/// pushf; push ds; push 9000h; pop ds; inc word [0]; pop ds; popf; iret
const COUNTING_HANDLER: &str = "9C 1E 68 00 90 1F FF 06 00 00 1F 9D CF";

/// Installs a handler of `vector` that counts at 9000:0.
fn count_interrupts(machine: &mut Machine, vector: u32) {
    machine.bus.write_bytes(u32::from(HANDLERS) * 16 + vector * 16, &hex(COUNTING_HANDLER));
}

/// Requests one interrupt after `at` cycles. The handler counts and returns.
fn run_with_interrupt(at: u64, blocks: Blocks<Flat>) -> (Machine, u64) {
    const COUNTER: u32 = 0x9_0000;
    let mut machine = Machine::new(Model::I386, &hex(PROGRAM), blocks);
    count_interrupts(&mut machine, 8);
    machine.cpu.regs.set_flag(Flags::IF, true);
    let mut requested = false;
    let mut taken = 0;
    loop {
        if requested && machine.cpu.intr && machine.cpu.interruptible() {
            taken = machine.cpu.cycles;
            machine.cpu.interrupt(&mut machine.bus, 8);
            machine.cpu.intr = false;
        }
        let deadline = if requested { u64::MAX } else { at };
        match machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline) {
            Exit::Halt if machine.cpu.intr => {}
            Exit::Halt => break,
            Exit::Deadline => {
                requested = true;
                machine.cpu.intr = true;
            }
            Exit::InterruptWindow => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(machine.bus.read16(COUNTER), 1, "interrupts at {at}");
    machine.bus.write16(COUNTER, 0);
    (machine, taken)
}

#[test]
fn an_interrupt_at_any_boundary_changes_nothing_else() {
    let mut plain = Machine::new(Model::I386, &hex(PROGRAM), Blocks::new());
    count_interrupts(&mut plain, 8);
    plain.cpu.regs.set_flag(Flags::IF, true);
    run_to_halt(&mut plain);
    for at in 0..plain.cpu.cycles {
        let (cached, taken) = run_with_interrupt(at, Blocks::new());
        let (stepped, stepped_taken) = run_with_interrupt(at, Blocks::uncached());
        assert_eq!(taken, stepped_taken, "requested at {at}");
        assert_eq!(state(&cached.cpu), state(&stepped.cpu), "requested at {at}");
        assert_eq!(cached.cpu.regs, plain.cpu.regs, "requested at {at}");
        // Only the bytes that the handler left below the stack may differ.
        let differs = (0..plain.bus.bytes().len()).find(|at| {
            !(0x3_0F00..0x3_1000).contains(at) && cached.bus.bytes()[*at] != plain.bus.bytes()[*at]
        });
        assert_eq!(differs, None, "requested at {at}");
    }
}

#[test]
fn shadows_last_one_instruction() {
    // Code, and the cycle at which a permanently requested interrupt is accepted.
    let rows = [
        ("nop first", "90 90 90 90 F4", true, 0),
        ("sti; nop", "FB 90 90 90 F4", false, 2),
        ("sti; sti begins no second shadow", "FB FB 90 90 F4", false, 2),
        ("mov ss, ax; mov sp, ax", "FA 8C D0 FB 8E D0 89 E4 90 F4", false, 5),
        ("sti; cli", "FB FA 90 90 FB 90 90 F4", false, 6),
        ("popf has no shadow", "68 00 02 9D 90 90 F4", false, 2),
        ("pop ss", "16 FB 90 17 90 90 F4", false, 3),
    ];
    for (name, code, enabled, expected) in rows {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let mut machine = Machine::new(Model::I386, &hex(code), blocks);
            machine.cpu.regs.set_flag(Flags::IF, enabled);
            machine.cpu.intr = true;
            let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, u64::MAX);
            assert_eq!((exit, machine.cpu.cycles), (Exit::InterruptWindow, expected), "{name}");
            assert!(machine.cpu.interruptible(), "{name}");
        }
    }
}

#[test]
fn single_stepping_ends_where_running_ends() {
    const COUNTER: u32 = 0x9_0000;
    let mut plain = Machine::new(Model::I386, &hex(PROGRAM), Blocks::new());
    run_to_halt(&mut plain);
    for blocks in [Blocks::new(), Blocks::uncached()] {
        let mut traced = Machine::new(Model::I386, &hex(PROGRAM), blocks);
        count_interrupts(&mut traced, 1);
        traced.cpu.regs.set_flag(Flags::TF, true);
        // HLT is executed under TF too. The following trap continues after it, so the run ends
        // there.
        let end = START + hex(PROGRAM).len() as u32;
        for _ in 0..100_000 {
            traced.cpu.step(&mut traced.blocks, &mut traced.bus, u64::MAX);
            let returned = traced.cpu.regs.ip == end && traced.cpu.regs.cs() == CODE;
            if returned {
                break;
            }
        }
        let steps = traced.bus.read16(COUNTER);
        assert!(steps > 100, "steps: {steps}");
        traced.cpu.regs.set_flag(Flags::TF, false);
        // PUSHF stores TF, which DX keeps.
        traced.cpu.regs.gpr[2] &= !Flags::TF;
        assert_eq!(traced.cpu.regs, plain.cpu.regs);
    }
}

#[test]
fn a_repeat_breaks_between_turns() {
    // rep movsb; hlt
    for broken_at in 1..20 {
        let mut machine = Machine::new(Model::I386, &hex("F3 A4 F4"), Blocks::new());
        machine.cpu.regs.set_cx(20);
        let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, broken_at);
        assert_eq!(exit, Exit::Deadline);
        assert_eq!(
            (machine.cpu.cycles, machine.cpu.retired),
            (broken_at, 0),
            "turns count, the instruction not yet"
        );
        assert_eq!(u64::from(machine.cpu.regs.cx()), 20 - broken_at);
        assert_eq!(machine.cpu.regs.ip, START, "IP stays at the instruction");
        run_to_halt(&mut machine);
        assert_eq!((machine.cpu.cycles, machine.cpu.retired, machine.cpu.regs.si()), (21, 2, 20));
    }
}

#[test]
fn a_delay_loop_takes_no_time() {
    // mov ecx, -1; dec ecx; jnz; hlt
    let mut machine = Machine::new(Model::I386, &hex("66 B9 FF FF FF FF 66 49 75 FC F4"), Blocks::new());
    let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, u64::MAX);
    assert_eq!((exit, machine.cpu.cycles), (Exit::Halt, 2 * 0xFFFF_FFFF + 2));
    assert_eq!(machine.cpu.retired, machine.cpu.cycles);
}

#[test]
fn a_loop_that_asks_for_something_else_is_no_delay() {
    // Rows: code after mov cx, 5; CX and cycles at the end.
    let rows = [
        ("dec cx; nop; jnz", "49 90 75 FC F4", 0, 17),
        ("dec cx; cmp cx, 2; jne", "49 83 F9 02 75 FA F4", 2, 11),
        ("dec cx; test cl, 1; jne", "49 F6 C1 01 75 FA F4", 4, 5),
        ("dec cx; or ax, ax; jnz", "49 09 C0 75 FB F4", 4, 5),
        ("dec cx; jnz past the next jump; jnz", "49 75 02 75 FB F4", 4, 4),
        ("dec cx; jnz to the next jump; jnz", "49 75 00 75 FB F4", 0, 17),
    ];
    for (name, code, cx, cycles) in rows {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let mut machine = Machine::new(Model::I386, &hex(&format!("B9 05 00 {code}")), blocks);
            run_to_halt(&mut machine);
            assert_eq!((machine.cpu.regs.cx(), machine.cpu.cycles), (cx, cycles), "{name}");
        }
    }
}

#[test]
fn a_port_that_moves_the_next_event_stops_the_block() {
    // out 10h, al; nop; nop; hlt
    let mut machine = Machine::new(Model::I386, &hex("90 E6 10 90 90 F4"), Blocks::new());
    let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, 3);
    assert_eq!((exit, machine.cpu.cycles), (Exit::Deadline, 3));
    let [access] = machine.bus.accesses[..] else { panic!("{:?}", machine.bus.accesses) };
    assert_eq!((access.port, access.now), (0x10, 1), "the time of the access is that before the instruction");
}

#[test]
fn protected_mode_and_shutdown_end_the_run() {
    let rows = [
        ("lmsw", "B8 01 00 0F 01 F0", Exit::ProtectedMode, 0x103),
        ("mov cr0", "66 40 0F 22 C0", Exit::ProtectedMode, 0x102),
        ("no room on the stack", "BC 01 00 CD 21", Exit::Shutdown, 0x103),
    ];
    for (name, code, exit, ip) in rows {
        let mut machine = Machine::new(Model::I386, &hex(code), Blocks::new());
        assert_eq!(machine.cpu.run(&mut machine.blocks, &mut machine.bus, 1000), exit, "{name}");
        assert_eq!(machine.cpu.regs.ip, ip, "{name}");
    }
}

#[test]
fn traps_count_in_rom_only() {
    let mut machine = Machine::new(Model::I386, &hex("0F FF 07 F4"), Blocks::new());
    assert_eq!(machine.cpu.run(&mut machine.blocks, &mut machine.bus, 2), Exit::Deadline, "#UD in RAM");
    machine.bus.write_bytes(0xF_0000, &hex("0F FF 07 F4"));
    machine.cpu.regs.set_cs(0xF000);
    machine.cpu.regs.ip = 0;
    let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, u64::MAX);
    assert_eq!((exit, machine.cpu.regs.ip), (Exit::Trap(7), 3));
}

#[test]
fn changed_code_is_executed_as_changed() {
    // Rows: code, registers before, AL after.
    let rows = [
        ("the next instruction's immediate", "2E C6 06 07 01 05 B0 01 F4", 5),
        // mov byte cs:[0106], 40h (inc ax); nop; hlt
        ("the next instruction's opcode", "B0 07 2E C6 06 08 01 40 90 F4", 8),
        // add al, imm, twice, with the immediate incremented each time
        ("an immediate over and over", "B9 03 00 2E FE 06 09 01 04 00 49 75 F6 F4", 6),
        ("after a jump in the same block", "2E C6 06 09 01 05 EB 00 B0 01 F4", 5),
        ("by a push", "BC 0C 01 0E 17 B8 B0 33 50 90 90 90 90 F4", 0x33),
    ];
    for (name, code, al) in rows {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let mut machine = Machine::new(Model::I386, &hex(code), blocks);
            run_to_halt(&mut machine);
            assert_eq!(machine.cpu.regs.al(), al, "{name}");
        }
    }
}

/// Instructions for random programs: loops, stores near the code, and all block ends.
const PIECES: [&str; 56] = [
    "90",
    "40",
    "4B",
    "01 D8",
    "11 C3",
    "29 D8",
    "19 C8",
    "04 7F",
    "F7 D8",
    "D1 E0",
    "D3 D8",
    "66 01 D8",
    "50",
    "58",
    "9C",
    "9D",
    "FB",
    "FA",
    "8E D0",
    "E2 FC",
    "75 F9",
    "74 03",
    "EB 02",
    "E8 01 00",
    "C3",
    "A4",
    "F3 A4",
    "F3 AA",
    "F2 AE",
    "AB",
    "88 07",
    "2E 88 07",
    "2E FE 07",
    "2E C7 07 40 48",
    "8B 07",
    "F7 F3",
    "F6 F9",
    "CD 21",
    "49 75 FD",
    "E6 10",
    "08 C0 74 02",
    "84 E4 75 01",
    "80 FC 05 72 02",
    "38 27 74 01",
    "80 3F 90 77 03",
    "FE CC 75 01",
    "24 0F 74 01",
    "D0 E8 73 02",
    "E3 02",
    "8D 41 05",
    "86 07",
    "AC",
    "0F B6 17",
    "C4 17",
    "49 83 F9 02 75 FA",
    "49 90 84 C0 75 FA",
];

pub(super) fn program() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => (0..PIECES.len()).prop_map(|n| hex(PIECES[n])),
        1 => proptest::collection::vec(any::<u8>(), 1..4),
    ];
    proptest::collection::vec(piece, 1..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Tests that cached, translated and uncached runs of random programs agree at every deadline.
    #[test]
    fn random_programs_run_alike(
        translate in prop_oneof![Just(None), Just(Some(0)), Just(Some(2))],
        code in program(),
        model in prop_oneof![Just(Model::I8086), Just(Model::I186), Just(Model::I286), Just(Model::I386)],
        bx in START..START + 80,
        steps in proptest::collection::vec((1u64..60, any::<bool>()), 1..60),
    ) {
        let mut cached = Machine::new(model, &code, Blocks::new());
        cached.blocks.translate_after(translate);
        let mut stepped = Machine::new(model, &code, Blocks::uncached());
        for machine in [&mut cached, &mut stepped] {
            machine.cpu.regs.set_bx(bx as u16);
            machine.cpu.regs.set_cx(40);
            machine.cpu.regs.set_es(CODE);
            machine.cpu.regs.set_di(bx as u16);
        }
        for (cycles, interrupt) in steps {
            let deadline = cached.cpu.cycles + cycles;
            let exit = cached.cpu.run(&mut cached.blocks, &mut cached.bus, deadline);
            let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
            prop_assert_eq!((exit, state(&cached.cpu)), (stepped_exit, state(&stepped.cpu)));
            if matches!(exit, Exit::Shutdown | Exit::ProtectedMode) {
                break;
            }
            for machine in [&mut cached, &mut stepped] {
                if interrupt && machine.cpu.interruptible() {
                    machine.cpu.interrupt(&mut machine.bus, 8);
                    machine.cpu.intr = false;
                } else {
                    machine.cpu.intr = interrupt;
                }
            }
        }
        prop_assert_eq!(memory_differs(&cached, &stepped), None);
        prop_assert_eq!(cached.bus.accesses, stepped.bus.accesses);
    }
}

/// STD and a REP STOSB that fills from above itself to below itself with NOP, 20 bytes.
const FILLS_ITSELF: &str = "FD BF 14 01 B9 14 00 B0 90 90 90 F3 AA 90 90 90 90 90 90 90 90 F4";

#[test]
fn a_rep_that_overwrites_itself_does_not_depend_on_stops() {
    let run = |step: u64, blocks: Blocks<Flat>| {
        let mut machine = Machine::new(Model::I386, &hex(FILLS_ITSELF), blocks);
        machine.cpu.regs.seg[Segment::Es as usize] = CODE;
        while machine.cpu.run(&mut machine.blocks, &mut machine.bus, machine.cpu.cycles + step) != Exit::Halt
        {
        }
        machine
    };
    let whole = run(1000, Blocks::new());
    assert_eq!((whole.cpu.regs.cx(), whole.cpu.regs.di()), (0, 0x100));
    for step in 1..12 {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let parts = run(step, blocks);
            assert_eq!(state(&parts.cpu), state(&whole.cpu), "{step} cycles at a time");
            assert_eq!(memory_differs(&parts, &whole), None, "{step} cycles at a time");
        }
    }
}

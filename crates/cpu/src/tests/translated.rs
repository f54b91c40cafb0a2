//! Compares translated code with the interpreter.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::boundaries::{memory_differs, run_to_halt, state};
use super::program::{DATA, Machine, hex};
use crate::flat::Flat;
use crate::{Blocks, Bus, Exit, Model};

/// Returns a cache that translates blocks at their first execution.
pub(super) fn translated() -> Blocks<Flat> {
    let mut blocks = Blocks::new();
    blocks.translate_after(Some(0));
    blocks
}

fn translations(blocks: &Blocks<Flat>) -> usize {
    blocks.arena.iter().filter(|block| block.code.is_some()).count()
}

/// Returns the number of entries from the run loop into translated code.
pub(super) fn entries(blocks: &Blocks<Flat>) -> u32 {
    blocks.arena.iter().filter_map(|block| Some(block.code.as_ref()?.visits())).sum()
}

/// Runs a program with and without translation until HLT. Returns the machine and the number of
/// translated blocks at the end.
fn run_both(model: Model, code: &str) -> (Machine, usize) {
    let code = hex(code);
    let mut plain = Machine::new(model, &code, Blocks::uncached());
    let mut machine = Machine::new(model, &code, translated());
    run_to_halt(&mut plain);
    run_to_halt(&mut machine);
    assert_eq!(state(&machine.cpu), state(&plain.cpu));
    assert_eq!(memory_differs(&machine, &plain), None);
    let count = translations(&machine.blocks);
    (machine, count)
}

#[test]
fn a_loop_is_translated_and_ends_alike() {
    // mov cx, 1000; add ax, cx; adc dx, 0; loop; hlt
    let (machine, count) = run_both(Model::I386, "B9 E8 03 01 C8 83 D2 00 E2 F9 F4");
    assert_eq!((machine.cpu.regs.ax(), machine.cpu.regs.dx()), (41_748, 7));
    assert!(count > 0);
}

#[test]
fn code_that_changes_itself_is_translated_anew() {
    // mov cx, 50; add al, imm; add word cs:[the opcode], 0; inc byte cs:[imm]; the same on another opcode; loop; hlt
    let code = "B9 32 00 04 01 2E FE 06 04 01 40 2E 80 36 0A 01 08 E2 F0 F4";
    for model in [Model::I8086, Model::I386] {
        run_both(model, code);
    }
}

/// Tests a word that starts in data and ends in decoded code, in the next granule of 16 bytes.
#[test]
fn a_word_that_crosses_into_decoded_code_changes_it() {
    // mov cx, 50; mov di, 10Fh; mov dx, 4800h; jmp 110h; five bytes of data;
    // 110h: inc ax, or dec ax; mov cs:[di], dx; xor dh, 8; loop 110h; hlt
    let code = "B9 32 00 BF 0F 01 BA 00 48 EB 05 00 00 00 00 00 40 2E 89 15 80 F6 08 E2 F7 F4";
    for model in [Model::I8086, Model::I386] {
        let (machine, _) = run_both(model, code);
        assert_eq!(machine.cpu.regs.ax(), 0, "{model:?}");
    }
}

#[test]
fn calls_and_returns_go_straight_to_their_blocks() {
    // mov cx, 100; call f; add bx, ax; loop; hlt; f: mov ax, cx; push cx; call g; pop cx; ret; g: inc ax; ret
    let code = "B9 64 00 E8 05 00 01 C3 E2 F9 F4 89 C8 51 E8 02 00 59 C3 40 C3";
    let (machine, count) = run_both(Model::I386, code);
    assert_eq!(machine.cpu.regs.bx(), 5150);
    assert!(count >= 2, "{count}");
}

/// The routines are in one block with their calls, but return elsewhere every other time.
#[test]
fn routines_return_elsewhere() {
    let programs = [
        // Skips the word after the call: mov cx, 100; again: call f; inc ax; inc bx; add dx, cx; loop again; hlt;
        // f: mov bp, sp; test cl, 1; jz even; add word [bp], 2; even: ret
        "B9 64 00 E8 07 00 40 43 01 CA E2 F7 F4 89 E5 F6 C1 01 74 04 83 46 00 02 C3",
        // Returns to the caller's caller: mov cx, 100; again: call f; loop again; hlt; f: call g; inc bx; ret;
        // g: test cl, 1; jz even; pop ax; even: ret
        "B9 64 00 E8 03 00 E2 FB F4 E8 02 00 43 C3 F6 C1 01 74 01 58 C3",
        // A stack at the end of its segment: mov cx, 100; again: mov sp, cx; shl sp, 1; push cx; call f; loop again; hlt;
        // f: inc bx; ret 2
        "B9 64 00 89 CC D1 E4 51 E8 03 00 E2 F6 F4 43 C2 02 00",
        // mov cx, 100; again: call f; loop again; hlt; f: push cx; cmp cx, 3; jb done; dec cx; call f; call f; done: pop cx; ret
        "B9 0C 00 E8 03 00 E2 FB F4 51 83 F9 03 72 07 49 E8 F6 FF E8 F3 FF 43 59 C3",
    ];
    for code in programs {
        for model in [Model::I8086, Model::I386] {
            let (machine, _) = run_both(model, code);
            assert_ne!(machine.cpu.regs.bx(), 0, "{code}");
        }
    }
}

/// Each block of 8,000 routines, and of the calls between them, is entered from the one before it.
#[test]
fn many_routines_stay_in_translated_code() {
    const ROUTINES: usize = 8000;
    // Calls of 3 bytes; jmp to the first; routines of 2 bytes: inc ax; ret.
    let mut code: Vec<u8> = Vec::new();
    let target = |from: usize, to: usize| (to.wrapping_sub(from + 3) as u16).to_le_bytes();
    let routines = 3 * ROUTINES + 3;
    for routine in 0..ROUTINES {
        code.push(0xE8);
        code.extend(target(3 * routine, routines + 2 * routine));
    }
    code.push(0xE9);
    code.extend(target(3 * ROUTINES, 0));
    code.extend([0x40, 0xC3].repeat(ROUTINES));
    let round = 3 * ROUTINES as u64 + 1;
    let mut blocks = translated();
    blocks.instructions_a_block(2);
    let mut machine = Machine::new(Model::I386, &code, blocks);
    let mut run = |rounds: u64| {
        let deadline = machine.cpu.cycles + rounds * round;
        assert_eq!(machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline), Exit::Deadline);
        (entries(&machine.blocks), machine.cpu.regs.ax())
    };
    let (before, _) = run(3);
    let (after, count) = run(1);
    assert_eq!(count, (4 * ROUTINES) as u16);
    assert!(after - before <= 2, "{} entries in a round", after - before);
    assert!(translations(&machine.blocks) > ROUTINES, "{}", translations(&machine.blocks));
}

/// The loop of an interpreter is translated long before the routines to which it jumps, each of which is
/// executed rarely. Until then it is left after a few instructions.
#[test]
fn a_dispatch_loop_stays_translated_until_its_routines_are() {
    const ROUTINES: usize = 16;
    const ROUTINE: usize = 5;
    // mov cx, 8000h; next: mov bx, cx; and bx, 15; add bx, bx; jmp cs:[bx + table]; routine: inc ax; dec cx; jnz next;
    // hlt
    let mut code = hex("B9 00 80 89 CB 81 E3 0F 00 01 DB 2E FF A7");
    let first = 0x100 + code.len() + 2;
    code.extend(((first + ROUTINES * ROUTINE) as u16).to_le_bytes());
    for routine in 0..ROUTINES {
        code.extend([0x40, 0x49, 0x75, (0x103 - (first + routine * ROUTINE + 4) as i32) as u8, 0xF4]);
    }
    for routine in 0..ROUTINES {
        code.extend(((first + routine * ROUTINE) as u16).to_le_bytes());
    }
    let mut blocks = Blocks::new();
    blocks.translate_after(Some(100));
    let mut machine = Machine::new(Model::I386, &code, blocks);
    run_to_halt(&mut machine);
    assert_eq!(machine.cpu.regs.ax(), 0x8000);
    assert_eq!(translations(&machine.blocks), 1 + ROUTINES, "the loop and its routines");
}

/// Loads DS and ES with each of these selectors: at the start, in the program, and at and beyond the end
/// of memory.
#[test]
fn segment_registers_are_loaded_in_translated_code() {
    // mov bp, 40; again: mov si, 200h; push cs; pop ds; mov cx, 8; next: lodsw; mov es, ax; mov bx, es:[8]; add dx, bx;
    // push ds; lds di, [si+1Eh]; add dx, [di]; pop ds; loop next; mov es, cs:[200h]; dec bp; jnz again; hlt
    let code = "BD 28 00 BE 00 02 0E 1F B9 08 00 AD 8E C0 26 8B 1E 08 00 03 D3 1E C5 7C 1E 03 15 1F E2 ED 2E 8E 06 00 02 4D 75 DD F4";
    let selectors: [u16; 8] = [0, 1, 0x1000, 0x1001, 0x9FFF, 0xA000, 0xFFFF, 0xF123];
    let mut machines =
        [Blocks::uncached(), translated()].map(|blocks| Machine::new(Model::I8086, &hex(code), blocks));
    for machine in &mut machines {
        for at in (0..0x10_0000).step_by(0x777) {
            machine.bus.write_bytes(at, &[at as u8, (at >> 8) as u8]);
        }
        machine.bus.write_bytes(0x1_0100, &hex(code));
        for (at, selector) in (0..).zip(selectors) {
            machine.bus.write16(0x1_0200 + 2 * at, selector);
            machine.bus.write16(0x1_0220 + 2 * at, selector);
        }
        run_to_halt(machine);
    }
    let [plain, machine] = machines;
    assert_eq!(state(&machine.cpu), state(&plain.cpu));
    let entries = entries(&machine.blocks);
    assert!(entries < 40 * 8, "{entries} entries for {} elements", 40 * 8);
}

/// Each of these would leave translated code 400 times if it were left to its handler.
#[test]
fn system_and_stack_instructions_stay_in_translated_code() {
    let rows = [
        ("pushf; popf", "9C 9D"),
        ("lahf; sahf", "9F 9E"),
        ("cld; stosb; std; stosb", "FC AA FD AA"),
        ("std; pushf; cld; popf; lodsw", "FD 9C FC 9D AD"),
        ("cli; sti", "FA FB"),
        ("mov bx, ss; mov ss, bx; push ss; pop ss", "8C D3 8E D3 16 17"),
        ("shld bx, si, 3; adc dx, dx; shrd eax, ecx, 7; jo next", "0F A4 F3 03 11 D2 66 0F AC C8 07 70 00"),
        ("push all; pop all", "60 61"),
        ("enter 8, 0; leave", "C8 08 00 00 C9"),
        ("push eax; pop ecx", "66 50 66 59"),
        ("push dword [si]; pop edx; push dword 7; pop ebx", "66 FF 34 66 5A 66 6A 07 66 5B"),
        ("push ax; pop word [si]", "50 8F 04"),
        ("mov [si], es", "8C 04"),
        ("push fs; pop gs; mov fs, ax; lfs dx, [si]; lgs dx, [si]", "0F A0 0F A9 8E E0 0F B4 14 0F B5 14"),
        ("shl word [si], cl; rcr byte [si], cl; sar dword [si], cl", "D3 24 D2 1C 66 D3 3C"),
        ("bt cx, 3; adc ax, 0; btc [si], dword 7; adc ax, 0", "0F BA E1 03 15 00 00 66 0F BA 3C 07 15 00 00"),
        ("bts ax, cx; btr dx, cx; adc bx, 0", "0F AB C8 0F B3 CA 83 D3 00"),
        ("cmp al, al; loope next", "38 C0 E1 00"),
        ("loopne next", "E0 00"),
        ("shld ax, dx, 4; shrd [si], edx, cl; add ax, 1", "0F A4 D0 04 66 0F AD 14 05 01 00"),
        ("bsf ax, cx; jz next; bsr edx, [si]; add ax, 1", "0F BC C1 74 00 66 0F BD 14 05 01 00"),
    ];
    for (name, body) in rows {
        // sti; mov word [0FF0h], 400; body; dec word [0FF0h]; jnz body; hlt
        let body = hex(body);
        let back = -(body.len() as i8) - 6;
        let code =
            [&hex("FB C7 06 F0 0F 90 01")[..], &body, &hex("FF 0E F0 0F 75"), &[back as u8, 0xF4]].concat();
        let mut machines =
            [Blocks::uncached(), translated()].map(|blocks| Machine::new(Model::I386, &code, blocks));
        for machine in &mut machines {
            machine.cpu.regs.gpr = [0x8000_0001, 0xFFFF, 0x1234_5678, 9, 0x1000, 0x800, 0x200, 0x300];
            machine.bus.write_bytes(0x2_0200, &[0xFF, 0x81, 0x3C, 0x55]);
            run_to_halt(machine);
        }
        let [plain, machine] = machines;
        assert_eq!(state(&machine.cpu), state(&plain.cpu), "{name}");
        assert_eq!(memory_differs(&machine, &plain), None, "{name}");
        let entries = entries(&machine.blocks);
        assert!(entries < 10, "{name}: {entries} entries");
    }
}

#[test]
fn far_calls_and_jumps_go_straight_to_their_blocks() {
    // mov cx, 400; again: call 1020:0000; push bx; call far [200h]; push cs; call near f; add dx, bx; loop again; hlt; f: inc bx; retf
    let code = hex("B9 90 01 9A 00 00 20 10 53 FF 1E 00 02 0E E8 05 00 01 DA E2 EE F4 43 CB");
    // At 1020:0000: add ax, cs:[0Ch]; push cs; pop si; add di, si; jmp far 1040:0000; a word
    let routine = hex("2E 03 06 0C 00 0E 5E 01 F7 EA 00 00 40 10");
    // At 1040:0000: inc bp; retf; at 1040:0010: push cs; call next; pop ax; pop ax; retf 2
    let (first, second) = (hex("45 CB"), hex("0E E8 00 00 58 58 CA 02 00"));
    for model in [Model::I8086, Model::I386] {
        let mut machines =
            [Blocks::uncached(), translated()].map(|blocks| Machine::new(model, &code, blocks));
        for machine in &mut machines {
            for (at, bytes) in [(0x1_0200, &routine), (0x1_0400, &first), (0x1_0410, &second)] {
                machine.bus.write_bytes(at, bytes);
            }
            machine.bus.write_bytes(0x2_0200, &hex("10 00 40 10"));
            machine.cpu.regs.set_sp(0x1000);
            run_to_halt(machine);
        }
        let [plain, machine] = machines;
        assert_eq!(state(&machine.cpu), state(&plain.cpu), "{model:?}");
        assert_eq!(memory_differs(&machine, &plain), None, "{model:?}");
        let entries = entries(&machine.blocks);
        assert!(entries < 30, "{entries} entries");
    }
}

#[test]
fn the_end_of_a_segment_and_of_plain_memory_is_left_to_the_handlers() {
    // mov bx, FFFFh; mov ax, [bx] wraps; mov [bx], ax; push with SP 1 wraps. On the 80386 each faults, and its handler returns to it.
    let code = "B9 10 00 BB FF FF BC 01 00 8B 07 40 89 07 50 58 E2 F3 F4";
    run_both(Model::I8086, code);
}

/// Returns whether a translation was discarded in runs of a long and a short number of cycles in turn.
fn is_given_up_in_runs_of(cycles: [u64; 2]) -> bool {
    // again: inc ax; jmp on; on: inc bx; jmp again. Long runs begin at one of the two blocks, short ones at the
    // other.
    let mut machine = Machine::new(Model::I386, &hex("40 EB 00 43 EB FA"), translated());
    for turn in 0..2000 {
        let deadline = machine.cpu.cycles + cycles[turn % 2];
        machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline);
    }
    machine.blocks.arena.iter().any(|block| block.discarded > 0)
}

/// Short visits in long intervals, as after each interrupt, do not matter.
#[test]
fn a_translation_that_is_rarely_left_is_kept() {
    assert!(is_given_up_in_runs_of([50, 2]));
    assert!(!is_given_up_in_runs_of([5002, 2]));
}

#[test]
fn a_translation_that_is_left_all_the_time_is_given_up() {
    // mov cx, 5000; mov di, FFFFh; mov [di], cx, which wraps; nine instructions on registers; loop; hlt
    let code = "B9 88 13 BF FF FF 89 0D 40 43 42 46 45 40 43 42 46 E2 F3 F4";
    let (machine, count) = run_both(Model::I8086, code);
    assert_eq!(machine.cpu.regs.ax(), 10_000);
    assert_eq!(count, 1, "the way into the loop, which runs once, stays");
}

#[test]
fn doublewords_in_memory_are_translated() {
    // cld; mov cx, 100; mov si, 200h; mov di, 240h; add eax, [si]; mov [si], eax; lodsd; stosd; movsd; sub si, 8; sub di, 8; loop; hlt
    let code = "FC B9 64 00 BE 00 02 BF 40 02 66 03 04 66 89 04 66 AD 66 AB 66 A5 83 EE 08 83 EF 08 E2 EC F4";
    let (_, count) = run_both(Model::I386, code);
    assert_eq!(count, 2, "the way into the loop, and the loop");
}

#[test]
fn computed_jumps_go_straight_to_their_blocks() {
    // mov bx, f; mov cx, 100; mov [table], f; call [table]; call bx; push [table]; pop dx; mov si, es; loop; hlt; nop; f: inc ax; ret
    let code = "BB 1D 01 B9 64 00 C7 06 50 02 1D 01 FF 16 50 02 FF D3 FF 36 50 02 5A 8C C6 E2 F1 F4 90 40 C3";
    let (machine, count) = run_both(Model::I386, code);
    assert_eq!((machine.cpu.regs.ax(), machine.cpu.regs.dx()), (200, 0x11D));
    assert!(count >= 3, "{count}");
}

#[test]
fn an_immediate_that_is_patched_and_what_lies_beside_code_stay_translated() {
    // mov cx, 200; mov cs:[imm16], cx; mov cs:[imm8], cl; mov cs:[beside], cx; add ax, imm16; adc dx, imm8; loop; hlt
    let code = "B9 C8 00 2E 89 0E 13 01 2E 88 0E 17 01 2E 89 0E 1B 01 05 34 12 83 D2 05 E2 E9 F4";
    let (machine, count) = run_both(Model::I386, code);
    assert_eq!(machine.cpu.regs.ax(), 20_100);
    assert!(count > 0);
    let misses = machine.blocks.arena.iter().filter_map(|block| Some(block.code.as_ref()?.misses()));
    assert!(misses.sum::<u32>() < 20, "the handlers were needed again and again");
}

#[test]
fn a_turn_all_the_way_round_shows_the_carry_of_before() {
    // mov al, 0; clc; mov ah, [si], whose bounds check sets the host's CF; inc bl; rcl al, 9; clc;
    // jno over inc dx; hlt
    let (machine, _) = run_both(Model::I386, "B0 00 F8 8A 24 FE C3 C0 D0 09 F8 71 01 42 F4");
    assert_eq!(machine.cpu.regs.dx(), 0, "OF is clear");
}

/// Draws one translatable instruction by its bytes.
pub(super) fn instruction() -> impl Strategy<Value = Vec<u8>> {
    let modrm = || prop_oneof![2 => 0xC0u8..=0xFF, 1 => select(vec![0x04u8, 0x07, 0x05, 0x14, 0x1D, 0x27, 0x3C, 0x0F])];
    let on_modrm = select(vec![
        0x00u8, 0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, 0x18, 0x19, 0x1A, 0x1B,
        0x20, 0x21, 0x22, 0x23, 0x28, 0x29, 0x2A, 0x2B, 0x30, 0x31, 0x32, 0x33, 0x38, 0x39, 0x3A, 0x3B, 0x84,
        0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0xD0, 0xD1, 0xD2, 0xD3, 0xF6, 0xF7, 0xFE,
    ]);
    let by_immediate =
        (select(vec![0x80u8, 0x83, 0xC0, 0xC1]), modrm(), any::<u8>()).prop_map(|(a, b, c)| vec![a, b, c]);
    let short = select(vec![
        0x40u8, 0x41, 0x42, 0x43, 0x46, 0x47, 0x48, 0x4A, 0x4B, 0x4E, 0x4F, 0x50, 0x51, 0x53, 0x58, 0x5A,
        0x5B, 0x90, 0x92, 0x93, 0x96, 0x98, 0x99, 0xD7, 0xF5, 0xF8, 0xF9, 0x1E, 0x0E, 0x9C, 0xA4, 0xA5, 0xAA,
        0xAB, 0xAC, 0xAD, 0xA6, 0xA7, 0xAE, 0xAF, 0xFC, 0xFD, 0x06, 0x07, 0x1F, 0x9D, 0x9E, 0x9F, 0x9E, 0x9F,
        0xFA, 0xFB, 0x60, 0x61, 0x17,
    ]);
    // MOV to ES, SS, DS, FS and GS, LES, LDS, and IMUL with three operands.
    let segment = (select(vec![0u8, 2, 3, 4, 5]), select(vec![0xC0u8, 0xC1, 0xC3, 0xC7, 0x04, 0x07]))
        .prop_map(|(segment, modrm)| vec![0x8E, modrm | segment << 3]);
    let pointer = (select(vec![0xC4u8, 0xC5]), select(vec![0x04u8, 0x0F, 0x35, 0x3C]))
        .prop_map(|(code, modrm)| vec![code, modrm]);
    // PUSH and POP of FS and GS, LFS, LGS, SHLD, SHRD, BT to BTC, BSF, BSR, ENTER, LEAVE, LOOPE, LOOPNE,
    // PUSH and POP of memory and of immediates.
    let on_386 = (
        select(vec![
            0xA3u8, 0xAB, 0xB3, 0xBB, 0xA5, 0xAD, 0xBC, 0xBD, 0xB4, 0xB5, 0xA0, 0xA1, 0xA8, 0xA9, 0xA4, 0xAC,
            0xBA,
        ]),
        modrm(),
        any::<u8>(),
    )
        .prop_map(|(code, modrm, value)| match code {
            0xA0 | 0xA1 | 0xA8 | 0xA9 => vec![0x0F, code],
            0xB4 | 0xB5 => vec![0x0F, code, modrm & 0x3F],
            0xBA => vec![0x0F, code, modrm | 0x20, value],
            0xA4 | 0xAC => vec![0x0F, code, modrm, value],
            _ => vec![0x0F, code, modrm],
        });
    let stack = select(vec![
        vec![0xC8u8, 0x06, 0x00, 0x00],
        vec![0xC9],
        vec![0x8F, 0x04],
        vec![0x8F, 0x07],
        vec![0x6A, 0x85],
        vec![0xE1, 0x01, 0x90],
        vec![0xE0, 0x02, 0x40, 0x40],
        vec![0x8C, 0x1C],
        vec![0x8C, 0x07],
    ]);
    let product = (modrm(), any::<u8>()).prop_map(|(modrm, value)| vec![0x6B, modrm, value]);
    let set = (0x90u8..=0x9F, modrm()).prop_map(|(condition, modrm)| vec![0x0F, condition, modrm]);
    let extend =
        (select(vec![0xB6u8, 0xB7, 0xBE, 0xBF]), modrm()).prop_map(|(code, modrm)| vec![0x0F, code, modrm]);
    let jump = (0x70u8..=0x7F, select(vec![0u8, 1, 2, 3, 4, 6])).prop_map(|(code, by)| vec![code, by]);
    let one = prop_oneof![
        8 => (on_modrm, modrm()).prop_map(|(code, modrm)| vec![code, modrm]),
        2 => by_immediate,
        1 => segment,
        2 => on_386,
        2 => stack,
        1 => pointer,
        1 => product,
        3 => short.prop_map(|code| vec![code]),
        1 => set,
        1 => extend,
        1 => select(vec![0x34u8, 0x35, 0x37]).prop_map(|modrm| vec![0xFF, modrm]),
        1 => (0xC0u8..=0xDF).prop_map(|modrm| vec![0x8C, modrm]),
        2 => jump,
        1 => (select(vec![0x04u8, 0x14, 0x24, 0x2C, 0x3C, 0xA8, 0xB0, 0xB4, 0xB7, 0xBF]), any::<u8>())
            .prop_map(|(code, value)| if code == 0xBF { vec![code, value, 0x10] } else { vec![code, value] }),
        1 => (modrm(), any::<u16>()).prop_map(|(modrm, value)| {
            let [low, high] = value.to_le_bytes();
            vec![0x81, modrm, low, high]
        }),
    ];
    (one, prop_oneof![5 => Just(None), 1 => Just(Some(0x66u8)), 1 => Just(Some(0x26))]).prop_map(
        |(mut bytes, prefix)| {
            // A doubleword immediate is twice as long.
            if prefix == Some(0x66) && matches!(bytes[0], 0x81 | 0xBF)
                || prefix == Some(0x66) && bytes[0] == 0xF7
            {
                bytes.extend([0x12, 0x34]);
            }
            bytes.splice(0..0, prefix);
            bytes
        },
    )
}

/// Returns a program that counts BP down from `turns` and repeats a body.
pub(super) fn repeated(turns: u16, body: &[u8]) -> Vec<u8> {
    // mov bp, turns; body; six times nop; dec bp; jnz body; hlt
    let [low, high] = turns.to_le_bytes();
    let mut code = vec![0xBD, low, high];
    code.extend(body);
    code.extend([0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x4D, 0x0F, 0x85]);
    let back = (3 - (code.len() as i16 + 2)).to_le_bytes();
    code.extend(back);
    code.push(0xF4);
    code
}

/// Returns machines with a program and these general registers, with and without blocks.
pub(super) fn machines(code: &[u8], registers: [u32; 8], after: Option<u32>) -> [Machine; 2] {
    let mut blocks = Blocks::new();
    blocks.translate_after(after);
    [blocks, Blocks::uncached()].map(|blocks| {
        let mut machine = Machine::new(Model::I386, code, blocks);
        machine.cpu.regs.gpr = registers;
        machine.cpu.regs.set_sp(0x1000);
        machine.cpu.regs.set_es(DATA + 0x10);
        machine
    })
}

/// Checks that registers, flags, time and the coprocessor are equal at every deadline, and memory at the
/// end.
pub(super) fn run_alike(machines: &mut [Machine; 2], slices: Vec<u64>) -> Result<(), TestCaseError> {
    let [machine, stepped] = machines;
    for slice in slices {
        let deadline = machine.cpu.cycles + slice;
        let exit = machine.cpu.run(&mut machine.blocks, &mut machine.bus, deadline);
        let stepped_exit = stepped.cpu.run(&mut stepped.blocks, &mut stepped.bus, deadline);
        prop_assert_eq!(&machine.cpu.fpu, &stepped.cpu.fpu);
        prop_assert_eq!((exit, state(&machine.cpu)), (stepped_exit, state(&stepped.cpu)));
        if exit != Exit::Deadline {
            break;
        }
    }
    prop_assert_eq!(memory_differs(machine, stepped), None);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn translated_loops_run_alike(
        body in vec(instruction(), 1..30),
        registers in any::<[u32; 8]>(),
        slices in vec(1u64..150, 1..20),
        after in 0u32..3,
    ) {
        let code = repeated(12, &body.concat());
        run_alike(&mut machines(&code, registers, Some(after)), slices)?;
    }
}

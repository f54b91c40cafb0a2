//! Wrong encodings are refused: real blocks with one instruction changed, and instructions that no block
//! contains.

use std::mem::offset_of;

use iced_x86::{Code as C, Decoder, DecoderOptions, Instruction, Register as R};

use super::{Mistake, Rules, check};
use crate::decode;
use crate::flat::Flat;
use crate::memory::PlanarMapping;
use crate::op::Flow;
use crate::registers::Segment;
use crate::translate::context::offset;
use crate::translate::emit::{Emitter, at, indexed, scaled};
use crate::translate::exits::answer;
use crate::translate::registers::{CONTEXT, GRANULE_FLAGS};
use crate::translate::video_routines::PAGE_BITS;
use crate::translate::{Draft, Translator, plan};
use crate::{Cpu, Model};

const ID: u32 = 7;

/// Translates the program with these bytes in hexadecimal.
fn draft(program: &str) -> Draft {
    let bytes: Vec<u8> =
        program.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex")).collect();
    let (mut bus, mut cpu) = (Flat::new(), Cpu::new(Model::I386));
    bus.write_bytes(0x1_0100, &bytes);
    cpu.regs.seg[Segment::Cs as usize] = 0x1000;
    cpu.regs.ip = 0x100;
    let decoding = decode::block(&cpu, &mut bus, 32, |_| false, |_| false);
    let (block, decoded) = decoding.expect("a block");
    let plans = plan::of(Model::I386, &decoded);
    let mut translator = Translator::new().expect("memory for code");
    let draft = translator.draft(Model::I386, (ID, block.key), &decoded, plans, block.count);
    draft.expect("it is encoded")
}

fn instructions(draft: &Draft) -> Vec<Instruction> {
    let (bytes, address) = (draft.code.bytes(), draft.code.address());
    Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).into_iter().collect()
}

/// Checks a block after the bytes of an instruction were changed.
fn altered(draft: &Draft, instruction: &Instruction, change: fn(&mut [u8])) -> Result<(), Mistake> {
    let mut bytes = draft.code.bytes().to_vec();
    let first = (instruction.ip() - draft.code.address()) as usize;
    change(&mut bytes[first..first + instruction.len()]);
    check(&bytes, draft.code.address(), &draft.entries(), &draft.rules())
}

/// Returns the code of an instruction, with 32 bits of distance if it jumps.
fn with_long_jump(instruction: &Instruction) -> C {
    let mut instruction = *instruction;
    instruction.as_near_branch();
    instruction.code()
}

/// Replaces an instruction by NOPs.
fn remove(bytes: &mut [u8]) {
    bytes.fill(0x90);
}

const LOAD: &str = "8B 07 8B 4F 02 F4";
const STORE: &str = "89 07 F4";
const STORE_BYTE: &str = "88 07 F4";
const JUMP: &str = "74 10 F4";
const RETURN: &str = "C3";
const FAR: &str = "CB";
const LOAD_SEGMENT: &str = "8E C0 F4";
const INTERRUPT: &str = "CD 60";
const REPEAT: &str = "F3 A5 F4";
const DIVIDE: &str = "F7 F1 F4";
const DIVIDE_SIGNED: &str = "F7 F9 F4";
const STORE_STRING: &str = "AB F4";
/// FLD1, FSTP qword [BX], JZ.
const FPU: &str = "D9 E8 DD 1F 74 10 F4";
const CHANGE: &str = "FE 07 F4";
const POP_ALL: &str = "61 F4";
const PUSH_ALL: &str = "60 F4";
const ENTER: &str = "C8 04 00 00 F4";
/// POP AX, POP DX, PUSH AX, PUSH BX, PUSH CX.
const WINDOW: &str = "58 5A 50 53 51 F4";
const POP_MEMORY: &str = "8F 07 F4";
const PUSH_MEMORY: &str = "FF 37 F4";

#[test]
fn changed_blocks_are_refused() {
    type Row = (&'static str, C, usize, fn(&mut [u8]), &'static str);
    let rows: [Row; 34] = [
        (LOAD, C::Jae_rel32_64, 0, remove, "an unchecked address"),
        // The bounds of another segment, and for an access of a byte.
        (LOAD, C::Cmp_r32_rm32, 0, |bytes| bytes[3] = offset::bounds(1, 2) as u8, "an unchecked address"),
        (LOAD, C::Cmp_r32_rm32, 0, |bytes| bytes[3] = offset::bounds(0, 3) as u8, "beyond the bounds"),
        // Another base register than RSI.
        (LOAD, C::Mov_r16_rm16, 0, |bytes| bytes[3] ^= 1, "an unknown address"),
        (STORE, C::Jne_rel32_64, 0, remove, "granule was not checked"),
        (STORE, C::Add_r32_rm32, 0, remove, "a granule flag of an unchecked address"),
        (STORE, C::Add_r32_rm32, 3, remove, "a check of decoded code at another address"),
        (STORE, C::Jne_rel32_64, 2, remove, "a check of decoded code"),
        (STORE_BYTE, C::Jb_rel32_64, 1, remove, "granule was not checked"),
        (CHANGE, C::Popfq, 0, remove, "different depths"),
        (STORE_STRING, C::Mov_rm8_imm8, 0, remove, "page is not marked"),
        (STORE_STRING, C::Jae_rel32_64, 1, remove, "a cell of an unchecked address"),
        (STORE_STRING, C::Shr_rm32_imm8, 1, remove, "the page flag of another page"),
        (RETURN, C::Jne_rel32_64, 0, remove, "neither a link nor a slot"),
        (RETURN, C::Shl_rm32_imm8, 0, remove, "an unknown address"),
        (FAR, C::Bts_rm64_imm8, 0, remove, "neither a link nor a slot"),
        (JUMP, C::Mov_r64_imm64, 0, |bytes| bytes[4] ^= 1, "neither a link nor a slot"),
        (LOAD, C::Mov_r32_imm32, 0, |bytes| bytes[2] += 1, "does not name the block"),
        (LOAD_SEGMENT, C::Mov_r32_imm32, 0, |bytes| bytes[1] = 6, "a load of a segment register"),
        (INTERRUPT, C::Mov_r32_imm32, 0, |bytes| bytes[2] = 4, "a vector beyond the last one"),
        (REPEAT, C::Mov_r32_imm32, 0, |bytes| bytes[1] = 6, "a string of a segment register"),
        (DIVIDE, C::Jae_rel32_64, 0, remove, "#DE"),
        (DIVIDE_SIGNED, C::Jbe_rel32_64, 0, remove, "#DE"),
        (FPU, C::Fstp_sti, 0, remove, "depths of a stack"),
        (FPU, C::Fld_sti, 0, |bytes| bytes[1] += 1, "holds no value"),
        (FPU, C::Je_rel32_64, 0, remove, "an unknown address"),
        (FPU, C::Mov_r64_rm64, 5, remove, "granule flags"),
        (POP_ALL, C::Add_rm32_imm8, 0, remove, "beyond the bounds"),
        (WINDOW, C::Jb_rel32_64, 0, remove, "an unchecked address"),
        // Its lowest and its highest word, and those that may be written.
        (WINDOW, C::Lea_r32_m, 0, |bytes| bytes[3] = 0, "beyond the bounds"),
        (WINDOW, C::Lea_r32_m, 1, |bytes| bytes[3] -= 2, "too far from SP"),
        (WINDOW, C::Lea_r32_m, 2, |bytes| bytes[3] -= 2, "granule was not checked"),
        // SP after the first word.
        (WINDOW, C::Lea_r32_m, 3, |bytes| bytes[3] += 8, "an unchecked address"),
        (WINDOW, C::Call_rel32_64, 0, remove, "an unchecked address"),
    ];
    for (program, code, number, change, reason) in rows {
        let draft = draft(program);
        assert_eq!(draft.check(), Ok(()), "{program}");
        let all = instructions(&draft);
        let mut found = all.iter().filter(|instruction| with_long_jump(instruction) == code);
        let Some(instruction) = found.nth(number) else {
            panic!("{program}: no {code:?} in {:#?}", all.iter().map(Instruction::code).collect::<Vec<_>>())
        };
        let refused = altered(&draft, instruction, change);
        let told = refused.as_ref().map_or_else(ToString::to_string, |()| "accepted".to_owned());
        assert!(told.contains(reason), "{program}, {code:?} {number}: {told}");
    }
}

/// Blocks that only access memory, with the number of conditional jumps that do not protect memory: they
/// decide where the segment ends, whether a word is in one cell, and at the end of a block whether a write was
/// served.
#[test]
fn every_check_is_needed() {
    let rows = [
        (LOAD, 2),
        (STORE, 3),
        (STORE_BYTE, 2),
        (CHANGE, 2),
        (POP_ALL, 1),
        (PUSH_ALL, 1),
        (ENTER, 0),
        (POP_MEMORY, 0),
        (PUSH_MEMORY, 0),
    ];
    for (program, expected) in rows {
        let draft = draft(program);
        let all = instructions(&draft);
        let jumps = all.iter().filter(|instruction| instruction.is_jcc_short_or_near());
        // The first is that of the budget.
        let checks: Vec<&Instruction> = jumps.skip(1).collect();
        let accepted = checks.iter().filter(|jump| altered(&draft, jump, remove).is_ok()).count();
        assert_eq!(accepted, expected, "{program}: of {}", checks.len());
    }
}

/// Checks a block of these instructions and a return.
fn written(emit: impl Fn(&mut Emitter, &Rules)) -> Result<(), Mistake> {
    let mut translator = Translator::new().expect("memory for code");
    let (links, leave) = (translator.code.link_address(0, Flow::EXITS), translator.code.leave());
    let routines = translator.code.routines();
    let rules = Rules { id: ID, links: links.expect("links"), leave, routines };
    let mut code = Emitter::default();
    emit(&mut code, &rules);
    code.imm(C::Mov_r32_imm32, R::EAX, answer(ID, Flow::JUMP));
    code.jump_to(C::Jmp_rel32_64, leave);
    let address = translator.code.next().expect("room");
    let code = code.encode(address).expect("it is encoded");
    check(code.bytes(), address, &[address], &rules)
}

#[test]
fn instructions_that_no_block_contains_are_refused() {
    const BOUNDS: i64 = 100;
    assert!((offset::bounds(0, 0)..offset::bounds(2, 5)).contains(&BOUNDS));
    type Row = (&'static str, fn(&mut Emitter, &Rules), &'static str);
    let rows: [Row; 20] = [
        ("SYSCALL", |code, _| code.plain(C::Syscall), "not an instruction"),
        ("INT3", |code, _| code.plain(C::Int3), "not an instruction"),
        ("RET", |code, _| code.plain(C::Retnq), "not an instruction"),
        ("STD", |code, _| code.plain(C::Std), "not an instruction"),
        ("FLDCW", |code, _| code.memory(C::Fldcw_m2byte, at(CONTEXT, offset::VALUE)), "not an instruction"),
        ("PUSH", |code, _| code.reg(C::Push_r64, R::RAX), "not an instruction"),
        ("a computed call", |code, _| code.reg(C::Call_rm64, R::RAX), "not an instruction"),
        ("a computed jump", |code, _| code.reg(C::Jmp_rm64, R::RAX), "neither a link nor a slot"),
        ("a jump beyond", |code, rules| code.jump_to(C::Jmp_rel32_64, rules.leave + 1), "out of the block"),
        ("a call", |code, rules| code.jump_to(C::Call_rel32_64, rules.leave), "no routine"),
        ("the stack", |code, _| code.imm(C::Add_rm64_imm8, R::RSP, 8), "the host's stack"),
        ("the context", |code, _| code.regs(C::Mov_r64_rm64, CONTEXT, R::RAX), "register of the context"),
        ("the budget", |code, _| code.regs(C::Mov_r64_rm64, R::RBP, R::RAX), "register of the budget"),
        (
            "the flags",
            |code, _| code.imm(C::Add_rm64_imm8, GRANULE_FLAGS, 1),
            "register of the granule flags",
        ),
        (
            "a field",
            |code, _| code.store(C::Mov_rm32_r32, CONTEXT, BOUNDS, R::EAX),
            "that blocks do not write",
        ),
        ("beyond", |code, _| code.load(C::Mov_r32_rm32, R::EAX, CONTEXT, 4096), "beyond the context"),
        (
            "an answer",
            |code, rules| {
                code.jump_to(C::Call_rel32_64, rules.routines.video.load[0]);
                code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::REACH);
                code.load(C::Mov_r32_rm32, R::EAX, R::RAX, 0);
            },
            "may have moved",
        ),
        ("FLD1", |code, _| code.plain(C::Fld1), "not prepared"),
        ("PUSHF", |code, _| code.plain(C::Pushfq), "values on the host's stack"),
        (
            "a granule",
            |code, _| code.memory_imm(C::Mov_rm8_imm8, indexed(GRANULE_FLAGS, R::RAX), 0),
            "granule flag",
        ),
    ];
    assert_eq!(written(|_, _| {}), Ok(()));
    for (name, emit, reason) in rows {
        let told = written(emit).map_or_else(|mistake| mistake.to_string(), |()| "accepted".to_owned());
        assert!(told.contains(reason), "{name}: {told}");
    }
}

/// A bound for an offset of 64 bits, of which only 32 were compared, checks nothing.
#[test]
fn bounds_are_compared_with_the_whole_offset() {
    let access = |code: &mut Emitter, load: C, register: R| {
        code.load(load, register, CONTEXT, offset::VALUE);
        let outside = code.label();
        code.load(C::Cmp_r32_rm32, R::EDI, CONTEXT, offset::bounds(0, 3));
        code.jump(C::Jae_rel32_64, outside);
        code.load(C::Mov_r64_rm64, R::RSI, CONTEXT, offset::segment(3));
        code.load_at(C::Mov_r8_rm8, R::AL, indexed(R::RSI, R::RDI));
        code.bind(outside);
    };
    assert_eq!(written(|code, _| access(code, C::Mov_r32_rm32, R::EDI)), Ok(()));
    let refused = written(|code, _| access(code, C::Mov_r64_rm64, R::RDI));
    assert!(refused.is_err_and(|mistake| mistake.reason.contains("unchecked")));
}

/// The interpreter's coprocessor uses the host's own control word.
#[test]
fn the_x87_is_prepared_again_after_the_interpreters_coprocessor() {
    let calculate = |code: &mut Emitter, rules: &Rules, calls: bool| {
        let unusable = code.label();
        code.jump_to(C::Call_rel32_64, rules.routines.fpu.prepare);
        code.regs(C::Test_rm64_r64, GRANULE_FLAGS, GRANULE_FLAGS);
        code.jump(C::Je_rel32_64, unusable);
        if calls {
            code.jump_to(C::Call_rel32_64, rules.routines.fpu.execute);
        }
        code.plain(C::Fld1);
        code.reg(C::Fstp_sti, R::ST0);
        code.bind(unusable);
        code.load(C::Mov_r64_rm64, GRANULE_FLAGS, CONTEXT, offset::GRANULE_FLAGS);
    };
    assert_eq!(written(|code, rules| calculate(code, rules, false)), Ok(()));
    let refused = written(|code, rules| calculate(code, rules, true));
    assert!(refused.is_err_and(|mistake| mistake.reason.contains("not prepared")));
}

/// The page that is marked must be that of the cell that was written, and the only one.
#[test]
fn each_written_cell_is_marked() {
    let field = |field: usize| field as i64;
    let locate = |code: &mut Emitter| {
        let outside = code.label();
        code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::REACH);
        code.load(C::Cmp_r32_rm32, R::ESI, R::RAX, field(offset_of!(PlanarMapping, text)));
        code.jump(C::Jae_rel32_64, outside);
        code.regs(C::Movzx_r32_rm16, R::ESI, R::SI);
        outside
    };
    let write = |code: &mut Emitter| {
        code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::PLANES);
        code.store_at(C::Mov_rm16_r16, scaled(R::RAX, R::RSI, 4, 0), R::DX);
    };
    let mark = |code: &mut Emitter| {
        code.imm(C::Shr_rm32_imm8, R::ESI, PAGE_BITS);
        code.load(C::Mov_r64_rm64, R::RAX, CONTEXT, offset::PLANES_WRITTEN);
        code.memory_imm(C::Mov_rm8_imm8, indexed(R::RAX, R::RSI), 1);
    };
    let once = written(|code, _| {
        let outside = locate(code);
        write(code);
        mark(code);
        code.bind(outside);
    });
    assert_eq!(once, Ok(()));
    let two_writes = written(|code, _| {
        let outside = locate(code);
        write(code);
        code.load(C::Mov_r64_rm64, R::RCX, CONTEXT, offset::PLANES);
        code.store_at(C::Mov_rm16_r16, scaled(R::RCX, R::RSI, 4, 0), R::DX);
        mark(code);
        code.bind(outside);
    });
    assert!(two_writes.is_err_and(|mistake| mistake.reason.contains("a cell of an unchecked address")));
    let unwritten = written(|code, _| {
        let outside = locate(code);
        mark(code);
        code.bind(outside);
    });
    assert!(unwritten.is_err_and(|mistake| mistake.reason.contains("the page flag of another page")));
}

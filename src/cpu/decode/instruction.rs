//! Picks the handler of a decoded instruction, by its mnemonic, and resolves its operands.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register as R};

use super::super::block::Op;
use super::super::bus::Bus;
use super::super::operand::{Mode, Reg};
use super::super::ops::control::Control;
use super::super::ops::jump::Jump;
use super::super::ops::stack::Stack;
use super::super::ops::system::Special;
use super::super::ops::{
    alu, bits, control, decimal, flags, io, jump, mov, muldiv, shift, stack, string, system,
};
use super::super::registers::Segment;
use super::flow;
use super::{Decoded, Operands, general, memory_bytes, resolve_memory, resolve_operands, segment_number};

/// The operation of a decoded instruction; nothing if there is none in real mode.
pub(super) fn by_mnemonic<B: Bus>(instruction: &Instruction, mut op: Op<B>) -> Option<Decoded<B>> {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let operands = resolve_operands(&mut op, instruction);
    let wide = operands.size == 4;
    let code = instruction.code();
    let mut ends = false;
    let mut condition = None;
    let mut through = None;
    let immediate = immediate(instruction, operands.size);
    op.imm = immediate.unwrap_or(0);
    match mnemonic {
        M::Add | M::Or | M::Adc | M::Sbb | M::And | M::Sub | M::Xor | M::Cmp | M::Test => {
            op.run = alu::select_binary::<B>(mnemonic, &operands);
        }
        M::Inc | M::Dec | M::Neg | M::Not => op.run = alu::select_unary::<B>(mnemonic, &operands),
        M::Mov => return select_mov(instruction, op, operands),
        M::Xchg => op.run = mov::select_xchg::<B>(&operands),
        M::Movzx | M::Movsx => {
            let from = match instruction.op1_kind() {
                OpKind::Memory => memory_bytes(instruction.memory_size()),
                _ => general(instruction.op1_register())?.1,
            };
            // The source is `rm`, whatever kind it is.
            (op.rm, op.reg) = (op.reg, general(instruction.op0_register())?.0);
            let size = general(instruction.op0_register())?.1;
            op.run = mov::select_extend::<B>(&Operands { size, ..operands }, from, mnemonic == M::Movsx);
        }
        M::Lea | M::Xlatb | M::Cbw | M::Cwde | M::Cwd | M::Cdq => {
            if mnemonic == M::Xlatb {
                resolve_memory(&mut op, instruction);
                op.mode = if code == Code::Xlat_m8 && instruction.memory_base() == R::EBX {
                    Mode::Wide
                } else {
                    Mode::Based
                };
            }
            op.run = mov::select_other::<B>(mnemonic, &operands);
        }
        M::Les | M::Lds | M::Lss | M::Lfs | M::Lgs => {
            if op.mode == Mode::Register {
                return None;
            }
            op.imm = match mnemonic {
                M::Les => 0,
                M::Lss => 2,
                M::Lds => 3,
                M::Lfs => 4,
                _ => 5,
            };
            op.run = mov::select_other::<B>(mnemonic, &operands);
        }
        M::Push | M::Pop => {
            ends = select_push_pop(instruction, &mut op, &operands)?;
        }
        M::Pusha
        | M::Pushad
        | M::Popa
        | M::Popad
        | M::Pushf
        | M::Pushfd
        | M::Popf
        | M::Popfd
        | M::Enter
        | M::Leave => {
            let wide = matches!(
                code,
                Code::Pushad
                    | Code::Popad
                    | Code::Pushfd
                    | Code::Popfd
                    | Code::Enterd_imm16_imm8
                    | Code::Leaved
            );
            let what = match mnemonic {
                M::Pusha | M::Pushad => Stack::PushAll,
                M::Popa | M::Popad => Stack::PopAll,
                M::Pushf | M::Pushfd => Stack::PushFlags,
                M::Popf | M::Popfd => Stack::PopFlags,
                M::Enter => Stack::Enter,
                _ => Stack::Leave,
            };
            if mnemonic == M::Enter {
                op.imm = u32::from(instruction.immediate16());
                op.target = u32::from(instruction.immediate8_2nd());
            }
            ends = matches!(what, Stack::PopFlags);
            op.run = stack::select_stack::<B>(what, wide);
        }
        M::Rol | M::Ror | M::Rcl | M::Rcr | M::Shl | M::Sal | M::Shr | M::Sar => {
            let kind = match mnemonic {
                M::Rol => 0,
                M::Ror => 1,
                M::Rcl => 2,
                M::Rcr => 3,
                M::Shl | M::Sal => 4,
                M::Shr => 5,
                _ => 7,
            };
            let by_cl = instruction.op1_kind() == OpKind::Register;
            if !by_cl {
                op.imm = u32::from(instruction.immediate8());
            }
            op.run = if flow::is_plain_shift(instruction, &operands) {
                shift::select_plain::<B>(mnemonic, operands.size, true)
            } else {
                shift::select_shift::<B>(kind, &operands, by_cl)
            };
        }
        M::Shld | M::Shrd => {
            let by_cl = instruction.op2_kind() == OpKind::Register;
            op.imm = if by_cl { 0 } else { u32::from(instruction.immediate8()) };
            op.run = shift::select_double::<B>(mnemonic == M::Shld, wide, by_cl);
        }
        M::Imul if instruction.op_count() > 1 => {
            if op.mode == Mode::Register && instruction.op1_kind() == OpKind::Register {
                (op.rm, op.reg) = (op.reg, op.rm);
            }
            op.run = muldiv::select_into::<B>(wide, instruction.op_count() == 3);
        }
        M::Mul | M::Imul | M::Div | M::Idiv => op.run = muldiv::select::<B>(mnemonic, &operands),
        M::Daa | M::Das | M::Aaa | M::Aas | M::Aam | M::Aad => {
            op.imm =
                if matches!(mnemonic, M::Aam | M::Aad) { u32::from(instruction.immediate8()) } else { 0 };
            op.run = decimal::select::<B>(mnemonic);
        }
        M::Clc | M::Stc | M::Cmc | M::Cld | M::Std | M::Cli | M::Sti | M::Lahf | M::Sahf | M::Salc => {
            ends = mnemonic == M::Sti;
            op.run = flags::select::<B>(mnemonic);
        }
        M::Bt | M::Bts | M::Btr | M::Btc => {
            let by_immediate = immediate.is_some();
            op.imm = if by_immediate {
                u32::from(instruction.immediate8())
            } else if op.mode == Mode::Register {
                0
            } else {
                u32::MAX
            };
            op.run = bits::select::<B>(mnemonic, wide, by_immediate);
        }
        M::Bsf | M::Bsr => {
            if op.mode == Mode::Register {
                (op.rm, op.reg) = (op.reg, op.rm);
            }
            op.run = bits::select::<B>(mnemonic, wide, false);
        }
        M::In | M::Out => {
            let is_input = mnemonic == M::In;
            let (accumulator, port) = if is_input { (0, 1) } else { (1, 0) };
            let (_, size) = general(instruction.op_register(accumulator))?;
            let by_dx = instruction.op_kind(port) == OpKind::Register;
            op.imm = if by_dx { 0 } else { u32::from(instruction.immediate8()) };
            op.run = io::select::<B>(is_input, size, by_dx);
        }
        M::Nop => {}
        M::Wait => op.run = control::select::<B>(Control::Wait, false),
        M::Hlt => {
            ends = true;
            op.run = control::select::<B>(Control::Halt, false);
        }
        M::Int | M::Int3 | M::Int1 | M::Into => {
            op.imm = match mnemonic {
                M::Int => u32::from(instruction.immediate8()),
                M::Int1 => 1,
                _ => 3,
            };
            let what = if mnemonic == M::Into { Control::InterruptOnOverflow } else { Control::Interrupt };
            ends = mnemonic != M::Into;
            op.run = control::select::<B>(what, false);
        }
        M::Iret | M::Iretd => {
            ends = true;
            op.run = control::select::<B>(Control::InterruptReturn, mnemonic == M::Iretd);
        }
        M::Bound => op.run = control::select::<B>(Control::Bound, wide),
        M::Smsw | M::Lmsw | M::Clts | M::Sgdt | M::Sidt | M::Lgdt | M::Lidt => {
            let what = match mnemonic {
                M::Smsw => Special::Smsw,
                M::Lmsw => Special::Lmsw,
                M::Clts => Special::Clts,
                M::Sgdt => Special::Sgdt,
                M::Sidt => Special::Sidt,
                M::Lgdt => Special::Lgdt,
                _ => Special::Lidt,
            };
            let wide = match code {
                Code::Sgdt_m1632 | Code::Sidt_m1632 | Code::Lgdt_m1632 | Code::Lidt_m1632 => true,
                _ => mnemonic == M::Smsw && op.mode == Mode::Register && wide,
            };
            ends = mnemonic == M::Lmsw;
            op.run = system::select::<B>(what, wide);
        }
        _ if instruction.is_string_instruction() => {
            let element = match mnemonic {
                M::Movsb | M::Cmpsb | M::Stosb | M::Lodsb | M::Scasb | M::Insb | M::Outsb => 1,
                M::Movsw | M::Cmpsw | M::Stosw | M::Lodsw | M::Scasw | M::Insw | M::Outsw => 2,
                _ => 4,
            };
            let repeat = match (instruction.has_rep_prefix(), instruction.has_repne_prefix()) {
                (true, _) => string::REPEAT_EQUAL,
                (_, true) => string::REPEAT_NOT_EQUAL,
                _ => string::ONCE,
            };
            let is_wide = |kind: OpKind| matches!(kind, OpKind::MemorySegESI | OpKind::MemoryESEDI);
            let wide = (0..instruction.op_count()).any(|n| is_wide(instruction.op_kind(n)));
            op.mode = if wide { Mode::Wide } else { Mode::Based };
            op.seg = super::segment(segment_number(instruction.memory_segment()).unwrap_or(3) as usize);
            op.imm = repeat;
            ends = repeat != string::ONCE;
            op.run = string::select::<B>(mnemonic, element, repeat);
        }
        _ if instruction.is_jcc_short_or_near() => {
            let number = instruction.condition_code() as u8 - 1;
            op.target = instruction.near_branch_target() as u32;
            ends = true;
            condition = (op.target <= 0xFFFF).then_some(number);
            op.run = jump::select_jcc::<B>(number, op.target > 0xFFFF);
        }
        _ if is_setcc(instruction) => {
            op.imm = instruction.condition_code() as u32 - 1;
            op.run = bits::select_setcc::<B>();
        }
        _ => {
            let what = select_jump(instruction, &mut op, wide)?;
            ends = true;
            through = jump::select_through::<B>(what, code == Code::Call_rel32_32, op.target);
        }
    }
    let effect = flow::effect(instruction, &operands);
    Some(Decoded {
        op,
        mnemonic,
        operands,
        ends,
        condition,
        effect,
        flags: flow::flags_of(instruction, &operands),
        immediate: None,
        through,
    })
}

fn is_setcc(instruction: &Instruction) -> bool {
    let number = instruction.code() as u32;
    (Code::Seto_rm8 as u32..=Code::Setg_rm8 as u32).contains(&number)
}

/// The immediate operand, extended to `size` bytes.
fn immediate(instruction: &Instruction, size: u32) -> Option<u32> {
    let n = (0..instruction.op_count()).find(|&n| {
        matches!(
            instruction.op_kind(n),
            OpKind::Immediate8
                | OpKind::Immediate16
                | OpKind::Immediate32
                | OpKind::Immediate8to16
                | OpKind::Immediate8to32
        )
    })?;
    let value = instruction.immediate(n) as u32;
    Some(match size {
        1 => value & 0xFF,
        2 => value & 0xFFFF,
        _ => value,
    })
}

fn select_mov<B: Bus>(instruction: &Instruction, mut op: Op<B>, operands: Operands) -> Option<Decoded<B>> {
    let (to, from) = (instruction.op0_register(), instruction.op1_register());
    let is = |n: u32| instruction.op_kind(n) == OpKind::Register;
    let mut ends = false;
    let special = |register: R| match register {
        R::CR0 | R::CR2 | R::CR3 => {
            Some((Special::FromControl, Special::ToControl, register as u32 - R::CR0 as u32))
        }
        R::DR0 | R::DR1 | R::DR2 | R::DR3 | R::DR6 | R::DR7 => {
            Some((Special::FromDebug, Special::ToDebug, register as u32 - R::DR0 as u32))
        }
        R::TR6 | R::TR7 => Some((Special::FromTest, Special::ToTest, register as u32 - R::TR0 as u32)),
        _ => None,
    };
    let is_special = |register: R| register.is_cr() || register.is_dr() || register.is_tr();
    if is(0) && segment_number(to).is_some() {
        op.imm = segment_number(to)?;
        if is(1) {
            op.rm = general(from)?.0;
        }
        ends = op.imm == Segment::Ss as u32 || op.imm == Segment::Cs as u32;
        op.run = mov::select_segment::<B>(&operands, true);
    } else if is(1) && segment_number(from).is_some() {
        op.imm = segment_number(from)?;
        op.run = mov::select_segment::<B>(&operands, false);
    } else if is(0) && is_special(to) {
        let (_, what, number) = special(to)?;
        op.imm = number;
        op.rm = general(from)?.0;
        ends = true;
        op.run = system::select::<B>(what, true);
        // It ends the block as an ordinary operation does.
    } else if is(1) && is_special(from) {
        let (what, _, number) = special(from)?;
        op.imm = number;
        op.rm = general(to)?.0;
        op.run = system::select::<B>(what, true);
    } else {
        op.run = mov::select_mov::<B>(&operands);
    }
    let effect = flow::effect(instruction, &operands);
    Some(Decoded {
        op,
        mnemonic: Mnemonic::Mov,
        operands,
        ends,
        condition: None,
        effect,
        flags: 0,
        immediate: None,
        through: None,
    })
}

/// PUSH and POP; says whether the block ends.
fn select_push_pop<B: Bus>(instruction: &Instruction, op: &mut Op<B>, operands: &Operands) -> Option<bool> {
    let is_push = instruction.mnemonic() == Mnemonic::Push;
    let code = instruction.code();
    if let Some(number) = segment_number(instruction.op0_register()) {
        let wide = matches!(
            code,
            Code::Pushd_ES
                | Code::Pushd_CS
                | Code::Pushd_SS
                | Code::Pushd_DS
                | Code::Pushd_FS
                | Code::Pushd_GS
                | Code::Popd_ES
                | Code::Popd_SS
                | Code::Popd_DS
                | Code::Popd_FS
                | Code::Popd_GS
        );
        op.imm = number;
        op.run = stack::select_stack::<B>(if is_push { Stack::PushSegment } else { Stack::PopSegment }, wide);
        return Some(!is_push && number == Segment::Ss as u32);
    }
    let immediate_wide = matches!(code, Code::Pushd_imm8 | Code::Pushd_imm32);
    let is_immediate = immediate_wide || matches!(code, Code::Pushw_imm8 | Code::Push_imm16);
    if is_immediate {
        let size = if immediate_wide { 4 } else { 2 };
        op.imm = immediate(instruction, size)?;
        op.run = stack::select_push::<B>(&Operands { size, ..*operands }, true, false);
        return Some(false);
    }
    let is_sp = op.mode == Mode::Register && op.rm == Reg::Sp;
    op.run = if is_push {
        stack::select_push::<B>(operands, false, is_sp)
    } else {
        stack::select_pop::<B>(operands)
    };
    Some(false)
}

/// The handler of a jump that is not conditional; says which it is.
fn select_jump<B: Bus>(instruction: &Instruction, op: &mut Op<B>, wide: bool) -> Option<Jump> {
    let code = instruction.code();
    let (what, wide) = match instruction.mnemonic() {
        Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne | Mnemonic::Jcxz | Mnemonic::Jecxz => {
            let wide = matches!(
                code,
                Code::Loop_rel8_16_ECX
                    | Code::Loop_rel8_32_ECX
                    | Code::Loope_rel8_16_ECX
                    | Code::Loope_rel8_32_ECX
                    | Code::Loopne_rel8_16_ECX
                    | Code::Loopne_rel8_32_ECX
                    | Code::Jecxz_rel8_16
                    | Code::Jecxz_rel8_32
            );
            op.imm = match instruction.mnemonic() {
                Mnemonic::Loopne => 0,
                Mnemonic::Loope => 1,
                _ => 2,
            };
            op.mode = if wide { Mode::Wide } else { Mode::Based };
            let zero = matches!(instruction.mnemonic(), Mnemonic::Jcxz | Mnemonic::Jecxz);
            (if zero { Jump::CounterZero } else { Jump::Loop }, wide)
        }
        Mnemonic::Jmp => match code {
            Code::Jmp_rm16 | Code::Jmp_rm32 => (Jump::Indirect, code == Code::Jmp_rm32),
            Code::Jmp_ptr1616 | Code::Jmp_ptr1632 => (Jump::Far, code == Code::Jmp_ptr1632),
            Code::Jmp_m1616 | Code::Jmp_m1632 => (Jump::FarIndirect, code == Code::Jmp_m1632),
            _ => (Jump::Near, wide),
        },
        Mnemonic::Call => match code {
            Code::Call_rm16 | Code::Call_rm32 => (Jump::IndirectCall, code == Code::Call_rm32),
            Code::Call_ptr1616 | Code::Call_ptr1632 => (Jump::FarCall, code == Code::Call_ptr1632),
            Code::Call_m1616 | Code::Call_m1632 => (Jump::FarIndirectCall, code == Code::Call_m1632),
            _ => (Jump::NearCall, code == Code::Call_rel32_32),
        },
        Mnemonic::Ret => {
            op.imm = instruction.immediate16().into();
            (Jump::Return, matches!(code, Code::Retnd | Code::Retnd_imm16))
        }
        Mnemonic::Retf => {
            op.imm = instruction.immediate16().into();
            (Jump::FarReturn, matches!(code, Code::Retfd | Code::Retfd_imm16))
        }
        _ => return None,
    };
    match instruction.op_kind(0) {
        _ if instruction.op_count() == 0 => {}
        OpKind::NearBranch16 | OpKind::NearBranch32 => op.target = instruction.near_branch_target() as u32,
        OpKind::FarBranch16 => {
            op.target = instruction.far_branch16().into();
            op.imm = instruction.far_branch_selector().into();
        }
        OpKind::FarBranch32 => {
            op.target = instruction.far_branch32();
            op.imm = instruction.far_branch_selector().into();
        }
        OpKind::Memory => resolve_memory(op, instruction),
        _ => {}
    }
    op.run = jump::select_jump::<B>(what, wide, op.target);
    Some(what)
}

//! The kinds of operations that are translated, and the kind of each instruction.

use iced_x86::{Code as C, Instruction, Mnemonic as M, OpKind, Register as R};

use super::fpu_kind::FpuOp;
use super::repeated::Repeated;
use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::form::{memory_bytes, segment_number};
use crate::model::Model;
use crate::op::Mode;
use crate::ops::post_386::is_cmov;
use crate::registers::Reg;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not translated: the handler executes it.
    Leave,
    Nothing,
    /// The identical host instruction, with this code.
    Same(C),
    /// SHLD or SHRD of a register by an immediate, with its flags.
    DoubleShift(C),
    /// A shift or rotate by this number of bits. The code is that of the form with an immediate.
    Shift(C, u8),
    /// A shift or rotate by CL. The code is that of the form with an immediate.
    ShiftByCl(C),
    /// MUL, or IMUL with one, two or three operands.
    Multiply(C),
    /// DIV, or IDIV if it is set.
    Divide {
        signed: bool,
    },
    /// CBW, CWDE, CWD, CDQ.
    Extend(M),
    Lea,
    /// PUSH and POP of a word or a doubleword.
    Push,
    PushMemory,
    PushSegment,
    Pop,
    /// POP to memory.
    PopMemory,
    PushAll,
    PopAll,
    PushFlags,
    PopFlags,
    /// ENTER without nesting.
    EnterFrame,
    LeaveFrame,
    Xlat,
    /// LAHF, and SAHF.
    LoadFlags,
    StoreFlags,
    /// CLD or STD.
    Direct {
        down: bool,
    },
    Cli,
    /// STI while interrupts are enabled.
    Sti,
    /// BT, BTS, BTR or BTC.
    BitTest(C),
    /// BSF or BSR.
    BitScan(C),
    /// IN and OUT of this number of bytes.
    Input(u32),
    Output(u32),
    Coprocessor(FpuOp),
    /// WAIT.
    Wait,
    /// An instruction whose immediate changes. The code is that of the form with two registers.
    LiveImmediate(C),
    /// STOS, LODS, MOVS, SCAS and CMPS without a repeat prefix.
    StoreString,
    LoadString,
    MoveString,
    ScanString,
    CompareStrings,
    /// A string instruction with a repeat prefix.
    Repeat(Repeated),
    /// MOV of a segment register to a general one.
    ReadSegment,
    /// MOV of a segment register to memory.
    StoreSegment,
    /// MOV of a register or memory to a data segment register.
    WriteSegment,
    PopSegment,
    /// LES, LDS, LFS or LGS.
    LoadPointer,
    Jump,
    Call,
    /// JMP and CALL through a word register or memory.
    JumpComputed,
    CallComputed,
    Return,
    /// JMP and CALL to another segment, direct or through memory.
    JumpFar,
    CallFar,
    ReturnFar,
    /// INT and INT3.
    Interrupt,
    /// IRET.
    InterruptReturn,
    Jcc,
    /// LOOP with CX or ECX.
    Loop,
    /// LOOPE, or LOOPNE.
    LoopWhile {
        equal: bool,
    },
    /// JCXZ with CX or ECX.
    JumpIfZero,
}

/// Returns the form for an immediate that the program changes: a register and EAX (also for BH).
pub(super) fn live(instruction: &Instruction) -> Option<Kind> {
    let register = instruction.op0_register();
    let by_size = |[byte, word, dword]: [C; 3]| match register.size() {
        1 => byte,
        2 => word,
        _ => dword,
    };
    let codes = match instruction.mnemonic() {
        _ if instruction.op0_kind() != OpKind::Register || register == R::BH => return None,
        M::Mov => [C::Mov_rm8_r8, C::Mov_rm16_r16, C::Mov_rm32_r32],
        M::Add => [C::Add_rm8_r8, C::Add_rm16_r16, C::Add_rm32_r32],
        M::Or => [C::Or_rm8_r8, C::Or_rm16_r16, C::Or_rm32_r32],
        M::Adc => [C::Adc_rm8_r8, C::Adc_rm16_r16, C::Adc_rm32_r32],
        M::Sbb => [C::Sbb_rm8_r8, C::Sbb_rm16_r16, C::Sbb_rm32_r32],
        M::And => [C::And_rm8_r8, C::And_rm16_r16, C::And_rm32_r32],
        M::Sub => [C::Sub_rm8_r8, C::Sub_rm16_r16, C::Sub_rm32_r32],
        M::Xor => [C::Xor_rm8_r8, C::Xor_rm16_r16, C::Xor_rm32_r32],
        M::Cmp => [C::Cmp_rm8_r8, C::Cmp_rm16_r16, C::Cmp_rm32_r32],
        M::Test => [C::Test_rm8_r8, C::Test_rm16_r16, C::Test_rm32_r32],
        _ => return None,
    };
    Some(Kind::LiveImmediate(by_size(codes)))
}

/// Returns the form of a string instruction with 16-bit addresses.
fn string(instruction: &Instruction) -> Option<Kind> {
    let is_wide = |n| matches!(instruction.op_kind(n), OpKind::MemorySegESI | OpKind::MemoryESEDI);
    if !instruction.is_string_instruction() || (0..instruction.op_count()).any(is_wide) {
        return None;
    }
    if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
        return Repeated::of(instruction).map(Kind::Repeat);
    }
    Some(match instruction.mnemonic() {
        M::Stosb | M::Stosw | M::Stosd => Kind::StoreString,
        M::Lodsb | M::Lodsw | M::Lodsd => Kind::LoadString,
        M::Scasb | M::Scasw | M::Scasd => Kind::ScanString,
        M::Cmpsb | M::Cmpsw | M::Cmpsd => Kind::CompareStrings,
        _ => Kind::MoveString,
    })
}

/// Returns whether an operand is in memory, string operands aside.
pub(super) fn has_memory(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|n| is_memory(instruction.op_kind(n)))
}

pub(super) fn is_memory(kind: OpKind) -> bool {
    kind == OpKind::Memory
}

/// Returns the kind of an instruction; `None` if it is left to its handler.
pub(super) fn kind<B: Bus>(model: Model, decoded: &Decoded<B>) -> Option<Kind> {
    let instruction = &decoded.instruction;
    Some(match instruction.mnemonic() {
        M::Nop => Kind::Nothing,
        M::Wait => Kind::Wait,
        M::Mov if instruction.code() == C::Mov_rm16_Sreg && instruction.op0_kind() == OpKind::Register => {
            Kind::ReadSegment
        }
        M::Mov if instruction.code() == C::Mov_rm16_Sreg => Kind::StoreSegment,
        M::Mov if instruction.code() == C::Mov_Sreg_rm16 && is_loadable(instruction.op0_register()) => {
            Kind::WriteSegment
        }
        M::Les | M::Lds | M::Lfs | M::Lgs if instruction.op0_register().size() == 2 => Kind::LoadPointer,
        M::Mov if has_special_register(instruction) => return None,
        M::Xchg if instruction.op0_register() == instruction.op1_register() => Kind::Nothing,
        M::Mov | M::Xchg | M::Movzx | M::Movsx => Kind::Same(code_of(instruction)),
        M::Add | M::Or | M::Adc | M::Sbb | M::And | M::Sub | M::Xor | M::Cmp | M::Test => {
            Kind::Same(code_of(instruction))
        }
        M::Inc | M::Dec | M::Neg | M::Not | M::Clc | M::Stc | M::Cmc => Kind::Same(code_of(instruction)),
        mnemonic if is_setcc(mnemonic) => Kind::Same(code_of(instruction)),
        _ if is_cmov(instruction) => Kind::Same(code_of(instruction)),
        // Of a word register the host's result is undefined.
        M::Bswap if instruction.op0_register().size() == 4 => Kind::Same(code_of(instruction)),
        // SETMO on the 8086: D0 to D3 /6.
        M::Sal if model.has_setmo() => return None,
        M::Shl | M::Sal | M::Shr | M::Sar | M::Rol | M::Ror | M::Rcl | M::Rcr => shift(model, instruction)?,
        // EAX holds the other factor, so BH cannot be in AH.
        M::Mul | M::Imul if instruction.op0_register() != R::BH => Kind::Multiply(code_of(instruction)),
        // With 1 the 8086 negates the quotient.
        M::Div | M::Idiv if instruction.op0_register() != R::BH && decoded.op.imm != 1 => {
            Kind::Divide { signed: instruction.mnemonic() == M::Idiv }
        }
        mnemonic @ (M::Cbw | M::Cwde | M::Cwd | M::Cdq) => Kind::Extend(mnemonic),
        M::Lea => Kind::Lea,
        M::Push => return push(instruction),
        M::Pop => return pop(decoded),
        M::Pusha | M::Pushad => Kind::PushAll,
        M::Popa | M::Popad => Kind::PopAll,
        M::Pushf | M::Pushfd => Kind::PushFlags,
        M::Popf | M::Popfd => Kind::PopFlags,
        M::Enter if instruction.code() == C::Enterw_imm16_imm8 && decoded.op.disp & 31 == 0 => {
            Kind::EnterFrame
        }
        M::Leave => Kind::LeaveFrame,
        M::Lahf => Kind::LoadFlags,
        M::Sahf => Kind::StoreFlags,
        M::Cld => Kind::Direct { down: false },
        M::Std => Kind::Direct { down: true },
        M::In => Kind::Input(instruction.op0_register().size() as u32),
        M::Out => Kind::Output(instruction.op1_register().size() as u32),
        M::Cli => Kind::Cli,
        M::Sti => Kind::Sti,
        M::Shld | M::Shrd => double_shift(instruction)?,
        M::Bsf | M::Bsr => Kind::BitScan(instruction.code()),
        M::Bt | M::Bts | M::Btr | M::Btc => bit_test(instruction)?,
        M::Stosb | M::Stosw | M::Stosd | M::Lodsb | M::Lodsw | M::Lodsd => string(instruction)?,
        M::Movsb | M::Movsw | M::Movsd | M::Cmpsb | M::Cmpsw | M::Cmpsd => string(instruction)?,
        M::Scasb | M::Scasw | M::Scasd => string(instruction)?,
        M::Xlatb if decoded.op.mode != Mode::Wide => Kind::Xlat,
        M::Jmp | M::Call if decoded.op.target > 0xFFFF => return None,
        M::Jmp if is_near(instruction) => Kind::Jump,
        M::Jmp if matches!(instruction.code(), C::Jmp_rm16 | C::Jmp_rm32) => Kind::JumpComputed,
        M::Call if matches!(instruction.code(), C::Call_rm16 | C::Call_rm32) => Kind::CallComputed,
        M::Call if is_near(instruction) => Kind::Call,
        M::Jmp if matches!(instruction.code(), C::Jmp_ptr1616 | C::Jmp_m1616) => Kind::JumpFar,
        M::Call if matches!(instruction.code(), C::Call_ptr1616 | C::Call_m1616) => Kind::CallFar,
        M::Ret => Kind::Return,
        M::Retf if matches!(instruction.code(), C::Retfw | C::Retfw_imm16) => Kind::ReturnFar,
        M::Int | M::Int3 => Kind::Interrupt,
        M::Iret if instruction.code() == C::Iretw => Kind::InterruptReturn,
        M::Loop | M::Loope | M::Loopne | M::Jcxz | M::Jecxz if decoded.op.target > 0xFFFF => return None,
        M::Loop => Kind::Loop,
        M::Loope => Kind::LoopWhile { equal: true },
        M::Loopne => Kind::LoopWhile { equal: false },
        M::Jcxz | M::Jecxz => Kind::JumpIfZero,
        _ if instruction.is_jcc_short_or_near() && decoded.condition.is_some() => Kind::Jcc,
        _ => return None,
    })
}

fn is_near(instruction: &Instruction) -> bool {
    matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32)
}

pub(super) fn is_setcc(mnemonic: M) -> bool {
    matches!(
        mnemonic,
        M::Seto
            | M::Setno
            | M::Setb
            | M::Setae
            | M::Sete
            | M::Setne
            | M::Setbe
            | M::Seta
            | M::Sets
            | M::Setns
            | M::Setp
            | M::Setnp
            | M::Setl
            | M::Setge
            | M::Setle
            | M::Setg
    )
}

/// Returns whether loading this segment register has no other effect on the next instruction.
fn is_loadable(register: R) -> bool {
    matches!(register, R::ES | R::DS | R::FS | R::GS | R::SS)
}

/// Returns whether an operand is a segment, control, debug or test register.
fn has_special_register(instruction: &Instruction) -> bool {
    let is = |register: R| {
        segment_number(register).is_some() || register.is_cr() || register.is_dr() || register.is_tr()
    };
    is(instruction.op0_register()) || is(instruction.op1_register())
}

fn shift(model: Model, instruction: &Instruction) -> Option<Kind> {
    let code = shift_code(instruction.mnemonic(), shifted_bytes(instruction))?;
    if instruction.op1_kind() == OpKind::Register {
        // The code changes the count temporarily.
        let on_count = matches!(instruction.op0_register(), R::CL | R::CH | R::CX | R::ECX);
        let masked = model.shift_count_mask() == 31;
        return (masked && !on_count).then_some(Kind::ShiftByCl(code));
    }
    let count = u32::from(instruction.immediate8()) & model.shift_count_mask();
    (1..=31).contains(&count).then_some(Kind::Shift(code, count as u8))
}

fn shifted_bytes(instruction: &Instruction) -> u32 {
    match instruction.op0_kind() {
        OpKind::Memory => memory_bytes(instruction.memory_size()),
        _ => instruction.op0_register().size() as u32,
    }
}

fn shift_code(mnemonic: M, bytes: u32) -> Option<C> {
    let [byte, word, dword] = match mnemonic {
        M::Rol => [C::Rol_rm8_imm8, C::Rol_rm16_imm8, C::Rol_rm32_imm8],
        M::Ror => [C::Ror_rm8_imm8, C::Ror_rm16_imm8, C::Ror_rm32_imm8],
        M::Rcl => [C::Rcl_rm8_imm8, C::Rcl_rm16_imm8, C::Rcl_rm32_imm8],
        M::Rcr => [C::Rcr_rm8_imm8, C::Rcr_rm16_imm8, C::Rcr_rm32_imm8],
        M::Shl | M::Sal => [C::Shl_rm8_imm8, C::Shl_rm16_imm8, C::Shl_rm32_imm8],
        M::Shr => [C::Shr_rm8_imm8, C::Shr_rm16_imm8, C::Shr_rm32_imm8],
        M::Sar => [C::Sar_rm8_imm8, C::Sar_rm16_imm8, C::Sar_rm32_imm8],
        _ => return None,
    };
    match bytes {
        1 => Some(byte),
        2 => Some(word),
        4 => Some(dword),
        _ => None,
    }
}

/// Returns the form of SHLD and SHRD. A word by more than 16 bits is undefined on the host.
fn double_shift(instruction: &Instruction) -> Option<Kind> {
    let is_word = matches!(
        instruction.code(),
        C::Shld_rm16_r16_imm8 | C::Shrd_rm16_r16_imm8 | C::Shld_rm16_r16_CL | C::Shrd_rm16_r16_CL
    );
    let known = match instruction.op2_kind() {
        OpKind::Register => !is_word,
        _ => !is_word || instruction.immediate8() & 31 <= 16,
    };
    known.then_some(Kind::Same(instruction.code()))
}

/// Returns the form of BT to BTC. A number in a register may address other memory.
fn bit_test(instruction: &Instruction) -> Option<Kind> {
    let is_elsewhere = has_memory(instruction) && instruction.op1_kind() == OpKind::Register;
    (!is_elsewhere).then_some(Kind::BitTest(instruction.code()))
}

fn push(instruction: &Instruction) -> Option<Kind> {
    Some(match instruction.code() {
        C::Push_r16 | C::Push_r32 if matches!(instruction.op0_register(), R::SP | R::ESP) => return None,
        C::Push_r16 | C::Push_imm16 | C::Pushw_imm8 => Kind::Push,
        C::Push_r32 | C::Pushd_imm32 | C::Pushd_imm8 => Kind::Push,
        C::Push_rm16 | C::Push_rm32 if has_memory(instruction) => Kind::PushMemory,
        C::Pushw_ES | C::Pushw_CS | C::Pushw_SS | C::Pushw_DS | C::Pushw_FS | C::Pushw_GS => {
            Kind::PushSegment
        }
        _ => return None,
    })
}

fn pop<B: Bus>(decoded: &Decoded<B>) -> Option<Kind> {
    Some(match decoded.instruction.code() {
        C::Pop_r16 | C::Pop_r32 => Kind::Pop,
        // An address through ESP depends on the pop.
        C::Pop_rm16 | C::Pop_rm32 if has_memory(&decoded.instruction) && decoded.op.mode != Mode::Wide => {
            Kind::PopMemory
        }
        C::Popw_ES | C::Popw_SS | C::Popw_DS | C::Popw_FS | C::Popw_GS => Kind::PopSegment,
        _ => return None,
    })
}

/// Returns the bytes of a value that a PUSH, POP, CALL, RET or the like moves.
pub(super) fn stack_bytes(instruction: &Instruction) -> u32 {
    let is_wide = matches!(
        instruction.code(),
        C::Push_r32
            | C::Pushd_imm32
            | C::Pushd_imm8
            | C::Push_rm32
            | C::Pop_r32
            | C::Pop_rm32
            | C::Pushad
            | C::Popad
            | C::Pushfd
            | C::Popfd
            | C::Leaved
            | C::Call_rel32_32
            | C::Call_rm32
            | C::Retnd
            | C::Retnd_imm16
    );
    if is_wide { 4 } else { 2 }
}

/// Returns the code of the same instruction in 64-bit mode, with operands that may be any register.
fn code_of(instruction: &Instruction) -> C {
    macro_rules! general {
        ($($from:ident => $to:ident),* $(,)?) => {
            match instruction.code() {
                $(C::$from => C::$to,)*
                code => code,
            }
        };
    }
    general! {
        Add_AL_imm8 => Add_rm8_imm8, Add_AX_imm16 => Add_rm16_imm16, Add_EAX_imm32 => Add_rm32_imm32,
        Or_AL_imm8 => Or_rm8_imm8, Or_AX_imm16 => Or_rm16_imm16, Or_EAX_imm32 => Or_rm32_imm32,
        Adc_AL_imm8 => Adc_rm8_imm8, Adc_AX_imm16 => Adc_rm16_imm16, Adc_EAX_imm32 => Adc_rm32_imm32,
        Sbb_AL_imm8 => Sbb_rm8_imm8, Sbb_AX_imm16 => Sbb_rm16_imm16, Sbb_EAX_imm32 => Sbb_rm32_imm32,
        And_AL_imm8 => And_rm8_imm8, And_AX_imm16 => And_rm16_imm16, And_EAX_imm32 => And_rm32_imm32,
        Sub_AL_imm8 => Sub_rm8_imm8, Sub_AX_imm16 => Sub_rm16_imm16, Sub_EAX_imm32 => Sub_rm32_imm32,
        Xor_AL_imm8 => Xor_rm8_imm8, Xor_AX_imm16 => Xor_rm16_imm16, Xor_EAX_imm32 => Xor_rm32_imm32,
        Cmp_AL_imm8 => Cmp_rm8_imm8, Cmp_AX_imm16 => Cmp_rm16_imm16, Cmp_EAX_imm32 => Cmp_rm32_imm32,
        Test_AL_imm8 => Test_rm8_imm8, Test_AX_imm16 => Test_rm16_imm16, Test_EAX_imm32 => Test_rm32_imm32,
        Test_rm8_imm8_F6r1 => Test_rm8_imm8, Test_rm16_imm16_F7r1 => Test_rm16_imm16,
        Test_rm32_imm32_F7r1 => Test_rm32_imm32,
        // Forms of older assemblers with an opcode that 64-bit mode does not have.
        Add_rm8_imm8_82 => Add_rm8_imm8, Or_rm8_imm8_82 => Or_rm8_imm8, Adc_rm8_imm8_82 => Adc_rm8_imm8,
        Sbb_rm8_imm8_82 => Sbb_rm8_imm8, And_rm8_imm8_82 => And_rm8_imm8, Sub_rm8_imm8_82 => Sub_rm8_imm8,
        Xor_rm8_imm8_82 => Xor_rm8_imm8, Cmp_rm8_imm8_82 => Cmp_rm8_imm8,
        Inc_r16 => Inc_rm16, Inc_r32 => Inc_rm32, Dec_r16 => Dec_rm16, Dec_r32 => Dec_rm32,
        Mov_AL_moffs8 => Mov_r8_rm8, Mov_AX_moffs16 => Mov_r16_rm16, Mov_EAX_moffs32 => Mov_r32_rm32,
        Mov_moffs8_AL => Mov_rm8_r8, Mov_moffs16_AX => Mov_rm16_r16, Mov_moffs32_EAX => Mov_rm32_r32,
        Xchg_r16_AX => Xchg_rm16_r16, Xchg_r32_EAX => Xchg_rm32_r32,
    }
}

/// Returns the word or doubleword register of a PUSH, POP, CALL or JMP, if it is a general one.
pub(super) fn stack_register(instruction: &Instruction) -> Option<Reg> {
    let number = |first: R| (instruction.op0_register() as usize).wrapping_sub(first as usize);
    Reg::ALL.get(number(R::AX)).or_else(|| Reg::ALL.get(number(R::EAX))).copied()
}

//! The instructions of which translated blocks consist.

use iced_x86::{Code, FlowControl, Instruction, Mnemonic as M, OpKind, Register as R};

use crate::ops::post_386::is_cmov;

/// Returns whether a block may contain an instruction. The addresses of its operands are not checked
/// here.
pub(super) fn is_allowed(instruction: &Instruction) -> bool {
    let is_prefixed = instruction.has_lock_prefix()
        || instruction.has_rep_prefix()
        || instruction.has_repne_prefix()
        || instruction.segment_prefix() != R::None;
    let mut operands = 0..instruction.op_count();
    !is_prefixed && operands.all(|n| is_allowed_operand(instruction, n)) && is_known(instruction)
}

fn is_allowed_operand(instruction: &Instruction, number: u32) -> bool {
    let register = instruction.op_register(number);
    match instruction.op_kind(number) {
        OpKind::Register => register.is_gpr() || register.is_st(),
        OpKind::Memory => !instruction.is_ip_rel_memory_operand(),
        OpKind::NearBranch64 => true,
        OpKind::Immediate8 | OpKind::Immediate16 | OpKind::Immediate32 | OpKind::Immediate64 => true,
        OpKind::Immediate8to16 | OpKind::Immediate8to32 | OpKind::Immediate8to64 => true,
        OpKind::Immediate32to64 => true,
        _ => false,
    }
}

fn is_known(instruction: &Instruction) -> bool {
    match instruction.flow_control() {
        FlowControl::Next => {
            let mnemonic = instruction.mnemonic();
            is_of_data(mnemonic) || is_cmov(instruction) || is_of_coprocessor(mnemonic)
        }
        FlowControl::UnconditionalBranch => instruction.is_jmp_short_or_near(),
        FlowControl::IndirectBranch => instruction.code() == Code::Jmp_rm64,
        FlowControl::Call => instruction.code() == Code::Call_rel32_64,
        FlowControl::ConditionalBranch => instruction.is_jcc_short_or_near(),
        _ => false,
    }
}

#[rustfmt::skip]
fn is_of_data(mnemonic: M) -> bool {
    matches!(
        mnemonic,
        M::Nop | M::Mov | M::Xchg | M::Movzx | M::Movsx | M::Movsxd | M::Lea
            | M::Bswap | M::Add | M::Or | M::Adc | M::Sbb | M::And | M::Sub | M::Xor | M::Cmp | M::Test
            | M::Inc | M::Dec | M::Neg | M::Not | M::Clc | M::Stc | M::Cmc | M::Lahf | M::Sahf
            | M::Rol | M::Ror | M::Rcl | M::Rcr | M::Shl | M::Sal | M::Shr | M::Sar | M::Shld | M::Shrd
            | M::Mul | M::Imul | M::Div | M::Idiv | M::Cwd | M::Cdq | M::Cqo
            | M::Bt | M::Bts | M::Btr | M::Btc | M::Bsf | M::Bsr | M::Pushfq | M::Popfq
            | M::Seto | M::Setno | M::Setb | M::Setae | M::Sete | M::Setne | M::Setbe | M::Seta
            | M::Sets | M::Setns | M::Setp | M::Setnp | M::Setl | M::Setge | M::Setle | M::Setg
    )
}

/// Coprocessor instructions that change neither its control word nor its stack as a whole.
#[rustfmt::skip]
pub(super) fn is_of_coprocessor(mnemonic: M) -> bool {
    matches!(
        mnemonic,
        M::Fld | M::Fild | M::Fstp | M::Fistp | M::Fxch | M::Fnstsw
            | M::Fld1 | M::Fldl2t | M::Fldl2e | M::Fldpi | M::Fldlg2 | M::Fldln2 | M::Fldz
            | M::Fadd | M::Fsub | M::Fsubr | M::Fmul | M::Fdiv | M::Fdivr
            | M::Fiadd | M::Fisub | M::Fisubr | M::Fimul | M::Fidiv | M::Fidivr
            | M::Fcom | M::Ficom | M::Fucom | M::Ftst | M::Fchs | M::Fabs | M::Fsqrt | M::Frndint
    )
}

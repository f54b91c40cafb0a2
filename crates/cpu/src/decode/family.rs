//! Selects the family of an instruction, which then decodes it.

use iced_x86::{Instruction, Mnemonic, Register};

use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::ops::{
    alu, bits, control, decimal, extend, flags, interrupt, io, jump, mov, muldiv, post_386, segment, shift,
    stack, string, system,
};

/// Chooses an instruction's handler and completes its operands; `None` if real mode lacks it.
type Decode<B> = fn(&mut Decoded<B>) -> Option<()>;

pub(super) fn of<B: Bus>(instruction: &Instruction) -> Option<Decode<B>> {
    use Mnemonic as M;
    let has = |is: fn(Register) -> bool| is(instruction.op0_register()) || is(instruction.op1_register());
    Some(match instruction.mnemonic() {
        M::Mov if has(Register::is_segment_register) => segment::decode,
        M::Mov if has(|register| register.is_cr() || register.is_dr() || register.is_tr()) => {
            system::decode_mov
        }
        M::Mov | M::Xchg | M::Lea | M::Xlatb => mov::decode,
        M::Les | M::Lds | M::Lss | M::Lfs | M::Lgs => segment::decode,
        M::Movzx | M::Movsx | M::Cbw | M::Cwde | M::Cwd | M::Cdq => extend::decode,
        M::Push | M::Pop if has(Register::is_segment_register) => segment::decode,
        M::Push | M::Pop | M::Pusha | M::Pushad | M::Popa | M::Popad => stack::decode,
        M::Pushf | M::Pushfd | M::Popf | M::Popfd | M::Enter | M::Leave => stack::decode,
        M::Add | M::Or | M::Adc | M::Sbb | M::And | M::Sub | M::Xor | M::Cmp | M::Test => alu::decode,
        M::Inc | M::Dec | M::Neg | M::Not => alu::decode,
        M::Rol | M::Ror | M::Rcl | M::Rcr | M::Shl | M::Sal | M::Shr | M::Sar => shift::decode,
        M::Shld | M::Shrd => shift::decode_double,
        M::Mul | M::Imul | M::Div | M::Idiv => muldiv::decode,
        M::Daa | M::Das | M::Aaa | M::Aas | M::Aam | M::Aad => decimal::decode,
        M::Bt | M::Bts | M::Btr | M::Btc | M::Bsf | M::Bsr => bits::decode,
        M::Clc | M::Stc | M::Cmc | M::Cld | M::Std | M::Cli | M::Sti => flags::decode,
        M::Lahf | M::Sahf | M::Salc => flags::decode,
        M::In | M::Out => io::decode,
        M::Nop | M::Wait | M::Hlt => control::decode,
        M::Int | M::Int3 | M::Int1 | M::Into | M::Iret | M::Iretd | M::Bound => interrupt::decode,
        M::Smsw | M::Lmsw | M::Clts | M::Sgdt | M::Sidt | M::Lgdt | M::Lidt => system::decode,
        M::Bswap | M::Xadd | M::Cmpxchg | M::Cmpxchg8b | M::Cpuid | M::Rdtsc => post_386::decode,
        M::Invd | M::Wbinvd | M::Invlpg => post_386::decode,
        M::Jmp | M::Call | M::Ret | M::Retf => jump::decode,
        M::Loop | M::Loope | M::Loopne | M::Jcxz | M::Jecxz => jump::decode,
        _ if instruction.is_jcc_short_or_near() => jump::decode_conditional,
        _ if instruction.is_string_instruction() => string::decode,
        _ if bits::is_setcc(instruction) => bits::decode_setcc,
        _ if post_386::is_cmov(instruction) => post_386::decode_cmov,
        _ => return None,
    })
}

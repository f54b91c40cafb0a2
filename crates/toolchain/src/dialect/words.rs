//! The keywords of 16-bit sources: instructions, directives, operators and registers.
//!
//! UASM reserves about a thousand more words (AVX, 64-bit registers). An old source uses those only
//! as its own names.

use std::collections::HashSet;
use std::sync::OnceLock;

/// A list of words in lower case.
struct Words {
    text: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    const fn new(text: &'static str) -> Words {
        Words { text, set: OnceLock::new() }
    }

    fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.split_ascii_whitespace()
    }

    /// Whether a word of any case is in it.
    fn has(&self, word: &str) -> bool {
        const LONGEST: usize = 12;
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..word.len()) else { return false };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        let set = self.set.get_or_init(|| self.iter().collect());
        str::from_utf8(lower).is_ok_and(|lower| set.contains(lower))
    }
}

/// Instructions of the 8086 to the 486 and of their coprocessors, and prefixes.
static MNEMONICS: Words = Words::new("aaa aad aam aas adc add and arpl bound bsf bsr bswap bt btc btr bts call cbw cdq clc cld cli clts cmc cmp cmps
    cmpsb cmpsd cmpsw cmpxchg cwd cwde daa das dec div enter esc hlt idiv imul in inc ins insb insd insw int into invd iret iretd ja jae jb
    jbe jc jcxz je jecxz jg jge jl jle jmp jna jnae jnb jnbe jnc jne jng jnge jnl jnle jno jnp jns jnz jo jp jpe jpo js jz lahf lds lea
    leave les lfs lgdt lgs lidt lldt lmsw lock lods lodsb lodsd lodsw loop loope loopne loopnz loopz lsl lss ltr mov movs movsb movsd movsw
    movsx movzx mul neg nop not or out outs outsb outsd outsw pop popa popad popf popfd push pusha pushad pushf pushfd rcl rcr rep repe
    repne repnz repz ret retf retn rol ror sahf sal sar sbb scas scasb scasd scasw seta setae setb setbe setc sete setg setge setl setle
    setna setnae setnb setnbe setnc setne setng setnge setnl setnle setno setnp setns setnz seto setp setpe setpo sets setz sgdt shl shld
    shr shrd sidt sldt smsw stc std sti stos stosb stosd stosw sub test verr verw wait wbinvd xadd xchg xlat xlatb xor f2xm1 fabs fadd faddp
    fbld fbstp fchs fclex fcom fcomp fcompp fcos fdecstp fdiv fdivp fdivr fdivrp ffree fiadd ficom ficomp fidiv fidivr fild fimul fincstp
    finit fist fistp fisub fisubr fld fld1 fldcw fldenv fldl2e fldl2t fldlg2 fldln2 fldpi fldz fmul fmulp fnclex fninit fnop fnsave fnstcw
    fnstenv fnstsw fpatan fprem fprem1 fptan frndint frstor fsave fscale fsin fsincos fsqrt fst fstcw fstenv fstp fstsw fsub fsubp fsubr
    fsubrp ftst fucom fucomp fucompp fwait fxam fxch fxtract fyl2x fyl2xp1");

/// Directives of MASM-compatible assemblers without a dot.
static DIRECTIVES: Words = Words::new("align assume byte catstr comm comment db dd df dq dt dw dword echo else elseif elseifdef elseifndef end endif endm
    endp ends equ even exitm extern externdef extrn for forc fword goto group if if1 if2 ifb ifdef ifdif ifdifi ife ifidn ifidni ifnb
    ifndef include includelib instr invoke irp irpc label local macro name option org page popcontext proc proto public purge pushcontext
    qword record repeat rept sbyte sdword segment sizestr struc struct substr subtitle subttl sword tbyte textequ title typedef union while
    word");

static UNARY: Words = Words::new(
    "high highword length lengthof low lowword mask not offset opattr seg short size sizeof this type width",
);

/// Operators between two operands.
static BINARY: Words = Words::new("and eq ge gt le lt mod ne or ptr shl shr xor");

/// Registers, which a source cannot use as names.
static REGISTERS: Words = Words::new("ah al ax bh bl bp bx ch cl cs cx dh di dl ds dx eax ebp ebx ecx edi edx es esi esp fs gs si sp ss st cr0 cr2 cr3
    dr0 dr1 dr2 dr3 dr6 dr7");

/// Directives after a name that they define as data or as a number.
static DATA: Words =
    Words::new("db dw dd df dq dt byte sbyte word sword dword sdword fword qword tbyte equ = textequ");

/// Directives after a name that they open or close as a block.
static BLOCKS: Words = Words::new(
    "proc endp segment ends struc struct union record macro label typedef proto catstr substr sizestr instr group",
);

/// Returns whether a word is an instruction or a prefix.
pub(crate) fn is_mnemonic(word: &str) -> bool {
    MNEMONICS.has(word)
}

pub(crate) fn is_directive(word: &str) -> bool {
    DIRECTIVES.has(word)
}

pub(crate) fn is_register(word: &str) -> bool {
    REGISTERS.has(word)
}

/// Returns whether a word is a register that no emulated processor has.
pub(super) fn is_of_later_times(word: &str) -> bool {
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix)
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    ["k", "bnd", "xmm", "ymm", "zmm"].into_iter().any(numbered)
}

pub(crate) fn is_unary(word: &str) -> bool {
    UNARY.has(word)
}

pub(crate) fn is_binary(word: &str) -> bool {
    BINARY.has(word)
}

/// Returns whether a word defines data or a number with the preceding name.
pub(crate) fn is_data(word: &str) -> bool {
    DATA.has(word)
}

/// Returns whether a word opens or closes a block with the preceding name.
pub(crate) fn is_block(word: &str) -> bool {
    BLOCKS.has(word)
}

static DOTTED: Words = Words::new(".model .stack .data .code .const .startup .exit .if .else .elseif .endif .while .endw .repeat .until .break .continue
    .8086 .186 .286 .386 .486 .8087 .287 .387 .fardata .lall .list .nolist .radix .xlist .err");

/// Returns the instruction or directive most similar to a word: one letter changed, missing or
/// added, or two exchanged.
pub(crate) fn similar(word: &str) -> Option<&'static str> {
    let word: Vec<char> = word.to_ascii_lowercase().chars().collect();
    let is_near = |known: &str| {
        let known: Vec<char> = known.chars().collect();
        let start = word.iter().zip(&known).take_while(|(a, b)| a == b).count();
        let end = |from_word: usize, from_known: usize| word.get(from_word..) == known.get(from_known..);
        let exchanged = word.get(start) == known.get(start + 1) && word.get(start + 1) == known.get(start);
        end(start + 1, start)
            || end(start, start + 1)
            || end(start + 1, start + 1)
            || exchanged && end(start + 2, start + 2)
    };
    let known = [&MNEMONICS, &DIRECTIVES, &DOTTED].into_iter().flat_map(Words::iter);
    known
        .filter(|_| word.len() > 2)
        .min_by_key(|known| (!is_near(known), known.len().abs_diff(word.len())))
        .filter(|known| is_near(known))
}

/// Returns whether an old source may need a word as a keyword.
pub(super) fn is_keyword(word: &str) -> bool {
    is_mnemonic(word)
        || is_directive(word)
        || is_unary(word)
        || is_binary(word)
        || word.eq_ignore_ascii_case("c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case() {
        for list in [&MNEMONICS, &DIRECTIVES, &UNARY, &BINARY, &REGISTERS, &DATA, &BLOCKS, &DOTTED] {
            for word in list.iter() {
                assert!(list.has(word) && list.has(&word.to_ascii_uppercase()), "{word}");
                assert!(!list.has(&format!("{word} ")), "{word}");
            }
        }
        for other in ["", "movement", "zähler", "a_name_that_is_long"] {
            assert!(!MNEMONICS.has(other), "{other}");
        }
    }
}

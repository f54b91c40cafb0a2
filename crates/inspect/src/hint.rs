//! Hints: the most likely cause of a run's end, as a fact with an identifier.

use std::fmt;

/// The most likely cause of a run's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The mistake.
    pub id: HintId,
    /// CS and IP of the instruction at fault, if known: the call, the jump, the write.
    pub at: Option<(u16, u16)>,
    text: String,
}

/// The mistakes that hints name. [`HintId::name`] is stable across versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HintId {
    /// Setting CR0.PE, or an instruction of protected mode.
    ProtectedMode,
    /// A call that does not return fills the stack.
    Recursion,
    /// A PUSH without a POP fills the stack.
    PushWithoutPop,
    /// The stack is full, or SP has a wrong value.
    StackFull,
    /// The program wrote over its own code.
    CodeOverwritten,
    /// A COM program starts with a variable.
    BeginsWithData,
    /// `int 21` without the h of a hexadecimal number.
    DecimalInterrupt,
    /// Execution continues after the program's last instruction.
    NoExit,
    /// A main program ends with RET or IRET without a return address on the stack.
    ReturnWithoutCall,
    /// A procedure without a RET continues into the next one.
    FallsIntoProcedure,
    /// An interrupt routine ends with RET.
    HandlerWithoutIret,
    /// RETF for a near CALL, or RET for a far one.
    NearFarMismatch,
    /// A write over a return address.
    ReturnAddressOverwritten,
    /// RET loads a value that is not a return address.
    StackUnbalanced,
    /// A DOS call that ends a program only if CS is the PSP.
    ExitNeedsPsp,
    /// AH = 0 and AL = 4Ch for INT 21h.
    ExitInAl,
    /// INT with a vector that has no routine.
    VectorNotSet,
    /// A jump or call to an address without code.
    JumpAstray,
    /// A jump or call through an address that was overwritten.
    JumpOverwritten,
    /// A jump or call through a misaligned entry of a word table.
    JumpByHalfEntry,
    /// The program executes zeros.
    ZerosExecuted,
    /// A division by zero.
    DivideByZero,
    /// A quotient that does not fit into its register.
    QuotientTooLarge,
    /// An instruction of a later processor.
    LaterProcessor,
    /// An instruction of the 8086 that later processors reject.
    EarlierProcessor,
    /// DS points to the PSP.
    DsIsPsp,
    /// A COM program without ORG 100h.
    NoOrg,
    /// A jump to itself.
    JumpToItself,
    /// LOOP whose count is set again in each iteration.
    CountSetAgain,
    /// A loop without any effect.
    EndlessLoop,
    /// A loop without any effect, with interrupts disabled.
    InterruptsOff,
    /// A loop without any effect, while the interrupt controller waits for the end of an interrupt.
    NoEndOfInterrupt,
    /// A loop without any effect, which only the program's own interrupt routine can end.
    WaitsForItsHandler,
}

impl Hint {
    pub(super) fn new(id: HintId, at: Option<(u16, u16)>, text: impl Into<String>) -> Hint {
        Hint { id, at, text: text.into() }
    }

    /// Appends the cause of this mistake.
    pub(super) fn because(self, cause: &Hint) -> Hint {
        Hint { id: cause.id, text: format!("{}; {cause}", self.text), ..self }
    }
}

/// Formats the hint as a sentence without a full stop.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl HintId {
    /// Returns the identifier used in reports, such as `recursion`.
    pub fn name(self) -> &'static str {
        match self {
            HintId::ProtectedMode => "protected-mode",
            HintId::Recursion => "recursion",
            HintId::PushWithoutPop => "push-without-pop",
            HintId::StackFull => "stack-full",
            HintId::CodeOverwritten => "code-overwritten",
            HintId::BeginsWithData => "begins-with-data",
            HintId::DecimalInterrupt => "decimal-interrupt",
            HintId::NoExit => "no-exit",
            HintId::ReturnWithoutCall => "return-without-call",
            HintId::FallsIntoProcedure => "falls-into-procedure",
            HintId::HandlerWithoutIret => "handler-without-iret",
            HintId::NearFarMismatch => "near-far-mismatch",
            HintId::ReturnAddressOverwritten => "return-address-overwritten",
            HintId::StackUnbalanced => "stack-unbalanced",
            HintId::ExitNeedsPsp => "exit-needs-psp",
            HintId::ExitInAl => "exit-in-al",
            HintId::VectorNotSet => "vector-not-set",
            HintId::JumpAstray => "jump-astray",
            HintId::JumpOverwritten => "jump-overwritten",
            HintId::JumpByHalfEntry => "jump-by-half-entry",
            HintId::ZerosExecuted => "zeros-executed",
            HintId::DivideByZero => "divide-by-zero",
            HintId::QuotientTooLarge => "quotient-too-large",
            HintId::LaterProcessor => "later-processor",
            HintId::EarlierProcessor => "earlier-processor",
            HintId::DsIsPsp => "ds-is-psp",
            HintId::NoOrg => "no-org",
            HintId::JumpToItself => "jump-to-itself",
            HintId::CountSetAgain => "count-set-again",
            HintId::EndlessLoop => "endless-loop",
            HintId::InterruptsOff => "interrupts-off",
            HintId::NoEndOfInterrupt => "no-end-of-interrupt",
            HintId::WaitsForItsHandler => "waits-for-its-handler",
        }
    }
}

//! Hints: the most likely mistake behind a run's end, as a fact with a name.

use std::fmt;

/// The most likely mistake behind a run's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Which mistake it is.
    pub id: HintId,
    /// CS and IP of the instruction that made it, where that is known: the call, the jump, the write.
    pub at: Option<(u16, u16)>,
    text: String,
}

/// What a hint is about. [`HintId::name`] does not change from version to version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HintId {
    /// Setting CR0.PE, or an instruction of protected mode.
    ProtectedMode,
    /// A call that does not return fills the stack.
    Recursion,
    /// A PUSH without a POP fills the stack.
    PushWithoutPop,
    /// The stack is full, or SP is wrong.
    StackFull,
    /// The program wrote over its own code.
    CodeOverwritten,
    /// A COM program begins with a variable.
    BeginsWithData,
    /// `int 21`, which is decimal.
    DecimalInterrupt,
    /// The program runs on past its last instruction.
    NoExit,
    /// A main program ends with RET or IRET, and nothing is on the stack.
    ReturnWithoutCall,
    /// A procedure without an end runs on into the next one.
    FallsIntoProcedure,
    /// A routine of an interrupt ends with RET.
    HandlerWithoutIret,
    /// RETF for a near CALL, or RET for a far one.
    NearFarMismatch,
    /// A write over a return address.
    ReturnAddressOverwritten,
    /// RET takes something else than a return address from the stack.
    StackUnbalanced,
    /// A call of DOS that ends a program only where CS is the PSP.
    ExitNeedsPsp,
    /// AH = 0 and AL = 4Ch for INT 21h.
    ExitInAl,
    /// INT to a vector without a routine.
    VectorNotSet,
    /// A jump or a call to where there is no code.
    JumpAstray,
    /// A jump or a call by an address that was overwritten.
    JumpOverwritten,
    /// A jump or a call by half an entry of a table of words.
    JumpByHalfEntry,
    /// The program runs through zeros.
    ZerosExecuted,
    /// A division by zero.
    DivideByZero,
    /// A quotient that its register does not hold.
    QuotientTooLarge,
    /// An instruction of a later processor.
    LaterProcessor,
    /// An instruction of the 8086 that its successors refuse.
    EarlierProcessor,
    /// DS points to the PSP.
    DsIsPsp,
    /// A COM program without ORG 100h.
    NoOrg,
    /// A jump to itself.
    JumpToItself,
    /// LOOP with the same count in each round.
    CountSetAgain,
    /// A loop that changes nothing.
    EndlessLoop,
    /// The same, with interrupts off.
    InterruptsOff,
    /// The same, with an interrupt that was not ended for the controller.
    NoEndOfInterrupt,
    /// The same, where only the program's own interrupt routine can end it.
    WaitsForItsHandler,
}

impl Hint {
    pub(super) fn new(id: HintId, at: Option<(u16, u16)>, text: impl Into<String>) -> Hint {
        Hint { id, at, text: text.into() }
    }

    /// What led to this, told behind it.
    pub(super) fn because(self, cause: &Hint) -> Hint {
        Hint { id: cause.id, text: format!("{}; {cause}", self.text), ..self }
    }
}

/// The hint as a sentence without a full stop.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl HintId {
    /// Returns the identifier that reports hold, such as `recursion`.
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

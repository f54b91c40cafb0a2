//! String instructions with a repeat prefix.

use iced_x86::{IcedError, Instruction};

/// A string instruction with a repeat prefix: REPE for comparisons and searches that continue while
/// elements are equal, REPNE for those that continue while they are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    Move,
    Store,
    CompareEqual,
    CompareNotEqual,
    ScanEqual,
    ScanNotEqual,
}

impl Repeated {
    pub(super) const ALL: [Repeated; 6] = [
        Repeated::Move,
        Repeated::Store,
        Repeated::CompareEqual,
        Repeated::CompareNotEqual,
        Repeated::ScanEqual,
        Repeated::ScanNotEqual,
    ];

    /// Returns that of an instruction; `None` if it is another one.
    pub(super) fn of(instruction: &Instruction) -> Option<Repeated> {
        use iced_x86::Mnemonic as M;
        let until_equal = instruction.has_repne_prefix() && !instruction.has_rep_prefix();
        Some(match (instruction.mnemonic(), until_equal) {
            (M::Movsb | M::Movsw | M::Movsd, _) => Repeated::Move,
            (M::Stosb | M::Stosw | M::Stosd, _) => Repeated::Store,
            (M::Cmpsb | M::Cmpsw | M::Cmpsd, false) => Repeated::CompareEqual,
            (M::Cmpsb | M::Cmpsw | M::Cmpsd, true) => Repeated::CompareNotEqual,
            (M::Scasb | M::Scasw | M::Scasd, false) => Repeated::ScanEqual,
            (M::Scasb | M::Scasw | M::Scasd, true) => Repeated::ScanNotEqual,
            _ => return None,
        })
    }

    pub(super) fn has_source(self) -> bool {
        matches!(self, Repeated::Move | Repeated::CompareEqual | Repeated::CompareNotEqual)
    }

    pub(super) fn writes(self) -> bool {
        matches!(self, Repeated::Move | Repeated::Store)
    }

    /// Returns the host's instruction.
    pub(super) fn instruction(self, bytes: u32) -> Result<Instruction, IcedError> {
        const ADDRESS_BITS: u32 = 64;
        let [byte, word, dword] = match self {
            Repeated::Move => {
                [Instruction::with_rep_movsb, Instruction::with_rep_movsw, Instruction::with_rep_movsd]
            }
            Repeated::Store => {
                [Instruction::with_rep_stosb, Instruction::with_rep_stosw, Instruction::with_rep_stosd]
            }
            Repeated::CompareEqual => {
                [Instruction::with_repe_cmpsb, Instruction::with_repe_cmpsw, Instruction::with_repe_cmpsd]
            }
            Repeated::CompareNotEqual => {
                [Instruction::with_repne_cmpsb, Instruction::with_repne_cmpsw, Instruction::with_repne_cmpsd]
            }
            Repeated::ScanEqual => {
                [Instruction::with_repe_scasb, Instruction::with_repe_scasw, Instruction::with_repe_scasd]
            }
            Repeated::ScanNotEqual => {
                [Instruction::with_repne_scasb, Instruction::with_repne_scasw, Instruction::with_repne_scasd]
            }
        };
        match bytes {
            1 => byte(ADDRESS_BITS),
            2 => word(ADDRESS_BITS),
            _ => dword(ADDRESS_BITS),
        }
    }
}

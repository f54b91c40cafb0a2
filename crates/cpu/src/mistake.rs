//! Mistakes of the translator.

/// A translated block that was refused, because it contains an instruction that it must not contain:
/// a mistake in the translator. The block is interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslationMistake {
    /// CS and IP of the block.
    pub place: (u16, u16),
    /// The reason, and the offset and bytes of the host's instruction in the translation.
    pub text: String,
}

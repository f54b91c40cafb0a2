//! Notices: messages of a machine to its user, besides the program's output.

use oxbox_cpu::{Model, TranslationMistake};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A missing feature that the program used, a call that cannot have been intended, or a mistake of oxbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The subject of the notice.
    pub kind: NoticeKind,
    /// CS:IP after the call, or of the instruction; `None` for hardware, recognised by its ports.
    pub at: Option<(u16, u16)>,
}

/// The subject of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NoticeKind {
    /// A missing function, by the interrupt's vector and AH.
    Function {
        /// The vector.
        vector: u8,
        /// AH.
        ah: u8,
    },
    /// A missing subfunction, by the interrupt's vector and AX.
    Subfunction {
        /// The vector.
        vector: u8,
        /// AX.
        ax: u16,
    },
    /// A missing function of the XMS driver, by AH.
    ExtendedMemory(u8),
    /// INT 25h or 26h on a drive that is a host folder.
    AbsoluteDisk,
    /// INT 2Eh, which runs a command line.
    CommandLine,
    /// A missing drive.
    Drive(char),
    /// An interrupt without a handler.
    Interrupt {
        /// The vector.
        vector: u8,
        /// AX.
        ax: u16,
    },
    /// A function of a VESA BIOS, by AX.
    Vesa(u16),
    /// A coprocessor.
    Coprocessor,
    /// An instruction that the processor lacks.
    Instruction {
        /// Its mnemonic.
        name: String,
        /// The first processor that has it; `None` if later than the Pentium.
        since: Option<Model>,
    },
    /// A CGA.
    ColorAdapter,
    /// A device on the bus.
    Device {
        /// The device.
        name: String,
        /// Its ports.
        ports: String,
    },
    /// INT 21h AH=09h with a text that the program cannot have intended.
    Text {
        /// Bytes written.
        bytes: usize,
        /// The mistake in it.
        mistake: TextMistake,
    },
    /// A mistake of the translator: the code that it emitted for a block was refused.
    Translation(String),
}

impl From<TranslationMistake> for Notice {
    fn from(TranslationMistake { place, text }: TranslationMistake) -> Notice {
        Notice { kind: NoticeKind::Translation(text), at: Some(place) }
    }
}

/// The mistake in a text for INT 21h AH=09h. Addresses are segment and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextMistake {
    /// The text is in the PSP, to which DS pointed at the program's start.
    InPsp {
        /// Address of the text.
        text: (u16, u16),
    },
    /// DX was loaded with a variable's value instead of its offset.
    ValueForOffset {
        /// Address of the variable.
        variable: (u16, u16),
    },
    /// The text has no `$`.
    Unended {
        /// Address of the text.
        text: (u16, u16),
        /// The direction flag is set.
        backwards: bool,
    },
}

impl Notice {
    /// Returns the name of the missing feature; `None` for a mistake.
    pub fn missing(&self) -> Option<String> {
        Some(match &self.kind {
            NoticeKind::Function { vector, ah } => format!("INT {vector:02X} AH={ah:02X}"),
            NoticeKind::Subfunction { vector, ax } => format!("INT {vector:02X} AX={ax:04X}"),
            NoticeKind::ExtendedMemory(ah) => format!("XMS AH={ah:02X}"),
            NoticeKind::AbsoluteDisk => "INT 25/26".to_owned(),
            NoticeKind::CommandLine => "INT 2E".to_owned(),
            NoticeKind::Drive(letter) => format!("drive {letter}:"),
            NoticeKind::Interrupt { vector, .. } => format!("INT {vector:02X}h"),
            NoticeKind::Vesa(_) => "a VESA BIOS: INT 10h".to_owned(),
            NoticeKind::Coprocessor => "a coprocessor".to_owned(),
            NoticeKind::Instruction { name, .. } | NoticeKind::Device { name, .. } => name.clone(),
            NoticeKind::ColorAdapter => "a CGA".to_owned(),
            NoticeKind::Text { .. } | NoticeKind::Translation(_) => return None,
        })
    }

    /// Returns CS and an offset within the call or the instruction, for its source line.
    pub fn instruction(&self) -> Option<(u16, u16)> {
        let (cs, ip) = self.at?;
        let is_instruction = matches!(
            self.kind,
            NoticeKind::Coprocessor | NoticeKind::Instruction { .. } | NoticeKind::Translation(_)
        );
        Some((cs, if is_instruction { ip } else { ip.wrapping_sub(1) }))
    }

    /// Writes the text after the name: details, and what to do.
    fn write_detail(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NoticeKind::AbsoluteDisk => f.write_str(" (absolute disk access) of a folder"),
            NoticeKind::CommandLine => f.write_str(" (run a command line)"),
            NoticeKind::Drive(letter) => write!(f, " (--drive {letter}=FOLDER)"),
            NoticeKind::Interrupt { ax, .. } | NoticeKind::Vesa(ax) => write!(f, " (AX={ax:04X})"),
            NoticeKind::Coprocessor => f.write_str(" (--fpu none)"),
            NoticeKind::Instruction { since: Some(model), .. } => {
                write!(f, " (an instruction of the {model}: --cpu {})", model.name())
            }
            NoticeKind::Instruction { since: None, .. } => {
                f.write_str(" (an instruction of a processor after the Pentium)")
            }
            NoticeKind::ColorAdapter => f.write_str(" (ports 3D8h and 3D9h): --machine cga"),
            NoticeKind::Device { ports, .. } => write!(f, " ({ports})"),
            _ => Ok(()),
        }
    }
}

/// Formats the notice as a sentence without a full stop.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.kind, self.missing()) {
            (NoticeKind::Text { bytes, mistake }, _) => {
                write!(f, "INT 21 AH=09 has written {bytes} bytes: {mistake}")?;
            }
            (NoticeKind::Translation(text), _) => write!(
                f,
                "a mistake in oxbox, please report it: code that it had translated was refused and is interpreted ({text})"
            )?,
            (_, name) => write!(f, "missing: {}", name.unwrap_or_default())?,
        }
        self.write_detail(f)?;
        let Some((cs, ip)) = self.at else { return Ok(()) };
        let how = match self.kind {
            NoticeKind::Coprocessor => "first used at",
            NoticeKind::Instruction { .. } => "first executed at",
            NoticeKind::Translation(_) => "the block at",
            _ => "called before",
        };
        write!(f, ", {how} {cs:04X}:{ip:04X}")
    }
}

impl fmt::Display for TextMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextMistake::InPsp { text: (segment, offset) } => write!(
                f,
                "{segment:04X}:{offset:04X} is in the PSP: DS still points there, not to the data: begin with mov ax, @data and mov ds, ax"
            ),
            TextMistake::ValueForOffset { variable: (segment, offset) } => write!(
                f,
                "DX holds the value at {segment:04X}:{offset:04X}, not the address of the text: use mov dx, offset, or LEA"
            ),
            TextMistake::Unended { text: (segment, offset), backwards } => {
                write!(f, "the string at {segment:04X}:{offset:04X} has no '$' at its end")?;
                if *backwards {
                    f.write_str(
                        "; the direction flag is set, so string instructions decrement SI and DI: put CLD before them",
                    )?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_translation_names_its_block() {
        let text = "an unchecked address: Mov_r16_rm16 at 1Bh".to_owned();
        let notice = Notice::from(TranslationMistake { place: (0x0638, 0x0104), text });
        assert_eq!((notice.missing(), notice.instruction()), (None, Some((0x0638, 0x0104))));
        assert_eq!(
            notice.to_string(),
            "a mistake in oxbox, please report it: code that it had translated was refused and is interpreted \
             (an unchecked address: Mov_r16_rm16 at 1Bh), the block at 0638:0104"
        );
    }
}

//! EXEC: function 4Bh of programs.
//!
//! Parameter block of 4B00h and 4B01h: environment segment (0: the caller's), far pointers to the
//! tail and the two FCBs; 4B01h stores SS:SP and CS:IP after them. Of 4B03h: load segment,
//! relocation factor.

use super::load::{Inheritance, put_image, relocate, start_at};
use crate::{
    dos::{
        drive::attribute,
        error::{Answer, ErrorCode, Pause},
        loader,
        names::{Target, full_path},
        pending::Call,
        psp,
        state::{Dos, Handler},
    },
    firmware::{Far, Functions, GuestMemory, Resume, row},
    hardware::Hardware,
};

/// Bytes of a program file that are read: more than memory holds.
const MOST_BYTES: usize = 0x10_0000;

#[rustfmt::skip]
pub(in crate::dos) static FUNCTIONS: Functions<Handler> = Functions::new(&[
    row(0x00, "load and execute",        Dos::load_and_execute),
    row(0x01, "load but do not execute", Dos::load_without_executing),
    row(0x03, "load overlay",            Dos::load_overlay),
    row(0x05, "set execution state",     Dos::set_execution_state),
]);

impl Dos {
    /// 4B00h: starts the child.
    fn load_and_execute(&mut self, g: &mut Call) -> Answer {
        let start = self.load_child(g)?;
        start_at(g.cpu, start);
        Err(Pause::Leave(Resume::Jump))
    }

    /// 4B01h: returns the child's entry point to the caller.
    fn load_without_executing(&mut self, g: &mut Call) -> Answer {
        let block = g.es_bx();
        let start = self.load_child(g)?;
        // The initial AX of the program is on its stack.
        let stack = start.stack.plus(2u16.wrapping_neg());
        g.hw.set_word(stack, start.drives);
        g.hw.set_far(block.plus(0x0E), stack);
        g.hw.set_far(block.plus(0x12), start.entry);
        Ok(())
    }

    /// 4B05h: precedes the start of a program that the caller has loaded itself. DOS 5 sets its
    /// version here; only one exists.
    fn set_execution_state(&mut self, _: &mut Call) -> Answer {
        Ok(())
    }

    /// Returns the file at DS:DX, its size, and its full path.
    fn program_file(&mut self, g: &mut Call) -> Result<(Vec<u8>, u64, Vec<u8>), Pause> {
        let target = self.target_at(g, g.ds_dx())?;
        let Target::Disk { drive, path, wild: false } = target else {
            return Err(ErrorCode::FileNotFound.into());
        };
        let mut files = self.on(g, drive)?;
        let node = files.find(&path)?;
        if files.attributes(node)? & attribute::DIRECTORY != 0 {
            return Err(ErrorCode::AccessDenied.into());
        }
        let size = files.size(node)?;
        let file = files.read(node, 0, MOST_BYTES)?;
        Ok((file, u64::from(size), full_path(drive, &path)))
    }

    fn load_child(&mut self, g: &mut Call) -> Result<super::load::Start, Pause> {
        let (file, size, path) = self.program_file(g)?;
        let block = g.es_bx();
        let parent = self.psp(g);
        let wanted = g.hw.word(block);
        let environment = if wanted == 0 { g.hw.word(Far::new(parent, psp::ENVIRONMENT)) } else { wanted };
        let strings = psp::environment_strings(g.hw, environment)?;
        let tail_at = g.hw.far(block.plus(2));
        let tail_len = usize::from(g.hw.byte(tail_at)).min(psp::LONGEST_TAIL);
        let tail = g.hw.bytes(tail_at.plus(1), tail_len);
        let fcbs = [6, 10].map(|at| read_fcb(g.hw, block.plus(at)));
        // After the child's end the caller continues after its INT 21h.
        let back = g.caller();
        g.hw.set_vector(0x22, back);
        let gift = Inheritance { parent, strings, path, tail, fcbs };
        let start = self.place(g.hw, &file, size, &gift).map_err(ErrorCode::from)?;
        g.set_caller_carry(false);
        self.enter_process(g.hw, start.psp);
        Ok(start)
    }

    /// 4B03h: loads the file to the caller's segment and relocates it, without a process.
    fn load_overlay(&mut self, g: &mut Call) -> Answer {
        let (file, size, _) = self.program_file(g)?;
        let block = g.es_bx();
        let (segment, factor) = (g.hw.word(block), g.hw.word(block.plus(2)));
        match loader::parse_overlay(&file).map_err(ErrorCode::from)? {
            Some(exe) => {
                put_image(g.hw, exe.image, segment);
                relocate(g.hw, &exe, segment, factor);
            }
            // DOS reads FFFFh bytes, and treats a full read as a file that is too large.
            None if size >= 0xFFFF => return Err(ErrorCode::InsufficientMemory.into()),
            None => put_image(g.hw, &file, segment),
        }
        g.cpu.regs.set_ax(0);
        Ok(())
    }
}

/// Returns drive, name and extension of the FCB at a far pointer; blanks without one.
fn read_fcb(hw: &mut Hardware, pointer: Far) -> [u8; 12] {
    let mut fcb = [b' '; 12];
    fcb[0] = 0;
    let at = hw.far(pointer);
    if at.offset != 0xFFFF {
        fcb.copy_from_slice(&hw.bytes(at, 12));
    }
    fcb
}

//! Processes: loading and starting a program, ending it, and returning to its parent.
//!
//! A new program starts with: AX valid drives of its two FCBs (FFh for a drive that does not exist,
//! AL the first, AH the second), BX 0, CX 00FFh, DX the PSP, BP 091Ch, SI the IP, DI the SP, DS =
//! ES the PSP, interrupts enabled, as in DOS 5. A COM has CS = SS = PSP, IP 100h, and SP at the end
//! of its segment with a zero word on the stack.

mod exec;
mod load;

pub(super) use exec::FUNCTIONS as EXEC;

use super::{
    error::{Answer, Pause},
    memory,
    pending::Call,
    psp,
    state::Dos,
    state::Process,
    sysvars,
};
use crate::{
    firmware::{Far, GuestMemory, Resume},
    hardware::Hardware,
};
use oxbox_cpu::Flags;

/// The way in which a process ended, as returned by function 4Dh in AH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TerminationReason {
    Normal = 0,
    Break = 1,
    CriticalError = 2,
    Resident = 3,
}

/// Size of the registers that DOS pushes on the caller's stack, in the order of their addresses: AX
/// BX CX DX SI DI BP DS ES.
const FRAME: u16 = 18;

/// The maximum number of nested programs; a PC's memory cannot hold more.
const MOST_PROCESSES: usize = 4096;

impl Dos {
    pub(super) fn psp(&self, g: &mut Call) -> u16 {
        g.hw.word(sysvars::CURRENT_PSP)
    }

    /// Pushes the caller's registers on its stack and stores SS:SP in its PSP, for a child's end.
    pub(super) fn save_frame(&mut self, g: &mut Call) {
        let frame = g.stack().plus(FRAME.wrapping_neg());
        let r = &g.cpu.regs;
        let words = [r.ax(), r.bx(), r.cx(), r.dx(), r.si(), r.di(), r.bp(), r.ds(), r.es()];
        let bytes: [[u8; 2]; 9] = words.map(u16::to_le_bytes);
        g.hw.set_bytes(frame, bytes.as_flattened());
        let psp = self.psp(g);
        g.hw.set_far(Far::new(psp, psp::STACK), frame);
    }

    /// Restores the registers of the frame and the stack, and continues at `to`.
    fn restore_frame(&mut self, g: &mut Call, psp: u16, to: Far) {
        let frame = g.hw.far(Far::new(psp, psp::STACK));
        let words: Vec<u16> = (0..9).map(|i| g.hw.word(frame.plus(2 * i))).collect();
        let r = &mut g.cpu.regs;
        r.set_ax(words[0]);
        r.set_bx(words[1]);
        r.set_cx(words[2]);
        r.set_dx(words[3]);
        r.set_si(words[4]);
        r.set_di(words[5]);
        r.set_bp(words[6]);
        r.set_ds(words[7]);
        r.set_es(words[8]);
        r.set_ss(frame.segment);
        r.set_sp(frame.offset.wrapping_add(FRAME + 6));
        r.flags = 0x02 | Flags::IF;
        g.jump(to);
    }

    /// Ends the current process and continues its parent.
    pub(super) fn terminate(&mut self, g: &mut Call, code: u8, ending: TerminationReason) -> Answer {
        let psp = self.psp(g);
        let parent = g.hw.word(Far::new(psp, psp::PARENT));
        for (i, vector) in (0x22..=0x24).enumerate() {
            let handler = g.hw.far(Far::new(psp, psp::TERMINATE + 4 * i as u16));
            g.hw.set_vector(vector, handler);
        }
        // A process that is its own parent keeps its memory and its files.
        if parent != psp && ending != TerminationReason::Resident {
            self.close_all(g.hw, psp);
            memory::free_owned(g.hw, psp);
        }
        g.hw.set_word(sysvars::RETURN_CODE, u16::from(ending as u8) << 8 | u16::from(code));
        g.hw.set_word(sysvars::CURRENT_PSP, parent);
        self.end_levels(g.hw, psp);
        let to = g.hw.vector(0x22);
        self.restore_frame(g, parent, to);
        Err(Pause::Leave(Resume::Jump))
    }

    /// Discards the services that the ended process was in.
    fn end_levels(&mut self, hw: &mut Hardware, psp: u16) {
        if let Some(i) = self.running.processes.iter().position(|p| p.psp == psp) {
            let levels = self.running.processes[i].levels;
            self.running.processes.truncate(i);
            self.running.calls.truncate(levels);
        }
        hw.set_byte(sysvars::IN_DOS, self.running.calls.len() as u8);
        hw.set_byte(sysvars::CRITICAL_FLAG, 0);
    }

    /// 4Ch: ends the process with exit code AL.
    pub(super) fn terminate_with_code(&mut self, g: &mut Call) -> Answer {
        let code = g.cpu.regs.al();
        self.terminate(g, code, TerminationReason::Normal)
    }

    /// 31h: ends the process, but keeps DX paragraphs of it and its files.
    pub(super) fn stay_resident(&mut self, g: &mut Call) -> Answer {
        let psp = self.psp(g);
        let size = g.cpu.regs.dx().max(6);
        // DOS ignores an error here: the block may belong to a program that has moved itself.
        let _ = memory::resize(g.hw, psp, size, psp);
        let code = g.cpu.regs.al();
        self.terminate(g, code, TerminationReason::Resident)
    }

    /// INT 27h: the same, with the offset of the first byte that is not kept in DX (up to 64 KiB).
    pub(super) fn stay_resident_by_dx(&mut self, g: &mut Call) -> Answer {
        let psp = self.psp(g);
        let size = u32::from(g.cpu.regs.dx()).div_ceil(16);
        let _ = memory::resize(g.hw, psp, size.max(6) as u16, psp);
        self.terminate(g, 0, TerminationReason::Resident)
    }

    /// INT 20h and function 00h: the caller's CS is its PSP.
    pub(super) fn terminate_by_cs(&mut self, g: &mut Call) -> Answer {
        let segment = g.caller().segment;
        g.hw.set_word(sysvars::CURRENT_PSP, segment);
        self.terminate(g, 0, TerminationReason::Normal)
    }

    /// 26h: copies the current PSP to the segment DX, with the current vectors.
    pub(super) fn copy_psp(&mut self, g: &mut Call) -> Answer {
        let (from, to) = (g.caller().segment, g.cpu.regs.dx());
        let bytes = g.hw.bytes(Far::new(from, 0), sysvars::PSP_BYTES.into());
        g.hw.set_bytes(Far::new(to, 0), &bytes);
        for (i, vector) in (0x22..=0x24).enumerate() {
            let handler = g.hw.vector(vector);
            g.hw.set_far(Far::new(to, psp::TERMINATE + 4 * i as u16), handler);
        }
        g.hw.set_word(Far::new(to, psp::VERSION), sysvars::VERSION);
        Ok(())
    }

    /// 55h: creates a child PSP at the segment DX with the memory size SI; it becomes the current
    /// one and shares the handles.
    pub(super) fn child_psp(&mut self, g: &mut Call) -> Answer {
        let (segment, top) = (g.cpu.regs.dx(), g.cpu.regs.si());
        let parent = self.psp(g);
        let environment = g.hw.word(Far::new(parent, psp::ENVIRONMENT));
        psp::create(g.hw, segment, top, parent, environment);
        self.inherit_handles(g.hw, parent, segment);
        self.enter_process(g.hw, segment);
        Ok(())
    }

    fn enter_process(&mut self, hw: &mut Hardware, psp: u16) {
        self.running.processes.truncate(MOST_PROCESSES);
        self.running.processes.push(Process { psp, levels: self.running.calls.len() });
        hw.set_word(sysvars::CURRENT_PSP, psp);
        hw.set_far(sysvars::DTA, Far::new(psp, psp::TAIL));
    }

    /// 4Dh: returns how the last child ended, once.
    pub(super) fn return_code(&mut self, g: &mut Call) -> Answer {
        let code = g.hw.word(sysvars::RETURN_CODE);
        g.cpu.regs.set_ax(code);
        g.hw.set_word(sysvars::RETURN_CODE, 0);
        Ok(())
    }

    /// 50h: sets the current PSP to BX.
    pub(super) fn set_psp(&mut self, g: &mut Call) -> Answer {
        g.hw.set_word(sysvars::CURRENT_PSP, g.cpu.regs.bx());
        Ok(())
    }

    /// 51h and 62h: return the current PSP in BX.
    pub(super) fn get_psp(&mut self, g: &mut Call) -> Answer {
        let psp = self.psp(g);
        g.cpu.regs.set_bx(psp);
        Ok(())
    }
}

//! Handles: opening, closing, duplicating and inheriting them, and the bindings of the standard
//! handles.

use super::{
    devices::Device,
    error::{Answer, ErrorCode},
    memory,
    names::Name,
    open_files::{AUX, CLOSED, CON, FileTable, Kind, OpenFile, PRN, handle_place, place_in},
    pending::Call,
    psp,
    state::Dos,
    sysvars,
};
use crate::{
    firmware::{Far, GuestMemory},
    hardware::Hardware,
};

impl Dos {
    /// Opens the shell's standard handles: CON for 0 to 2, AUX, PRN.
    pub(super) fn open_standard(&mut self, hw: &mut Hardware, shell: u16) {
        let con = OpenFile::new(Kind::Device(Device::Con), *b"CON        ", 2);
        let aux = OpenFile::new(Kind::Device(Device::Aux), *b"AUX        ", 2);
        let prn = OpenFile::new(Kind::Device(Device::Prn), *b"PRN        ", 1);
        self.disk.files = FileTable(vec![Some(aux), Some(con), Some(prn)]);
        for (handle, index) in [CON, CON, CON, AUX, PRN].into_iter().enumerate() {
            self.bind(hw, Far::new(shell, psp::HANDLES + handle as u16), usize::from(index));
        }
    }

    /// Binds a handle's byte to an entry.
    fn bind(&mut self, hw: &mut Hardware, at: Far, index: usize) {
        hw.set_byte(at, index as u8);
        if let Some(file) = self.disk.files.get_mut(index) {
            file.references = file.references.saturating_add(1);
        }
        self.disk.files.show(hw, index);
    }

    /// Redirects handle 1: output is kept for [`Dos::take_output`] instead of shown. Applies to
    /// programs loaded later and to the running one.
    pub(crate) fn redirect_output(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 1, Kind::HostOutput { errors: false }, *b"STDOUT     ", 1);
    }

    /// Redirects handle 2: output is kept for [`Dos::take_errors`].
    pub(crate) fn redirect_errors(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 2, Kind::HostOutput { errors: true }, *b"STDERR     ", 1);
    }

    /// Redirects handle 0: input comes from [`Dos::feed_input`] instead of the keyboard.
    pub(crate) fn redirect_input(&mut self, hw: &mut Hardware) {
        self.redirect(hw, 0, Kind::HostInput, *b"STDIN      ", 0);
    }

    /// Whether the host feeds the program's standard input.
    pub(crate) fn has_fed_input(&self, hw: &mut Hardware) -> bool {
        matches!(self.standard(hw, 0), Some(Kind::HostInput))
    }

    fn redirect(&mut self, hw: &mut Hardware, handle: u16, kind: Kind, name: Name, mode: u8) {
        let Ok(index) = self.disk.files.insert(OpenFile::new(kind, name, mode)) else { return };
        let mut tables: Vec<u16> = self.running.processes.iter().map(|p| p.psp).collect();
        tables.push(sysvars::SHELL);
        for psp in tables {
            let Some(at) = place_in(hw, psp, handle) else { continue };
            // A handle of the console refers to a device, whose closing cannot fail.
            if hw.byte(at) == CON && self.unbind(hw, at).is_ok() {
                self.bind(hw, at, index);
            }
        }
    }

    #[inline]
    pub(super) fn standard(&self, hw: &mut Hardware, handle: u16) -> Option<Kind> {
        let at = handle_place(hw, handle)?;
        self.disk.files.get(usize::from(hw.byte(at))).map(|file| file.kind)
    }

    /// Returns a new handle for a new entry. Fails with `TooManyOpenFiles`.
    pub(super) fn open_handle(&mut self, g: &mut Call, mut file: OpenFile) -> Result<u16, ErrorCode> {
        let handle = self.free_handle(g)?;
        file.owner = self.psp(g);
        let kind = file.kind;
        let index = self.disk.files.insert(file)?;
        if let Kind::File(place) = kind {
            self.disk.volumes.on(&mut g.hw.disks, place.drive)?.hold(place.node);
        }
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::TooManyOpenFiles)?;
        self.bind(g.hw, at, index);
        Ok(handle)
    }

    pub(super) fn free_handle(&mut self, g: &mut Call) -> Result<u16, ErrorCode> {
        let psp = self.psp(g);
        let count = g.hw.word(Far::new(psp, psp::HANDLE_COUNT));
        let table = g.hw.far(Far::new(psp, psp::HANDLE_TABLE));
        (0..count).find(|&h| g.hw.byte(table.plus(h)) == CLOSED).ok_or(ErrorCode::TooManyOpenFiles)
    }

    /// Closes the handle whose byte is at `at`.
    fn unbind(&mut self, hw: &mut Hardware, at: Far) -> Result<(), ErrorCode> {
        let index = usize::from(hw.byte(at));
        hw.set_byte(at, CLOSED);
        let Some(file) = self.disk.files.get_mut(index) else { return Ok(()) };
        file.references = file.references.saturating_sub(1);
        let (left, kind) = (file.references, file.kind);
        let mut result = Ok(());
        // The entries of the three standard devices always exist.
        if left == 0 && index > usize::from(PRN) {
            if let Kind::File(place) = kind {
                let files = self.disk.volumes.on(&mut hw.disks, place.drive);
                result = files.and_then(|mut files| files.release(place.node));
            }
            self.disk.files.remove(index);
        } else if let Kind::File(place) = kind {
            result = self.commit_place(hw, place);
        }
        self.disk.files.show(hw, index);
        result
    }

    /// 3Eh: closes BX.
    pub(super) fn close(&mut self, g: &mut Call) -> Answer {
        let handle = g.cpu.regs.bx();
        self.disk.files.of_handle(g.hw, handle)?;
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::InvalidHandle)?;
        self.unbind(g.hw, at)?;
        Ok(())
    }

    pub(super) fn close_all(&mut self, hw: &mut Hardware, psp: u16) {
        let count = hw.word(Far::new(psp, psp::HANDLE_COUNT));
        for handle in 0..count {
            if let Some(at) = place_in(hw, psp, handle)
                && hw.byte(at) != CLOSED
            {
                // The program has ended: a refusal by the host cannot be reported to it.
                let _ = self.unbind(hw, at);
            }
        }
    }

    /// Copies the parent's first 20 handles to a child, except those marked as not inherited.
    pub(super) fn inherit_handles(&mut self, hw: &mut Hardware, parent: u16, child: u16) {
        for handle in 0..psp::DEFAULT_HANDLES {
            let Some(at) = place_in(hw, parent, handle) else { return };
            let index = usize::from(hw.byte(at));
            if self.disk.files.get(index).is_some_and(|file| file.mode & 0x80 == 0) {
                self.bind(hw, Far::new(child, psp::HANDLES + handle), index);
            }
        }
    }

    /// 45h: returns another handle for the same entry.
    pub(super) fn duplicate(&mut self, g: &mut Call) -> Answer {
        let index = self.disk.files.of_handle(g.hw, g.cpu.regs.bx())?;
        let handle = self.free_handle(g)?;
        let at = handle_place(g.hw, handle).ok_or(ErrorCode::TooManyOpenFiles)?;
        self.bind(g.hw, at, index);
        self.commit_index(g.hw, index)?;
        g.cpu.regs.set_ax(handle);
        Ok(())
    }

    /// 46h: makes CX another handle for the entry of BX.
    pub(super) fn force_duplicate(&mut self, g: &mut Call) -> Answer {
        let (from, to) = (g.cpu.regs.bx(), g.cpu.regs.cx());
        let index = self.disk.files.of_handle(g.hw, from)?;
        let at = handle_place(g.hw, to).ok_or(ErrorCode::InvalidHandle)?;
        if from == to {
            return Ok(());
        }
        if g.hw.byte(at) != CLOSED {
            self.unbind(g.hw, at)?;
        }
        self.bind(g.hw, at, index);
        Ok(())
    }

    /// 67h: provides room for BX handles; above 20 in a block of memory.
    pub(super) fn set_handle_count(&mut self, g: &mut Call) -> Answer {
        let psp = self.psp(g);
        let wanted = g.cpu.regs.bx().max(psp::DEFAULT_HANDLES);
        let count_at = Far::new(psp, psp::HANDLE_COUNT);
        let table_at = Far::new(psp, psp::HANDLE_TABLE);
        let (count, table) = (g.hw.word(count_at), g.hw.far(table_at));
        let open: Vec<u8> = g.hw.bytes(table, usize::from(count));
        if open.iter().skip(usize::from(wanted)).any(|&b| b != CLOSED) {
            return Err(ErrorCode::TooManyOpenFiles.into());
        }
        let target = if wanted == psp::DEFAULT_HANDLES {
            Far::new(psp, psp::HANDLES)
        } else {
            let paragraphs = wanted.div_ceil(16);
            let block =
                memory::allocate(g.hw, paragraphs, psp, self.settings.strategy).map_err(ErrorCode::from)?;
            Far::new(block.memory(), 0)
        };
        let mut bytes = open;
        bytes.resize(usize::from(wanted), CLOSED);
        g.hw.set_bytes(target, &bytes);
        g.hw.set_far(table_at, target);
        g.hw.set_word(count_at, wanted);
        if table.segment != psp && table != target {
            let _ = memory::free(g.hw, table.segment);
        }
        Ok(())
    }
}

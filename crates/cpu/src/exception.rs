//! Interrupts and exceptions through the vector table.
//!
//! Each function leaves CS:IP and the cycle count exact. Source: Intel 80286 and 80386 programmer's
//! reference, chapters on real-mode interrupts.

use super::access::Fault;
use super::bus::Bus;
use super::op::{Flow, Op};
use super::registers::{Flags, Segment};
use super::size::{Size, Word};
use super::state::{Cpu, Exit};
use super::status::Status;

const DOUBLE_FAULT: u8 = 8;

/// The first bytes of a firmware trap, `0F FF ib`, which is decoded only where the bus permits it.
pub(super) const TRAP: [u8; 2] = [0x0F, 0xFF];
/// The opcode of IRET.
pub(super) const IRET: u8 = 0xCF;

/// Size in bytes of IP, CS and FLAGS on the stack.
pub(super) const FRAME_BYTES: i32 = 6;
/// The last offset at which they fit into a segment.
pub(super) const LAST_FRAME: u32 = 0x1_0000 - FRAME_BYTES as u32;

fn frame_to_bytes([ip, cs, flags]: [u16; 3]) -> [u8; FRAME_BYTES as usize] {
    let ([a, b], [c, d], [e, f]) = (ip.to_le_bytes(), cs.to_le_bytes(), flags.to_le_bytes());
    [a, b, c, d, e, f]
}

fn frame_from_bytes([a, b, c, d, e, f]: [u8; FRAME_BYTES as usize]) -> [u16; 3] {
    [[a, b], [c, d], [e, f]].map(u16::from_le_bytes)
}

impl Cpu {
    /// Delivers a hardware interrupt: pushes FLAGS, CS and IP, clears IF and TF, loads the vector.
    pub fn interrupt<B: Bus>(&mut self, bus: &mut B, vector: u8) {
        self.status = Status::from_bits(self.regs.flags);
        self.shadow = false;
        self.deliver(bus, vector);
        self.regs.flags = self.flags_image();
    }

    /// Returns FLAGS as PUSHF stores them.
    #[inline(always)]
    pub(super) fn flags_image(&self) -> u32 {
        self.regs.flags & !Status::MASK | self.status.bits()
    }

    /// Loads FLAGS as POPF does, or EFLAGS as POPFD does. Flags above the width keep their values.
    pub(super) fn load_flags<W: Size>(&mut self, flags: u32) {
        let wide = if W::BYTES == 4 { flags } else { self.regs.flags } & self.model.wide_flags();
        self.regs.flags = flags & self.model.loadable_flags() | self.model.fixed_flags() | wide;
        self.status = Status::from_bits(flags);
    }

    /// Delivers an exception of `op`. Its handler returns to `op`, which is then executed again.
    #[cold]
    #[inline(never)]
    pub(super) fn fault<B: Bus>(&mut self, bus: &mut B, op: &Op<B>, fault: Fault) -> Flow {
        self.cycles = self.cycles_before(op) + 1;
        self.regs.ip = op.ip;
        self.deliver(bus, fault.0);
        Flow::STOP
    }

    /// Delivers #DE. On the 8086 and 80186 the handler returns past the division.
    #[cold]
    pub(super) fn divide_error<B: Bus>(&mut self, bus: &mut B, op: &Op<B>) -> Flow {
        if !self.model.divide_error_goes_on() {
            return self.fault(bus, op, Fault::DIVIDE);
        }
        self.stop(op);
        self.deliver(bus, Fault::DIVIDE.0);
        Flow::STOP
    }

    /// Executes INT, INT3 or INTO. The handler returns to the next instruction.
    pub(super) fn software_interrupt<B: Bus>(&mut self, bus: &mut B, op: &Op<B>, vector: u8) -> Flow {
        self.stop(op);
        let before = (self.regs.ip, self.regs.cs(), self.regs.flags);
        match self.enter_handler(bus, vector) {
            // IF and TF are clear now: no interrupt or single step is possible before the handler.
            Ok(()) if !bus.code_written() => return self.join_trap(bus, before),
            Ok(()) => {}
            Err(fault) => {
                self.regs.ip = op.ip;
                self.deliver(bus, fault.0);
            }
        }
        Flow::STOP
    }

    /// Executes the firmware trap at CS:IP, if there is one before an IRET and the run does not end
    /// before it.
    #[inline]
    fn join_trap<B: Bus>(&mut self, bus: &B, before: (u32, u16, u32)) -> Flow {
        let address = self.base(Segment::Cs) + self.regs.ip;
        if !self.joins_traps || self.cycles >= self.limit || !bus.is_trap(address) {
            return Flow::JUMP;
        }
        let Some(&[a, b, number, IRET]) = bus.ram(address, 4) else { return Flow::JUMP };
        if [a, b] != TRAP {
            return Flow::JUMP;
        }
        self.cycles += 1;
        self.regs.ip = self.model.wrapped_ip(self.regs.ip + 3);
        self.exit = Some(Exit::Trap(number));
        self.joined = Some(before);
        Flow::TRAP
    }

    /// Returns whether the top of the stack is the frame of the INT before a joined trap. `flags`: FLAGS
    /// after that INT.
    #[inline]
    pub(super) fn has_frame_as_pushed<B: Bus>(&self, bus: &B, flags: u32) -> bool {
        let Some((ip, cs, before)) = self.joined else { return false };
        let pushed = flags | before & (Flags::IF | Flags::TF);
        self.fast_frame(bus) == Some([ip & 0xFFFF, cs.into(), pushed & 0xFFFF])
    }

    /// Enters the handler of `vector` from CS:IP. If that faults, delivers a double fault, and if that
    /// faults too, shuts down.
    #[inline(never)]
    pub(super) fn deliver<B: Bus>(&mut self, bus: &mut B, vector: u8) {
        let delivered = self.enter_handler(bus, vector).or_else(|_| self.enter_handler(bus, DOUBLE_FAULT));
        if delivered.is_err() {
            self.exit = Some(Exit::Shutdown);
        }
    }

    /// Pushes FLAGS, CS and IP, clears IF and TF, and loads the vector. FLAGS are complete after it.
    #[inline(always)]
    fn enter_handler<B: Bus>(&mut self, bus: &mut B, vector: u8) -> Result<(), Fault> {
        let entry = u32::from(vector) * 4;
        let table = self.system.idtr;
        if self.model.has_idtr() && entry + 3 > u32::from(table.limit) {
            return Err(Fault(DOUBLE_FAULT));
        }
        let flags = self.flags_image();
        self.push_frame(bus, [self.regs.ip as u16, self.regs.cs(), flags as u16])?;
        let address = table.base.wrapping_add(entry);
        let vector = bus.read32(address);
        self.regs.ip = vector & 0xFFFF;
        self.regs.seg[Segment::Cs as usize] = (vector >> 16) as u16;
        self.regs.flags = flags & !(Flags::IF | Flags::TF);
        self.interrupted = true;
        Ok(())
    }

    /// Pushes FLAGS, CS and IP, with IP on top; pushes nothing if that faults.
    #[inline(always)]
    fn push_frame<B: Bus>(&mut self, bus: &mut B, frame: [u16; 3]) -> Result<(), Fault> {
        let sp = self.sp_moved(-FRAME_BYTES);
        if sp <= LAST_FRAME && bus.fast_write(self.base(Segment::Ss) + sp, frame_to_bytes(frame)) {
            self.set_sp(sp);
            return Ok(());
        }
        self.push_words(bus, frame)
    }

    /// Pushes words, the last one first; pushes nothing if that faults.
    #[cold]
    #[inline(never)]
    fn push_words<B: Bus>(&mut self, bus: &mut B, frame: [u16; 3]) -> Result<(), Fault> {
        let esp = self.regs.gpr[4];
        for value in frame.into_iter().rev() {
            if let Err(fault) = self.push::<B, Word>(bus, u32::from(value)) {
                self.regs.gpr[4] = esp;
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Returns IP, CS and FLAGS from the top of the stack, if in plain memory. SP does not change.
    #[inline(always)]
    pub(super) fn fast_frame<B: Bus>(&self, bus: &B) -> Option<[u32; 3]> {
        let sp = self.sp_moved(0);
        if sp > LAST_FRAME {
            return None;
        }
        bus.fast_read(self.base(Segment::Ss) + sp).map(|bytes| frame_from_bytes(bytes).map(u32::from))
    }
}

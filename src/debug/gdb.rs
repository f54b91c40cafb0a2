//! gdb through its remote protocol: `target remote :PORT`, forwards and backwards.
//!
//! gdb does not know segments: its eip is the linear address of CS:IP, and memory is linear. The
//! reported architecture is i8086, with which it disassembles 16-bit code.

use std::io::Write;
use std::net::{TcpListener, TcpStream};

use gdbstub::arch::{Arch, Registers as RegisterFile};
use gdbstub::common::Signal;
use gdbstub::conn::{Connection, ConnectionExt};
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints as BreakpointsExt, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint,
    HwWatchpointOps, SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::{Target, TargetResult};

use super::debuggee::{Breakpoint, Debuggee};
use super::monitor;
use crate::frontend::signals;
use oxbox::cpu::Registers;
use oxbox::hardware::linear;
use oxbox::inspect::{Place, StopReason};
use oxbox::machine::End;

/// Virtual time between two checks for gdb's packets, in cycles.
const SLICE: u64 = 3_000_000;

const SIGNAL_TIME: std::time::Duration = std::time::Duration::from_millis(50);

/// The segment registers in gdb's order for an i386: eight general registers, eip, eflags, then cs,
/// ss, ds, es, fs, gs.
const SEGMENTS: [usize; 6] = [1, 2, 3, 0, 4, 5];
const REGISTER_BYTES: usize = 16 * 4;
/// Size of the x87's registers, reported as unavailable: eight of ten bytes, eight of four.
const FPU_BYTES: usize = 8 * 10 + 8 * 4;

const TARGET: &str = r#"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>i8086</architecture></target>"#;

pub(crate) enum I8086 {}

impl Arch for I8086 {
    type Usize = u32;
    type Registers = Core;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(TARGET)
    }
}

#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Core(Registers);

impl RegisterFile for Core {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        linear(self.0.cs(), self.0.ip as u16)
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        let Registers { gpr, seg, flags, .. } = &self.0;
        let words = gpr.iter().copied().chain([linear(self.0.cs(), self.0.ip as u16), *flags]);
        let words = words.chain(SEGMENTS.map(|index| u32::from(seg[index])));
        words.flat_map(u32::to_le_bytes).for_each(|byte| write_byte(Some(byte)));
        (0..FPU_BYTES).for_each(|_| write_byte(None));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() < REGISTER_BYTES {
            return Err(());
        }
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        self.0.gpr.copy_from_slice(&words[..8]);
        for (&index, &word) in SEGMENTS.iter().zip(&words[10..16]) {
            self.0.seg[index] = word as u16;
        }
        self.0.ip = words[8].wrapping_sub(u32::from(self.0.cs()) * 16) & 0xFFFF;
        self.0.flags = words[9];
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Step,
    Continue,
    StepBack,
    ContinueBack,
}

pub(crate) struct Gdb {
    debuggee: Debuggee,
    mode: Mode,
}

impl Target for Gdb {
    type Arch = I8086;
    type Error = std::convert::Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for Gdb {
    fn read_registers(&mut self, registers: &mut Core) -> TargetResult<(), Self> {
        registers.0.clone_from(self.debuggee.registers());
        Ok(())
    }

    fn write_registers(&mut self, registers: &Core) -> TargetResult<(), Self> {
        self.debuggee.timeline.set_registers(&registers.0);
        Ok(())
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        let bytes = self.debuggee.read(start, data.len() as u32);
        data.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        self.debuggee.timeline.write_memory(start, data);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Gdb {
    fn resume(&mut self, _: Option<Signal>) -> Result<(), Self::Error> {
        self.mode = Mode::Continue;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Gdb {
    fn step(&mut self, _: Option<Signal>) -> Result<(), Self::Error> {
        self.mode = Mode::Step;
        Ok(())
    }
}

impl ReverseStep<()> for Gdb {
    fn reverse_step(&mut self, _: ()) -> Result<(), Self::Error> {
        self.mode = Mode::StepBack;
        Ok(())
    }
}

impl ReverseCont<()> for Gdb {
    fn reverse_cont(&mut self) -> Result<(), Self::Error> {
        self.mode = Mode::ContinueBack;
        Ok(())
    }
}

impl BreakpointsExt for Gdb {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Gdb {
    fn add_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(Place::Address(address)))
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(&Place::Address(address)))
    }
}

impl HwBreakpoint for Gdb {
    fn add_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.add(Place::Address(address)))
    }

    fn remove_hw_breakpoint(&mut self, address: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.remove(&Place::Address(address)))
    }
}

impl HwWatchpoint for Gdb {
    fn add_hw_watchpoint(&mut self, address: u32, len: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        for place in watched(address, len, kind) {
            self.add(place);
        }
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: u32, len: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let places = watched(address, len, kind);
        Ok(places.iter().filter(|place| self.remove(place)).count() == places.len())
    }
}

fn watched(address: u32, len: u32, kind: WatchKind) -> Vec<Place> {
    let bytes = address..address.saturating_add(len);
    match kind {
        WatchKind::Write => vec![Place::Write(bytes)],
        WatchKind::Read => vec![Place::Read(bytes)],
        WatchKind::ReadWrite => vec![Place::Write(bytes.clone()), Place::Read(bytes)],
    }
}

impl MonitorCmd for Gdb {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Self::Error> {
        let command = String::from_utf8_lossy(command);
        let now = self.debuggee.timeline.position();
        let asks = command.trim_start().starts_with("who ");
        for line in monitor::answer(&mut self.debuggee, &command) {
            outputln!(out, "{line}");
        }
        if asks {
            // gdb would not notice that the program's position has changed.
            self.debuggee.timeline.go_to(now);
        }
        Ok(())
    }
}

impl Gdb {
    fn add(&mut self, place: Place) -> bool {
        self.debuggee.breakpoints.push(Breakpoint { text: String::new(), place, condition: None });
        true
    }

    fn remove(&mut self, place: &Place) -> bool {
        let list = &mut self.debuggee.breakpoints;
        let found = list.iter().position(|breakpoint| breakpoint.place == *place);
        found.map(|at| list.remove(at)).is_some()
    }

    /// Runs as requested by gdb, for a slice. `None`: the program continues.
    fn advance(&mut self) -> Option<SingleThreadStopReason<u32>> {
        let halted = match self.mode {
            Mode::Step => {
                self.debuggee.timeline.enter_interrupt();
                match self.debuggee.timeline.step() {
                    None => return Some(SingleThreadStopReason::DoneStep),
                    Some(_) => self.debuggee.go_on(0),
                }
            }
            Mode::StepBack if self.debuggee.timeline.step_back() => {
                return Some(SingleThreadStopReason::DoneStep);
            }
            Mode::StepBack => StopReason::Beginning,
            Mode::Continue => self.debuggee.go_on(SLICE),
            Mode::ContinueBack => self.debuggee.go_back(),
        };
        Some(match halted {
            StopReason::Running if self.mode == Mode::Continue => return None,
            StopReason::Running | StopReason::Step => SingleThreadStopReason::DoneStep,
            StopReason::Breakpoint(number) => match &self.debuggee.breakpoints[number].place {
                Place::Write(bytes) => watch(WatchKind::Write, bytes.start),
                Place::Read(bytes) => watch(WatchKind::Read, bytes.start),
                _ => SingleThreadStopReason::Signal(Signal::SIGTRAP),
            },
            // gdb displays it as "Stopped (tty input)".
            StopReason::KeyWait => SingleThreadStopReason::Signal(Signal::SIGTTIN),
            StopReason::Beginning => {
                SingleThreadStopReason::ReplayLog { tid: None, pos: ReplayLogPosition::Begin }
            }
            StopReason::Ended(End::Exited(_)) => {
                SingleThreadStopReason::ReplayLog { tid: None, pos: ReplayLogPosition::End }
            }
            StopReason::Ended(_) => SingleThreadStopReason::Signal(Signal::SIGSEGV),
        })
    }
}

fn watch(kind: WatchKind, addr: u32) -> SingleThreadStopReason<u32> {
    SingleThreadStopReason::Watch { tid: (), kind, addr }
}

enum Loop {}

impl BlockingEventLoop for Loop {
    type Target = Gdb;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Gdb,
        connection: &mut TcpStream,
    ) -> Result<
        Event<Self::StopReason>,
        WaitForStopReasonError<<Gdb as Target>::Error, <TcpStream as Connection>::Error>,
    > {
        loop {
            if let Some(reason) = target.advance() {
                return Ok(Event::TargetStopped(reason));
            }
            if ConnectionExt::peek(connection).is_ok_and(|byte| byte.is_some()) {
                let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
        }
    }

    fn on_interrupt(_: &mut Gdb) -> Result<Option<Self::StopReason>, <Gdb as Target>::Error> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

/// Waits for gdb to connect; `None` if a signal comes first.
fn accept(listener: &TcpListener) -> std::io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(Some(stream));
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if signals::received().is_some() {
            return Ok(None);
        }
        std::thread::sleep(SIGNAL_TIME);
    }
}

/// Closes the connection after a signal, so that oxbox does not wait for gdb.
fn hang_up_at_a_signal(stream: TcpStream) {
    std::thread::spawn(move || {
        while signals::received().is_none() {
            std::thread::sleep(SIGNAL_TIME);
        }
        let _ = stream.shutdown(std::net::Shutdown::Both);
    });
}

/// Waits for gdb at an address (`[ADDRESS:]PORT`, loopback without an address) and serves it until
/// it disconnects. Fails with a message of one line.
pub(crate) fn serve(debuggee: Debuggee, address: &str) -> Result<(), String> {
    let address = if address.contains(':') { address.to_owned() } else { format!("127.0.0.1:{address}") };
    let listener = TcpListener::bind(&address).map_err(|error| format!("--gdb {address}: {error}"))?;
    let local = listener.local_addr().map_err(|error| error.to_string())?;
    let _ = writeln!(std::io::stderr(), "oxbox: waiting for gdb: (gdb) target remote {local}");
    let _watch = signals::watch();
    let Some(stream) = accept(&listener).map_err(|error| format!("--gdb: {error}"))? else { return Ok(()) };
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    hang_up_at_a_signal(stream.try_clone().map_err(|error| error.to_string())?);
    let mut target = Gdb { debuggee, mode: Mode::Continue };
    match GdbStub::new(stream).run_blocking::<Loop>(&mut target) {
        Ok(
            DisconnectReason::Disconnect
            | DisconnectReason::Kill
            | DisconnectReason::TargetExited(_)
            | DisconnectReason::TargetTerminated(_),
        ) => Ok(()),
        Err(error) if error.is_connection_error() => Ok(()),
        Err(error) => Err(format!("--gdb: {error}")),
    }
}

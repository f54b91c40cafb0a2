//! The functions that translated code calls: IN and OUT, accesses to memory that it cannot do itself, and coprocessor
//! instructions.

use super::super::bus_calls::REFUSED;
use super::super::context::{BusFunctions, Context};
use crate::bus::{Bus, Width, copy_by_device};
use crate::fpu::Fpu;

/// Such a function: takes the context, the port, linear address or opcode, a number that depends on the function, the
/// budget, the width in bytes, and the value to write. Its result has the value that was read in the low half, and
/// the bit [`REFUSED`].
type Call = unsafe extern "sysv64" fn(*mut Context, u32, u32, i64, u32, u32) -> u64;

/// Returns the addresses of the functions for this type of bus.
pub(super) fn functions<B: Bus>() -> BusFunctions {
    let address = |function: Call| function as usize as u64;
    BusFunctions {
        input: address(input::<B>),
        output: address(output::<B>),
        read: address(read::<B>),
        write: address(write::<B>),
        execute: address(execute),
        fill: address(fill::<B>),
        copy: address(copy::<B>),
    }
}

/// IN, this many cycles before the end of the block. Returns the value, and the bit if the run must check for
/// events.
///
/// # Safety
///
/// Only for translated code, during `CodeMemory::call` with a bus of this type.
unsafe extern "sysv64" fn input<B: Bus>(
    context: *mut Context,
    port: u32,
    to_end: u32,
    budget: i64,
    bytes: u32,
    _: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    call_port(context, bus, budget, to_end, |bus, now| bus.input(port as u16, width(bytes), now))
}

/// OUT of the low bytes of `value`, like [`input`].
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn output<B: Bus>(
    context: *mut Context,
    port: u32,
    to_end: u32,
    budget: i64,
    bytes: u32,
    value: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    let (width, value) = (width(bytes), value & u32::MAX >> (32 - 8 * bytes));
    call_port(context, bus, budget, to_end, |bus, now| {
        if !bus.fast_output(port as u16, width, value, now) {
            bus.output(port as u16, width, value, now);
        }
        0
    })
}

/// Reads memory. Refuses if the translation should be given up, or, if the read `begins_a_change`, if there may be
/// code at the address: the handler does such a change.
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn read<B: Bus>(
    context: *mut Context,
    address: u32,
    begins_a_change: u32,
    budget: i64,
    bytes: u32,
    _: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    let refuses = begins_a_change != 0 && may_be_code(bus, address, bytes);
    if refuses || is_called_too_often(context, budget) {
        return REFUSE;
    }
    context.report_output(bus);
    let value = match width(bytes) {
        Width::Byte => bus.read8(address).into(),
        Width::Word => bus.read16(address).into(),
        Width::Dword => bus.read32(address),
    };
    finish(context, bus, value)
}

/// Writes the low bytes of `value` to memory. Refuses for the same reasons as [`read`], unless the write
/// `ends_a_change`.
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn write<B: Bus>(
    context: *mut Context,
    address: u32,
    ends_a_change: u32,
    budget: i64,
    bytes: u32,
    value: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    if ends_a_change == 0 && (may_be_code(bus, address, bytes) || is_called_too_often(context, budget)) {
        return REFUSE;
    }
    context.report_output(bus);
    match width(bytes) {
        Width::Byte => bus.write8(address, value as u8),
        Width::Word => bus.write16(address, value as u16),
        Width::Dword => bus.write32(address, value),
    }
    finish(context, bus, 0)
}

/// Writes the low bytes of `value` to device memory `count` times, upwards. Refuses if the translation should be given
/// up, or if the bus cannot do all at once.
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn fill<B: Bus>(
    context: *mut Context,
    target: u32,
    count: u32,
    budget: i64,
    bytes: u32,
    value: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    let [a, b, c, d] = value.to_le_bytes();
    call_at_once(context, bus, budget, |bus| match width(bytes) {
        Width::Byte => bus.fill_device(target, &[a], count),
        Width::Word => bus.fill_device(target, &[a, b], count),
        Width::Dword => bus.fill_device(target, &[a, b, c, d], count),
    })
}

/// Copies `count` elements upwards, to device memory or from it. Refuses for the same reasons as [`fill`].
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn copy<B: Bus>(
    context: *mut Context,
    target: u32,
    count: u32,
    budget: i64,
    bytes: u32,
    source: u32,
) -> u64 {
    // SAFETY: see `context_and_bus`.
    let (context, bus) = unsafe { context_and_bus::<B>(context) };
    call_at_once(context, bus, budget, |bus| copy_by_device(bus, source, target, bytes, count))
}

/// Executes a coprocessor instruction without a memory operand. Refuses if the host's x87 could not calculate after
/// it: then nothing has changed.
///
/// # Safety
///
/// Like [`input`].
unsafe extern "sysv64" fn execute(
    context: *mut Context,
    opcode: u32,
    code: u32,
    _: i64,
    _: u32,
    _: u32,
) -> u64 {
    // SAFETY: `CodeMemory::call` has given the context to the code, which waits.
    let context = unsafe { &mut *context };
    if context.fpu() == 0 {
        return REFUSE;
    }
    // SAFETY: `CodeMemory::call` has set the address from a reference, and waits.
    let fpu = unsafe { &mut *std::ptr::with_exposed_provenance_mut::<Fpu>(context.fpu()) };
    let mut after = fpu.clone();
    after.execute(opcode as u16, code);
    let Some(control) = after.host_control() else { return REFUSE };
    *fpu = after;
    context.set_fpu_control(control);
    0
}

const REFUSE: u64 = 1 << REFUSED;

fn width(bytes: u32) -> Width {
    match bytes {
        1 => Width::Byte,
        2 => Width::Word,
        _ => Width::Dword,
    }
}

/// # Safety
///
/// As for [`input`]. Then nothing else uses the context and the bus: `CodeMemory::call` has given them to the code,
/// which waits.
unsafe fn context_and_bus<'a, B: Bus>(context: *mut Context) -> (&'a mut Context, &'a mut B) {
    // SAFETY: the caller's.
    let context = unsafe { &mut *context };
    // SAFETY: `CodeMemory::call` has set it from a reference of this type, and waits.
    let bus = unsafe { &mut *std::ptr::with_exposed_provenance_mut::<B>(context.bus()) };
    (context, bus)
}

/// Calls the bus for IN or OUT, as the handlers do, and sets the pointers to its memory again.
fn call_port<B: Bus>(
    context: &mut Context,
    bus: &mut B,
    budget: i64,
    to_end: u32,
    call: impl FnOnce(&mut B, u64) -> u32,
) -> u64 {
    context.report_output(bus);
    let now = context.cycles_at(budget).wrapping_sub(to_end.into());
    let value = call(bus, now);
    let event = bus.next_event();
    let is_sooner = event < context.limit;
    context.limit = context.limit.min(event);
    let stops = is_called_too_often(context, budget) || is_sooner || bus.code_written();
    // Without them the code must not access memory again. After a stop it does not.
    let memory = context.keep_memory(&context.selectors(), bus);
    u64::from(value) | u64::from(stops || memory.is_none()) << REFUSED
}

/// Counts a call. Returns whether the translation should be given up because there are too many: translated code
/// saves little between two calls.
fn is_called_too_often(context: &mut Context, budget: i64) -> bool {
    /// The number of cycles per call that makes a translation worthwhile.
    const CYCLES_PER_CALL: u64 = 7;
    context.calls_too_often = context.bus_calls.is_high(context.cycles_at(budget), CYCLES_PER_CALL);
    context.calls_too_often
}

/// Returns whether one of the bytes at a linear address may be decoded code.
fn may_be_code<B: Bus>(bus: &B, address: u32, bytes: u32) -> bool {
    (0..bytes).any(|byte| bus.is_cacheable(address.wrapping_add(byte)))
}

/// Calls the bus to execute a repeated string instruction. Returns the result of the function.
fn call_at_once<B: Bus>(
    context: &mut Context,
    bus: &mut B,
    budget: i64,
    call: impl FnOnce(&mut B) -> bool,
) -> u64 {
    if is_called_too_often(context, budget) {
        return REFUSE;
    }
    context.report_output(bus);
    if call(bus) { finish(context, bus, 0) } else { REFUSE }
}

/// Sets the pointers to the bus's memory again after an access that read `value`. Returns the result of the
/// function: the code must leave if plain memory is not where it was.
fn finish<B: Bus>(context: &mut Context, bus: &mut B, value: u32) -> u64 {
    if context.keep_planar(bus).is_some() { value.into() } else { REFUSE }
}

//! Instructions with a memory operand: their formats, sizes and effects.

use super::calculation::{Answer, Calculation};
use super::convert::from_decimal;
use super::environment::{Environment, LONGEST};
use super::extended::{Extended, Operand};
use super::register::Binary;
use super::unit::Fpu;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Single,
    Double,
    Extended,
    Integer16,
    Integer32,
    Integer64,
    Decimal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Binary(Binary, Format),
    Load(Format),
    Store(Format, Pop),
    LoadControl,
    StoreControl,
    StoreStatus,
    LoadEnvironment,
    StoreEnvironment,
    LoadState,
    StoreState,
    /// An undefined encoding.
    Reserved,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pop {
    Yes,
    No,
}

/// The direction and size of the transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// Reads this number of bytes.
    Load(usize),
    /// Writes this number of bytes.
    Store(usize),
}

/// The bytes that a store writes; `None` if an exception prevents it.
pub(crate) type Stored = Option<[u8; LONGEST]>;

/// An instruction with a memory operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) kind: Kind,
    form: Environment,
    opcode: u16,
}

impl Format {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Format::Integer16 => 2,
            Format::Single | Format::Integer32 => 4,
            Format::Double | Format::Integer64 => 8,
            Format::Extended | Format::Decimal => 10,
        }
    }
}

impl Memory {
    /// Decodes an opcode: the lower three bits of the first byte, and the second byte.
    pub(crate) fn new(opcode: u16, form: Environment) -> Self {
        use Format::*;
        let (group, row) = (opcode >> 8 & 7, (opcode >> 3 & 7) as u8);
        let kind = match (group, row) {
            (0, _) => Kind::Binary(Binary::new(row), Single),
            (2, _) => Kind::Binary(Binary::new(row), Integer32),
            (4, _) => Kind::Binary(Binary::new(row), Double),
            (6, _) => Kind::Binary(Binary::new(row), Integer16),
            (1, 0) => Kind::Load(Single),
            (3, 0) => Kind::Load(Integer32),
            (5, 0) => Kind::Load(Double),
            (7, 0) => Kind::Load(Integer16),
            (1, 2) => Kind::Store(Single, Pop::No),
            (3, 2) => Kind::Store(Integer32, Pop::No),
            (5, 2) => Kind::Store(Double, Pop::No),
            (7, 2) => Kind::Store(Integer16, Pop::No),
            (1, 3) => Kind::Store(Single, Pop::Yes),
            (3, 3) => Kind::Store(Integer32, Pop::Yes),
            (5, 3) => Kind::Store(Double, Pop::Yes),
            (7, 3) => Kind::Store(Integer16, Pop::Yes),
            (1, 4) => Kind::LoadEnvironment,
            (1, 5) => Kind::LoadControl,
            (1, 6) => Kind::StoreEnvironment,
            (1, 7) => Kind::StoreControl,
            (3, 5) => Kind::Load(Extended),
            (3, 7) => Kind::Store(Extended, Pop::Yes),
            (5, 4) => Kind::LoadState,
            (5, 6) => Kind::StoreState,
            (5, 7) => Kind::StoreStatus,
            (7, 4) => Kind::Load(Decimal),
            (7, 5) => Kind::Load(Integer64),
            (7, 6) => Kind::Store(Decimal, Pop::Yes),
            (7, 7) => Kind::Store(Integer64, Pop::Yes),
            _ => Kind::Reserved,
        };
        Memory { kind, form, opcode }
    }

    pub(crate) fn transfer(self) -> Transfer {
        match self.kind {
            Kind::Binary(_, format) | Kind::Load(format) => Transfer::Load(format.bytes()),
            Kind::Store(format, _) => Transfer::Store(format.bytes()),
            Kind::LoadControl => Transfer::Load(2),
            Kind::StoreControl | Kind::StoreStatus => Transfer::Store(2),
            Kind::LoadEnvironment => Transfer::Load(self.form.bytes()),
            Kind::StoreEnvironment => Transfer::Store(self.form.bytes()),
            Kind::LoadState => Transfer::Load(self.form.state_bytes()),
            Kind::StoreState => Transfer::Store(self.form.state_bytes()),
            Kind::Reserved => Transfer::Load(2),
        }
    }
}

/// Returns the first `N` bytes; missing ones are 0.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

fn padded<const N: usize>(bytes: [u8; N]) -> [u8; LONGEST] {
    let mut all = [0; LONGEST];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = from;
    }
    all
}

impl Fpu {
    /// Executes the instruction at `code`, which reads memory at `data` (linear addresses).
    pub(crate) fn load(&mut self, instruction: Memory, bytes: &[u8], code: u32, data: u32) {
        self.point(instruction.opcode, code, Some(data));
        match instruction.kind {
            Kind::Binary(operation, format) => {
                let operand = self.operand(format, bytes);
                self.binary_with(operation, operand);
            }
            Kind::Load(format) => self.load_value(format, bytes),
            Kind::LoadControl => self.set_control(u16::from_le_bytes(first(bytes))),
            Kind::LoadEnvironment => self.load_environment(instruction.form, bytes),
            Kind::LoadState => self.load_state(instruction.form, bytes),
            _ => {}
        }
    }

    fn operand(&self, format: Format, bytes: &[u8]) -> Operand {
        match format {
            Format::Single => Operand::single(self.model, u32::from_le_bytes(first(bytes))),
            Format::Double => Operand::double(self.model, u64::from_le_bytes(first(bytes))),
            Format::Extended => Extended::from_bytes(first(bytes)).into(),
            Format::Integer16 => i64::from(i16::from_le_bytes(first(bytes))).into(),
            Format::Integer32 => i64::from(i32::from_le_bytes(first(bytes))).into(),
            Format::Integer64 => i64::from_le_bytes(first(bytes)).into(),
            Format::Decimal => from_decimal(first(bytes)).into(),
        }
    }

    fn load_value(&mut self, format: Format, bytes: &[u8]) {
        let operand = self.operand(format, bytes);
        self.clear_c1();
        if self.st(7).is_some() {
            return self.push(Extended::ZERO);
        }
        if let Ok(value) = self.calculate(|state| state.load(operand, format == Format::Extended)) {
            self.push(value);
        }
    }

    /// Executes the instruction at `code`, which writes memory at `data` (linear addresses).
    pub(crate) fn store(&mut self, instruction: Memory, code: u32, data: u32) -> Stored {
        self.point(instruction.opcode, code, Some(data));
        let mut bytes = [0; LONGEST];
        match instruction.kind {
            Kind::Store(format, pop) => {
                bytes = self.store_value(format).ok()?;
                if pop == Pop::Yes {
                    self.pop();
                }
            }
            Kind::StoreControl => bytes = padded(self.control.0.to_le_bytes()),
            Kind::StoreStatus => bytes = padded(self.status_word().to_le_bytes()),
            Kind::StoreEnvironment => {
                self.store_environment(instruction.form, &mut bytes[..instruction.form.bytes()]);
                self.mask_all();
            }
            Kind::StoreState => {
                self.store_state(instruction.form, &mut bytes);
                self.initialize();
            }
            _ => return None,
        }
        Some(bytes)
    }

    fn store_value(&mut self, format: Format) -> Answer<[u8; LONGEST]> {
        self.clear_c1();
        let value: Operand = match self.st(0) {
            Some(value) => value.into(),
            None => {
                self.underflow()?;
                // Converting the indefinite value raises nothing new. Integers have an indefinite
                // value of their own.
                let mut quiet = Calculation::new(self.model, self.control);
                return format.convert(&mut quiet, Extended::INDEFINITE.into());
            }
        };
        self.calculate(|state| format.convert(state, value))
    }
}

impl Format {
    fn convert(self, state: &mut Calculation, value: Operand) -> Answer<[u8; LONGEST]> {
        Ok(match self {
            Format::Single => padded(state.store_single(value)?.to_le_bytes()),
            Format::Double => padded(state.store_double(value)?.to_le_bytes()),
            Format::Extended => padded(value.value.to_bytes()),
            Format::Integer16 => padded((state.store_integer(value, 16)? as i16).to_le_bytes()),
            Format::Integer32 => padded((state.store_integer(value, 32)? as i32).to_le_bytes()),
            Format::Integer64 => padded(state.store_integer(value, 64)?.to_le_bytes()),
            Format::Decimal => padded(state.store_decimal(value)?),
        })
    }
}

//! Register instructions: ESC opcodes whose second byte is C0h to FFh.

use super::arithmetic::Order;
use super::calculation::{Answer, Calculation, Unmasked};
use super::control::Control;
use super::extended::{Extended, INTEGER_BIT, Operand};
use super::ordinary;
use super::remainder::{Quotient, Reduction};
use super::unit::{Fpu, Status};

/// The operations that exist for every operand format, in the order of their encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Multiply,
    Compare,
    ComparePop,
    Subtract,
    SubtractReversed,
    Divide,
    DivideReversed,
}

impl Binary {
    pub(crate) fn new(number: u8) -> Self {
        match number & 7 {
            0 => Binary::Add,
            1 => Binary::Multiply,
            2 => Binary::Compare,
            3 => Binary::ComparePop,
            4 => Binary::Subtract,
            5 => Binary::SubtractReversed,
            6 => Binary::Divide,
            _ => Binary::DivideReversed,
        }
    }

    /// Returns the result for ST(0) and the other operand. Comparisons have no result.
    pub(super) fn result(self, calculation: &mut Calculation, a: Operand, b: Operand) -> Answer {
        match self {
            Binary::Add => calculation.add(a, b),
            Binary::Multiply => calculation.multiply(a, b),
            Binary::Subtract => calculation.subtract(a, b),
            Binary::SubtractReversed => calculation.subtract(b, a),
            Binary::Divide => calculation.divide(a, b),
            Binary::DivideReversed => calculation.divide(b, a),
            Binary::Compare | Binary::ComparePop => Err(Unmasked),
        }
    }
}

/// The operands that a comparison treats as invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Ordered,
    Unordered,
}

/// The constants of FLD1, FLDL2T, FLDL2E, FLDPI, FLDLG2, FLDLN2 and FLDZ: exponent and 128 bits.
const CONSTANTS: [(i32, u128); 7] = [
    (0, 1 << 127),
    (1, 0xD49A_784B_CD1B_8AFE_492B_F6FF_4DAF_DB4C),
    (0, 0xB8AA_3B29_5C17_F0BB_BE87_FED0_691D_3E88),
    (1, 0xC90F_DAA2_2168_C234_C4C6_628B_80DC_1CD1),
    (-2, 0x9A20_9A84_FBCF_F798_8F89_59AC_0B7C_9178),
    (-1, 0xB172_17F7_D1CF_79AB_C9E3_B398_03F2_F6AF),
    (0, 0),
];

impl Fpu {
    /// Executes an opcode (the lower three bits of the first byte, and the second byte) at linear
    /// address `code`. Returns the word for AX of FSTSW AX.
    pub(crate) fn execute(&mut self, opcode: u16, code: u32) -> Option<u16> {
        self.point(opcode, code, None);
        let (group, row, i) = (opcode >> 8 & 7, (opcode >> 3 & 7) as u8, (opcode & 7) as u8);
        let new = self.model.has_387_instructions();
        match (group, row, i) {
            (0, 2, _) | (4, 2, _) => self.compare(i, Comparison::Ordered, 0),
            (0, 3, _) | (4, 3, _) | (6, 2, _) => self.compare(i, Comparison::Ordered, 1),
            (0, _, _) => self.binary(Binary::new(row), i, 0, false),
            (4, _, _) => self.binary(Binary::new(row), i, i, false),
            (6, 3, 1) => self.compare(1, Comparison::Ordered, 2),
            (6, 3, _) => {}
            (6, _, _) => self.binary(Binary::new(row), i, i, true),
            (1, 0, _) => self.load_register(i),
            (1, 1, _) | (5, 1, _) | (7, 1, _) => self.exchange(i),
            (1, 3, _) if self.st(0).is_none() => self.turn(1),
            (1, 3, _) | (5, 3, _) | (7, 2 | 3, _) => self.store_register(i, true),
            (5, 2, _) => self.store_register(i, false),
            (1, 2, 0) => {}
            (1, 4, _) => self.sign_and_test(i),
            (1, 5, _) => self.load_constant(i),
            (1, 6, 0..=5) | (1, 7, _) => self.function(row, i),
            (1, 6, 6) => self.turn(-1),
            (1, 6, 7) => self.turn(1),
            (5, 0, _) => {
                self.clear_c1();
                self.free(i);
            }
            (7, 0, _) => {
                self.clear_c1();
                self.free(i);
                self.pop();
            }
            (5, 4, _) if new => self.compare(i, Comparison::Unordered, 0),
            (5, 5, _) if new => self.compare(i, Comparison::Unordered, 1),
            (2, 5, 1) if new => self.compare(1, Comparison::Unordered, 2),
            (3, 4, 0 | 1) if self.model.has_interrupt_mask() => {
                let masked = if i == 1 { 1 << 7 } else { 0 };
                self.control = Control(self.control.0 & !(1 << 7) | masked);
            }
            (3, 4, 2) => self.clear_exceptions(),
            (3, 4, 3) => self.initialize(),
            (7, 4, 0) if self.model.has_status_to_ax() => return Some(self.status_word()),
            _ => {}
        }
        None
    }

    /// Executes FADD and the like on ST(0) and ST(i), with one of them as destination.
    fn binary(&mut self, operation: Binary, i: u8, destination: u8, pops: bool) {
        let result = match (self.st(0), self.st(i)) {
            (Some(a), Some(b)) => self.result(operation, a, b.into()),
            _ => self.underflow(),
        };
        if let Ok(value) = result {
            self.set(destination, value);
            if pops {
                self.pop();
            }
        }
    }

    /// Executes FADD and the like on ST(0) and a memory operand.
    pub(super) fn binary_with(&mut self, operation: Binary, b: Operand) {
        if matches!(operation, Binary::Compare | Binary::ComparePop) {
            return self.compare_with(
                Some(b),
                Comparison::Ordered,
                u8::from(operation == Binary::ComparePop),
            );
        }
        let result = match self.st(0) {
            Some(a) => self.result(operation, a, b),
            None => self.underflow(),
        };
        if let Ok(value) = result {
            self.set(0, value);
        }
    }

    fn result(&mut self, operation: Binary, a: Extended, b: Operand) -> Answer {
        if let Some((value, raised)) = ordinary::binary(operation, self.control, a, b) {
            self.note(raised);
            return Ok(value);
        }
        self.calculate(|state| operation.result(state, a.into(), b))
    }

    fn compare(&mut self, i: u8, comparison: Comparison, pops: u8) {
        self.compare_with(self.st(i).map(Operand::from), comparison, pops);
    }

    fn compare_with(&mut self, b: Option<Operand>, comparison: Comparison, pops: u8) {
        if let (Some(a), Some(b)) = (self.st(0), b)
            && let Some(order) = ordinary::compare(a, b)
        {
            self.clear_c1();
            self.set_order(order.into());
            return (0..pops).for_each(|_| self.pop());
        }
        let ordered = comparison == Comparison::Ordered;
        let result = match (self.top(), b) {
            (Some(a), Some(b)) => self.calculate(|state| state.compare(a, b, ordered)),
            _ => self.underflow().map(|_| (Order::Unordered, Ok(()))),
        };
        let (order, proceed) = result.unwrap_or_else(|unmasked| (Order::Unordered, Err(unmasked)));
        self.set_order(order);
        if proceed.is_ok() {
            (0..pops).for_each(|_| self.pop());
        }
    }

    fn set_order(&mut self, order: Order) {
        let codes = match order {
            Order::Greater => 0,
            Order::Less => Status::C0,
            Order::Equal => Status::C3,
            Order::Unordered => Status::C3 | Status::C2 | Status::C0,
        };
        self.set_codes(Status::C3 | Status::C2 | Status::C0, codes);
    }

    fn load_register(&mut self, i: u8) {
        match self.st(i) {
            Some(value) => {
                self.clear_c1();
                self.push(value);
            }
            None => {
                if let Ok(value) = self.underflow() {
                    self.move_top(-1);
                    self.set(0, value);
                }
            }
        }
    }

    fn exchange(&mut self, i: u8) {
        let (a, b) = (self.st(0), self.st(i));
        self.clear_c1();
        if (a.is_none() || b.is_none()) && self.underflow().is_err() {
            return;
        }
        self.set(0, b.unwrap_or(Extended::INDEFINITE));
        self.set(i, a.unwrap_or(Extended::INDEFINITE));
    }

    fn store_register(&mut self, i: u8, pops: bool) {
        self.clear_c1();
        let value = match self.st(0) {
            Some(value) => Ok(value),
            None => self.underflow(),
        };
        if let Ok(value) = value {
            self.set(i, value);
            if pops {
                self.pop();
            }
        }
    }

    /// Executes FINCSTP and FDECSTP.
    fn turn(&mut self, by: i8) {
        self.clear_c1();
        self.move_top(by);
    }

    /// Executes FCHS, FABS, FTST and FXAM.
    fn sign_and_test(&mut self, i: u8) {
        match i {
            0 | 1 => {
                self.clear_c1();
                let changed = |value: Extended| if i == 0 { value.negated() } else { value.absolute() };
                let result = self.st(0).map(changed).map_or_else(|| self.underflow(), Ok);
                if let Ok(value) = result {
                    self.set(0, value);
                }
            }
            4 => self.compare_with(Some(Extended::ZERO.into()), Comparison::Ordered, 0),
            5 => self.examine(),
            _ => {}
        }
    }

    fn examine(&mut self) {
        let value = self.registers[usize::from(self.top)];
        let sign = if value.sign() { Status::C1 } else { 0 };
        let (nan, normal) = (Status::C0, Status::C2);
        let class = match (self.st(0), value.exponent()) {
            (None, _) => Status::C3 | Status::C0,
            (_, 0) if value.is_zero() => Status::C3,
            (_, 0) => Status::C3 | Status::C2,
            _ if value.significand & INTEGER_BIT == 0 => 0,
            (_, 0x7FFF) if value.is_infinity() => nan | normal,
            (_, 0x7FFF) => nan,
            _ => normal,
        };
        self.set_codes(Status::CODES, class | sign);
    }

    fn load_constant(&mut self, i: u8) {
        let Some((exponent, significand)) = CONSTANTS.get(usize::from(i)).copied() else { return };
        self.clear_c1();
        if significand == 0 {
            return self.push(Extended::ZERO);
        }
        let control =
            if self.model.rounds_constants() { self.control } else { Control(self.model.initial_control()) };
        let rounded = Calculation::new(self.model, control).round(false, significand, 64);
        self.push(Extended::normal(false, exponent, (rounded.significand >> 64) as u64));
    }

    /// Executes D9 F0 to F5 and F8 to FF.
    fn function(&mut self, row: u8, i: u8) {
        let new = self.model.has_387_instructions();
        match (row, i) {
            (6, 0) => self.unary(Calculation::power_minus_one),
            (6, 1) => self.unary_pop(Calculation::y_log_x),
            (6, 2) => self.unary_push(Calculation::tangent),
            (6, 3) => self.unary_pop(Calculation::arc_tangent),
            (6, 4) => self.extract(),
            (6, 5) if new => self.remainder(Quotient::Nearest),
            (7, 0) => self.remainder(Quotient::Chopped),
            (7, 1) => self.unary_pop(Calculation::y_log_x_plus_one),
            (7, 2) => self.unary(Calculation::square_root),
            (7, 3) if new => self.unary_push(Calculation::sine_and_cosine),
            (7, 4) => self.unary(Calculation::round_to_integer),
            (7, 5) => self.scale(),
            (7, 6) if new => self.unary_in_range(Calculation::sine),
            (7, 7) if new => self.unary_in_range(Calculation::cosine),
            _ => {}
        }
    }

    /// Replaces ST(0) by a function of it.
    fn unary(&mut self, function: fn(&mut Calculation, Operand) -> Answer) {
        let result = match self.top() {
            Some(a) => self.calculate(|state| function(state, a)),
            None => self.underflow(),
        };
        if let Ok(value) = result {
            self.set(0, value);
        }
    }

    /// Executes FSIN and FCOS. If the operand is out of range, sets condition code 2 and keeps it.
    fn unary_in_range(&mut self, function: fn(&mut Calculation, Operand) -> Answer<Option<Extended>>) {
        let result = match self.top() {
            Some(a) => self.calculate(|state| function(state, a)),
            None => self.underflow().map(Some),
        };
        let Ok(result) = result else { return };
        self.set_codes(Status::C2, if result.is_none() { Status::C2 } else { 0 });
        if let Some(value) = result {
            self.set(0, value);
        }
    }

    /// Executes FPTAN and FSINCOS: replaces ST(0) by the first result and pushes the second.
    fn unary_push(
        &mut self,
        function: fn(&mut Calculation, Operand) -> Answer<Option<(Extended, Extended)>>,
    ) {
        let indefinite = Some((Extended::INDEFINITE, Extended::INDEFINITE));
        let result = match self.top() {
            _ if self.top().is_none() => self.underflow().map(|_| indefinite),
            _ if self.st(7).is_some() => self.overflow().map(|_| indefinite),
            Some(a) => self.calculate(|state| function(state, a)),
            None => Ok(indefinite),
        };
        let Ok(result) = result else { return };
        self.set_codes(Status::C2, if result.is_none() { Status::C2 } else { 0 });
        if let Some((value, pushed)) = result {
            self.set(0, value);
            self.move_top(-1);
            self.set(0, pushed);
        }
    }

    /// FPATAN and the logarithms: replaces ST(1) by a function of ST(1) and ST(0), and pops.
    fn unary_pop(&mut self, function: fn(&mut Calculation, Operand, Operand) -> Answer) {
        let result = match (self.st(1), self.st(0)) {
            (Some(y), Some(x)) => self.calculate(|state| function(state, y.into(), x.into())),
            _ => self.underflow(),
        };
        if let Ok(value) = result {
            self.set(1, value);
            self.pop();
        }
    }

    fn extract(&mut self) {
        let indefinite = (Extended::INDEFINITE, Extended::INDEFINITE);
        let result = if self.st(0).is_none() {
            self.underflow().map(|_| indefinite)
        } else if self.st(7).is_some() {
            self.overflow().map(|_| indefinite)
        } else {
            let a = self.top().unwrap_or(Extended::ZERO.into());
            self.calculate(|state| state.extract(a))
        };
        if let Ok((exponent, significand)) = result {
            self.set(0, exponent);
            self.move_top(-1);
            self.set(0, significand);
        }
    }

    fn scale(&mut self) {
        let result = match (self.st(0), self.st(1)) {
            (Some(a), Some(b)) => self.calculate(|state| state.scale(a.into(), b.into())),
            _ => self.underflow(),
        };
        if let Ok(value) = result {
            self.set(0, value);
        }
    }

    /// Executes FPREM and FPREM1. Condition codes 0, 3 and 1 are the low bits of the quotient; 2 is
    /// set if the reduction is incomplete.
    fn remainder(&mut self, kind: Quotient) {
        let result = match (self.st(0), self.st(1)) {
            (Some(a), Some(b)) => self.calculate(|state| state.remainder(a.into(), b.into(), kind)),
            _ => self.underflow().map(|value| (value, Reduction::Without)),
        };
        self.set_codes(Status::C2, 0);
        let Ok((value, reduction)) = result else { return };
        match reduction {
            Reduction::Without => {}
            Reduction::Partial => self.set_codes(Status::CODES, Status::C2),
            Reduction::Complete(quotient) => {
                let code = |bit: u32, code: u16| if quotient >> bit & 1 == 0 { 0 } else { code };
                let codes = code(2, Status::C0) | code(1, Status::C3) | code(0, Status::C1);
                self.set_codes(Status::CODES, codes);
            }
        }
        self.set(0, value);
    }
}

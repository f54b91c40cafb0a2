//! Evaluates an expression.

use super::error::ExpressionError;
use super::node::{Binary, Fact, Node, Register, Size, Unary};
use super::scope::{Named, Place, Scope};
use super::value::Value;
use crate::hardware::linear;

#[derive(Clone, Copy)]
struct Address {
    segment: Option<u16>,
    offset: i64,
    /// Whether its default segment is that of the stack.
    is_of_stack: bool,
}

impl Address {
    fn distance(offset: i64) -> Address {
        Address { segment: None, offset, is_of_stack: false }
    }

    fn plus(self, other: Address, sign: i64) -> Address {
        Address {
            segment: self.segment.or(other.segment),
            offset: self.offset.wrapping_add(other.offset.wrapping_mul(sign)),
            is_of_stack: self.is_of_stack || other.is_of_stack,
        }
    }
}

pub(super) fn value(node: &Node, scope: &mut dyn Scope) -> Result<Value, ExpressionError> {
    match node {
        Node::Number(number) => Ok(Value::number(*number)),
        Node::Register(register) => Ok(Value::of_bits(register.value(scope.registers()), register.bits())),
        Node::Flag(mask) => Ok(Value::of_bits(scope.registers().flag(*mask), 1)),
        Node::Fact(fact) => truth(fact, scope),
        Node::Name { name, .. } => {
            let fact = Fact::named(name);
            if let Some(holds) = fact.as_ref().and_then(|fact| scope.fact(fact)) {
                return Ok(Value::truth(holds));
            }
            match (named(node, scope), fact) {
                (Ok(Named::Constant(value)), _) => Ok(Value::number(value.into())),
                (Ok(Named::Number(value)), _) => Ok(Value::number(value)),
                (Err(_), Some(fact)) => Err(ExpressionError::Fact(fact)),
                (Ok(Named::Place(..)), _) | (Err(_), None) => load(node, Size::WORD, scope),
            }
        }
        Node::Memory(..) | Node::Index(..) => load(node, Size::WORD, scope),
        Node::Sized(size, inner) if is_memory(inner, scope) => load(inner, *size, scope),
        Node::Sized(size, inner) => Ok(value(inner, scope)?.cast(*size)),
        Node::Unary(Unary::Offset, inner) => Ok(Value::of_bits(memory(inner, scope)?.1, 16)),
        Node::Unary(Unary::Segment, inner) => Ok(Value::of_bits(memory(inner, scope)?.0, 16)),
        Node::Unary(operator, inner) => Ok(value(inner, scope)?.unary(*operator)),
        Node::Binary(operator, left, right) => {
            let left = value(left, scope)?;
            match operator {
                Binary::Both if !left.is_true() => Ok(Value::truth(false)),
                Binary::Either if left.is_true() => Ok(Value::truth(true)),
                _ => left.binary(*operator, value(right, scope)?),
            }
        }
    }
}

pub(super) fn place(node: &Node, scope: &mut dyn Scope, text: &str) -> Result<Place, ExpressionError> {
    let (size, inner) = match node {
        Node::Sized(size, inner) => (*size, &**inner),
        _ => (Size::WORD, node),
    };
    if !inner.is_place() || matches!(inner, Node::Name { .. }) && !is_memory(inner, scope) {
        // Reports an unknown name as such.
        check(inner, scope)?;
        return Err(ExpressionError::Place(text.to_owned()));
    }
    let (segment, offset) = memory(inner, scope)?;
    Ok(Place { segment, offset, bytes: (size.bits / 8) as u16 })
}

/// Returns an error for the first unknown name.
pub(super) fn check(node: &Node, scope: &mut dyn Scope) -> Result<(), ExpressionError> {
    let mut wrong = None;
    node.any(&mut |node| {
        let found = match node {
            Node::Name { name, digits: None, .. } => match Fact::named(name) {
                Some(fact) if named(node, scope).is_err() => truth(&fact, scope).err(),
                _ => named(node, scope).err(),
            },
            Node::Fact(fact) => truth(fact, scope).err(),
            _ => None,
        };
        wrong = found;
        wrong.is_some()
    });
    wrong.map_or(Ok(()), Err)
}

impl Fact {
    /// Returns the fact that is written as a name.
    fn named(name: &str) -> Option<Fact> {
        match name.to_ascii_lowercase().as_str() {
            "crash" => Some(Fact::Crash),
            "hang" => Some(Fact::Hang),
            _ => None,
        }
    }
}

fn truth(fact: &Fact, scope: &mut dyn Scope) -> Result<Value, ExpressionError> {
    scope.fact(fact).map(Value::truth).ok_or_else(|| ExpressionError::Fact(fact.clone()))
}

/// Returns the meaning of a name; for `record.field` the record's place plus the field's constant.
fn named(node: &Node, scope: &dyn Scope) -> Result<Named, ExpressionError> {
    let Node::Name { name, column, .. } = node else { return Ok(Named::Constant(0)) };
    let field = || {
        let (record, field) = name.rsplit_once('.')?;
        let distance = match scope.symbol(field) {
            Some(Named::Constant(distance)) => distance,
            _ => u16::try_from(super::words::number(field)?).ok()?,
        };
        match scope.symbol(record)? {
            Named::Place(segment, offset) => Some(Named::Place(segment, offset.wrapping_add(distance))),
            Named::Constant(value) => Some(Named::Constant(value.wrapping_add(distance))),
            Named::Number(_) => None,
        }
    };
    let unknown = || ExpressionError::Unknown { column: *column, name: name.clone() };
    scope.symbol(name).or_else(field).ok_or_else(unknown)
}

/// Whether an operand is a place in memory (not a constant).
fn is_memory(node: &Node, scope: &dyn Scope) -> bool {
    match node {
        Node::Name { .. } => !matches!(named(node, scope), Ok(Named::Constant(_) | Named::Number(_))),
        _ => node.is_memory(),
    }
}

fn address(node: &Node, scope: &mut dyn Scope) -> Result<Address, ExpressionError> {
    match node {
        Node::Name { digits, .. } => match (named(node, scope), digits) {
            (Ok(Named::Place(segment, offset)), _) => {
                Ok(Address { segment: Some(segment), ..Address::distance(offset.into()) })
            }
            (Ok(Named::Constant(value)), _) => Ok(Address::distance(value.into())),
            (Ok(Named::Number(value)), _) => Ok(Address::distance(value)),
            (Err(_), Some(digits)) => Ok(Address::distance((*digits).into())),
            (Err(error), None) => Err(error),
        },
        Node::Register(register) => {
            let offset = i64::from(register.value(scope.registers()));
            Ok(Address { is_of_stack: Register::is_of_stack(*register), ..Address::distance(offset) })
        }
        Node::Memory(segment, offset) => {
            let offset = address(offset, scope)?;
            Ok(match segment {
                Some(segment) => Address { segment: Some(value(segment, scope)?.get() as u16), ..offset },
                None => offset,
            })
        }
        Node::Index(a, b) | Node::Binary(Binary::Add, a, b) => {
            Ok(address(a, scope)?.plus(address(b, scope)?, 1))
        }
        Node::Binary(Binary::Subtract, a, b) => {
            let (a, b) = (address(a, scope)?, address(b, scope)?);
            // The difference of two places is a number.
            let segment = if b.segment.is_some() { None } else { a.segment };
            Ok(Address { segment, ..a.plus(Address { segment: None, ..b }, -1) })
        }
        _ => value(node, scope).map(|value| Address::distance(value.get())),
    }
}

/// Returns segment and offset of a place.
fn memory(node: &Node, scope: &mut dyn Scope) -> Result<(u16, u16), ExpressionError> {
    let node = if let Node::Sized(_, inner) = node { inner } else { node };
    let Address { segment, offset, is_of_stack } = address(node, scope)?;
    let registers = scope.registers();
    let default = if is_of_stack { registers.ss() } else { registers.ds() };
    Ok((segment.unwrap_or(default), offset as u16))
}

fn load(node: &Node, size: Size, scope: &mut dyn Scope) -> Result<Value, ExpressionError> {
    let (segment, offset) = memory(node, scope)?;
    let mut number = 0;
    for index in 0..(size.bits / 8) as u16 {
        let address = linear(segment, offset.wrapping_add(index));
        let byte = scope.read(address).ok_or(ExpressionError::Unreadable(address))?;
        number |= i64::from(byte) << (8 * index);
    }
    Ok(Value::number(number).cast(size))
}

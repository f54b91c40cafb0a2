//! The stub for hosts without a translator, or builds without it: the interpreter executes
//! everything.

use crate::bus::Bus;
use crate::decoded::Decoded;
use crate::mistake::TranslationMistake;
use crate::model::Model;
use crate::op::Flow;
use crate::state::Cpu;

/// Whether this host has a translator.
pub(super) const PRESENT: bool = false;

/// An entry point of translated code; uninhabited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry;

/// A translated block; uninhabited.
#[derive(Debug)]
pub(super) enum Code {}

impl Code {
    pub(super) fn entry(&self) -> Entry {
        match *self {}
    }

    pub(super) fn resume(&self, _to_come: usize) -> Option<Entry> {
        match *self {}
    }

    pub(super) fn operations_to_come(&self, _at: Entry) -> Option<usize> {
        match *self {}
    }

    pub(super) fn note_visit(&self, _from: u64, _cycles: u64) {
        match *self {}
    }

    pub(super) fn ignore_visit(&self, _cycles: u64) {
        match *self {}
    }

    pub(super) fn is_left_too_soon(&self) -> bool {
        match *self {}
    }

    pub(super) fn has_paid(&self) -> bool {
        match *self {}
    }

    pub(super) fn misses_too_often(&self, _number: usize, _cycles: u64) -> bool {
        match *self {}
    }

    pub(super) fn left_to_handlers(&self, _operations: usize) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }
}

/// The reason why a block is not translated.
#[expect(dead_code, reason = "nobody is there to refuse")]
#[derive(Debug)]
pub(super) enum Refusal {
    NotWorth,
    Full,
}

#[derive(Debug)]
pub(super) enum Translator {}

impl Translator {
    pub(super) fn new() -> Option<Self> {
        None
    }

    pub(super) fn clear(&mut self) {
        match *self {}
    }

    pub(super) fn take_mistakes(&mut self) -> Vec<TranslationMistake> {
        match *self {}
    }

    pub(super) fn translate<B: Bus>(
        &mut self,
        _model: Model,
        _place: (u32, u64),
        _decoded: &[Decoded<B>],
        _count: u32,
        _verifies: bool,
    ) -> Result<Code, Refusal> {
        match *self {}
    }

    pub(super) fn link(&self, _from: &Code, _exit: usize, _to: &Code) {
        match *self {}
    }

    pub(super) fn note_target(&self, _key: u64, _to: &Code) {
        match *self {}
    }

    pub(super) fn calls_too_often(&self) -> bool {
        match *self {}
    }

    pub(super) fn forget(&self, _key: u64, _code: &Code) {
        match *self {}
    }

    pub(super) fn enter<B: Bus>(&self, _cpu: &mut Cpu, _bus: &mut B, _at: Entry) -> Option<(u32, Flow)> {
        match *self {}
    }
}

//! The generated input of a test: what can be drawn, and the templates that it goes into.

use super::inputs::Inputs;
use super::template::Template;
use oxbox_machine::expression::Expression;

/// What the templates of a test make of a case.
#[derive(Debug, Clone, Default)]
pub(super) struct Templates {
    pub(super) args: Option<Template>,
    pub(super) keys: Option<Template>,
    pub(super) stdin: Option<Template>,
    pub(super) files: Vec<(String, Template)>,
    pub(super) exit: Option<Expression>,
    pub(super) output: Option<Template>,
    pub(super) output_has: Vec<Template>,
    pub(super) screen: Vec<Template>,
    pub(super) not: Vec<Template>,
    pub(super) expect_files: Vec<(String, Template)>,
}

/// The generated input of a test.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    pub(super) inputs: Inputs,
    pub(super) templates: Templates,
}

impl Generated {
    /// How many cases there are.
    pub fn cases(&self) -> u64 {
        self.inputs.count()
    }
}

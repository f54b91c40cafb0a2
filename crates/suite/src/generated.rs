//! The generated input of a test: the input variables, and the templates that use them.

use super::inputs::Inputs;
use super::template::Template;
use oxbox_machine::expression::Expression;

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
    /// Returns the number of cases.
    pub fn cases(&self) -> u64 {
        self.inputs.count()
    }
}

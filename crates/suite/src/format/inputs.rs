//! The keys `input`, `cases`, `seed`, `expect` and `partial` of a test.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::Reader;
use crate::drive;
use crate::generated::{Generated, Templates};
use crate::inputs::{Domain, Inputs};
use crate::model::{Partial, Test};
use crate::template::{Template, is_name};

/// The default number of cases.
const CASES: u64 = 200;

const MOST_CASES: u64 = 1_000_000;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExpect {
    exit: Option<Spanned<String>>,
    output: Option<Spanned<String>>,
    #[serde(default)]
    output_has: Vec<Spanned<String>>,
    #[serde(default)]
    screen: Vec<Spanned<String>>,
    #[serde(default)]
    not: Vec<Spanned<String>>,
    #[serde(default)]
    files: BTreeMap<String, Spanned<String>>,
}

/// The keys of a test that may be templates.
pub(super) struct RawInputs {
    pub(super) name: Spanned<String>,
    pub(super) input: BTreeMap<String, Spanned<String>>,
    pub(super) cases: Option<Spanned<u64>>,
    pub(super) seed: Option<u64>,
    pub(super) expect: Option<Spanned<RawExpect>>,
    pub(super) args: String,
    pub(super) keys: Option<Spanned<String>>,
    pub(super) stdin: Option<Spanned<String>>,
    pub(super) files: BTreeMap<String, Spanned<String>>,
}

impl Reader<'_> {
    /// Converts the generated input of a test.
    pub(super) fn generated(&mut self, raw: RawInputs) -> Generated {
        let cases = raw.cases.as_ref().map_or(CASES, |cases| *cases.get_ref());
        if let Some(span) = raw.cases.filter(|_| !(1..=MOST_CASES).contains(&cases)) {
            self.mistake(&span.span(), format!("cases must be 1 to {MOST_CASES}"));
        }
        let mut inputs =
            Inputs { domains: Vec::new(), cases: cases.clamp(1, MOST_CASES), seed: raw.seed.unwrap_or(1) };
        for (name, text) in raw.input {
            if !is_name(&name) {
                let what = format!(
                    "input {name}: it is not a name, or is a keyword of expressions; choose a different one"
                );
                self.mistake(&text.span(), what);
            }
            match Domain::parse(text.get_ref()) {
                Ok(domain) => inputs.domains.push((name, domain)),
                Err(why) => self.mistake(&text.span(), format!("input {name}: {why}")),
            }
        }
        if let (Some(keys), Some(_)) = (&raw.keys, &raw.stdin) {
            self.mistake(&keys.span(), "keys, script and stdin exclude each other");
        }
        let args = Spanned::new(raw.name.span(), raw.args);
        let mut templates = Templates {
            args: self.template(&args, &inputs),
            keys: raw.keys.and_then(|text| self.template(&text, &inputs)),
            stdin: raw.stdin.and_then(|text| self.template(&text, &inputs)),
            files: self.file_templates(raw.files, &inputs),
            ..Templates::default()
        };
        if let Some(expect) = raw.expect {
            let span = expect.span();
            let RawExpect { exit, output, output_has, screen, not, files } = expect.into_inner();
            let is_empty = exit.is_none() && output.is_none() && files.is_empty();
            if is_empty && output_has.is_empty() && screen.is_empty() && not.is_empty() {
                self.mistake(&span, "expect is empty: add output, output_has, screen, not, exit or files");
            }
            templates.exit = exit.and_then(|text| {
                let parsed = text.get_ref().parse();
                parsed.map_err(|error| self.mistake(&text.span(), format!("exit: {error}"))).ok()
            });
            templates.output = output.and_then(|text| self.template(&text, &inputs));
            let mut all = |texts: Vec<Spanned<String>>| {
                texts.iter().filter_map(|text| self.template(text, &inputs)).collect::<Vec<_>>()
            };
            (templates.output_has, templates.screen, templates.not) =
                (all(output_has), all(screen), all(not));
            templates.expect_files = self.file_templates(files, &inputs);
        }
        Generated { inputs, templates }
    }

    fn template(&mut self, text: &Spanned<String>, inputs: &Inputs) -> Option<Template> {
        Template::parse(text.get_ref(), inputs).map_err(|why| self.mistake(&text.span(), why)).ok()
    }

    fn file_templates(
        &mut self,
        raw: BTreeMap<String, Spanned<String>>,
        inputs: &Inputs,
    ) -> Vec<(String, Template)> {
        let mut files = Vec::new();
        for (name, text) in raw {
            match drive::dos_path(&name) {
                Ok(path) => files.extend(self.template(&text, inputs).map(|template| (path, template))),
                Err(why) => {
                    self.mistake(&text.span(), format!("{name:?} is not a file name on drive C:: {why}"));
                }
            }
        }
        files
    }

    /// Instantiates the first case of a test, to report mistakes before anything runs.
    pub(super) fn try_out(&mut self, test: &Test, name: &Spanned<String>) {
        let Some(generated) = &test.generated else { return };
        if !self.mistakes.is_empty() {
            return;
        }
        let case = generated.inputs.case(0);
        if let Err(why) = generated.test(test, &case) {
            self.mistake(&name.span(), format!("with {}: {why}", generated.inputs.told(&case)));
        }
    }

    /// Converts the rule for partial points.
    pub(super) fn partial(
        &mut self,
        raw: Option<Spanned<String>>,
        has_cases: bool,
        has_output: bool,
    ) -> Partial {
        let Some(raw) = raw else { return Partial::None };
        match raw.get_ref().as_str() {
            "cases" if has_cases => return Partial::Cases,
            "lines" if has_output => return Partial::Lines,
            "cases" => self.mistake(&raw.span(), "partial = \"cases\" needs a test with input"),
            "lines" => self.mistake(&raw.span(), "partial = \"lines\" needs output or same_as"),
            _ => self.mistake(&raw.span(), "partial must be \"cases\" or \"lines\""),
        }
        Partial::None
    }
}

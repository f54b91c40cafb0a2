//! Runs the cases of a test with generated input, and finds the smallest failing input.

use std::sync::OnceLock;

use super::job::Job;
use super::prepare::PreparedTest;
use crate::generated::Generated;
use crate::inputs::Case;
use crate::model::{Partial, SuiteError, ValidationError};
use crate::program::Program;
use crate::results::{Check, Failure, TestReport};
use oxbox_machine::machine::End;

/// The most runs to find a smaller failing input.
const MOST_TRIES: usize = 300;

/// The most cases of a test that may reach a limit: these cost as much as thousands of others.
const MOST_LIMITS: usize = 5;

impl Job<'_> {
    /// Runs the cases up to the first failure, or all if points are given by fraction.
    pub(super) fn run_cases(
        &self,
        program: &Program,
        generated: &Generated,
    ) -> Result<TestReport, SuiteError> {
        let test = self.test.test;
        let count = generated.cases();
        let (mut right, mut share, mut limits, mut tried) = (0, 0.0, 0, 0);
        let (mut ms, mut instructions) = (0, 0);
        let mut first: Option<(u64, Case, TestReport)> = None;
        let mut last = None;
        for number in 0..count {
            let case = generated.inputs.case(number);
            let report = self.run_case(program, generated, &case)?;
            tried += 1;
            (ms, instructions) = (ms + report.ms, instructions + report.instructions);
            share += report.share;
            if report.passed() {
                right += 1;
                last = Some(report);
                continue;
            }
            limits += usize::from(is_limit(&report));
            first.get_or_insert((number, case, report));
            if test.partial == Partial::None || limits == MOST_LIMITS {
                break;
            }
        }
        let Some((number, case, report)) = first else {
            let report = last.unwrap_or_else(|| self.blank());
            return Ok(TestReport { ms, instructions, ..report });
        };
        let (case, mut report) = self.shrink(program, generated, case, report, limits)?;
        let drawn = if generated.inputs.is_exhaustive() { "all" } else { "drawn" };
        let mut told = format!("{}: the smallest input that was found to fail", generated.inputs.told(&case));
        told += &match test.partial {
            Partial::None => format!(" (case {} of {count}, {drawn})", number + 1),
            _ => format!(" ({right} of {tried} cases are right)"),
        };
        if tried < count && test.partial != Partial::None {
            told += &format!("; after {limits} cases at the limit the other {} were not run", count - tried);
        }
        report.failures.insert(0, Failure::new(Check::Input, told));
        let share = match test.partial {
            Partial::None => 0.0,
            Partial::Cases => right as f64 / count as f64,
            Partial::Lines => share / count as f64,
        };
        Ok(TestReport { share, ms, instructions, ..report })
    }

    /// Tries smaller inputs as long as one of them fails, too.
    fn shrink(
        &self,
        program: &Program,
        generated: &Generated,
        mut case: Case,
        mut report: TestReport,
        mut limits: usize,
    ) -> Result<(Case, TestReport), SuiteError> {
        let mut tries = 0;
        'smaller: loop {
            for candidate in generated.inputs.smaller(&case) {
                if tries == MOST_TRIES || limits >= 2 * MOST_LIMITS {
                    break 'smaller;
                }
                tries += 1;
                let tried = self.run_case(program, generated, &candidate)?;
                limits += usize::from(is_limit(&tried));
                if !tried.passed() {
                    (case, report) = (candidate, tried);
                    continue 'smaller;
                }
            }
            break;
        }
        Ok((case, report))
    }

    fn run_case(
        &self,
        program: &Program,
        generated: &Generated,
        case: &Case,
    ) -> Result<TestReport, SuiteError> {
        let test = generated.test(self.test.test, case).map_err(|why| {
            let message = format!("with {}: {why}", generated.inputs.told(case));
            let file = self.one.suite.path.display().to_string();
            SuiteError::Broken(vec![ValidationError { file, line: Some(self.test.test.line), message }])
        })?;
        let model = self.test.model.clone();
        let prepared = PreparedTest { test: &test, golden: None, model, model_run: OnceLock::new() };
        Job { test: &prepared, ..*self }.run_once(program)
    }
}

fn is_limit(report: &TestReport) -> bool {
    matches!(report.end, Some(End::Limit(_)))
}

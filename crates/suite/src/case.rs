//! Instantiates a test with generated input for one case.

use super::bytes;
use super::generated::{Generated, Templates};
use super::inputs::Case;
use super::model::{Expectations, Input, Test};
use super::template::{Names, Template, value};
use oxbox_machine::machine::Script;

impl Generated {
    /// Creates the test of one case. Fails with a reason if the case does not fit the templates.
    pub(super) fn test(&self, test: &Test, case: &Case) -> Result<Test, String> {
        let names = Names { inputs: &self.inputs, case };
        let Templates { args, keys, stdin, files, exit, output, output_has, screen, not, expect_files } =
            &self.templates;
        let fill = |template: &Template| template.fill(&names);
        let all = |templates: &[Template]| templates.iter().map(fill).collect::<Result<Vec<_>, _>>();
        let bytes = |text: String| {
            bytes::from_text(&text).map_err(|letter| format!("{letter:?} is not in code page 437"))
        };
        let contents = |files: &[(String, Template)]| {
            let file = |(name, template): &(String, Template)| Ok((name.clone(), bytes(fill(template)?)?));
            files.iter().map(file).collect::<Result<Vec<_>, String>>()
        };
        let input = match (keys, stdin) {
            (Some(keys), _) => {
                let keys = keys.fill_by(&names, |text| as_keys(&text))?;
                let script = Script::from_keys(&keys).map_err(|error| format!("keys: {error}"))?;
                Input::Keys(keys, script)
            }
            (None, Some(stdin)) => Input::Stdin(bytes::with_carriage_returns(&bytes(fill(stdin)?)?)),
            (None, None) => Input::None,
        };
        let exit = exit.as_ref().map(|exit| {
            let code = value(exit, &names)?;
            u8::try_from(code).map_err(|_| format!("exit: {exit} is {code}; an exit code is 0 to 255"))
        });
        let expect = Expectations {
            exit: exit.transpose()?.or(test.expect.exit),
            output: match output {
                Some(output) => Some(bytes(fill(output)?)?),
                None => test.expect.output.clone(),
            },
            output_has: [test.expect.output_has.clone(), all(output_has)?].concat(),
            screen: [test.expect.screen.clone(), all(screen)?].concat(),
            not: [test.expect.not.clone(), all(not)?].concat(),
            files: [test.expect.files.clone(), contents(expect_files)?].concat(),
            ..test.expect.clone()
        };
        let numbers = self.inputs.domains.iter().flat_map(|(name, _)| {
            let named = [name.clone(), format!("{name}_length")];
            named.into_iter().filter_map(|name| Some((name.clone(), names.number(&name)?)))
        });
        Ok(Test {
            args: args.as_ref().map_or(Ok(test.args.clone()), fill)?,
            input,
            files: [test.files.clone(), contents(files)?].concat(),
            expect,
            numbers: numbers.collect(),
            generated: None,
            ..test.clone()
        })
    }
}

/// Converts a text to the form of `keys`: each character is a key.
fn as_keys(text: &str) -> String {
    let key = |letter: char| if letter == ' ' { "SP".to_owned() } else { letter.to_string() };
    text.chars().map(key).collect::<Vec<_>>().join(" ")
}

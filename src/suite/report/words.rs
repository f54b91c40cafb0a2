//! What the reports have in common: endings, points and reasons in words.

use crate::suite::{
    play::{At, End},
    results::{Failure, TestReport},
};

/// How a program ended and where it stood. How it came to a bad end, its failure says.
pub(super) fn ending(end: &End, at: Option<&At>) -> String {
    let place = at.map(|at| format!(" at {at}")).unwrap_or_default();
    match end {
        End::Exited(_) | End::Waiting => format!("it {end}{place}"),
        _ if at.is_some() => format!("it stood{place}"),
        _ => format!("it {end}"),
    }
}

/// Points without a needless fraction.
pub(super) fn points(points: f64) -> String {
    format!("{}", (points * 1000.0).round() / 1000.0)
}

/// Why a test failed, for people: reasons with their differences, where the program stood, its screen, how to repeat it.
pub(super) fn explanation(test: &TestReport) -> String {
    let mut text = String::new();
    for Failure { what, message, difference } in &test.failures {
        text += &format!("{what}: {message}\n");
        difference.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    if let Some(end) = &test.end {
        text += &format!("{}\n", ending(end, test.at.as_ref()));
        match &test.screen {
            Some(lines) if lines.is_empty() => text += "the screen is empty\n",
            Some(lines) => {
                text += "the screen:\n";
                lines.iter().for_each(|line| text += &format!("{}\n", format!("    | {line}").trim_end()));
            }
            None => text += "the screen is in a graphics mode\n",
        }
    }
    text + &format!("repeat: {}\n", test.command)
}

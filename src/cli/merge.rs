//! `oxbox merge`: joins the parts of a search into the report of one run.

use std::mem::{Discriminant, discriminant};

use oxbox::verify::{GameReport, ProofPart, Report};
use oxbox::walk::{MergeError, merge_comparisons, merge_explorations};

use super::arguments::Merge;
use super::failure::Failure;
use super::part_file::{PartFile, Proved};
use super::{explore, play, same, verify};

pub(super) fn run(options: &Merge) -> Result<u8, Failure> {
    let (mut explored, mut compared, mut proved) = (Vec::new(), Vec::new(), Vec::new());
    let mut first: Option<(String, Discriminant<PartFile>)> = None;
    for path in &options.parts {
        let name = path.display().to_string();
        let file = PartFile::read(path)?;
        let (first, kind) = first.get_or_insert_with(|| (name.clone(), discriminant(&file)));
        if *kind != discriminant(&file) {
            return Err(wrong(&MergeError::Foreign(first.clone(), name)));
        }
        match file {
            PartFile::Explore(asked, part) => explored.push((asked, (name, part))),
            PartFile::Same(programs, part) => compared.push((programs, (name, part))),
            PartFile::Verify(how, games) => proved.push((how, (name, games))),
        }
    }
    if !explored.is_empty() {
        let (heads, parts) = explored.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let exploration = merge_explorations(&parts).map_err(|error| wrong(&error))?;
        let mut asked = one_head(heads, &parts)?;
        asked.json |= options.json;
        explore::tell(&exploration, &asked)
    } else if !compared.is_empty() {
        let (heads, parts) = compared.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let comparison = merge_comparisons(&parts).map_err(|error| wrong(&error))?;
        let mut programs = one_head(heads, &parts)?;
        programs.json |= options.json;
        same::tell(&comparison, &programs)
    } else {
        let (heads, parts) = proved.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let report = Report { games: games(&parts)? };
        let Proved { brought, json } = one_head(heads, &parts)?;
        verify::tell(&report, brought.as_deref(), json || options.json, &options.divergences)
    }
}

/// Returns the reports of all games, in the order of the first part.
fn games(parts: &[(String, Vec<(String, ProofPart)>)]) -> Result<Vec<GameReport>, Failure> {
    let Some((first_name, first)) = parts.first() else { return Err(wrong(&MergeError::None)) };
    let mut reports = Vec::new();
    for (number, (game, _)) in first.iter().enumerate() {
        let mut of_game = Vec::new();
        for (name, games) in parts {
            let part = games.get(number).filter(|(other, _)| other == game && games.len() == first.len());
            let (_, part) =
                part.ok_or_else(|| wrong(&MergeError::Foreign(first_name.clone(), name.clone())))?;
            of_game.push((name.clone(), part.clone()));
        }
        let game = play::find(game)?;
        reports.push(game.merge(&of_game).map_err(|error| wrong(&error))?);
    }
    Ok(reports)
}

/// Returns the common header of all parts, which controls the report.
fn one_head<H: PartialEq, P>(heads: Vec<H>, parts: &[(String, P)]) -> Result<H, Failure> {
    let mut heads = heads.into_iter();
    let first = heads.next().ok_or_else(|| wrong(&MergeError::None))?;
    for (head, (name, _)) in heads.zip(parts.iter().skip(1)) {
        if head != first {
            return Err(wrong(&MergeError::Foreign(parts[0].0.clone(), name.clone())));
        }
    }
    Ok(first)
}

fn wrong(error: &MergeError) -> Failure {
    Failure::Usage(error.to_string())
}

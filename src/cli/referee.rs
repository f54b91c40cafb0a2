//! `oxbox referee`: checks any tic-tac-toe program against the rules.

use std::io::Write;
use std::path::Path;

use oxbox::engine::Mark;
use oxbox::referee::{Announcement, Meaning, RefereeOptions, Refereed, Ruling, Verdict, referee};
use oxbox::walk::{Bounds, Choices};
use serde_json::json;

use super::arguments::{Referee, Sameness, WalkOptions};
use super::failure::Failure;
use super::needs;
use super::sandbox::Needs;
use super::walk_options::{NO_ANSWER, WalkProgress};
use super::{outputs, pages};

/// MiB of memory, and of disk, for the states of a search.
const STATE_MEMORY: usize = 2048;
const STATE_DISK: u64 = 16384;

/// Checks a program and prints the report.
pub(super) fn run(options: &Referee) -> Result<u8, Failure> {
    outputs::check(&[options.out.as_deref()], &[&options.program])?;
    let walk = walk_options(options);
    let setup = walk.setup(&options.program)?;
    let how = RefereeOptions {
        keys: options.keys.as_deref().map(keys).transpose()?,
        board: options.board.as_deref().map(address).transpose()?,
        announces: options.announces.iter().map(|words| announcement(words)).collect::<Result<_, _>>()?,
        bounds: Bounds { states: Some(options.states), ..walk.bounds() },
        threads: walk.threads(),
    };
    let needs = Needs { outputs: options.out.iter().cloned().collect(), ..needs::of_walk(&walk, &[&setup]) };
    let _confined = options.sandbox.confine(&needs)?;
    let progress = WalkProgress::new();
    let judged = referee(&setup, &how, &|at| progress.show(at));
    progress.end();
    let cannot_start = |error: &dyn std::fmt::Display| {
        Failure::host(format!("cannot start {}", options.program.display()), error)
    };
    let mut judged = judged.map_err(|error| walk.failed(&error, cannot_start))?;
    if let Some(opening) = &options.opening {
        let shortest = judged.play.iter_mut().filter_map(|play| play.shortest.as_mut());
        let witnesses = judged.rules.iter_mut().filter_map(|ruling| ruling.keys.as_mut());
        shortest.chain(witnesses).for_each(|keys| *keys = format!("{opening} {keys}"));
    }
    if let Some(path) = &options.out {
        outputs::write(path, pages::referee::page(&options.program.display().to_string(), &judged))?;
    }
    let mut out = std::io::stdout().lock();
    if options.json {
        writeln!(out, "{:#}", as_json(&options.program, &judged))?;
    } else {
        write_report(&mut out, &options.program, &judged)?;
    }
    Ok(match (&judged.not_understood, judged.is_broken()) {
        (_, true) => 1,
        (Some(_), false) => NO_ANSWER,
        (None, false) => 0,
    })
}

fn walk_options(options: &Referee) -> WalkOptions {
    WalkOptions {
        choices: None,
        choices_file: None,
        keys: options.opening.clone(),
        depth: None,
        states: Some(options.states),
        state_memory: STATE_MEMORY,
        state_disk: STATE_DISK,
        instruction_limit: options.instruction_limit,
        same: Sameness::Program,
        clock: None,
        cpu: options.cpu,
        dir: options.dir.clone(),
        threads: options.threads,
        shard: None,
        out: None,
        observed_from: Vec::new(),
        assembler: options.assembler.clone(),
        sandbox: options.sandbox.clone(),
    }
}

fn keys(words: &str) -> Result<Choices, Failure> {
    let choices = match words.contains(", ") {
        true => Choices::from_lines(&words.replace(", ", "\n")),
        false => Choices::from_words(words),
    };
    choices.map_err(|error| Failure::Usage(format!("--keys: {error}")))
}

fn address(words: &str) -> Result<u32, Failure> {
    let number = |text: &str| u16::from_str_radix(text, 16).ok().map(u32::from);
    let parts = words.split_once(':').and_then(|(segment, offset)| Some((number(segment)?, number(offset)?)));
    let (segment, offset) = parts.ok_or_else(|| {
        Failure::Usage(format!("--board: cannot parse '{words}' as an address; use 1008:0017"))
    })?;
    Ok(segment * 16 + offset)
}

fn announcement(words: &str) -> Result<Announcement, Failure> {
    let meaning = |end: &str| match end {
        "x" => Some(Meaning::Win(Mark::X)),
        "o" => Some(Meaning::Win(Mark::O)),
        "row" => Some(Meaning::Row),
        "draw" => Some(Meaning::Draw),
        _ => None,
    };
    let parts = words.rsplit_once('=').and_then(|(text, end)| Some((text, meaning(end)?)));
    let (text, meaning) = parts.filter(|(text, _)| !text.is_empty()).ok_or_else(|| {
        Failure::Usage(format!(
            "--announces: cannot parse '{words}'; use TEXT=x, TEXT=o, TEXT=row or TEXT=draw"
        ))
    })?;
    Ok(Announcement { text: text.to_owned(), meaning })
}

pub(super) fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Win(Mark::X) => "a win of X",
        Meaning::Win(Mark::O) => "a win of O",
        Meaning::Row => "a win",
        Meaning::Draw => "a draw",
    }
}

/// Returns the sentence on how the computer plays.
pub(super) fn play(judged: &Refereed) -> Option<String> {
    let play = judged.play.as_ref()?;
    let [won, drawn, lost] = play.lines;
    let beaten = match &play.shortest {
        Some(keys) => format!("can be beaten, shortest: {keys}"),
        None => "was never beaten".to_owned(),
    };
    Some(format!(
        "the computer {beaten}; lines of play: {won} won by the user, {drawn} drawn, {lost} lost; of its replies {} give a win away and {} lose a draw",
        play.wins_missed, play.draws_lost
    ))
}

fn as_json(program: &Path, judged: &Refereed) -> serde_json::Value {
    let text_of = |wanted: fn(&Meaning) -> bool| {
        let texts: Vec<&str> = judged
            .announces
            .iter()
            .filter(|known| wanted(&known.meaning))
            .map(|known| known.text.as_str())
            .collect();
        texts.first().map(|text| (*text).to_owned())
    };
    let learned =
        |what: &str| judged.learned.iter().find(|(name, _)| *name == what).map(|(_, words)| words.clone());
    let rules: Vec<_> = judged
        .rules
        .iter()
        .map(|ruling| {
            let Ruling { rule, verdict, keys, why, screen, screen_before, .. } = ruling;
            json!({ "rule": rule, "verdict": verdict.name(), "keys": keys, "why": why, "screen": screen, "screen_before": screen_before })
        })
        .collect();
    let play = judged.play.as_ref().map(|play| {
        let [won, drawn, lost] = play.lines;
        json!({
            "beatable": play.shortest.is_some(),
            "lines": won + drawn + lost,
            "won": won,
            "drawn": drawn,
            "lost": lost,
            "shortest": play.shortest,
            "wins_missed": play.wins_missed,
            "draws_lost": play.draws_lost,
        })
    });
    json!({
        "program": program.display().to_string(),
        "not_understood": judged.not_understood,
        "learned": {
            "keys": learned("keys"),
            "board": { "where": learned("board"), "cells": judged.cells },
            "players": judged.players,
            "announces": {
                "x": text_of(|meaning| matches!(meaning, Meaning::Win(Mark::X))),
                "o": text_of(|meaning| matches!(meaning, Meaning::Win(Mark::O))),
                "row": text_of(|meaning| matches!(meaning, Meaning::Row)),
                "draw": text_of(|meaning| matches!(meaning, Meaning::Draw)),
            },
        },
        "rules": rules,
        "play": play,
        "states": judged.stats.states,
        "complete": judged.stats.complete,
        "exact": judged.stats.exact,
    })
}

fn write_report(out: &mut impl Write, program: &Path, judged: &Refereed) -> std::io::Result<()> {
    for (name, words) in &judged.learned {
        writeln!(out, "{name}: {words}")?;
    }
    for known in &judged.announces {
        writeln!(out, "announces {}: \"{}\"", meaning(known.meaning), known.text)?;
    }
    if let Some(why) = &judged.not_understood {
        writeln!(out, "not understood: {why}")?;
        if !judged.is_broken() {
            return Ok(());
        }
    }
    let stats = &judged.stats;
    let how = if stats.complete {
        "everything that these keys can reach"
    } else {
        "incomplete: the search ended at --states"
    };
    writeln!(out, "searched: {} states, {} choices, {how}\n", stats.states, stats.choices_tried)?;
    for ruling in &judged.rules {
        let Ruling { rule, verdict, keys, why, screen, .. } = ruling;
        writeln!(out, "{:<8} {rule}", verdict.name())?;
        writeln!(out, "         {why}")?;
        if let (Verdict::Broken, Some(keys)) = (verdict, keys) {
            writeln!(out, "         keys: {keys}")?;
            writeln!(out, "         see it: oxbox run \"{}\" --keys \"{keys}\"", program.display())?;
            screen.iter().try_for_each(|line| writeln!(out, "         | {line}"))?;
        }
    }
    if let Some(words) = play(judged) {
        writeln!(out, "\n{words}")?;
    }
    Ok(())
}

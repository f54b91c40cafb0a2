//! `oxbox verify`: compares the emulated games with their native twins, over every line of play.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use oxbox::games::{GAMES, Game};
use oxbox::verify::{Divergence, GameReport, KeyClass, ProofPart, Report, Scope};
use oxbox::walk::{Shard, WalkError};

use super::arguments::Verify;
use super::evidence;
use super::failure::Failure;
use super::pages::{
    self,
    verify::{Verified, compared, in_a_row},
};
use super::part_file::{PartFile, Proved};
use super::walk_options::{NO_ANSWER, WalkProgress};
use super::{guest, needs, outputs};
use super::{play, publish};

/// The number of divergences per game that are shown in full.
const SHOWN: usize = 3;

/// Searches the games and prints the results. A divergence is a failure.
pub(super) fn run(options: &Verify) -> Result<u8, Failure> {
    outputs::check(
        &[options.out.as_deref(), options.html.as_deref()],
        &options.program.iter().map(PathBuf::as_path).collect::<Vec<_>>(),
    )?;
    let games = match options.games.as_slice() {
        [] => GAMES.iter().collect(),
        names => names.iter().map(|name| play::find(name)).collect::<Result<Vec<_>, _>>()?,
    };
    let scope = match options {
        Verify { every_key: true, .. } => Scope::Keys,
        Verify { starts: true, .. } => Scope::Starts,
        Verify { quick: true, .. } => Scope::Alphabet,
        _ => Scope::Sample,
    };
    let brought = options.program.as_deref().map(|path| read(path, &games)).transpose()?;
    let _confined = options.sandbox.confine(&needs::of_verify(options))?;
    let programs = games.iter().map(|&game| match &brought {
        Some((program, file)) => (game, program.as_slice(), file.as_str()),
        None => (game, game.program, game.file),
    });
    if let (Some(shard), Some(out)) = (options.shard, &options.out) {
        let mut parts = Vec::new();
        for (game, program, file) in programs {
            parts.push((game.name.to_owned(), walk_part(game, program, file, scope, shard)?));
        }
        let how = Proved { brought: options.program.clone(), json: options.json };
        return PartFile::Verify(how, parts).write(out);
    }
    let mut report = Report::default();
    for (game, program, file) in programs.clone() {
        report.games.push(walk(game, program, file, scope)?);
    }
    if let Some(path) = &options.html {
        let mut verified = Vec::new();
        for ((game, program, file), report) in programs.zip(&report.games) {
            let tree = game.tree(program, file).map_err(|error| cannot_verify(file, error))?;
            let command = command(game.name, options.program.as_deref());
            let published = if brought.is_some() { publish::name_of(file) } else { game.name.to_owned() };
            verified.push(Verified { game, command, report, tree, published });
        }
        outputs::write(path, pages::verify::page(&verified, options.live.as_ref())?)?;
    }
    tell(&report, options.program.as_deref(), options.json, &options.divergences)
}

/// Prints the results, and writes the evidence of divergences. A divergence is a failure.
pub(super) fn tell(
    report: &Report,
    brought: Option<&Path>,
    json: bool,
    folder: &Path,
) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string_pretty(report).map_err(|error| Failure::Host(error.to_string()))?;
        writeln!(out, "{text}")?;
    } else {
        write_report(&mut out, report, brought)?;
    }
    for game in &report.games {
        for (number, divergence) in game.diverging.iter().take(SHOWN).enumerate() {
            let name = format!("{}-{}", game.game, number + 1);
            match evidence::write(folder, &name, &command(&game.game, brought), divergence) {
                Ok(files) => {
                    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
                    super::say(format!("{name}: {}", files.join(" ")));
                }
                // The result has been printed; only the evidence is missing.
                Err(failure) => super::say(failure),
            }
        }
    }
    if !report.agrees() {
        return Err(Failure::Divergence);
    }
    let cut: Vec<&str> =
        report.games.iter().filter(|game| !game.complete).map(|game| game.game.as_str()).collect();
    if cut.is_empty() {
        return Ok(0);
    }
    super::say(format!(
        "no proof of {}: a limit ended the search, see what the statement leaves open",
        cut.join(", ")
    ));
    Ok(NO_ANSWER)
}

/// Returns the command that plays the program.
fn command(game: &str, brought: Option<&Path>) -> String {
    brought.map_or(format!("play {game}"), |path| format!("run {}", path.display()))
}

/// Reads the program that is compared with the twin instead of ours.
fn read(path: &Path, games: &[&Game]) -> Result<(Vec<u8>, String), Failure> {
    if games.len() != 1 {
        return Err(Failure::Usage("--program is compared with one game: name only one".to_owned()));
    }
    let program = guest::read_program(path)?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((program, file))
}

/// Verifies one game, with its progress on stderr.
fn walk(game: &Game, program: &[u8], file: &str, scope: Scope) -> Result<GameReport, Failure> {
    with_progress(game, file, |progress| game.verify_within(program, file, scope, |at| progress.show(at)))
}

fn walk_part(
    game: &Game,
    program: &[u8],
    file: &str,
    scope: Scope,
    shard: Shard,
) -> Result<ProofPart, Failure> {
    with_progress(game, file, |progress| {
        game.verify_part(program, file, scope, shard, |at| progress.show(at))
    })
}

fn with_progress<R>(
    game: &Game,
    file: &str,
    walk: impl FnOnce(&WalkProgress) -> Result<R, WalkError>,
) -> Result<R, Failure> {
    let progress = WalkProgress::of(game.name);
    let walked = walk(&progress);
    progress.end();
    walked.map_err(|error| cannot_verify(file, error))
}

fn cannot_verify(file: &str, error: impl Display) -> Failure {
    Failure::host(format!("cannot verify {file}"), error)
}

/// Writes the table of all games, details of each, and the divergences with replay scripts.
fn write_report(out: &mut impl Write, report: &Report, brought: Option<&Path>) -> Result<(), Failure> {
    write_table(out, &report.games)?;
    for game in &report.games {
        for (name, lines) in &game.outcomes {
            writeln!(out, "{}: {name} {lines}", game.game)?;
        }
        for (name, figure) in &game.figures {
            writeln!(out, "{}: {name} {}", game.game, figure.value())?;
        }
        for (who, begun) in &game.begins {
            writeln!(out, "{}: begins {who} {}", game.game, begun.lines)?;
        }
        if let Some(keys) = &game.worst_keys {
            writeln!(out, "{}: worst_keys {keys}", game.game)?;
        }
        for keys in &game.user_wins {
            writeln!(out, "{}: the user wins with {keys}", game.game)?;
        }
        write_statement(out, game)?;
        for divergence in game.diverging.iter().take(SHOWN) {
            write_divergence(out, &game.game, &command(&game.game, brought), divergence)?;
        }
    }
    Ok(())
}

fn write_table(out: &mut impl Write, games: &[GameReport]) -> std::io::Result<()> {
    write_head(out)?;
    games.iter().try_for_each(|game| write_row(out, game))
}

fn write_head(out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "{:<10}{:>8}{:>10}{:>14}{:>14}{:>16}",
        "game", "lines", "prompts", "refused keys", "divergences", "instructions"
    )
}

fn write_row(out: &mut impl Write, game: &GameReport) -> std::io::Result<()> {
    let GameReport { lines, prompts, refused_keys, divergences, instructions, .. } = game;
    writeln!(
        out,
        "{:<10}{lines:>8}{prompts:>10}{refused_keys:>14}{divergences:>14}{instructions:>16}",
        game.game
    )
}

/// Writes the scope of the proof in short; JSON and HTML contain all of it.
fn write_statement(out: &mut impl Write, game: &GameReport) -> std::io::Result<()> {
    let covers = &game.covers;
    let name = &game.game;
    let keys: Vec<String> = covers
        .keys
        .iter()
        .map(|KeyClass { class, effect, .. }| format!("{} ({effect})", shortened(class)))
        .collect();
    writeln!(out, "{name}: covers keys: {}", keys.join("; "))?;
    writeln!(
        out,
        "{name}: covers type-ahead: {}; games in a row: {}",
        covers.typed_ahead,
        in_a_row(covers.games)
    )?;
    writeln!(out, "{name}: compares {}", compared(covers).join(", "))?;
    let starts: Vec<String> =
        covers.starts.iter().map(|(condition, value)| format!("{condition}: {value}")).collect();
    writeln!(out, "{name}: starts from {}", starts.join("; "))?;
    let open: Vec<&str> = covers.allowed.iter().chain(&covers.not).map(|open| open.what.as_str()).collect();
    writeln!(out, "{name}: leaves open {}", open.join("; "))
}

/// Returns names of keys; of many only the first.
fn shortened(keys: &str) -> String {
    const MOST: usize = 16;
    let names: Vec<&str> = keys.split(' ').collect();
    match names.len().checked_sub(MOST) {
        None | Some(0) => keys.to_owned(),
        Some(more) => format!("{} and {more} more", names[..MOST].join(" ")),
    }
}

fn write_divergence(
    out: &mut impl Write,
    game: &str,
    program: &str,
    divergence: &Divergence,
) -> std::io::Result<()> {
    writeln!(out, "\n{game}: {}", divergence.what)?;
    writeln!(out, "play it again: oxbox {program} --window --keys \"{}\"", divergence.keys)?;
    writeln!(out, "expected:")?;
    divergence.expected.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
    writeln!(out, "found:")?;
    divergence.found.iter().try_for_each(|line| writeln!(out, "    {line}"))
}

/// Writes the demonstration of `oxbox` without a screen: a row per game, as soon as proved.
pub(super) fn show_all(out: &mut impl Write) -> Result<(), Failure> {
    write_head(out)?;
    for game in GAMES {
        let report = walk(game, game.program, game.file, Scope::Sample)?;
        write_row(out, &report)?;
    }
    Ok(())
}

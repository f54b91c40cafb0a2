//! A sixth game outside of the library: one module, one row, its assembly. Shared code is
//! unchanged.

#![cfg(feature = "assembler")]

mod mirror;

use mirror::{MIRROR, Mirror};
use oxbox::engine::arena::{Participant, Seat, play_all};
use oxbox::engine::{Mark, Outcome, census};
use oxbox::toolchain::{BuildRequest, build};

const SOURCE: &str = include_str!("mirror.asm");

fn built(source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder for the source");
    let path = folder.path().join(MIRROR.sources[0]);
    std::fs::write(&path, source).expect("write the source");
    let request = BuildRequest { inputs: vec![path], ..oxbox::built_in::build_request() };
    build(&request).unwrap_or_else(|error| panic!("{error}")).bytes
}

#[test]
fn it_is_proved() {
    let report = MIRROR.verify(&built(SOURCE), MIRROR.file, |_| {}).expect("a program that starts");
    assert_eq!(report.diverging.first().map(|divergence| &divergence.what), None);
    let census = census(&Mirror::default());
    assert_eq!((report.game.as_str(), report.divergences), ("mirror", 0));
    assert_eq!((report.lines, MIRROR.lines()), (census.ends.len(), census.ends.len()));
    for (label, outcome) in
        [("user", Outcome::Win(Mark::X)), ("computer", Outcome::Win(Mark::O)), ("draw", Outcome::Draw)]
    {
        let lines = report.outcomes.get(label).copied().unwrap_or_default();
        assert_eq!(lines, census.count(outcome), "{label}");
    }
}

/// A mistake in the program is found at the first line of play that shows it.
#[test]
fn a_mistake_is_found() {
    let cases = [
        (
            "a row that is not seen",
            "049h, 092h",
            "04Bh, 092h",
            "0 3 6",
            "line 2 is \"0-8 3-5 6-2\", not \"0-8 3-5 6\"",
        ),
        (
            "an answer that is not opposite",
            "add     cl, 8",
            "add     cl, 7",
            "0",
            "line 2 is \"0-7\", not \"0-8\"",
        ),
        ("another text", "'A draw.'", "'Draw.'", "0 1 4 5 6", "line 3 is \"Draw.\", not \"A draw.\""),
        (
            "a key that is taken for a cell",
            "cmp     al, 8",
            "cmp     al, 9",
            "9",
            "line 2 is \"9-/\", not \"\"",
        ),
        (
            "a program that goes on",
            "je      yes\n        clc",
            "clc",
            "0 1 4 5 6",
            "the program waits for a key; the twin has ended",
        ),
    ];
    for (name, right, wrong, keys, what) in cases {
        assert_eq!(SOURCE.matches(right).count(), 1, "{name}");
        let program = built(&SOURCE.replace(right, wrong));
        let report = MIRROR.verify(&program, MIRROR.file, |_| {}).expect("a program that starts");
        let first = report.diverging.first().unwrap_or_else(|| panic!("{name}: not found"));
        assert_eq!((first.keys.as_str(), first.what.as_str()), (keys, what), "{name}");
    }
}

#[test]
fn it_enters_the_arena() {
    let people = Participant { name: "people", opens: Seat::People, answers: Seat::Vacant };
    let table = play_all(&[people, MIRROR.entrant()]);
    let played: Vec<_> =
        table.matches.iter().filter_map(|one| one.score.map(|score| (one.first, score))).collect();
    let census = census(&Mirror::default());
    let [("people", score)] = played[..] else { panic!("{played:?}") };
    assert_eq!(score.lines(), census.ends.len());
    assert_eq!(
        (score.wins, score.losses),
        (census.count(Outcome::Win(Mark::X)), census.count(Outcome::Win(Mark::O)))
    );
}

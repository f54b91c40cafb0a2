//! Searches in parts: the merged work of several processes equals that of one, byte for byte;
//! incomplete sets are reported.

use super::{assembled, observed};
use assert_cmd::Command;
use oxbox::games;
use oxbox::walk::{
    Bounds, Choices, Compare, Exploration, ExploreOptions, MergeError, Part, Predicate, SameOptions, Setup,
    Shard, explore, explore_part, merge_comparisons, merge_explorations, same, same_part,
};
use std::path::Path;
use std::process::Output;

/// Eight switches, each with a key; Q ends with them as code. `extra` runs before each key is read,
/// with the switches in BX.
pub(super) fn switches(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  xor bx, bx
again:  mov ah, 2
        mov dl, 13
        int 21h
        mov cx, 7
show:   mov dx, bx
        shr dx, cl
        and dl, 1
        add dl, '0'
        int 21h
        dec cx
        jns show
        {extra}
        mov ah, 8
        int 21h
        cmp al, 'q'
        je leave_it
        sub al, 'a'
        mov cl, al
        mov ax, 1
        shl ax, cl
        xor bx, ax
        jmp again
leave_it:
        mov al, bl
        mov ah, 4Ch
        int 21h
        end start
"
    )
}

/// Keeps the keys: six of the keys 0 to 2, as a number of base 3.
fn ways(extra: &str) -> String {
    format!(
        "        .model tiny
        .386
        .code
        org 100h
start:  mov bx, 1
again:  {extra}
        mov ah, 8
        int 21h
        cmp bx, 729
        jae again
        sub al, '0'
        cbw
        imul bx, bx, 3
        add bx, ax
        jmp again
        end start
"
    )
}

fn choices(words: &str) -> Choices {
    Choices::from_words(words).expect("choices")
}

fn shards(of: usize) -> impl Iterator<Item = Shard> {
    // In another order, which must not matter.
    (1..=of).rev().map(move |number| format!("{number}/{of}").parse().expect("a part"))
}

/// Returns the part after writing it to a file and reading it.
fn through_file<N: serde::Serialize + serde::de::DeserializeOwned>(part: &Part<N>) -> Part<N> {
    oxbox::walk::packed::unpack(&oxbox::walk::packed::pack(part)).expect("a whole file")
}

fn in_parts(
    setup: &Setup,
    words: &str,
    options: &ExploreOptions,
    of: usize,
) -> Result<Exploration, MergeError> {
    let parts: Vec<_> = shards(of)
        .map(|shard| {
            let part = explore_part(setup, &choices(words), options, shard, &|_| {}).expect("it starts");
            (format!("part {shard}"), through_file(&part))
        })
        .collect();
    merge_explorations(&parts)
}

#[test]
fn parts_of_an_exploration_are_the_whole() {
    let crash = "cmp bx, 5Ah\n jne fine\n db 0Fh, 0Bh\nfine:";
    let setup = assembled(&switches(crash));
    let bounds = |depth, states| Bounds { depth, states, ..Bounds::default() };
    let text = |text: &str| Predicate::Text(text.to_owned());
    let find = |find| ExploreOptions { find, ..ExploreOptions::default() };
    let find_all = |find_all| ExploreOptions { find_all, ..ExploreOptions::default() };
    let within = |bounds| ExploreOptions { bounds, ..find_all(vec![text("1111")]) };
    let rows = [
        ("everything", ExploreOptions::default()),
        ("the shortest keys", find(vec![Predicate::Crash, text("01111100"), Predicate::Exit(0x55)])),
        ("what cannot be reached", find(vec![text("2")])),
        ("every state", find_all(vec![text("1111"), Predicate::Output("00101000".into())])),
        ("some and every", ExploreOptions { find: vec![Predicate::Crash], ..find_all(vec![text("111111")]) }),
        ("a bound in the top", within(bounds(Some(2), None))),
        ("a bound below", within(bounds(Some(5), None))),
        ("few states", within(bounds(None, Some(30)))),
        ("more states", within(bounds(None, Some(150)))),
        ("both bounds", within(bounds(Some(6), Some(200)))),
    ];
    for (name, options) in rows {
        let whole = explore(&setup, &choices("a-h q"), &options, &|_| {}).expect("it starts");
        for of in [2, 4] {
            assert_eq!(in_parts(&setup, "a-h q", &options, of).as_ref(), Ok(&whole), "{name}, {of} parts");
        }
    }
}

#[test]
fn parts_of_a_comparison_are_the_whole() {
    let original = assembled(&switches(""));
    let rows = [
        ("itself", "", Compare::Text),
        ("a mistake far down", "cmp bx, 0B7h\n jne fine\n mov bx, 0B6h\nfine:", Compare::Text),
        (
            "a mistake in what is printed",
            "cmp bx, 37h\n jne fine\n mov ah, 2\n int 21h\nfine:",
            Compare::Output,
        ),
    ];
    for (name, extra, compare) in rows {
        let other = assembled(&switches(extra));
        let (words, options) = (choices("a-h q"), SameOptions { compare, ..SameOptions::default() });
        let whole = same(&original, &other, &words, &options, &|_| {}).expect("they start");
        assert_eq!(whole.difference.is_none(), extra.is_empty(), "{name}");
        for of in [2, 4] {
            let parts: Vec<_> = shards(of)
                .map(|shard| {
                    let part = same_part(&original, &other, &words, &options, shard, &|_| {});
                    (format!("part {shard}"), through_file(&part.expect("they start")))
                })
                .collect();
            assert_eq!(merge_comparisons(&parts).as_ref(), Ok(&whole), "{name}, {of} parts");
        }
    }
}

#[test]
fn what_one_part_alone_has_looked_at_is_kept_by_all() {
    let setup = assembled(&ways("cmp bx, 400\n jne fine\n mov ah, 0\n int 1Ah\nfine:"));
    let bounds = Bounds { depth: Some(6), ..Bounds::default() };
    let options = ExploreOptions { bounds, ..ExploreOptions::default() };
    let words = choices("0-2");
    let whole = explore(&setup, &words, &options, &|_| {}).expect("it starts");
    assert_eq!(observed(&whole.stats), ["ticks"]);
    let done = |options: &ExploreOptions| -> Vec<_> {
        let part = |shard| explore_part(&setup, &words, options, shard, &|_| {}).expect("it starts");
        shards(3).map(|shard| (format!("p{}", shard.number()), part(shard))).collect()
    };
    let parts = done(&options);
    let expected =
        MergeError::Kept("3/3, 1/3".to_owned(), "p3 --observed-from p2 --observed-from p1".to_owned());
    assert_eq!(merge_explorations(&parts), Err(expected));
    let mut keep = oxbox::machine::ReadSet::default();
    parts.iter().for_each(|(_, part)| {
        keep.extend(part.kept());
    });
    let parts = done(&ExploreOptions { keep, ..options });
    assert_eq!(merge_explorations(&parts), Ok(whole));
}

/// Returns TTT1 with a row that it does not win.
fn wrong_ttt1() -> Vec<u8> {
    let mut program = games::find("ttt1").expect("a game in the box").program.to_vec();
    let pattern = [0x06, 0x00, 0x06, 0x00, 0x01];
    let at = program.windows(5).position(|bytes| bytes == pattern).expect("the first pattern");
    program[at + 4] = 0;
    program
}

/// Returns the command's output on both streams, and its exit code.
fn oxbox(folder: &Path, line: &str) -> Output {
    let mut command = Command::cargo_bin("oxbox").expect("the command");
    command.args(line.split(' ')).current_dir(folder).env("NO_COLOR", "1").output().expect("it runs")
}

/// Returns a report without the number of executed instructions, which is larger for parts, since
/// each begins at the start.
fn without_instructions(report: &[u8]) -> String {
    let report = String::from_utf8_lossy(report);
    let lines = report.lines().filter(|line| !line.contains("\"instructions\""));
    let shorter = lines.map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [name, lines, prompts, refused, divergences, _] if games::find(name).is_some() => {
            [name, lines, prompts, refused, divergences].join(" ")
        }
        _ => line.to_owned(),
    });
    shorter.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_command_merges_what_belongs_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("p.asm", &switches(""));
    write("mutant.asm", &switches("cmp bx, 0B7h\n jne fine\n mov bx, 0B6h\nfine:"));
    write("no.part", "something else");
    std::fs::write(folder.join("wrong.exe"), wrong_ttt1()).expect("a file");
    let walks = [
        ("e", "explore p.asm --choices a-h --find text:01101100 --find-all text:1111111 --never text:2"),
        ("j", "explore p.asm --choices a-h --json"),
        ("s", "same p.asm mutant.asm --choices a-h"),
        ("v", "verify ttt1 oxo"),
        ("w", "verify ttt1 --program wrong.exe --json"),
    ];
    for (name, walk) in walks {
        let whole = oxbox(folder, walk);
        for number in 1..=3 {
            let done = oxbox(folder, &format!("{walk} --shard {number}/3 --out {name}{number}"));
            assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
            assert!(done.stdout.is_empty());
        }
        let merged = oxbox(folder, &format!("merge {name}2 {name}3 {name}1"));
        assert_eq!(without_instructions(&merged.stdout), without_instructions(&whole.stdout), "{walk}");
        assert_eq!(merged.status, whole.status, "{walk}");
    }
    let mut cut = std::fs::read(folder.join("e1")).expect("a part");
    cut.pop();
    std::fs::write(folder.join("cut.part"), cut).expect("a file");
    oxbox(folder, "explore p.asm --choices a-h --shard 1/2 --out half");
    let rows = [
        ("merge e1 e3", 2, "missing: part 2/3"),
        ("merge e1 e2 e3 e2", 2, "e2 and e2 are both part 2/3: leave one of them out"),
        ("merge e1 e2 j3", 2, "e1 and j3 are parts of different searches"),
        ("merge e1 s2 e3", 2, "e1 and s2 are parts of different searches"),
        ("merge v1 v2 w3", 2, "v1 and w3 are parts of different searches"),
        ("merge v1 v3", 2, "missing: part 2/3"),
        (
            "explore p.asm --choices a --shard 1/2 --out x --observed-from v1",
            2,
            "parts of verify have no observations",
        ),
        ("merge j1 half", 2, "j1 is part 1/3, but half is part 1/2: use the same number of parts"),
        ("merge no.part", 125, "cannot read no.part: it is not a part of a search"),
        ("merge cut.part", 125, "cannot read cut.part: it is damaged"),
        ("merge none", 125, "cannot read none: "),
        ("explore p.asm --choices a --shard 1/2 --out x --same screen", 2, "leave out --same"),
        ("explore p.asm --choices a --shard 3/2 --out x", 2, "'3/2' is not a part: I/N"),
        ("explore p.asm --choices a --shard 1/2", 2, "--out"),
    ];
    for (line, code, expected) in rows {
        let output = oxbox(folder, line);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(code) && told.contains(expected), "{line}: {told}");
        assert_eq!(told.trim_end().lines().count(), 1, "{line}: {told}");
    }
}

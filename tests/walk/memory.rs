//! Walks whose states do not wait as they are, but packed: what is found is the same.

use super::{PORTS, assembled, explored, parts::switches, summary, toggles};
use oxbox::machine::Snapshot;
use oxbox::walk::{
    Bounds, Choices, Compare, ExploreOptions, Predicate, SameOptions, Setup, Walked, choices, explore, same,
};

/// So little that next to no state waits as it is, and enough for all of them packed.
const LITTLE: Bounds = Bounds { depth: None, states: None, memory: Some(1 << 20) };

#[test]
fn packed_states_are_the_same_states() {
    let reads_clock = switches("mov ah, 0\n int 1Ah");
    let rows = [
        ("switches", switches(""), "a-h q"),
        ("the clock", reads_clock, "a-c q"),
        ("the keyboard's port", PORTS.to_owned(), "a b q"),
        (
            "graphics",
            toggles(
                "mov ax, 0C05h\n mov cx, bx\n int 10h\n cmp bp, 1234h\n je there\n mov bp, 1234h\n mov ax, 13h\n int 10h\nthere:",
            ),
            "a b q",
        ),
    ];
    for (name, source, words) in rows {
        let setup = Setup { instruction_limit: 10_000_000, ..assembled(&source) };
        let depth = Some(4);
        let find_all = vec![Predicate::Text("11".into()), Predicate::Output("1".into())];
        let with = |memory, threads| {
            let bounds = Bounds { depth, memory, ..Bounds::default() };
            let options =
                ExploreOptions { bounds, threads, find_all: find_all.clone(), ..ExploreOptions::default() };
            explored(&setup, words, &options)
        };
        let whole = with(None, 1);
        assert!(whole.extent.states > 4, "{name}: {}", summary(&whole));
        for threads in [1, 3] {
            assert_eq!(with(LITTLE.memory, threads), whole, "{name}");
        }
    }
    let lines = Choices::from_lines("1 ENTER\n2 ENTER").expect("choices");
    let line_input = assembled(super::LINES);
    let with = |bounds| {
        let options = ExploreOptions { bounds, ..ExploreOptions::default() };
        explore(&line_input, &lines, &options, &|_| {}).expect("it starts")
    };
    assert_eq!(with(LITTLE), with(Bounds::default()), "lines");
}

#[test]
fn packed_pairs_are_the_same_pairs() {
    let original = assembled(&switches(""));
    for extra in ["", "cmp bx, 0B7h\n jne fine\n mov bx, 0B6h\nfine:"] {
        let other = assembled(&switches(extra));
        let words = Choices::from_words("a-h q").expect("choices");
        let with = |bounds| {
            let options = SameOptions { compare: Compare::Text, bounds, ..SameOptions::default() };
            same(&original, &other, &words, &options, &|_| {}).expect("they start")
        };
        assert_eq!(with(LITTLE), with(Bounds::default()));
    }
}

#[test]
fn a_packed_snapshot_is_small_and_comes_back() {
    let game = oxbox::games::find("oxo").expect("a game in the box");
    let mut walked = Walked::start(&Setup::new(game.program.to_vec(), game.file)).expect("it starts");
    let first = walked.save();
    walked.play(&choices::acts("1 3").expect("keys"));
    let (saved, text) = (walked.save(), walked.machine().text().map(|text| text.to_string()));
    let packed = saved.packed(&first).expect("a wait can be packed");
    assert!(packed.len() * 8 < saved.bytes_beyond(&first), "{} bytes", packed.len());
    walked.restore(&first);
    walked.restore(&oxbox::walk::program::Saved::unpacked(&packed, &first).expect("what was packed"));
    assert_eq!(walked.machine().text().map(|text| text.to_string()), text);
    let again = walked.save().packed(&first).expect("a wait can be packed");
    assert_eq!(again, packed);
    for len in [0, 1, 2, packed.len() / 2, packed.len() - 1] {
        let cut = oxbox::walk::program::Saved::unpacked(&packed[..len], &first);
        assert!(cut.is_err(), "{len} bytes of it");
    }
    assert!(Snapshot::from_bytes(&packed).is_err());
}

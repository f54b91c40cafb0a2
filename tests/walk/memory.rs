//! Searches whose states are packed, or on disk: the results are the same.

use super::{PORTS, assembled, explored, parts::switches, summary, toggles};
use assert_cmd::Command;
use oxbox::machine::Snapshot;
use oxbox::walk::{
    Bounds, Choices, Compare, Exploration, ExploreOptions, Model, Predicate, ProgramUnderTest, Progress,
    SameOptions, Setup, choices, explore, explore_part, merge_explorations, prove, same,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// So little that almost all states are packed, and enough for all of them packed.
const LITTLE: Bounds = Bounds {
    depth: None,
    timed_depth: None,
    timed_states: None,
    states: None,
    memory: Some(1 << 20),
    disk: Some(0),
};

/// So little that nearly all states are on disk, and the set of known ones too.
const ON_DISK: Bounds = Bounds { memory: Some(4 << 10), disk: None, ..LITTLE };

/// Records how much is on disk.
#[derive(Default)]
struct Most(AtomicU64);

impl Most {
    fn hear(&self, progress: Progress) {
        self.0.fetch_max(progress.bytes_on_disk, Ordering::Relaxed);
    }

    fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

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
        let with = |bounds, threads| {
            let bounds = Bounds { depth, ..bounds };
            let options =
                ExploreOptions { bounds, threads, find_all: find_all.clone(), ..ExploreOptions::default() };
            explored(&setup, words, &options)
        };
        let whole = with(Bounds::default(), 1);
        assert!(whole.stats.states > 4, "{name}: {}", summary(&whole));
        for (bounds, threads) in [(LITTLE, 1), (LITTLE, 3), (ON_DISK, 3)] {
            assert_eq!(with(bounds, threads), whole, "{name}");
        }
    }
    let lines = Choices::from_lines("1 ENTER\n2 ENTER").expect("choices");
    let line_input = assembled(super::LINES);
    let with = |bounds| {
        let options = ExploreOptions { bounds, ..ExploreOptions::default() };
        explore(&line_input, &lines, &options, &|_| {}).expect("it starts")
    };
    assert_eq!(with(LITTLE), with(Bounds::default()), "lines");
    assert_eq!(with(ON_DISK), with(Bounds::default()), "lines");
}

#[test]
fn packed_pairs_are_the_same_pairs() {
    let original = assembled(&switches(""));
    let mistake = "cmp bx, 0B7h\n jne fine\n mov bx, 0B6h\nfine:";
    for (extra, bounds) in [("", ON_DISK), (mistake, LITTLE)] {
        let other = assembled(&switches(extra));
        let words = Choices::from_words("a-h q").expect("choices");
        let with = |bounds| {
            let options = SameOptions { compare: Compare::Text, bounds, ..SameOptions::default() };
            same(&original, &other, &words, &options, &|_| {}).expect("they start")
        };
        assert_eq!(with(bounds), with(Bounds::default()));
    }
}

/// States on disk are reported, conditions on them found: in a whole, in parts, within limits.
#[test]
fn states_on_disk_are_the_same_states() {
    let setup = assembled(&switches(""));
    let choices = Choices::from_words("a-f q").expect("choices");
    let rows = [
        (None, None, vec![], vec![Predicate::Output("101010".into()), Predicate::Exit(0x15)]),
        (None, None, vec![Predicate::Text("111111".into()), Predicate::Exit(3)], vec![]),
        (Some(3), None, vec![], vec![Predicate::Text("111".into())]),
        (None, Some(40), vec![], vec![]),
    ];
    for (depth, states, find, find_all) in rows {
        let most = Most::default();
        let options = |bounds: Bounds| ExploreOptions {
            bounds: Bounds { depth, states, ..bounds },
            find: find.clone(),
            find_all: find_all.clone(),
            threads: 2,
            ..ExploreOptions::default()
        };
        let with = |bounds| {
            explore(&setup, &choices, &options(bounds), &|at| most.hear(at)).expect("it is explored")
        };
        let whole: Exploration = with(Bounds::default());
        assert_eq!(most.bytes(), 0);
        assert_eq!(with(ON_DISK), whole, "{}", summary(&whole));
        assert!(most.bytes() > 0);
        let most = Most::default();
        let bounds = Bounds { memory: Some(7 << 10), ..ON_DISK };
        let parts: Vec<_> = ["1/3", "2/3", "3/3"]
            .into_iter()
            .map(|shard| {
                let number = shard.parse().expect("a part");
                let part = explore_part(&setup, &choices, &options(bounds), number, &|at| most.hear(at));
                (shard.to_owned(), part.expect("it is explored"))
            })
            .collect();
        assert_eq!(merge_explorations(&parts), Ok(whole));
        assert!(most.bytes() > 0);
    }
}

/// A model's state cannot be stored as bytes: it stays in memory, the program's is on disk.
#[test]
fn models_stay_in_memory() {
    #[derive(Clone, Hash)]
    struct Switches(u8, bool);
    impl Model for Switches {
        fn take(&mut self, choice: &str) {
            match choice.as_bytes() {
                b"q" => self.1 = true,
                key => self.0 ^= 1 << (key[0] - b'a'),
            }
        }
        fn screen(&self) -> String {
            if self.0 == 0xB7 { "a mistake".to_owned() } else { format!("{:08b}", self.0) }
        }
        fn exit(&self) -> Option<u8> {
            self.1.then_some(self.0)
        }
    }
    let setup = assembled(&switches(""));
    let choices = Choices::from_words("a-h q").expect("choices");
    let with = |bounds| {
        let options = SameOptions { bounds, ..SameOptions::default() };
        prove(&setup, &Switches(0, false), &choices, &options, &|_| {}).expect("it starts")
    };
    let found = with(Bounds::default());
    assert_eq!(found.difference.as_ref().map(|difference| difference.keys.as_str()), Some("a b c e f h"));
    assert_eq!(with(ON_DISK), found);
}

#[test]
fn a_folder_without_room_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.asm"), switches("")).expect("written");
    let run = |temporary: &str| {
        let mut command = Command::cargo_bin("oxbox").expect("the command");
        let words = "explore p.asm --choices a-h --state-memory 0";
        command
            .current_dir(folder.path())
            .env("TMPDIR", temporary)
            .args(words.split(' '))
            .output()
            .expect("run")
    };
    assert_eq!(run(".").status.code(), Some(0));
    assert!(std::fs::read_dir(folder.path()).expect("a folder").count() == 1, "nothing is left");
    // The assembler would fail the same way: only a program that was built before can run without
    // the folder.
    let program = oxbox::toolchain::build(&oxbox::toolchain::BuildRequest {
        inputs: vec![folder.path().join("p.asm")],
        ..oxbox::built_in::build_request()
    });
    std::fs::write(folder.path().join("P.COM"), program.expect("it builds").bytes).expect("written");
    let mut command = Command::cargo_bin("oxbox").expect("the command");
    let words = "explore P.COM --choices a-h --state-memory 0";
    command.current_dir(folder.path()).env("TMPDIR", "/nowhere").args(words.split(' '));
    let output = command.output().expect("run");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(125), "{told}");
    assert!(told.contains("cannot keep scratch files in /nowhere, "), "{told}");
    assert!(told.contains("TMPDIR") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_packed_snapshot_is_small_and_comes_back() {
    let game = oxbox::games::find("oxo").expect("a game in the box");
    let mut walked =
        ProgramUnderTest::start(&Setup::new(game.program.to_vec(), game.file)).expect("it starts");
    let first = walked.save();
    walked.play(&choices::acts("1 3").expect("keys"));
    let (saved, text) = (walked.save(), walked.machine().text().map(|text| text.to_string()));
    let base = first.base();
    let packed = saved.packed(&base).expect("a wait can be packed");
    assert!(packed.len() * 8 < saved.bytes_beyond(&first), "{} bytes", packed.len());
    walked.restore(&first);
    walked.restore(&oxbox::walk::program::Saved::unpacked(&packed, &base).expect("what was packed"));
    assert_eq!(walked.machine().text().map(|text| text.to_string()), text);
    let again = walked.save().packed(&base).expect("a wait can be packed");
    assert_eq!(again, packed);
    for len in [0, 1, 2, packed.len() / 2, packed.len() - 1] {
        let cut = oxbox::walk::program::Saved::unpacked(&packed[..len], &base);
        assert!(cut.is_err(), "{len} bytes of it");
    }
    assert!(Snapshot::from_bytes(&packed).is_err());
}

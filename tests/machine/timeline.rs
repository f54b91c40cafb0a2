//! A run that is played in both directions is one run: every position has the identical state,
//! however it is reached.

use super::*;
use oxbox::games::GAMES;
use oxbox::machine::{Key, Position, Timeline};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use std::cell::RefCell;

/// Timer interrupts, a HLT, REP strings over a timer tick, sound, code that changes itself, polling, keys by BIOS and DOS.
const BUSY: &str = "
        mov ax, 251Ch
        mov dx, offset tick
        int 21h
        mov al, 0B6h
        out 43h, al
        mov bp, 30
    l:  in al, 61h
        xor al, 3
        out 61h, al
        mov ax, bp
        mov cs:[note], al
        out 42h, al
        out 42h, al
        mov si, 200h
        mov di, 8000h
        mov cx, 7000h
        rep movsb
        inc byte ptr patched + 1
    patched: mov al, 0
        mov ax, count
        call print_ax
        test bp, 3
        jnz on
        hlt
    on: dec bp
        jnz l
    poll: mov ah, 1
        int 16h
        jz poll
        mov ah, 0
        int 16h
        mov ah, 8
        int 21h
        jmp quit
    count dw 0
    note db 0
    tick: inc cs:count
        iret";

/// Returns a program and the keys that are typed to it.
fn programs() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let keys = |game| match game {
        "ttt1" => "0 2 7 3 q",
        "eecs2100" => "SP 5 1 7 3",
        "grid18" => "2 2 1 1 1 3 3 3 3 1",
        "oxo" => "1 6 8 4 3",
        _ => "u 8 0 q",
    };
    let games = GAMES.iter().map(|game| (game.name, game.program.to_vec(), keys(game.name)));
    games.chain([("busy", assemble(BUSY), "@600 x @130 y")]).collect()
}

fn powered(program: &[u8]) -> Machine {
    let mut machine = Machine::new(&Config::default()).expect("a machine");
    machine.load(program, "PROGRAM.EXE", "").expect("loads");
    machine
}

/// Plays a program to its end or last wait.
fn played(program: &[u8], keys: &str, most_bytes: usize) -> (Timeline, Stop) {
    let mut timeline = Timeline::new(powered(program), most_bytes);
    timeline.set_script(Script::from_keys(keys).expect("keys"));
    let stop = timeline.run(&Until { cycle: 100_000_000, ..Until::KEY_WAIT }, &mut ());
    (timeline, stop)
}

/// Returns the hashes of a machine that runs directly to each position (cycles or instructions).
fn reference(program: &[u8], keys: &str, moments: &[u64], by_cycle: bool) -> Vec<u64> {
    let mut machine = powered(program);
    let mut playback = Playback::new(Script::from_keys(keys).expect("keys"));
    let mut sorted: Vec<u64> = moments.to_vec();
    sorted.sort_unstable();
    let hashes: Vec<(u64, u64)> = sorted
        .into_iter()
        .map(|moment| {
            let until = match by_cycle {
                true => Until { cycle: moment, ..Until::KEY_WAIT },
                false => Until { instructions: moment, ..Until::KEY_WAIT },
            };
            playback.run(&mut machine, &until, &mut (), &mut ());
            (moment, machine.state_hash())
        })
        .collect();
    moments
        .iter()
        .map(|moment| hashes.iter().find(|(at, _)| at == moment).map_or(0, |&(_, hash)| hash))
        .collect()
}

#[test]
fn every_moment_is_the_same_to_the_bit() {
    for (name, program, keys) in programs() {
        // A limit that is too small makes the checkpoints few and far between.
        for most_bytes in [64 << 20, 256 << 10] {
            let (timeline, end) = played(&program, keys, most_bytes);
            let last = timeline.machine().state_hash();
            let (start, cycles) = (timeline.start().cycle, timeline.end().cycle);
            let (first, instructions) = (0, timeline.machine().instructions());
            let cases = Cases { cases: 4, failure_persistence: None, ..Cases::default() };
            let shared = RefCell::new(timeline);
            let fractions = prop::collection::vec((0.0..1.0_f64, any::<bool>()), 12);
            let run = TestRunner::new_with_rng(cases, rng()).run(&fractions, |fractions| {
                let at = |from: u64, to: u64, part: f64| from + ((to - from) as f64 * part) as u64;
                let by_cycle: Vec<u64> = fractions.iter().map(|f| at(start, cycles, f.0)).collect();
                let by_count: Vec<u64> = fractions.iter().map(|f| at(first, instructions, f.0)).collect();
                let hashes = reference(&program, keys, &by_cycle, true);
                let counted = reference(&program, keys, &by_count, false);
                let mut timeline = shared.borrow_mut();
                for (index, &(_, is_cycle)) in fractions.iter().enumerate() {
                    if is_cycle {
                        timeline.go_to(Position { cycle: by_cycle[index], interrupted: false });
                        prop_assert_eq!(
                            timeline.machine().state_hash(),
                            hashes[index],
                            "cycle {}",
                            by_cycle[index]
                        );
                    } else {
                        timeline.go_to_instruction(by_count[index]);
                        prop_assert_eq!(
                            timeline.machine().state_hash(),
                            counted[index],
                            "instruction {}",
                            by_count[index]
                        );
                    }
                }
                Ok(())
            });
            run.unwrap_or_else(|error| panic!("{name}, {most_bytes} bytes: {error}"));
            let mut timeline = shared.into_inner();
            timeline.go_to(timeline.end());
            assert_eq!(timeline.machine().state_hash(), last, "{name}: its end");
            if let stop @ Stop::Exited(_) = end {
                assert_eq!(timeline.run(&LIMIT, &mut ()), stop, "{name}");
            }
        }
    }
}

/// Identical cases at every run.
fn rng() -> prop::test_runner::TestRng {
    prop::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha)
}

#[test]
fn checkpoints_keep_to_their_bound() {
    let (_, program, keys) = programs().pop().expect("the busy one");
    for most_bytes in [1 << 20, 4 << 20] {
        let (timeline, _) = played(&program, keys, most_bytes);
        let (count, bytes) = timeline.checkpoints();
        assert!(count >= 3 && bytes <= most_bytes, "{count} checkpoints, {bytes} bytes");
    }
}

#[test]
fn steps_back_undo_steps() {
    let (_, program, keys) = programs().pop().expect("the busy one");
    let (mut timeline, _) = played(&program, keys, 64 << 20);
    for part in [3, 7, 11] {
        timeline.go_to(Position { cycle: timeline.end().cycle * part / 13, interrupted: false });
        let there = timeline.machine().instructions();
        let mut hashes = Vec::new();
        for _ in 0..40 {
            hashes.push((timeline.machine().instructions(), timeline.machine().state_hash()));
            assert_eq!(timeline.step(), None);
        }
        for (instructions, hash) in hashes.into_iter().rev() {
            assert!(timeline.step_back());
            assert_eq!(timeline.machine().instructions(), instructions);
            // Undoing a HLT undoes its time, so the very first position may be an earlier one with
            // the same count.
            assert!(timeline.machine().state_hash() == hash || instructions == there, "{instructions}");
        }
    }
}

#[test]
fn an_input_in_the_past_begins_a_new_branch() {
    // Prints three keys and ends with the last one.
    let body = "
        mov bp, 3
    l:  mov ah, 1
        int 21h
        dec bp
        jnz l
        jmp quit";
    let mut timeline = Timeline::new(machine(body), 1 << 20);
    let key = |name: &str| name.parse::<Key>().expect("a key");
    let mut waits = Vec::new();
    for name in ["a", "b", "c"] {
        assert_eq!(timeline.run(&LIMIT, &mut ()), Stop::KeyWait);
        waits.push(timeline.position());
        timeline.type_key(key(name));
    }
    assert_eq!(timeline.run(&LIMIT, &mut ()), Stop::Exited(b'c'));
    assert_eq!(timeline.printed(), b"abc");
    // Just before the input at this wait: the wait itself.
    timeline.go_to(Position { cycle: waits[1].cycle - 1, interrupted: false });
    assert_eq!(timeline.printed(), b"a");
    assert_eq!(timeline.run(&LIMIT, &mut ()), Stop::Exited(b'c'), "forwards it goes as it went");
    timeline.go_to(Position { cycle: waits[1].cycle - 1, interrupted: false });
    timeline.type_key(key("x"));
    assert_eq!(timeline.run(&LIMIT, &mut ()), Stop::KeyWait);
    timeline.type_key(key("y"));
    assert_eq!(timeline.run(&LIMIT, &mut ()), Stop::Exited(b'y'));
    assert_eq!(timeline.printed(), b"axy");
    assert!(timeline.finale().is_some());
}

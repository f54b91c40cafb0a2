//! The whole machine: start, console, snapshots, and from prompt to prompt of each game, which is
//! the main work of `verify`.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use oxbox::games::{GAMES, Game};
use oxbox::inspect::{WriteTarget, last_write};
use oxbox::machine::{Config, Key, Machine, Script, Snapshot, Stop, Timeline, Until};

fn main() {
    divan::main();
}

fn start(program: &[u8], name: &str) -> Machine {
    let mut machine = Machine::new(&Config::default()).expect("a machine without a folder");
    machine.load(program, name, "").expect("a program of ours");
    machine
}

/// Returns a machine that waits for the first key of a game.
fn prompt(game: &Game) -> Machine {
    let mut machine = start(game.program, game.file);
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
    machine
}

/// Starts a machine with a program that ends at once.
#[divan::bench(sample_count = 50)]
fn start_up() -> Stop {
    start(include_bytes!("kernels/empty.com"), "EMPTY.COM").run(&Until::KEY_WAIT, &mut ())
}

/// Prints a million characters through INT 21h.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn console(bencher: Bencher) {
    let program = include_bytes!("kernels/g_conout.com");
    bencher
        .counter(ItemsCount::new(1_000_000_usize))
        .bench(|| start(program, "CONOUT.COM").run(&Until::KEY_WAIT, &mut ()));
}

/// Does a little work that differs each time: three pages are written.
fn do_little(machine: &mut Machine, turn: &mut u8) {
    *turn = turn.wrapping_add(1);
    for address in [0x500, 0x2_0000, 0x9_0000] {
        machine.write_memory(address, &[*turn]);
    }
}

/// Saves a machine that did little.
#[divan::bench]
fn save(bencher: Bencher) {
    let (mut machine, mut turn) = (prompt(&GAMES[0]), 0);
    let mut last: Option<Snapshot> = None;
    bencher.bench_local(|| {
        do_little(&mut machine, &mut turn);
        last = Some(machine.snapshot());
    });
}

/// Restores a machine that did little.
#[divan::bench]
fn restore(bencher: Bencher) {
    let (mut machine, mut turn) = (prompt(&GAMES[0]), 0);
    let snapshot = machine.snapshot();
    bencher.bench_local(|| {
        do_little(&mut machine, &mut turn);
        machine.restore(&snapshot);
    });
}

/// Hashes a machine that did little since the last snapshot.
#[divan::bench]
fn hash(bencher: Bencher) {
    let (mut machine, mut turn) = (prompt(&GAMES[0]), 0);
    machine.snapshot();
    bencher.bench_local(|| {
        do_little(&mut machine, &mut turn);
        machine.state_hash()
    });
}

/// Converts a snapshot to bytes.
#[divan::bench(sample_count = 20)]
fn snapshot_to_bytes(bencher: Bencher) {
    let snapshot = prompt(&GAMES[0]).snapshot();
    let len = snapshot.to_bytes().map_or(0, |bytes| bytes.len());
    bencher.counter(BytesCount::new(len)).bench(|| snapshot.to_bytes());
}

/// Restores the first prompt of a game, types a key, and runs to the next prompt.
#[divan::bench(args = GAMES.iter().map(|game| game.name))]
fn prompt_to_prompt(bencher: Bencher, name: &str) {
    let game = GAMES.iter().find(|game| game.name == name).expect("one of the games");
    let mut machine = prompt(game);
    let snapshot = machine.snapshot();
    let key: Key = game.sample.split(' ').next().and_then(|key| key.parse().ok()).expect("a first key");
    bencher.bench_local(|| {
        machine.restore(&snapshot);
        machine.type_key(key);
        machine.run(&Until::KEY_WAIT, &mut ())
    });
}

/// A minute of the 2007 game: five games, each won and played again.
fn minute() -> Timeline {
    let game = oxbox::games::find("eecs2100").expect("one of the games");
    let mut timeline = Timeline::new(start(game.program, game.file), 256 << 20);
    let keys = "SP 5 1 7 3 @3000 y ".repeat(6) + "SP 5 1 @9000 7";
    timeline.set_script(Script::from_keys(&keys).expect("keys"));
    let minute = timeline.machine().cycle_at_ms(60_000);
    timeline.run(&Until::cycle(minute), &mut ());
    timeline
}

/// Finds the writer of something written a moment ago, at the beginning of a minute, or never.
#[divan::bench(sample_count = 5, sample_size = 1, args = ["al", "ss", "first byte", "last byte", "pixel", "corner", "colour"])]
fn who_wrote(bencher: Bencher, what: &str) {
    let mut timeline = minute();
    let psp = timeline.machine().cpu().regs.es();
    let written = match what {
        "first byte" => WriteTarget::Byte(u32::from(psp) * 16 + 0x5C),
        "last byte" => WriteTarget::Byte(0x46C),
        "pixel" => WriteTarget::Pixel { x: 160, y: 100 },
        "corner" => WriteTarget::Pixel { x: 0, y: 0 },
        "colour" => WriteTarget::Colour(1),
        register => WriteTarget::Register(register.parse().expect("a register")),
    };
    let now = timeline.position();
    bencher.bench_local(|| {
        timeline.go_to(now);
        last_write(&mut timeline, written)
    });
}

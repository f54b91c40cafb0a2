//! A page's requests, without a page.

use oxbox::games;
use oxbox::machine::{Config, Machine, Playback, Played, SavedState, Script, Stop, Until};
use oxbox_web::requests::{Answer, Host, answer};
use serde_json::{Value, json};

const RATE: u32 = 48_000;

fn ask(host: &mut Host, request: &Value) -> Value {
    let Answer { text, .. } = answer(host, request.to_string().as_bytes(), b"");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert!(value.get("error").is_none(), "{request}: {value}");
    value
}

fn start(host: &mut Host, game: &str, link: &str) -> Answer {
    let game = games::find(game).expect("a game");
    let file = json!({ "name": game.file, "length": game.program.len() });
    let request = json!({ "do": "start", "files": [file], "link": link, "rate": RATE });
    answer(host, request.to_string().as_bytes(), game.program)
}

fn started(game: &str, link: &str) -> Host {
    let mut host = Host::default();
    assert!(!start(&mut host, game, link).text.contains("error"));
    while ask(&mut host, &json!({ "do": "arrive", "instructions": 1_000_000 })) != json!(true) {}
    host
}

fn advance(host: &mut Host, ms: u32) {
    ask(host, &json!({ "do": "advance", "ms": ms }));
}

fn type_key(host: &mut Host, name: &str) {
    for down in [true, false] {
        ask(host, &json!({ "do": "key", "name": name, "typed": null, "down": down }));
        advance(host, 60);
    }
}

fn hash(host: &mut Host) -> String {
    let Value::String(hash) = ask(host, &json!({ "do": "record" }))["hash"].take() else { panic!("no hash") };
    hash
}

/// Returns the state's hash after a script, played without a page.
fn hash_of_script(game: &str, script: &str) -> String {
    let game = games::find(game).expect("a game");
    let mut machine = Machine::start(&Config::default(), game.program, game.file, "").expect("it starts");
    let script: Script = script.parse().expect("a script");
    let last = script.steps.last().expect("a step").action.to_string();
    let ms = last.strip_prefix("at ").expect("its end").parse().expect("a number");
    let cycle = machine.cycle_at_ms(ms);
    let played = Playback::new(script).run(&mut machine, &Until::cycle(cycle), &mut (), &mut ());
    assert!(matches!(played, Played::Stopped(Stop::Cycle | Stop::Exited(_))), "{played:?}");
    format!("{:016x}", machine.state_hash())
}

#[test]
fn a_session_is_its_script_and_its_link() {
    for game in ["ttt1", "eecs2100", "grid18", "oxo", "chip"] {
        for link in ["", "SP/5", "1/2/3"] {
            let mut host = started(game, link);
            advance(&mut host, 700);
            for key in ["1", "SP", "5", "u", "3"] {
                type_key(&mut host, key);
                advance(&mut host, 333);
            }
            let record = ask(&mut host, &json!({ "do": "record" }));
            let script = record["script"].as_str().expect("a script");
            assert_eq!(record["hash"], json!(hash_of_script(game, script)), "{game} {link}\n{script}");
            let mut other = started(game, record["link"].as_str().expect("a link"));
            assert_eq!(hash(&mut other), record["hash"], "{game} {link}: {}", record["link"]);
        }
    }
}

#[test]
fn keys_alone_lead_where_they_lead_without_a_page() {
    for (game, keys) in
        [("eecs2100", "SP 5 1 7 3"), ("ttt1", "0 2 7"), ("grid18", "2 2 1 1"), ("chip", "u 0 8")]
    {
        let entry = games::find(game).expect("a game");
        let mut machine =
            Machine::start(&Config::default(), entry.program, entry.file, "").expect("it starts");
        let script = Script::from_keys(keys).expect("keys");
        let mut host = started(game, &script.to_link());
        Playback::new(script).run(&mut machine, &Until::KEY_WAIT, &mut (), &mut ());
        let hash = ask(&mut host, &json!({ "do": "hash" }));
        assert_eq!(hash, json!(format!("{:016x}", machine.state_hash())), "{game}");
        let picture = answer(&mut host, br#"{"do": "picture", "again": true}"#, b"").bytes;
        let pixels = machine.frame().pixels;
        assert!(
            picture.chunks(4).map(|rgba| u32::from_be_bytes([0, rgba[0], rgba[1], rgba[2]])).eq(pixels),
            "{game}"
        );
    }
}

#[test]
fn the_past_can_be_played_otherwise() {
    let mut host = started("oxo", "");
    advance(&mut host, 500);
    type_key(&mut host, "1");
    advance(&mut host, 500);
    type_key(&mut host, "5");
    advance(&mut host, 500);
    let late = hash(&mut host);
    ask(&mut host, &json!({ "do": "go", "ms": 900 }));
    type_key(&mut host, "6");
    advance(&mut host, 400);
    let record = ask(&mut host, &json!({ "do": "record" }));
    assert_ne!(record["hash"], json!(late));
    let script = record["script"].as_str().expect("a script");
    assert!(!script.contains("press 5") && script.contains("press 6"), "{script}");
    assert_eq!(record["hash"], json!(hash_of_script("oxo", script)));
    // Also before the end of the keys in the link.
    let mut host = started("oxo", "1/@300/6/@300/3");
    ask(&mut host, &json!({ "do": "go", "ms": 300 }));
    type_key(&mut host, "q");
    let record = ask(&mut host, &json!({ "do": "record" }));
    let script = record["script"].as_str().expect("a script");
    assert!(!script.contains("key 3"), "{script}");
}

#[test]
fn samples_are_the_same_however_time_passes() {
    let samples = |steps: &[f64]| {
        let mut host = started("chip", "");
        let mut all = Vec::new();
        for ms in steps {
            all.extend(
                answer(&mut host, json!({ "do": "advance", "ms": ms }).to_string().as_bytes(), b"").bytes,
            );
        }
        all
    };
    let whole = samples(&[1000.0]);
    assert_eq!(samples(&[250.0; 4]), whole);
    assert!((47_000 * 4..=48_000 * 4).contains(&whole.len()), "{}", whole.len());
}

#[test]
fn steps_go_both_ways() {
    let mut host = started("ttt1", "0");
    let before = ask(&mut host, &json!({ "do": "study", "lines": 3 }));
    assert_eq!(before["code"].as_array().map(Vec::len), Some(3));
    assert_eq!(ask(&mut host, &json!({ "do": "step", "back": true })), json!(true));
    let back = ask(&mut host, &json!({ "do": "study", "lines": 3 }));
    assert_ne!(back["code"][0], before["code"][0]);
    assert_eq!(ask(&mut host, &json!({ "do": "step", "back": true })), json!(true));
    assert_eq!(ask(&mut host, &json!({ "do": "step", "back": false })), json!(true));
    assert_eq!(ask(&mut host, &json!({ "do": "study", "lines": 3 }))["code"][0], back["code"][0]);
    assert_eq!(ask(&mut host, &json!({ "do": "who", "x": 0, "y": 0 })), json!(false));
}

#[test]
fn a_program_of_ones_own_has_its_files() {
    // mov ah, 3Ch; mov cx, 0; mov dx, 10Fh; int 21h; mov ax, 4C05h; int 21h; db 'OUT.TXT', 0
    let program = b"\xB4\x3C\xB9\x00\x00\xBA\x0F\x01\xCD\x21\xB8\x05\x4C\xCD\x21OUT.TXT\0";
    let mut host = Host::default();
    let files = json!([{ "name": "P.COM", "length": program.len() }, { "name": "IN.TXT", "length": 2 }]);
    let start = json!({ "do": "start", "files": files, "rate": RATE }).to_string();
    answer(&mut host, start.as_bytes(), &[&program[..], b"hi"].concat());
    let state = ask(&mut host, &json!({ "do": "advance", "ms": 50 }));
    assert_eq!(state["ended"], json!("The program has ended with code 5."));
    let files = answer(&mut host, br#"{"do": "files"}"#, b"");
    assert_eq!(files.text, r#"[{"length":2,"name":"IN.TXT"},{"length":0,"name":"OUT.TXT"}]"#);
    assert_eq!(files.bytes, b"hi");
}

/// Starts a game and types keys that lead to a state.
fn started_in(game: &str, state: &[u8]) -> Host {
    let game = games::find(game).expect("a game");
    let file = json!({ "name": game.file, "length": game.program.len() });
    let request = json!({ "do": "start", "files": [file], "state": state.len(), "rate": RATE });
    let mut host = Host::default();
    let Answer { text, .. } =
        answer(&mut host, request.to_string().as_bytes(), &[game.program, state].concat());
    assert!(!text.contains("error"), "{text}");
    while ask(&mut host, &json!({ "do": "arrive", "instructions": 1_000_000 })) != json!(true) {}
    host
}

#[test]
fn a_saved_state_is_that_of_the_desktop_and_has_its_past() {
    for game in ["ttt1", "eecs2100"] {
        let mut host = started(game, "SP");
        advance(&mut host, 700);
        type_key(&mut host, "5");
        advance(&mut host, 1300);
        let saved = answer(&mut host, br#"{"do": "save", "saved_at": 1}"#, b"");
        let hash = hash(&mut host);
        // Continues like `--load-state`.
        let entry = games::find(game).expect("a game");
        let state = SavedState::from_bytes(&saved.bytes).expect("a state");
        state.check_program(SavedState::program(entry.program)).expect("its program");
        assert_eq!((state.title.as_str(), state.saved_at), (entry.file, 1));
        let mut machine =
            Machine::start(&Config::default(), entry.program, entry.file, "").expect("it starts");
        machine.restore(&state.snapshot().expect("a snapshot"));
        assert_eq!(json!(format!("{:016x}", machine.state_hash())), json!(hash), "{game}");
        // Like the page after it was reloaded.
        let mut other = started_in(game, &saved.bytes);
        assert_eq!(ask(&mut other, &json!({ "do": "settle" })), json!(true), "the keys lead there");
        assert_eq!(ask(&mut other, &json!({ "do": "hash" })), json!(hash), "{game}");
        assert_eq!(ask(&mut other, &json!({ "do": "go", "ms": 10 }))["ms"], json!(10), "there is a past");
        let about = answer(&mut other, br#"{"do": "look"}"#, &saved.bytes);
        assert!(
            about.text.contains(&format!("{:016x}", SavedState::program(entry.program))),
            "{}",
            about.text
        );
        assert_eq!(about.bytes.len(), 160 * 120 * 4);
    }
}

#[test]
fn nobody_holds_a_key_after_a_jump() {
    let mut host = started("ttt1", "");
    advance(&mut host, 100);
    ask(&mut host, &json!({ "do": "key", "name": "0", "typed": "0", "down": true }));
    advance(&mut host, 20);
    let saved = answer(&mut host, br#"{"do": "save", "saved_at": 0}"#, b"").bytes;
    let mut other = started_in("ttt1", &saved);
    ask(&mut other, &json!({ "do": "settle" }));
    let script = ask(&mut other, &json!({ "do": "record" }))["script"].take();
    assert!(script.as_str().is_some_and(|script| script.contains("release 0")), "{script}");
    advance(&mut host, 2000);
    ask(&mut host, &json!({ "do": "go", "ms": 110 }));
    type_key(&mut host, "5");
    let script = ask(&mut host, &json!({ "do": "record" }))["script"].take();
    let script = script.as_str().expect("a script");
    assert!(script.find("release 0") < script.find("press 5"), "{script}");
}

#[test]
fn a_state_to_which_no_keys_lead_is_where_a_run_begins() {
    let entry = games::find("oxo").expect("a game");
    let mut machine = Machine::start(&Config::default(), entry.program, entry.file, "").expect("it starts");
    Playback::new(Script::from_keys("1 6").expect("keys")).run(
        &mut machine,
        &Until::KEY_WAIT,
        &mut (),
        &mut (),
    );
    let hash = format!("{:016x}", machine.state_hash());
    let state = SavedState::of(&mut machine, SavedState::program(entry.program)).expect("a state");
    let mut host = started_in("oxo", &state.to_bytes().expect("bytes"));
    assert_eq!(ask(&mut host, &json!({ "do": "settle" })), json!(false));
    assert_eq!(ask(&mut host, &json!({ "do": "hash" })), json!(hash));
    type_key(&mut host, "3");
    advance(&mut host, 500);
    assert_eq!(ask(&mut host, &json!({ "do": "record" }))["whole"], json!(false));
    let saved = answer(&mut host, br#"{"do": "save", "saved_at": 0}"#, b"");
    assert!(SavedState::from_bytes(&saved.bytes).is_ok());
    let wrong = [entry.program, &state.to_bytes().expect("bytes")[..40]].concat();
    let request = json!({ "do": "start", "files": [{ "name": "O.EXE", "length": entry.program.len() }], "state": 40, "rate": RATE });
    let Answer { text, .. } = answer(&mut host, request.to_string().as_bytes(), &wrong);
    assert!(text.contains("damaged or truncated"), "{text}");
}

#[test]
fn instructions_have_names_and_lines() {
    let entry = games::find("ttt1").expect("a game");
    let file = json!({ "name": entry.file, "length": entry.program.len() });
    let mut host = Host::default();
    let request =
        json!({ "do": "start", "files": [file], "symbols": entry.debug.len(), "link": "0", "rate": RATE });
    answer(&mut host, request.to_string().as_bytes(), &[entry.program, entry.debug.as_bytes()].concat());
    while ask(&mut host, &json!({ "do": "arrive", "instructions": 1_000_000 })) != json!(true) {}
    ask(&mut host, &json!({ "do": "step", "back": true }));
    let view = ask(&mut host, &json!({ "do": "study", "lines": 40 }));
    assert_eq!(view["code"][0]["source"][0], json!("asm/ttt1/ttt1.asm"));
    let names = view["code"].as_array().expect("lines").iter().filter(|line| line["name"].is_string());
    assert!(names.count() > 0, "{view}");
    // Debug information of another program is refused.
    let debug = entry.debug.replacen("program EXE ", "program EXE 1", 1);
    let request = json!({ "do": "start", "files": [{ "name": "O.EXE", "length": 40 }], "symbols": debug.len(), "rate": RATE });
    let Answer { text, .. } =
        answer(&mut host, request.to_string().as_bytes(), &[&entry.program[..40], debug.as_bytes()].concat());
    assert!(text.contains("error"), "{text}");
}

#[test]
fn the_last_minute_is_a_film_and_the_present_stays() {
    let mut host = started("oxo", "1/@300/6");
    advance(&mut host, 500);
    let before = hash(&mut host);
    let film = answer(&mut host, br#"{"do": "film"}"#, b"");
    assert!(film.bytes.starts_with(b"GIF89a"), "{}", film.text);
    assert_eq!(hash(&mut host), before);
}

#[test]
fn nonsense_is_answered() {
    for request in [
        "",
        "{}",
        "[]",
        r#"{"do": "fly"}"#,
        r#"{"do": "advance", "ms": "x"}"#,
        r#"{"do": "study", "lines": 1}"#,
    ] {
        let Answer { text, .. } = answer(&mut Host::default(), request.as_bytes(), b"");
        assert!(text.starts_with(r#"{"error":"#), "{request}: {text}");
    }
    for link in ["5+", "NOKEY"] {
        assert!(start(&mut Host::default(), "oxo", link).text.contains("error"), "{link}");
    }
}

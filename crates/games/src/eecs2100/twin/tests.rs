//! Compares the drawn screens with captures of the original, and tests the twin's prompts.
//!
//! The goldens were written when the captures matched.

use super::*;
use oxbox_proof::engine::board::RING;
use oxbox_proof::verify::Picture;
use std::path::Path;
use std::sync::Arc;

/// Returns the picture after keys in the form of `--keys`.
fn after(keys: &str) -> Canvas {
    let mut twin = Eecs2100Twin::new();
    for key in keys.split_whitespace() {
        twin.press(if key == "SP" { b' ' } else { key.as_bytes()[0] });
    }
    match twin.phase {
        Phase::Title { first } => Canvas::title(first),
        Phase::Board => Canvas::board(&twin.game.cells(), "Turn:  Player 1"),
        Phase::Message => Canvas::message(twin.message()),
        Phase::Question => Canvas::message("Play Again? (Y/N)"),
        Phase::Farewell => Canvas::message("Exiting Program..."),
        Phase::Ended => panic!("{keys} ends the program"),
    }
}

/// Returns a board that never occurs at a prompt: keypad digits of the pieces, and the line below.
fn board(x: &str, o: &str, turn: &str) -> Canvas {
    let cells = std::array::from_fn(|index| {
        let key = char::from(keypad(RING[index]));
        if x.contains(key) { Some(Mark::X) } else { o.contains(key).then_some(Mark::O) }
    });
    Canvas::board(&cells, turn)
}

/// Returns the names of the captures and their screens.
fn frames() -> Vec<(&'static str, Canvas)> {
    vec![
        ("01_title_first", after("")),
        ("02_title_second_game", after("SP 1 2 4 K Z Y")),
        ("03_empty_board", after("SP")),
        ("04_after_5", after("SP 5")),
        ("05_after_1", after("SP 1")),
        ("06_after_1_2", after("SP 1 2")),
        ("07_after_5_1", after("SP 5 1")),
        ("08_after_5_1_7", after("SP 5 1 7")),
        ("09_after_6_7_1_3", after("SP 6 7 1 3")),
        ("10_after_1_7_6_2", after("SP 1 7 6 2")),
        ("11_after_9_3_4_2", after("SP 9 3 4 2")),
        ("20_computer_win_message", after("SP 1 2 4")),
        ("21_tie_message", after("SP 6 7 1 3 8")),
        ("22_player_win_message", after("SP 5 1 7 3")),
        ("23_play_again_prompt", after("SP 1 2 4 K")),
        ("24_exit_message", after("SP 1 2 4 K Z N")),
        ("31_video_after_human_1_turn_player_2", board("1", "", "Turn:  Player 2")),
        ("32_video_final_board_124_computer_won", board("124", "537", "Turn:  Player 1")),
    ]
}

fn read(path: &Path) -> Picture {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let pixel = |rgb: &[u8]| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]]);
    let pixels = bytes[..info.buffer_size()].chunks(info.color_type.samples()).map(pixel).collect();
    Picture { width: info.width as usize, pixels: Arc::new(pixels) }
}

fn write(path: &Path, picture: &Picture) {
    let file = std::fs::File::create(path).unwrap();
    let height = picture.pixels.len() / picture.width;
    let mut encoder = png::Encoder::new(file, picture.width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> =
        picture.pixels.iter().flat_map(|pixel| pixel.to_be_bytes().into_iter().skip(1)).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}

/// Compares every screen with the picture of its name in a folder.
fn screens_equal(folder: &Path) {
    for (name, canvas) in frames() {
        let expected = read(&folder.join(name).with_extension("png"));
        let difference = Screen::Pixels(canvas.picture()).difference(&Screen::Pixels(expected));
        assert_eq!(difference, None, "{name}");
    }
}

/// `OXBOX_CAPTURES=FOLDER cargo test captures -- --ignored`
#[test]
#[ignore = "the captures of the original are its authors' and not ours to pass on"]
fn screens_equal_the_captures() {
    let folder = std::env::var_os("OXBOX_CAPTURES").expect("OXBOX_CAPTURES names the folder of the captures");
    screens_equal(Path::new(&folder));
}

/// `OXBOX_BLESS=1` rewrites the goldens.
#[test]
fn screens_equal_the_goldens() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/eecs2100");
    if std::env::var_os("OXBOX_BLESS").is_some() {
        for (name, canvas) in frames() {
            write(&folder.join(name).with_extension("png"), &canvas.picture());
        }
    }
    screens_equal(&folder);
}

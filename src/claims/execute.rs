//! Executes a game's DOS program in the machine, beside its native twin.

use crate::engine::Outcome;
use crate::games;
use crate::machine::Config;
use crate::verify::{Emulated, Program, ProgramState, Twin};

/// Types the keys to the program of `game` and to its twin; how the game has ended, or in words what does not agree.
pub(super) fn execute<T: Twin>(game: &str, mut twin: T, keys: &[u8]) -> Result<Option<Outcome>, String> {
    let game = games::find(game).ok_or("it is not in the box")?;
    let mut program = Emulated::start(&Config::default(), game.program, game.file)
        .map_err(|error| format!("its program does not start: {error}"))?;
    program.press(keys);
    keys.iter().for_each(|&key| twin.press(key));
    let (found, expected) = (program.screen(), twin.screen());
    let state = if twin.ended() { ProgramState::Ended } else { ProgramState::Waiting };
    if program.state() != state {
        Err(format!("its program is {:?} where its twin is {state:?}", program.state()))
    } else if found != expected && !twin.allows(&found) {
        Err("the screens of its program and its twin differ".to_owned())
    } else {
        Ok(twin.outcome())
    }
}

//! Records the last minute of a run as an animated GIF.

use super::player::Player;
use oxbox_machine::machine::Position;
use oxbox_media::animation::{Animation, LAST_MS};
use std::io;

/// The length of the film in milliseconds.
const LENGTH_MS: u64 = 60_000;

/// Milliseconds between two frames: a GIF shows at most fifty per second.
const LOOK_MS: u64 = 20;

/// The longest display of an unchanged screen in milliseconds, which shortens pauses.
const STILL_MS: u64 = 1500;

const LARGEST: usize = 32 << 20;

/// Records the minute before the current position, which does not change. Fails without frames.
pub(super) fn last_minute(player: &mut Player) -> io::Result<Vec<u8>> {
    let now = player.timeline().position();
    let end = player.machine().nanoseconds() / 1_000_000;
    let mut animation = Animation::new(LARGEST);
    let (mut shown, mut still) = (0, 0);
    let mut ms = end.saturating_sub(LENGTH_MS);
    let mut failed = Ok(());
    while ms <= end && failed.is_ok() {
        let cycle = player.machine().cycle_at_ms(ms);
        player.timeline().go_to(Position { cycle, interrupted: false });
        let frame = player.machine().still_frame();
        if frame.width > 0 && frame.height > 0 {
            match animation.add(frame, shown / 10) {
                Ok(true) => still = 0,
                Ok(false) => still += LOOK_MS,
                Err(error) => failed = Err(error),
            }
        }
        if still < STILL_MS {
            shown += LOOK_MS;
        }
        ms += LOOK_MS;
    }
    player.timeline().go_to(now);
    player.after_seek();
    failed?;
    animation.into_bytes((shown + LAST_MS) / 10)
}

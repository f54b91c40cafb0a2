//! Detects changes of a session's display, so that a machine at rest costs almost nothing.
//!
//! A text screen is compared as text, and its blinking parts are assumed to change with the
//! monitor's frames; after some time without another change they stop blinking. A picture in
//! graphics must be drawn for the comparison: at rest that is done less often.

use std::time::{Duration, Instant};

use crate::frontend::session::LiveSession;
use oxbox::hardware::vga::{Frame, TextScreen};
use oxbox::media::contrast;

/// The cursor is on for eight frames and off for eight frames, at 70.086 frames per second.
const BLINK_NS: u64 = 114_145_000;

/// Blinking stops after this time without another change.
const BLINKING: Duration = Duration::from_secs(10);

/// After this time without a change pictures are compared less often.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time between two comparisons of a picture that moves, of one that has not changed for some time,
/// and of one that has not changed for long.
const SHORT_LOOK: Duration = Duration::from_millis(60);
const LONG_LOOK: Duration = Duration::from_millis(150);
const LONGEST_LOOK: Duration = Duration::from_millis(400);

/// Whether there is movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activity {
    Moving,
    /// Nothing has moved for some time.
    Still,
}

/// The content that was displayed last.
enum Seen {
    /// A page, by its revision.
    Page(u32),
    /// A text screen, and its phase of blinking; `None` if that has stopped.
    Text(TextScreen, Option<u64>, bool),
    /// A picture, with the number of instructions at that time.
    Picture(u64, bool),
}

/// The displayed content, and the time of its last change.
pub(super) struct RedrawThrottle {
    seen: Option<Seen>,
    /// The time of the last change by the program or the user.
    last_activity: Instant,
    looked: Instant,
    picture: Option<Frame>,
}

impl Default for RedrawThrottle {
    fn default() -> RedrawThrottle {
        let now = Instant::now();
        RedrawThrottle { seen: None, last_activity: now, looked: now, picture: None }
    }
}

impl RedrawThrottle {
    pub(super) fn disturb(&mut self) {
        self.last_activity = Instant::now();
    }

    /// Whether there is movement.
    pub(super) fn rest(&self) -> Activity {
        if self.last_activity.elapsed() > BLINKING { Activity::Still } else { Activity::Moving }
    }

    /// Records that a page is displayed. Returns whether it was not before.
    pub(super) fn is_new_page(&mut self, revision: u32) -> bool {
        let is_new = !matches!(self.seen, Some(Seen::Page(seen)) if seen == revision);
        self.seen = Some(Seen::Page(revision));
        is_new
    }

    /// Returns the session's picture, if it may have changed.
    pub(super) fn new_frame(&mut self, session: &LiveSession, now: Instant) -> Option<Frame> {
        match session.machine().text() {
            Some(text) => self.new_text(text, session, now),
            None => self.new_picture(session, now),
        }
    }

    fn new_text(&mut self, text: TextScreen, session: &LiveSession, now: Instant) -> Option<Frame> {
        let contrast = session.high_contrast;
        let (same, before) = match &self.seen {
            Some(Seen::Text(seen, phase, was)) => (*seen == text && *was == contrast, *phase),
            _ => (false, None),
        };
        if !same {
            self.last_activity = now;
        }
        let phase = (self.rest() == Activity::Moving).then(|| session.machine().nanoseconds() / BLINK_NS);
        if same && phase == before {
            return None;
        }
        let mut frame =
            if phase.is_some() { session.machine().frame() } else { session.machine().still_frame() };
        if contrast {
            contrast::raise(&mut frame, Some(&text));
        }
        self.seen = Some(Seen::Text(text, phase, contrast));
        Some(frame)
    }

    fn new_picture(&mut self, session: &LiveSession, now: Instant) -> Option<Frame> {
        let (done, contrast) = (session.machine().instructions(), session.high_contrast);
        let wait = match now - self.last_activity {
            still if still > BLINKING => LONGEST_LOOK,
            still if still > PATIENCE => LONG_LOOK,
            _ => SHORT_LOOK,
        };
        let is_due = match &self.seen {
            Some(Seen::Picture(before, was)) if *was == contrast => {
                let rests = now - self.last_activity > PATIENCE;
                *before != done && !rests || now - self.looked > wait
            }
            _ => true,
        };
        if !is_due {
            return None;
        }
        let frame = session.machine().frame();
        self.looked = now;
        self.seen = Some(Seen::Picture(done, contrast));
        if self.picture.as_ref() != Some(&frame) {
            self.picture = Some(frame.clone());
            self.last_activity = now;
        }
        let mut frame = frame;
        if contrast {
            contrast::raise(&mut frame, None);
        }
        Some(frame)
    }
}

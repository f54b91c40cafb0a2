//! A tune as a piano roll: time to the right, pitch upwards, one bar per note.

use oxbox::engine::tune::Pitch;
use oxbox::hardware::speaker::Note;
use oxbox::media::markup::escaped;

/// Height of a semitone in pixels.
const ROW: f64 = 14.0;
/// Width of the column with the names of the pitches.
const LEFT: f64 = 64.0;
/// Height of the title above the roll, and of the time below it.
const TOP: f64 = 34.0;
const BOTTOM: f64 = 30.0;
/// Limits of the width, which is proportional to the duration.
const WIDTH: (f64, f64) = (480.0, 2400.0);
const PIXELS_PER_MS: f64 = 0.4;
/// Semitones that are shown above and below those of the tune.
const AROUND: i32 = 2;

const STYLE: &str = "\
svg{background:#fdfdfb;color:#1b1f24;font:12px system-ui,sans-serif}text{fill:currentColor}.black{fill:#e8ebee}.grid{stroke:#d4d9de}\
.note{fill:#1f6fb5}.quiet{fill:#5b6570}\
@media(prefers-color-scheme:dark){svg{background:#12151a;color:#e6e9ec}.black{fill:#1c2129}.grid{stroke:#323a44}.note{fill:#5aa7ea}\
.quiet{fill:#9aa5b1}}";

pub(crate) fn draw(title: &str, notes: &[Note]) -> String {
    let pitches: Vec<Pitch> = notes.iter().map(|note| Pitch::of(note.hertz())).collect();
    let begin = notes.first().map_or(0.0, Note::start_ms);
    let end = notes.last().map_or(0.0, |note| note.start_ms() + note.length_ms() - begin);
    let low = pitches.iter().map(|pitch| pitch.semitone).min().unwrap_or(57) - AROUND;
    let high = pitches.iter().map(|pitch| pitch.semitone).max().unwrap_or(57) + AROUND;
    let roll = (end * PIXELS_PER_MS).clamp(WIDTH.0, WIDTH.1);
    let scale = roll / end.max(1.0);
    let tall = f64::from(high - low + 1) * ROW;
    let (width, height) = (LEFT + roll + 16.0, TOP + tall + BOTTOM);
    let y = |semitone: i32| TOP + f64::from(high - semitone) * ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n<text x=\"{LEFT}\" y=\"20\" font-weight=\"bold\">{0}</text>\n",
        escaped(title)
    );
    for semitone in low..=high {
        let pitch = Pitch { semitone, cents: 0 };
        if pitch.is_black() {
            svg += &format!(
                "<rect class=\"black\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{roll:.1}\" height=\"{ROW}\"/>\n",
                y(semitone)
            );
        }
        let class =
            if pitches.iter().any(|heard| heard.semitone == semitone) { "" } else { " class=\"quiet\"" };
        svg += &format!(
            "<text{class} x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{pitch}</text>\n",
            LEFT - 8.0,
            y(semitone) + ROW - 3.0
        );
    }
    let step =
        [50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0].into_iter().find(|step| step * scale >= 60.0);
    let step = step.unwrap_or(10_000.0);
    for mark in 0..=(end / step) as u32 {
        let ms = f64::from(mark) * step;
        let x = LEFT + ms * scale;
        svg += &format!(
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/><text class=\"quiet\" x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{ms:.0} ms</text>\n",
            TOP + tall,
            TOP + tall + 18.0
        );
    }
    for (note, pitch) in notes.iter().zip(&pitches) {
        let (at, ms) = (note.start_ms() - begin, note.length_ms());
        svg += &format!(
            "<rect class=\"note\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"2\"><title>{pitch}, {:.2} Hz, {ms:.2} ms at \
             {at:.2} ms</title></rect>\n",
            LEFT + at * scale,
            y(pitch.semitone) + 1.0,
            (ms * scale - 1.0).max(1.0),
            ROW - 2.0,
            note.hertz()
        );
    }
    svg + "</svg>\n"
}

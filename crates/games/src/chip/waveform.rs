//! The chip's signals as an SVG drawing: one line per signal, levels for bits, values in hexagons
//! for wider signals.

use super::model::State;
use super::signals::{SIGNALS, Signal, signals};
use super::trace::{CLOCK_NS, Row};
use oxbox_media::markup::escaped;
use std::fmt::Write;

/// Pixels per clock. Long traces get fewer, so that the drawing is not wider than [`WIDEST`].
const CLOCK: f64 = 24.0;
const WIDEST: f64 = 30_000.0;
/// Pixels from one signal to the next, and the height of a signal.
const ROW: f64 = 26.0;
const SWING: f64 = 16.0;
const LEFT: f64 = 136.0;
const TOP: f64 = 28.0;
/// A value is written if it has this number of pixels per character.
const CHARACTER: f64 = 7.0;

const STYLE: &str = "\
svg{background:#fdfdfb;color:#1b1f24;font:12px ui-monospace,monospace}text{fill:currentColor}.quiet{fill:#5b6570}.grid{stroke:#d4d9de}\
path{fill:none;stroke:#1f6fb5;stroke-width:1.5;pointer-events:all}.unknown{stroke:#c2410c}\
@media(prefers-color-scheme:dark){svg{background:#12151a;color:#e6e9ec}.quiet{fill:#9aa5b1}.grid{stroke:#323a44}path{stroke:#5aa7ea}\
.unknown{stroke:#f08a4b}}";

/// A run of equal values: the first clock, the length, and the value.
type Stretch = (usize, usize, Option<u32>);

/// Returns the drawing.
pub fn write(rows: impl IntoIterator<Item = Row>) -> String {
    let rows: Vec<Row> = rows.into_iter().collect();
    let clock = CLOCK.min(WIDEST / rows.len().max(1) as f64);
    let (width, height) = (LEFT + clock * rows.len() as f64 + 16.0, TOP + ROW * SIGNALS as f64 + 8.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\">\n<title>The chip's signals, {} clocks</title>\n<style>{STYLE}</style>\n",
        rows.len()
    );
    times(&mut svg, &rows, clock, height);
    let mut waves: Vec<Vec<Stretch>> = vec![Vec::new(); SIGNALS];
    for (at, row) in rows.iter().enumerate() {
        for (wave, Signal { value, .. }) in waves.iter_mut().zip(signals(row)) {
            match wave.last_mut() {
                Some((_, length, last)) if *last == value => *length += 1,
                _ => wave.push((at, 1, value)),
            }
        }
    }
    let Some(first) = rows.first() else { return svg + "</svg>\n" };
    for (number, (signal, wave)) in signals(first).iter().zip(&waves).enumerate() {
        let y = TOP + ROW * number as f64 + (ROW - SWING) / 2.0;
        let name = signal.part.map_or(signal.name.to_owned(), |part| format!("{part}.{}", signal.name));
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            y + SWING - 4.0,
            escaped(&name)
        );
        match (signal.name, signal.width) {
            ("cp", _) => ticking(&mut svg, rows.len(), clock, y),
            (_, 1) => bit(&mut svg, wave, clock, y),
            (name, _) => values(&mut svg, name, wave, clock, y),
        }
    }
    svg + "</svg>\n"
}

/// Draws the time axis with as many labels as fit.
fn times(svg: &mut String, rows: &[Row], clock: f64, height: f64) {
    let every = (72.0 / clock).ceil().max(1.0) as usize;
    for (at, row) in rows.iter().enumerate().step_by(every) {
        let x = LEFT + clock * at as f64;
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{height:.0}\"/><text class=\"quiet\" x=\"{x:.1}\" y=\"18\">{} ns\
             </text>",
            row.time_ns - CLOCK_NS
        );
    }
}

/// Draws the clock, which is not part of the rows: high for the first half.
fn ticking(svg: &mut String, clocks: usize, clock: f64, y: f64) {
    let half = clock / 2.0;
    let _ = write!(svg, "<path d=\"M{LEFT} {:.1}", y + SWING);
    for _ in 0..clocks {
        let _ = write!(svg, "v-{SWING}h{half:.2}v{SWING}h{half:.2}");
    }
    svg.push_str("\"/>\n");
}

fn bit(svg: &mut String, wave: &[Stretch], clock: f64, y: f64) {
    let mut path = String::new();
    for &(_, length, value) in wave {
        let level = if value == Some(1) { y } else { y + SWING };
        let command = if path.is_empty() { format!("M{LEFT} {level:.1}") } else { format!("V{level:.1}") };
        let _ = write!(path, "{command}h{:.2}", clock * length as f64);
    }
    let _ = writeln!(svg, "<path d=\"{path}\"/>");
}

fn values(svg: &mut String, name: &str, wave: &[Stretch], clock: f64, y: f64) {
    let middle = y + SWING / 2.0;
    for &(at, length, value) in wave {
        let (x, wide) = (LEFT + clock * at as f64, clock * length as f64);
        let slope = (wide / 2.0).min(3.0);
        let class = if value.is_none() { " class=\"unknown\"" } else { "" };
        let text = match (name, value) {
            (_, None) => "x".to_owned(),
            ("state", Some(code)) => {
                let state = State::ALL.iter().find(|&&state| state as u32 == code);
                state.map_or_else(String::new, |state| state.name().to_owned())
            }
            ("led" | "keyboardN", Some(value)) => format!("{value:X}h"),
            (_, Some(value)) => value.to_string(),
        };
        let fits = text.len() as f64 * CHARACTER + 2.0 * slope <= wide;
        // A value that does not fit is a tooltip.
        let title = if fits { String::new() } else { format!("<title>{}</title>", escaped(&text)) };
        let _ = writeln!(
            svg,
            "<path{class} d=\"M{x:.2} {middle:.1}l{slope:.2} -{0}h{1:.2}l{slope:.2} {0}l-{slope:.2} {0}h-{1:.2}z\">{title}</path>",
            SWING / 2.0,
            wide - 2.0 * slope
        );
        if fits {
            let _ = writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x + wide / 2.0,
                y + SWING - 4.0,
                escaped(&text)
            );
        }
    }
}

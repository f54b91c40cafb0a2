//! The evidence of a divergence: both pictures and their difference, and a script that plays the
//! program to that point.

use std::fs;
use std::path::{Path, PathBuf};

use oxbox::media::picture::Picture;
use oxbox::verify::{self, Divergence, Screen};

use super::failure::Failure;
use super::outputs;

/// Writes the evidence into a folder, as `NAME-expected.png`, `NAME-found.png`,
/// `NAME-difference.png` and `NAME.script`; text screens as `.txt`. `command` plays the program.
/// Returns what was written.
pub(super) fn write(
    folder: &Path,
    name: &str,
    command: &str,
    divergence: &Divergence,
) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, error))?;
    let mut written = Vec::new();
    let mut put = |file: String, bytes: &[u8]| {
        let path = folder.join(file);
        outputs::write(&path, bytes)?;
        written.push(path);
        Ok::<(), Failure>(())
    };
    if let Some((expected, found)) = &divergence.screens {
        for (side, screen) in [("expected", expected), ("found", found)] {
            match screen {
                Screen::Pixels(picture) => put(format!("{name}-{side}.png"), &png(picture)?)?,
                Screen::Text(_) => {
                    let text = screen.lines().iter().map(|line| format!("{line}\n")).collect::<String>();
                    put(format!("{name}-{side}.txt"), text.as_bytes())?;
                }
            }
        }
        if let Some(marked) = expected.marked(found) {
            put(format!("{name}-difference.png"), &png(&marked)?)?;
        }
    }
    let Divergence { keys, what, .. } = divergence;
    let typed = if keys.is_empty() { String::new() } else { format!("key {keys}\n") };
    let place = folder.join(format!("{name}.script"));
    let again = format!("oxbox {command} --headless --script {}", place.display());
    let is_text = matches!(divergence.screens, Some((_, Screen::Text(_))));
    let shown = if is_text { format!("text {name}-again.txt") } else { format!("shot {name}-again.png") };
    let script = format!("# {what}\n# {again}\n{typed}{shown}\n");
    put(format!("{name}.script"), script.as_bytes())?;
    Ok(written)
}

fn png(picture: &verify::Picture) -> Result<Vec<u8>, Failure> {
    let height = picture.pixels.len() / picture.width.max(1);
    let picture = Picture { width: picture.width, height, pixels: picture.pixels.to_vec(), aspect: (1, 1) };
    picture.encode().map_err(|error| Failure::Host(error.to_string()))
}

//! `oxbox merge`: the parts of a walk as the report of one run.

use oxbox::walk::{MergeError, merge_comparisons, merge_explorations};

use super::failure::Failure;
use super::part_file::PartFile;
use super::walk_arguments::Merge;
use super::{explore, same};

/// Joins and prints.
pub(super) fn run(options: &Merge) -> Result<u8, Failure> {
    let (mut explored, mut compared) = (Vec::new(), Vec::new());
    for path in &options.parts {
        let name = path.display().to_string();
        match PartFile::read(path)? {
            PartFile::Explore(asked, part) => explored.push((asked, (name, part))),
            PartFile::Same(programs, part) => compared.push((programs, (name, part))),
        }
    }
    if let (Some((_, (a, _))), Some((_, (b, _)))) = (explored.first(), compared.first()) {
        return Err(wrong(&MergeError::Foreign(a.clone(), b.clone())));
    }
    if explored.is_empty() {
        let (heads, parts) = compared.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let comparison = merge_comparisons(&parts).map_err(|error| wrong(&error))?;
        let mut programs = one_head(heads, &parts)?;
        programs.json |= options.json;
        return same::tell(&comparison, &programs);
    }
    let (heads, parts) = explored.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    let exploration = merge_explorations(&parts).map_err(|error| wrong(&error))?;
    let mut asked = one_head(heads, &parts)?;
    asked.json |= options.json;
    explore::tell(&exploration, &asked)
}

/// What all parts say of how the report is to be written.
fn one_head<H: PartialEq, P>(heads: Vec<H>, parts: &[(String, P)]) -> Result<H, Failure> {
    let mut heads = heads.into_iter();
    let first = heads.next().ok_or_else(|| wrong(&MergeError::None))?;
    for (head, (name, _)) in heads.zip(parts.iter().skip(1)) {
        if head != first {
            return Err(wrong(&MergeError::Foreign(parts[0].0.clone(), name.clone())));
        }
    }
    Ok(first)
}

fn wrong(error: &MergeError) -> Failure {
    Failure::Usage(error.to_string())
}

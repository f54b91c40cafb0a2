//! Joins code segments that call each other near, so that CS is the same in all of them.
//!
//! Assemblers turn a call of a far procedure that was declared inside the caller's segment into PUSH CS and a near
//! call, whatever module and segment the procedure then comes from. Linkers that pack code segments make that true; here
//! exactly the segments that need it are seen from one paragraph.

use super::layout::{LARGEST_SEGMENT, Layout};
use super::symbols::Program;
use crate::diagnostic::Diagnostic;

/// Gives segments that call each other near the frame of the lowest of them.
///
/// # Errors
/// A message for each joined segment that ends more than 64 KiB behind the lowest one's paragraph.
pub(super) fn join(program: &Program, layout: &mut Layout) -> Result<(), Vec<Diagnostic>> {
    // The lowest section that each is joined with.
    let mut first: Vec<usize> = (0..layout.sections.len()).collect();
    for (caller, called) in near_calls(program, layout) {
        let (a, b) = (first[caller], first[called]);
        first.iter_mut().filter(|first| **first == a.max(b)).for_each(|first| *first = a.min(b));
    }
    let mut errors = Vec::new();
    for (number, &lowest) in first.iter().enumerate().filter(|(number, lowest)| number != *lowest) {
        let frame = layout.sections[lowest].frame;
        let section = &mut layout.sections[number];
        if section.end > frame * 16 + LARGEST_SEGMENT {
            let text = format!("near calls join {}, with others, to more than 64 KiB", section.name);
            errors.push(Diagnostic::error("link", text));
        }
        section.frame = frame;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Sections of which one calls or jumps into the other as if it were its own, by number. A group says by itself what CS
/// is.
fn near_calls(program: &Program, layout: &Layout) -> Vec<(usize, usize)> {
    let grouped = |section: usize| layout.groups.values().any(|group| group.sections.contains(&section));
    let mut calls = Vec::new();
    for (number, module) in program.modules.iter().enumerate() {
        for fixup in module.fixups.iter().filter(|fixup| fixup.self_relative) {
            let Some(here) = layout.part(number, fixup.segment) else { continue };
            let Some(there) = layout.target(program, number, fixup.target) else { continue };
            let frame = layout.frame(program, number, fixup.frame, Some(here), there);
            let (Some(caller), Some(called)) = (here.section, there.section) else { continue };
            let is_own = frame == Some((here.frame, true)) && here.relocatable && there.relocatable;
            if is_own && caller != called && !grouped(caller) && !grouped(called) {
                calls.push((caller, called));
            }
        }
    }
    calls
}

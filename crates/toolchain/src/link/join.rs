//! Joins code segments that call each other near, so that they have the same CS.
//!
//! Assemblers translate a call of a far procedure declared inside the caller's segment to PUSH CS
//! and a near call, even if the procedure then comes from another module and segment. Linkers that
//! pack code segments make that valid. Here only the segments that need it get the same frame.

use super::layout::{LARGEST_SEGMENT, Layout};
use super::symbols::Program;
use crate::diagnostic::Diagnostic;

/// Gives segments that call each other near the frame of the lowest of them. Fails with a message
/// for each joined segment that ends more than 64 KiB after the lowest one's paragraph.
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

/// Returns pairs of sections of which one calls or jumps into the other as if it were the same
/// section. Groups are excluded, because they define CS themselves.
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

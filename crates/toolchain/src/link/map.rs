//! The map: segments, groups, public symbols by name and by address, and the entry point.
//!
//! It has the format of the DOS linkers, so that programs that read their maps can read this one.

use std::fmt::Write;

use super::image::Finished;
use super::layout::Layout;
use super::symbols::Program;
use crate::Format;

pub(super) fn write(program: &Program, layout: &Layout, finished: &Finished) -> String {
    let mut map = String::from(" Start  Stop   Length Name                   Class\n");
    // A segment at a fixed address is not part of the program.
    for section in layout.sections.iter().filter(|section| !section.absolute) {
        let length = section.end - section.start;
        let stop = if length == 0 { section.start } else { section.end - 1 };
        let (start, name, class) = (section.start, &section.name, &section.class);
        line(&mut map, format_args!(" {start:05X}H {stop:05X}H {length:05X}H {name:<22} {class}"));
    }
    if !layout.groups.is_empty() {
        map.push_str("\n Origin   Group\n");
    }
    for (name, group) in &layout.groups {
        line(&mut map, format_args!(" {:04X}:0   {name}", group.frame));
    }

    let mut publics = Vec::new();
    for (name, &(module, public)) in &program.definitions {
        let Some(spot) = layout.public(program, module, public) else { continue };
        let offset = spot.address.wrapping_sub(spot.frame * 16);
        publics.push((spot.frame, offset, name, if spot.relocatable { "   " } else { "Abs" }));
    }
    for (title, by_value) in [("Publics by Name", false), ("Publics by Value", true)] {
        if by_value {
            publics.sort_by_key(|&(frame, offset, ..)| (frame * 16).wrapping_add(offset));
        }
        line(&mut map, format_args!("\n  Address         {title}\n"));
        for (frame, offset, name, kind) in &publics {
            line(&mut map, format_args!(" {frame:04X}:{offset:04X}  {kind}  {name}"));
        }
    }
    let (cs, ip) = finished.entry;
    let kind = match finished.format {
        Format::Com => "COM",
        Format::Exe => "EXE",
    };
    line(&mut map, format_args!("\nProgram entry point at {cs:04X}:{ip:04X} ({kind})"));
    map
}

fn line(map: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(map, "{text}");
}

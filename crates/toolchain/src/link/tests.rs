//! Tests of the linker with objects written record by record. They check the map, the bytes or the
//! message.

mod fixups;
mod hostile;
mod libraries;
mod objects;

use super::*;
use objects::{CODE, Object, PRIVATE, PUBLIC, STACK, align, library};

/// Links objects and returns the program or the messages as text.
fn linked(objects: &[Object], options: LinkOptions) -> Result<Linked, String> {
    let inputs =
        objects.iter().enumerate().map(|(n, object)| LinkInput::new(format!("{n}.OBJ"), object.bytes()));
    link(inputs.collect(), &mut |_| None, options).map_err(|error| error.to_string())
}

/// Returns the segments of the map, one per line, or the messages.
fn segments(objects: &[Object]) -> String {
    match linked(objects, LinkOptions { map: true, ..LinkOptions::default() }) {
        Ok(linked) => {
            let map = linked.map.unwrap_or_default();
            let lines = map.lines().skip(1).take_while(|line| !line.is_empty());
            lines
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
                .join("\n")
        }
        Err(messages) => messages,
    }
}

fn image(linked: &Linked) -> &[u8] {
    let header = usize::from(u16::from_le_bytes([linked.bytes[8], linked.bytes[9]])) * 16;
    &linked.bytes[header..]
}

#[test]
fn segments_combine_align_and_gather_by_class() {
    let two = |attributes: u8, align_second: u8| {
        vec![
            Object::new().segment("A", "CODE", attributes, 0x11).segment("D", "DATA", align(2) | PUBLIC, 3),
            Object::new().segment("A", "CODE", (attributes & 0x1F) | align_second, 5),
        ]
    };
    let rows = [
        (
            "public, byte",
            two(align(1) | PUBLIC, align(1)),
            "00000H 00015H 00016H A CODE\n00016H 00018H 00003H D DATA",
        ),
        (
            "public, word",
            two(align(2) | PUBLIC, align(2)),
            "00000H 00016H 00017H A CODE\n00018H 0001AH 00003H D DATA",
        ),
        (
            "public, dword",
            two(align(4) | PUBLIC, align(4)),
            "00000H 00018H 00019H A CODE\n0001AH 0001CH 00003H D DATA",
        ),
        (
            "public, paragraph",
            two(align(16) | PUBLIC, align(16)),
            "00000H 00024H 00025H A CODE\n00026H 00028H 00003H D DATA",
        ),
        (
            "public, page",
            two(align(16) | PUBLIC, align(256)),
            "00000H 00104H 00105H A CODE\n00106H 00108H 00003H D DATA",
        ),
        (
            "private: each its own, by class",
            two(align(1) | PRIVATE, align(1)),
            "00000H 00010H 00011H A CODE\n00011H 00015H 00005H A CODE\n00016H 00018H 00003H D DATA",
        ),
        (
            "common: one over the other",
            two(align(1) | 6 << 2, align(1)),
            "00000H 00010H 00011H A CODE\n00012H 00014H 00003H D DATA",
        ),
        (
            "stack: sizes add up",
            two(align(1) | STACK, align(1)),
            "00000H 00015H 00016H A CODE\n00016H 00018H 00003H D DATA",
        ),
    ];
    for (name, objects, expected) in rows {
        assert_eq!(segments(&objects), expected, "{name}");
    }
}

#[test]
fn dosseg_puts_code_first_and_dgroup_last() {
    let stack = Object::new()
        .comment(0x9E, &[])
        .segment("STACK", "STACK", align(16) | STACK, 0x20)
        .segment("_BSS", "BSS", align(2) | PUBLIC, 2)
        .segment("_DATA", "DATA", align(2) | PUBLIC, 2)
        .segment("FAR", "FAR_DATA", align(16) | PUBLIC, 1)
        .segment("NULL", "BEGDATA", align(16) | PUBLIC, 2)
        .segment("_TEXT", "CODE", align(2) | PUBLIC, 4)
        .group("DGROUP", &[1, 2, 3, 5]);
    let expected = [
        "00000H 00013H 00014H _TEXT CODE",
        "00020H 00020H 00001H FAR FAR_DATA",
        "00030H 00031H 00002H NULL BEGDATA",
        "00032H 00033H 00002H _DATA DATA",
        "00034H 00035H 00002H _BSS BSS",
        "00040H 0005FH 00020H STACK STACK",
    ];
    assert_eq!(segments(&[stack]), expected.join("\n"));
}

#[test]
fn the_header_tells_entry_stack_and_memory() {
    let object = Object::new()
        .segment("CODE", "CODE", CODE, 0x20)
        .segment("BSS", "BSS", align(16) | PUBLIC, 0x101)
        .segment("STACK", "STACK", align(16) | STACK, 0x80)
        .data(1, 0, &[0x90; 0x20])
        .start(&[0x00, 1, 1, 4, 0]);
    let program = linked(&[object], LinkOptions::default()).unwrap();
    let word = |n: usize| u16::from_le_bytes([program.bytes[2 * n], program.bytes[2 * n + 1]]);
    let fields = [
        ("signature", 0, 0x5A4D),
        ("bytes of the last page", 1, 0x40),
        ("pages", 2, 1),
        ("relocations", 3, 0),
        ("header paragraphs", 4, 2),
        ("memory beyond the file, in paragraphs", 5, 0x1A - 1),
        ("memory wanted", 6, 0xFFFF),
        ("SS", 7, 0x14 - 1),
        ("SP", 8, 0x80),
        ("IP", 10, 4),
        ("CS", 11, 0),
    ];
    for (name, at, expected) in fields {
        assert_eq!(word(at), expected, "{name}");
    }
    assert_eq!(program.bytes.len(), 0x40);
    assert_eq!(program.warnings, []);
}

#[test]
fn the_map_lists_segments_groups_names_and_entry() {
    let object = Object::new()
        .segment("CODE", "CODE", CODE, 0x20)
        .segment("DATA", "DATA", CODE, 4)
        .segment("STACK", "STACK", align(16) | STACK, 0x80)
        .group("G", &[2])
        .public(1, 2, "SECOND", 2)
        .public(0, 1, "FIRST", 0x10)
        .record(0x90, b"\0\0\0\0\x08CONSTANT\x34\x12\0")
        .data(1, 0, &[0x90; 0x20])
        .start(&[0x00, 1, 1, 4, 0]);
    let expected = " Start  Stop   Length Name                   Class
 00000H 0001FH 00020H CODE                   CODE
 00020H 00023H 00004H DATA                   DATA
 00030H 000AFH 00080H STACK                  STACK

 Origin   Group
 0002:0   G

  Address         Publics by Name

 0000:1234  Abs  CONSTANT
 0000:0010       FIRST
 0002:0002       SECOND

  Address         Publics by Value

 0000:0010       FIRST
 0002:0002       SECOND
 0000:1234  Abs  CONSTANT

Program entry point at 0000:0004 (EXE)
";
    let program = linked(&[object], LinkOptions { map: true, ..LinkOptions::default() }).unwrap();
    assert_eq!(program.map.as_deref(), Some(expected));
}

/// Tests `push cs` and a near call of a far procedure, the code of assemblers for a procedure that
/// is declared in the caller's segment.
#[test]
fn segments_that_call_each_other_near_have_one_frame() {
    let caller = |to: &[u8]| {
        Object::new()
            .segment("A", "CODE", CODE, 0x20)
            .segment("TABLE", "DATA", CODE, 4)
            .external("FAR")
            .data(1, 0, &[0x0E, 0xE8, 0, 0])
            .record(0x9C, to)
            .data(2, 0, &[0; 4])
            .record(0x9C, &[0xCC, 0, 0x56, 1])
            .start(&[0x00, 1, 1, 0, 0])
    };
    let called =
        |size| Object::new().segment("B", "CODE", CODE, size).public(0, 1, "FAR", 2).data(1, 0, &[0xCB; 4]);
    let own_frame: &[u8] = &[0x84, 2, 0x06, 1, 1];
    let program = linked(&[caller(own_frame), called(0x10)], LinkOptions::default()).unwrap();
    assert_eq!(image(&program)[..4], [0x0E, 0xE8, 0x1E, 0], "a call to 22h");
    assert_eq!(image(&program)[0x30..0x34], [0x22, 0, 0, 0], "a far pointer to 0000:0022");
    let far_only = linked(&[caller(&[0x84, 2, 0x04, 1, 1]), called(0x10)], LinkOptions::default()).unwrap();
    assert_eq!(image(&far_only)[0x30..0x34], [2, 0, 2, 0], "with no call of it, a far pointer to 0002:0002");
    let message = linked(&[caller(own_frame), called(0xFFF0)], LinkOptions::default()).unwrap_err();
    assert_eq!(message, "link: near calls join B, with others, to more than 64 KiB");
}

#[test]
fn code_of_32_bits_is_advised_against() {
    let program = |attributes: u8| {
        let object =
            Object::new().segment("_TEXT", "CODE", attributes, 2).segment("S", "STACK", align(16) | STACK, 2);
        linked(&[object.start(&[0x00, 1, 1, 0, 0])], LinkOptions::default()).unwrap()
    };
    let [warning] = &program(CODE | 1).warnings[..] else { panic!("one warning") };
    let text = "0.OBJ: warning: _TEXT is a 32-bit segment, which real mode cannot execute: put .386 after .model, or write use16";
    assert_eq!(warning.to_string(), text);
    assert_eq!(program(CODE).warnings, []);
}

#[test]
fn com_programs() {
    let com = |start_at: u16, size: u32, stack: bool| {
        let mut object = Object::new().segment("CODE", "CODE", CODE, size);
        if stack {
            object = object.segment("STACK", "STACK", align(16) | STACK, 2);
        }
        let [low, high] = start_at.to_le_bytes();
        vec![object.data(1, 0x100, &[0xC3]).start(&[0x00, 1, 1, low, high])]
    };
    let base = vec![
        Object::new()
            .segment("CODE", "CODE", CODE, 0x110)
            .data(1, 0x100, &[0, 0])
            .record(0x9C, &[0xC8, 0, 0x54, 1])
            .start(&[0x00, 1, 1, 0, 1]),
    ];
    let forced = Some(Format::Com);
    let rows = [
        ("tiny", com(0x100, 0x101, false), None, "Com, 1 bytes"),
        ("a stack makes an EXE", com(0x100, 0x101, true), None, "Exe, 289 bytes"),
        ("another start makes an EXE", com(0x101, 0x101, false), None, "Exe, 289 bytes"),
        ("a segment's number makes an EXE", base.clone(), None, "Exe, 290 bytes"),
        ("asked for, with another start", com(0, 0x101, false), forced, "must begin at 100h"),
        ("asked for, with a segment's number", base, forced, "cannot contain a segment number, as at 00100h"),
    ];
    for (name, objects, format, expected) in rows {
        let found = match linked(&objects, LinkOptions { format, ..LinkOptions::default() }) {
            Ok(linked) => format!("{:?}, {} bytes", linked.format, linked.bytes.len()),
            Err(messages) => messages,
        };
        assert!(found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn names_are_resolved_or_reported() {
    let user = |name: &str| {
        Object::new()
            .segment("CODE", "CODE", CODE, 4)
            .external(name)
            .data(1, 0, &[0; 4])
            .record(0x9C, &[0xC4, 0, 0x56, 1])
    };
    let definer = |name: &str| Object::new().segment("CODE", "CODE", CODE, 4).public(0, 1, name, 2);
    let comdat = |selection: u8, data: &[u8]| {
        let head = [0, selection << 4, 0, 0, 0, 0, 0, 1, 4];
        Object::new()
            .segment("CODE", "CODE", CODE, 0)
            .names(&["SHARED"])
            .record(0xC2, &[&head[..], data].concat())
    };
    let unused = Object::new().segment("CODE", "CODE", CODE, 4).external("NEVER_USED");
    let alias = definer("REAL").record(0xC6, b"\x05OTHER\x04REAL");
    let weak = Object::new()
        .segment("CODE", "CODE", CODE, 4)
        .external("MAYBE")
        .external("INSTEAD")
        .comment(0xA8, &[1, 2])
        .data(1, 0, &[0; 4])
        .record(0x9C, &[0xC4, 0, 0x56, 1]);
    let rows: [(&str, Vec<Object>, &str); 13] = [
        ("in any case of letters", vec![user("there"), definer("THERE")], "12 00 00 00"),
        ("undefined", vec![user("GONE")], "0.OBJ:record 5 (EXTDEF at 23h): undefined symbol GONE"),
        ("declared and not used", vec![unused], "ok"),
        (
            "defined twice",
            vec![definer("TWICE"), definer("twice")],
            "1.OBJ:record 5 (PUBDEF at 23h): twice is already defined in 0.OBJ",
        ),
        ("an alias", vec![user("OTHER"), alias], "12 00 00 00"),
        ("weak, and not there", vec![weak.clone(), definer("INSTEAD")], "12 00 00 00"),
        ("weak, and there", vec![weak, definer("INSTEAD"), definer("MAYBE")], "22 00 00 00"),
        (
            "comdat, any",
            vec![user("SHARED"), comdat(1, b"ab"), comdat(1, b"cd")],
            "10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 61 62",
        ),
        (
            "comdat, equal",
            vec![user("SHARED"), comdat(3, b"ab"), comdat(3, b"ab")],
            "10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 61 62",
        ),
        ("comdat, not equal", vec![comdat(3, b"ab"), comdat(3, b"cd")], "differently"),
        ("comdat, other size", vec![comdat(2, b"ab"), comdat(2, b"cde")], "differently"),
        ("comdat, one only", vec![comdat(0, b"ab"), comdat(0, b"ab")], "already defined"),
        (
            "at a source line",
            vec![user("GONE").record(0x80, b"\x05X.ASM").record(0x94, &[0, 1, 12, 0, 0, 0])],
            "X.ASM:12: undefined symbol GONE",
        ),
    ];
    for (name, objects, expected) in rows {
        let found = match linked(&objects, LinkOptions::default()) {
            Ok(linked) => objects::hex(image(&linked)),
            Err(messages) => messages,
        };
        // The program may be longer, and there may be further messages.
        assert!(expected == "ok" || found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn communal_variables_share_their_largest_size() {
    let user = |size: u8| {
        Object::new()
            .segment("CODE", "CODE", CODE, 4)
            .record(
                0xB0,
                &[&b"\x04NEAR\x00\x62"[..], &[size], &b"\x03FAR\x00\x61\x81\x00\x01"[..], &[size]].concat(),
            )
            .data(1, 0, &[0; 4])
            .record(0x9C, &[0xC8, 0, 0x56, 2])
    };
    let expected = [
        "00000H 00013H 00014H CODE CODE",
        "00020H 00028H 00009H c_common BSS",
        "00030H 0092FH 00900H FAR_BSS FAR_BSS",
    ];
    assert_eq!(segments(&[user(9), user(4)]), expected.join("\n"));
    let program = linked(&[user(9), user(4)], LinkOptions::default()).unwrap();
    assert_eq!(image(&program)[..2], [3, 0], "the paragraph of FAR");
}

#[test]
fn repeated_data_repeats_its_fixups() {
    let object = Object::new()
        .segment("CODE", "CODE", CODE, 0x20)
        .record(0xA2, &[1, 4, 0, 3, 0, 0, 0, 3, 0xAA, 2, 0])
        .record(0x9C, &[0xC4, 6, 0x00, 1, 1, 0x10, 0]);
    let program = linked(&[object], LinkOptions::default()).unwrap();
    assert_eq!(objects::hex(image(&program)), "00 00 00 00 AA 12 00 AA 12 00 AA 12 00");
}

#[test]
fn segments_and_groups_end_at_64_kib() {
    let full =
        || Object::new().segment("CODE", "CODE", CODE | 2, 0).segment("DATA", "DATA", align(1) | PUBLIC, 1);
    let grouped = full().group("G", &[1, 2]);
    let rows = [
        ("one full segment", vec![full()], "00000H 0FFFFH 10000H CODE CODE\n10000H 10000H 00001H DATA DATA"),
        ("two together", vec![full(), full()], "link: segment CODE is larger than 64 KiB"),
        ("a group", vec![grouped], "link: group G spans more than 64 KiB"),
    ];
    for (name, objects, expected) in rows {
        assert_eq!(segments(&objects), expected, "{name}");
    }
    let segment = |n: usize| format!("S{n}");
    let many = (0..17).map(|n| Object::new().segment(&segment(n), "DATA", CODE | 2, 0)).collect::<Vec<_>>();
    assert!(segments(&many).contains("larger than a megabyte"));

    // Four segments full of far pointers have one relocation more than the header can count.
    let pointers = |n: usize| {
        let repeated = Object::new().segment(&segment(n), "DATA", CODE | 2, 0);
        repeated.record(0xA2, &[1, 0, 0, 0, 0x40, 0, 0, 4, 0, 0, 0, 0]).record(0x9C, &[0xCC, 5, 0x54, 1])
    };
    let most = segments(&(0..4).map(pointers).collect::<Vec<_>>());
    assert_eq!(most, "link: 65536 segment relocations: an EXE file can have 65535");
}

#[test]
fn a_whole_segment_may_begin_within_a_paragraph() {
    let object = Object::new().segment("A", "CODE", align(1) | PUBLIC, 3).segment(
        "B",
        "CODE",
        align(1) | PUBLIC | 2,
        0,
    );
    assert_eq!(segments(&[object]), "00000H 00002H 00003H A CODE\n00003H 10002H 10000H B CODE");
}

#[test]
fn parts_beyond_the_address_space_are_too_large_a_segment() {
    // 2,100 modules with 32 parts of 64 KiB each are more than 4 GiB.
    let part = |object: Object| object.record(0x98, &[CODE | 2, 0, 0, 2, 2, 1]);
    let object = (0..32).fold(Object::new().names(&["A"]), |object, _| part(object));
    assert_eq!(segments(&vec![object; 2100]), "link: segment A is larger than 64 KiB");
}

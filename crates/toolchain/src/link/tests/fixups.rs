//! Tests each kind of fixup with one program: two modules with code at 0, and data at 30h in the
//! group G.

use super::*;

/// Creates CODE at 00h with a fixup at offset 4 of `held`, and DATA at 30h. Externals: 1 DATA+4 of
/// the other module, at 54h; 2 the constant 1234h; 3 CODE+2 of the other module, at 22h.
fn program(held: &[u8], records: &[&[u8]]) -> Vec<Object> {
    let mut object = Object::new()
        .segment("CODE", "CODE", CODE, 0x20)
        .segment("DATA", "DATA", CODE, 0x20)
        .group("G", &[2])
        .external("IN_DATA")
        .external("CONSTANT")
        .external("IN_CODE")
        .data(1, 0, &[&[0x90; 4][..], held, &[0; 8]].concat());
    for contents in records {
        object = object.record(0x9C, contents);
    }
    let other = Object::new()
        .segment("CODE", "CODE", CODE, 0x10)
        .segment("DATA", "DATA", CODE, 0x10)
        .group("G", &[2])
        .public(1, 2, "IN_DATA", 4)
        .public(0, 1, "IN_CODE", 2)
        .record(0x90, b"\0\0\0\0\x08CONSTANT\x34\x12\0");
    vec![object, other]
}

/// Returns the six bytes from offset 4 on and the addresses of the relocations, or the message.
fn fixed(objects: &[Object], options: LinkOptions) -> String {
    match linked(objects, options) {
        Ok(program) => {
            let count = usize::from(program.bytes[6]);
            let entries = program.bytes[28..].chunks_exact(4).take(count);
            let relocations =
                entries.map(|entry| format!(" {:02X}", u16::from(entry[0]) + u16::from(entry[2]) * 16));
            let bytes = objects::hex(&image(&program)[4..10]);
            match relocations.collect::<String>().as_str() {
                "" => bytes,
                relocations => format!("{bytes}, moves{relocations}"),
            }
        }
        Err(messages) => messages.lines().next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn locations_frames_and_targets() {
    const NONE: &[u8] = &[0; 6];
    #[rustfmt::skip]
    let rows: [(&str, &[u8], &[u8], &str); 24] = [
        ("offset", NONE, &[0xC4, 4, 0x56, 1], "24 00 00 00 00 00"),
        ("offset, resolved by the loader", NONE, &[0xD4, 4, 0x56, 1], "24 00 00 00 00 00"),
        ("offset of 32 bits", NONE, &[0xE4, 4, 0x56, 1], "24 00 00 00 00 00"),
        ("low byte", NONE, &[0xC0, 4, 0x56, 1], "24 00 00 00 00 00"),
        ("high byte", NONE, &[0xD0, 4, 0x56, 2], "12 00 00 00 00 00"),
        ("segment", NONE, &[0xC8, 4, 0x56, 1], "03 00 00 00 00 00, moves 04"),
        ("far pointer", NONE, &[0xCC, 4, 0x56, 1], "24 00 03 00 00 00, moves 06"),
        ("far pointer with 32 bits of offset", NONE, &[0xEC, 4, 0x56, 1], "24 00 00 00 03 00, moves 08"),
        ("what is there is added", &[0xFF, 0xFF, 2, 0, 0, 0], &[0xCC, 4, 0x56, 1], "23 00 05 00 00 00, moves 06"),
        ("frame: segment, target: segment", NONE, &[0xC4, 4, 0x04, 1, 2], "30 00 00 00 00 00"),
        ("target: segment with displacement", NONE, &[0xC4, 4, 0x00, 2, 2, 5, 1], "05 01 00 00 00 00"),
        ("frame: group", NONE, &[0xC4, 4, 0x12, 1, 1, 2, 0], "26 00 00 00 00 00"),
        ("target: group", NONE, &[0xC8, 4, 0x55, 1], "03 00 00 00 00 00, moves 04"),
        ("frame: external", NONE, &[0xC4, 4, 0x26, 1, 1], "24 00 00 00 00 00"),
        ("frame: where it stands", NONE, &[0xC4, 4, 0x46, 3], "22 00 00 00 00 00"),
        ("target: a fixed paragraph", NONE, &[0xCC, 4, 0x53, 0x00, 0xB8, 2, 0], "02 00 00 B8 00 00"),
        ("a constant", NONE, &[0xC4, 4, 0x56, 2], "34 12 00 00 00 00"),
        ("a constant seen from a group", NONE, &[0xC4, 4, 0x16, 1, 2], "34 12 00 00 00 00"),
        ("the segment of a constant", NONE, &[0xC8, 4, 0x56, 2], "00 00 00 00 00 00"),
        ("threads", NONE, &[0x08, 1, 0x54, 0xC4, 4, 0x8C], "24 00 00 00 00 00"),
        ("near call", NONE, &[0x84, 4, 0x56, 3], "1C 00 00 00 00 00"),
        ("short jump", NONE, &[0x80, 4, 0x56, 3], "1D 00 00 00 00 00"),
        ("near call into another segment", NONE, &[0x84, 4, 0x56, 1],
            "0.OBJ:record 13 (FIXUPP at 89h): a near jump or call to a different segment, to IN_DATA at CODE+0004h"),
        ("short jump too far", &[0x70, 0, 0, 0, 0, 0], &[0x80, 4, 0x56, 3],
            "0.OBJ:record 13 (FIXUPP at 89h): a short jump that is 141 bytes long, to IN_CODE at CODE+0004h"),
    ];
    for (name, held, fixup, expected) in rows {
        assert_eq!(fixed(&program(held, &[fixup]), LinkOptions::default()), expected, "{name}");
    }
}

#[test]
fn records_that_are_wrong_name_their_place() {
    #[rustfmt::skip]
    let rows: [(&str, &[u8], &str); 8] = [
        ("an external that is not there", &[0xC4, 4, 0x56, 9], "external name index 9 is out of range"),
        ("a segment that is not there", &[0xC4, 4, 0x54, 7], "segment index 7 is out of range"),
        ("index 0", &[0xC4, 4, 0x54, 0], "segment index 0 is out of range"),
        ("beyond the data", &[0xC4, 0xFF, 0x56, 1], "a fixup outside its data record"),
        ("a thread that was not set", &[0xC4, 4, 0x9C], "a frame thread that was never set"),
        ("an unknown location", &[0xFC, 4, 0x56, 1], "a fixup of the unknown location type 15"),
        ("an unknown frame", &[0xC4, 4, 0x66, 1], "the frame method F6 is not defined"),
        ("cut off", &[0xC4], "the record ends in the middle of a field"),
    ];
    for (name, fixup, expected) in rows {
        let expected = format!("0.OBJ:record 13 (FIXUPP at 89h): {expected}");
        assert_eq!(fixed(&program(&[0; 6], &[fixup]), LinkOptions::default()), expected, "{name}");
    }
}

#[test]
fn an_offset_beyond_its_frame_overflows() {
    let objects = [Object::new()
        .segment("CODE", "CODE", CODE | 2, 0)
        .segment("DATA", "DATA", CODE, 0x10)
        .data(1, 0, &[0; 4])
        .record(0x9C, &[0xC4, 0, 0x04, 1, 2])];
    let expected =
        "0.OBJ:record 8 (FIXUPP at 46h): fixup overflow: segment DATA is not within 64 KiB of its frame";
    assert!(
        fixed(&objects, LinkOptions::default()).starts_with(expected),
        "{:?}",
        fixed(&objects, LinkOptions::default())
    );
}

#[test]
fn a_near_call_reaches_what_its_cs_does() {
    let rows: [(&str, &[u8], u32, &str); 4] = [
        ("frame: where it stands", &[0x84, 4, 0x44, 3], 0x100, "0A 01 00 00 00 00"),
        ("frame: group", &[0x84, 4, 0x14, 1, 3], 0x100, "0A 01 00 00 00 00"),
        ("frame: where it stands", &[0x84, 4, 0x44, 3], 0xFFF0, FAR_OFF),
        ("frame: group", &[0x84, 4, 0x14, 1, 3], 0xFFF0, FAR_OFF),
    ];
    const FAR_OFF: &str = "a near jump or call over more than 64 KiB, to segment FAR at CODE+0004h";
    for (name, fixup, between, expected) in rows {
        let objects = [Object::new()
            .segment("CODE", "CODE", CODE, 0x10)
            .segment("BETWEEN", "CODE", CODE, between)
            .segment("FAR", "CODE", CODE, 0x10)
            .group("G", &[1])
            .data(1, 0, &[0; 0x10])
            .record(0x9C, fixup)];
        let found = fixed(&objects, LinkOptions::default());
        assert!(found.ends_with(expected), "{name} over {between:X}h: {found}");
    }
}

#[test]
fn far_calls_within_a_segment_become_near_on_request() {
    let far = |opcode: u8, target: u8| {
        let mut objects = program(&[opcode, 0, 0, 0, 0, 0], &[&[0xCC, 5, 0x56, target]]);
        objects.truncate(2);
        objects
    };
    let rows = [
        ("call, left alone", far(0x9A, 3), false, "9A 22 00 00 00 00, moves 07"),
        ("call", far(0x9A, 3), true, "90 0E E8 19 00 00"),
        ("jump", far(0xEA, 3), true, "E9 1B 00 90 90 00"),
        ("to another segment", far(0x9A, 1), true, "9A 24 00 03 00 00, moves 07"),
        ("no call", far(0x90, 3), true, "90 22 00 00 00 00, moves 07"),
    ];
    for (name, objects, translate_far_calls, expected) in rows {
        let options = LinkOptions { translate_far_calls, ..LinkOptions::default() };
        assert_eq!(fixed(&objects, options), expected, "{name}");
    }
}

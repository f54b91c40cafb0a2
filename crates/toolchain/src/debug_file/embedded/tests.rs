//! Tests with EXE files that are built here from the documentation of the formats.

use super::*;

/// Creates an EXE with 64 bytes of code, followed by `behind`.
fn exe(behind: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 32 + 64];
    file[..6].copy_from_slice(&[b'M', b'Z', 96, 0, 1, 0]);
    file[8] = 2;
    file.extend(behind);
    file
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn text(name: &str) -> Vec<u8> {
    [&[name.len() as u8], name.as_bytes()].concat()
}

fn told(file: &[u8]) -> Vec<String> {
    let symbols = read(file).expect("debug information");
    let lines = symbols.lines().map(|(line, at)| format!("{line} {:X}-{:X}", at.start, at.end));
    let names = symbols.symbols().iter().map(|symbol| {
        let length = symbol.length.map(|length| format!(" {length}")).unwrap_or_default();
        let locals: Vec<String> =
            symbol.locals.iter().map(|local| format!(" {}@{}", local.name, local.offset)).collect();
        format!(
            "{} {:?} {:X}:{:X}{length}{}",
            symbol.name,
            symbol.kind,
            symbol.frame,
            symbol.offset,
            locals.concat()
        )
    });
    names.chain(lines).collect()
}

/// Creates CodeView tables after a signature, with a directory whose fields are as wide as `wide`
/// says, and the same signature at the end.
fn codeview(signature: &[u8; 4], tables: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let is_old = signature < b"NB05";
    let mut body = vec![0; 8];
    body[..4].copy_from_slice(signature);
    let mut directory = if is_old {
        words(&[tables.len() as u16])
    } else {
        words(&[16, 12, tables.len() as u16, 0, 0, 0, 0, 0])
    };
    for (kind, table) in tables {
        directory.extend(words(&[*kind, 1, body.len() as u16, 0, table.len() as u16]));
        if !is_old {
            directory.extend(words(&[0]));
        }
        body.extend(table);
    }
    let at = body.len() as u32;
    body[4..8].copy_from_slice(&at.to_le_bytes());
    body.extend(directory);
    body.extend(signature);
    let length = body.len() as u32 + 4;
    body.extend(length.to_le_bytes());
    body
}

/// Creates a CodeView 4 record.
fn record(kind: u16, fields: &[u16], rest: &[u8]) -> Vec<u8> {
    let body = [words(&[kind]), words(fields), rest.to_vec()].concat();
    [words(&[body.len() as u16]), body].concat()
}

#[test]
fn codeview_4() {
    let symbols = [
        words(&[1, 0]),
        record(0x105, &[0, 0, 0, 0, 0, 0, 9, 0, 8, 3, 1, 0], &[&[0][..], &text("main")].concat()),
        record(0x100, &[0xFFFE, 0], &text("count")),
        record(0x006, &[], &[]),
        record(0x101, &[2, 2, 0], &text("total")),
        record(0x109, &[0x0C, 1], &[&[0][..], &text("done")].concat()),
    ]
    .concat();
    // Segment 1 at paragraph 0; segment 2 at paragraph 2, offset 4.
    let mut map = words(&[2, 2]);
    map.extend(words(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    map.extend(words(&[0, 0, 0, 2, 0, 0, 4, 0, 0, 0]));
    let mut lines = words(&[1, 1, 8, 0]);
    lines.extend(words(&[1, 0, 8 + 16 + 8, 0, 3, 0, 0x0F, 0]));
    lines.extend([text("a.asm"), vec![0, 0]].concat());
    lines.extend(words(&[1, 2, 3, 0, 6, 0, 11, 12]));
    let mut global = words(&[0, 0, 0, 0, 0, 0, 0, 0]);
    let public = record(0x103, &[0x10, 1, 0], &text("_EXIT"));
    global[4] = public.len() as u8;
    global.extend(public);
    let expected = [
        "main Procedure 0:3 9 count@-2",
        "done Label 0:C",
        "_EXIT Unknown 0:10",
        "total Data 2:6",
        "a.asm:11 3-6",
        "a.asm:12 6-10",
    ];
    for signature in [b"NB05", b"NB08", b"NB09"] {
        let tables =
            [(0x12D, map.clone()), (0x125, symbols.clone()), (0x127, lines.clone()), (0x12A, global.clone())];
        assert_eq!(told(&exe(&codeview(signature, &tables))), expected);
    }
}

#[test]
fn codeview_of_older_linkers() {
    let old = |kind: u8, fields: &[u8]| [&[fields.len() as u8 + 1, kind], fields].concat();
    let symbols = [
        old(1, &[&[3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0][..], &text("main")].concat()),
        old(4, &[&[4, 0, 0, 0][..], &text("count")].concat()),
        old(2, &[]),
        old(5, &[&[6, 0, 2, 0, 0, 0][..], &text("total")].concat()),
        old(0x0B, &[&[0x0C, 0, 0][..], &text("done")].concat()),
    ]
    .concat();
    let module = [words(&[0, 0, 0x40, 0, 0]), vec![1, 0], text("a.obj")].concat();
    let publics = [words(&[3, 0, 0]), text("MAIN"), words(&[9, 0, 1]), text("SIZE")].concat();
    let lines = [text("a.asm"), words(&[0, 2, 11, 3, 12, 6])].concat();
    let tables = [(0x101, module), (0x104, symbols), (0x102, publics), (0x109, lines)];
    let expected = [
        "main Procedure 0:3 9 count@4",
        "SIZE Constant 0:9",
        "done Label 0:C",
        "total Data 2:6",
        "a.asm:11 3-6",
        "a.asm:12 6-16",
    ];
    for signature in [b"NB00", b"NB02"] {
        assert_eq!(told(&exe(&codeview(signature, &tables))), expected);
    }
}

/// Converts values to bytes. Those marked as index or count have the version's width.
fn wide_words(major: u8, values: &[(bool, u16)]) -> Vec<u8> {
    let bytes = |&(is_index, value): &(bool, u16)| match is_index && major >= 4 {
        true => u32::from(value).to_le_bytes().to_vec(),
        false => value.to_le_bytes().to_vec(),
    };
    values.iter().flat_map(bytes).collect()
}

/// Creates Turbo Debugger's tables, with lines before or after the scopes.
fn turbo(major: u8, lines_first: bool) -> Vec<u8> {
    let names = b"main\0total\0a.asm\0count\0";
    let is_wide = major >= 4;
    let all = |values: &[(bool, u16)]| wide_words(major, values);
    let lines = words(&[11, 3, 12, 6]);
    let scope = all(&[(true, 3), (false, 1), (false, 0), (true, 1), (false, 3), (false, 9)]);
    let mut file = words(&[0x52FB, u16::from(major) << 8 | 8, names.len() as u16, 0]);
    // Names, types, members, symbols, globals, modules, locals, scopes, lines, files, segments, correlations.
    file.extend(all(&[4, 2, 0, 3, 2, 1, 0, 1, 2, 1, 1, 1].map(|count| (true, count))));
    // The last word of the header is the size of its extension.
    let known = if is_wide { 72 } else { 48 };
    file.resize(known, 0);
    if is_wide {
        file[70] = 56;
        file.resize(128, 0);
    }
    for ([name, of_type, offset, segment], class) in
        [[1, 1, 3, 0], [2, 2, 6, 2], [4, 2, 0xFFFC, 0]].into_iter().zip([0, 0, 2])
    {
        file.extend(all(&[(true, name), (true, of_type), (false, offset), (false, segment)]));
        file.extend(if is_wide { vec![class, 0] } else { vec![class] });
    }
    let module =
        [(true, 3), (false, 0), (true, 1), (false, 3), (false, 1), (false, 1), (false, 1), (false, 1)];
    file.extend(all(&module));
    file.extend(all(&[(true, 3), (false, 0), (false, 0)]));
    file.extend(if lines_first { [lines, scope].concat() } else { [scope, lines].concat() });
    file.extend(words(&[1, 0, 0, 0x0C, 1, 1, 1, 1]));
    file.extend(all(&[(false, 1), (false, 1), (true, 1), (false, 2)]));
    for kind in [[35, 0, 0], [5, 0, 2]] {
        file.extend(kind);
        file.resize(file.len() + if is_wide { 9 } else { 5 }, 0);
    }
    file.extend(names);
    file
}

#[test]
fn turbo_debuggers_tables() {
    let expected = ["main Procedure 0:3 9 count@-4", "total Data 2:6", "a.asm:11 3-6", "a.asm:12 6-C"];
    for (major, lines_first) in [(2, true), (2, false), (3, false), (4, true), (4, false)] {
        assert_eq!(told(&exe(&turbo(major, lines_first))), expected, "version {major}");
    }
}

#[test]
fn tables_that_lie_tell_what_they_can() {
    let lines = words(&[1, 1, 8, 0, 1, 0, 0xFFFF, 0xFFFF]);
    let whole = [
        exe(&turbo(2, true)),
        exe(&turbo(4, true)),
        exe(&codeview(b"NB09", &[(0x127, lines), (0x125, words(&[1, 0, 0xFFFF, 0x105]))])),
        exe(&codeview(b"NB00", &[(0x104, vec![0xFF, 1, 0]), (0x109, text("a.asm"))])),
    ];
    for file in whole {
        for cut in 0..file.len() {
            let _ = read(&file[..cut]);
            let mut changed = file.clone();
            changed[cut] = 0xFF;
            let _ = read(&changed);
        }
    }
    assert_eq!(read(b"MZ"), None);
    assert_eq!(read(&exe(b"\xFB\x52")), None);
}

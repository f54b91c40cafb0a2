//! Tests of libraries: by dictionary, by scanning if that is damaged, as default libraries, and the
//! order of modules.

use super::*;

fn caller(name: &str) -> Object {
    Object::new()
        .segment("CODE", "CODE", align(1) | PUBLIC, 2)
        .external(name)
        .data(1, 0, &[0; 2])
        .record(0x9C, &[0xC4, 0, 0x56, 1])
}

fn member(name: &str, mark: u8, wants: Option<&str>) -> Object {
    let object = Object::new().segment("CODE", "CODE", align(1) | PUBLIC, 3).public(0, 1, name, 0);
    match wants {
        Some(wanted) => object.external(wanted).data(1, 0, &[mark, 0, 0]).record(0x9C, &[0xC4, 1, 0x56, 1]),
        None => object.data(1, 0, &[mark, 0, 0]),
    }
}

/// Returns the program's bytes, or the messages. `library` is an input or a default library.
fn with_library(object: &Object, library: &[u8], default: bool) -> String {
    let library = LinkInput::new("L.LIB", library.to_vec());
    let mut inputs = vec![LinkInput::new("0.OBJ", object.bytes())];
    if !default {
        inputs.push(library.clone());
    }
    let found = link(inputs, &mut |name| (name == "own").then(|| library.clone()), LinkOptions::default());
    match found {
        Ok(program) => objects::hex(image(&program)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn modules_are_taken_as_they_are_needed() {
    let members: [(Object, &[&str]); 4] = [
        (member("LAST", 0xA1, None), &["LAST"]),
        (member("FIRST", 0xA2, Some("SECOND")), &["FIRST", "L!"]),
        (member("SPARE", 0xA3, None), &["SPARE"]),
        (member("SECOND", 0xA4, Some("LAST")), &["SECOND"]),
    ];
    let whole = library(&members);
    let mut no_dictionary = whole.clone();
    no_dictionary[7] = 0;
    let mut wrong_pages = whole.clone();
    let dictionary = wrong_pages.len() - 512;
    wrong_pages[dictionary + 38 + 5] = 0xEE;
    let mut beyond_the_file = whole.clone();
    beyond_the_file[5] = 0x70;

    // The caller, then the needed modules in the library's order: LAST, FIRST, SECOND.
    let expected = "05 00 A1 00 00 A2 08 00 A4 02 00";
    for (name, bytes) in [
        ("by dictionary", &whole),
        ("without a dictionary", &no_dictionary),
        ("with a damaged dictionary", &wrong_pages),
        ("with a dictionary beyond the file", &beyond_the_file),
    ] {
        assert_eq!(with_library(&caller("first"), bytes, false), expected, "{name}");
    }
    let names_it = caller("FIRST").comment(0x9F, b"own");
    assert_eq!(with_library(&names_it, &whole, true), expected, "a default library");
}

#[test]
fn what_is_missing_is_told() {
    let whole = library(&[(member("THERE", 0xA1, Some("GONE")), &["THERE"])]);
    let rows = [
        ("wanted by a member", caller("THERE"), "L.LIB(T):record 6 (EXTDEF at 42h): undefined symbol GONE"),
        (
            "with its library",
            caller("AWAY").comment(0x9F, b"away"),
            "0.OBJ:record 5 (EXTDEF at 23h): undefined symbol AWAY\naway: this library was not found",
        ),
    ];
    for (name, object, expected) in rows {
        assert_eq!(with_library(&object, &whole, false), expected, "{name}");
    }
    let library_alone = link(vec![LinkInput::new("L.LIB", whole)], &mut |_| None, LinkOptions::default());
    assert!(library_alone.unwrap_err().to_string().contains("no object module"));
}

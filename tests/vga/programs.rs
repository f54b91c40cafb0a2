//! The programs of `asm/video`, assembled and run on the machine: each draws its pattern and waits
//! for a key; the picture is compared with its golden file. `text.asm` draws the same as the test
//! does through INT 10h and memory, with the same golden file.

use super::golden;
use oxbox::hardware::vga::Adapter;
use oxbox::machine::{Config, Key, Machine, Snapshot, Stop, Until};
use oxbox::toolchain::{BuildRequest, Format, LinkOptions, build};
use std::path::Path;

/// No program takes two seconds of virtual time.
const LIMIT: Until = Until { cycle: 20_000_000, ..Until::KEY_WAIT };

fn assemble(name: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("asm/video/{name}.asm"));
    let options = LinkOptions { format: Some(Format::Com), ..LinkOptions::default() };
    let built = build(&BuildRequest { inputs: vec![source], options, ..oxbox::built_in::build_request() });
    built.unwrap_or_else(|error| panic!("{error}")).bytes
}

/// Runs a program until it waits for a key; checks that after one it ends in mode 3.
fn show(adapter: Adapter, name: &str, program: &[u8], argument: &str) -> oxbox::hardware::vga::Frame {
    let mut machine = Machine::new(&Config { adapter, ..Config::default() }).unwrap();
    machine.load(program, &format!("{name}.COM"), argument).unwrap();
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::KeyWait, "{name} {argument}");
    let frame = machine.frame();
    machine.type_key("SP".parse::<Key>().unwrap());
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0), "{name} {argument}");
    assert!(machine.text().is_some_and(|text| text.columns == 80 && text.rows == 25), "{name} {argument}");
    frame
}

#[test]
fn programs_draw_their_patterns() {
    let rows: [(&str, &[(&str, &str)]); 7] = [
        (
            "text",
            &[("00", "text_00"), ("01", "text_01"), ("02", "text_02"), ("03", "text_03"), ("07", "text_07")],
        ),
        ("cga", &[("04", "asm_cga_04"), ("05", "asm_cga_05"), ("06", "asm_cga_06")]),
        (
            "planes",
            &[
                ("0D", "asm_planes_0d"),
                ("0E", "asm_planes_0e"),
                ("0F", "asm_planes_0f"),
                ("10", "asm_planes_10"),
                ("11", "asm_planes_11"),
                ("12", "asm_planes_12"),
            ],
        ),
        ("linear", &[("13", "asm_linear_13")]),
        (
            "unchain",
            &[
                ("00", "asm_unchain_320x240"),
                ("01", "asm_unchain_320x400"),
                ("02", "asm_unchain_320x480"),
                ("03", "asm_unchain_360x480"),
                ("04", "asm_unchain_256x256"),
                ("05", "asm_unchain_400x300"),
            ],
        ),
        ("split", &[("00", "asm_split_00"), ("01", "asm_split_01")]),
        ("fonts", &[("00", "asm_fonts_50_rows"), ("01", "asm_fonts_28_rows")]),
    ];
    for (name, pictures) in rows {
        let program = assemble(name);
        for (argument, picture) in pictures {
            let frame = show(Adapter::Vga, name, &program, argument);
            golden::check(picture, &frame);
        }
    }
}

/// A write while a picture is displayed shows from the next line, whenever it is read.
#[test]
fn effects_are_drawn_line_by_line() {
    let program = assemble("copper");
    for (argument, picture) in
        [("00", "asm_copper_bars"), ("01", "asm_copper_palettes"), ("02", "asm_copper_panning")]
    {
        let mut machine = Machine::new(&Config::default()).unwrap();
        machine.load(&program, "COPPER.COM", argument).unwrap();
        // Frames last 14.27 ms: the picture is read at different positions of the beam.
        for ms in [300, 303, 309, 317] {
            let until = Until { key_wait: false, ..Until::cycle(machine.cycle_at_ms(ms)) };
            assert_eq!(machine.run(&until, &mut ()), Stop::Cycle, "{argument}");
            let frame = machine.frame();
            golden::check(picture, &frame);
            let snapshot = machine.snapshot().to_bytes().unwrap();
            let mut other = Machine::new(&Config::default()).unwrap();
            other.restore(&Snapshot::from_bytes(&snapshot).unwrap());
            assert_eq!(other.frame(), frame, "{argument}: the picture is in the snapshot");
        }
        machine.type_key("SP".parse::<Key>().unwrap());
        assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0), "{argument}");
    }
}

/// The programs of the other test on another adapter.
#[test]
fn other_adapters_have_their_own_pictures() {
    let rows = [
        (Adapter::Cga, "text", "01", "cga_text_01"),
        (Adapter::Cga, "text", "03", "cga_text_03"),
        (Adapter::Cga, "cga", "04", "cga_04"),
        (Adapter::Cga, "cga", "05", "cga_05"),
        (Adapter::Cga, "cga", "06", "cga_06"),
        (Adapter::Cga, "tweak", "", "cga_160x100"),
        (Adapter::Ega, "text", "03", "ega_text_03"),
        (Adapter::Ega, "cga", "04", "ega_04"),
        (Adapter::Ega, "planes", "0D", "ega_0d"),
        (Adapter::Ega, "planes", "0E", "ega_0e"),
        (Adapter::Ega, "planes", "10", "ega_10"),
    ];
    for (adapter, name, argument, picture) in rows {
        let frame = show(adapter, name, &assemble(name), argument);
        golden::check(picture, &frame);
    }
}

/// The results of `adapter.asm`: one column per adapter.
#[test]
fn programs_can_tell_the_adapters_apart() {
    let rows = [
        ("INT 11h", ["0020", "0020", "0020"]),
        ("columns", ["0050", "0050", "0050"]),
        ("last row", ["0000", "0018", "0018"]),
        ("height", ["0000", "000E", "0010"]),
        ("0040:0087", ["0000", "F960", "F960"]),
        ("0040:0089", ["0000", "0000", "0A11"]),
        ("INT 10h/1A00h", ["1A00", "1A00", "1A1A"]),
        ("BX", ["EEEE", "EEEE", "0008"]),
        ("INT 10h/12h/10h BX", ["FF10", "0003", "0003"]),
        ("INT 10h/1130h CX", ["EEEE", "EEEE", "0010"]),
        ("3C8h", ["00FF", "00FF", "005A"]),
        ("CRTC 1", ["0000", "00FF", "004F"]),
        ("CRTC 0Eh", ["0012", "0012", "0012"]),
        ("3D8h", ["00FF", "00FF", "00FF"]),
        ("3CFh", ["00FF", "00FF", "000E"]),
        ("B800:3FFE", ["0720", "1234", "1234"]),
    ];
    let program = assemble("adapter");
    for (column, adapter) in [Adapter::Cga, Adapter::Ega, Adapter::Vga].into_iter().enumerate() {
        let mut machine = Machine::new(&Config { adapter, ..Config::default() }).unwrap();
        machine.load(&program, "ADAPTER.COM", "").unwrap();
        assert_eq!(machine.run(&LIMIT, &mut ()), Stop::KeyWait, "{adapter:?}");
        let seen = machine.text().unwrap().to_string();
        let expected: Vec<String> =
            rows.iter().map(|(name, values)| format!("{name} {}", values[column])).collect();
        assert_eq!(seen.lines().take(rows.len()).collect::<Vec<_>>(), expected, "{adapter:?}");
    }
}

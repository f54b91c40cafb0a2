use super::*;

fn abc(dir: &Path) {
    file(dir, "A.TXT", "hello");
    file(dir, "b.txt", "beta");
    file(dir, "Long file name.text", "long");
    fs::create_dir(dir.join("SUB")).unwrap();
    file(&dir.join("SUB"), "C.DAT", "gamma");
}

fn bench() -> Bench {
    Bench::with(abc, &DosOptions::default())
}

#[test]
fn open_and_read() {
    let mut b = bench();
    b.table(&[
        ("AX=3D00 DX=\"A.TXT\"", "AX=0005"),
        ("AX=3F00 BX=5 CX=3 DX=0", "AX=0003"),
        ("AX=3F00 BX=5 CX=3 DX=3", "AX=0002"),
        ("AX=3F00 BX=5 CX=3 DX=3", "AX=0000"),
        ("AX=3F00 BX=5 CX=0 DX=3", "AX=0000"),
        ("AX=4000 BX=5 CX=3 DX=3", "CF AX=0005"),
        ("AX=4200 BX=5 CX=0 DX=1", "AX=0001 DX=0000"),
        ("AX=4201 BX=5 CX=0 DX=2", "AX=0003 DX=0000"),
        ("AX=4202 BX=5 CX=FFFF DX=FFFF", "AX=0004 DX=0000"),
        ("AX=4200 BX=5 CX=FFFF DX=FFFF", "AX=FFFF"),
        ("AX=3F00 BX=5 CX=3 DX=3", "AX=0000"),
        ("AX=4203 BX=5 CX=0 DX=0", "CF AX=0001"),
        ("AX=4400 BX=5", "AX=0042 DX=0042"),
        ("AX=4406 BX=5", "AX=4400"),
        ("AX=3E00 BX=5", ""),
        ("AX=3E00 BX=5", "CF AX=0006"),
        ("AX=3F00 BX=5 CX=3 DX=3", "CF AX=0006"),
        ("AX=3F00 BX=FFFF CX=3 DX=3", "CF AX=0006"),
        ("AX=3D00 DX=\"NONE\"", "CF AX=0002"),
        ("AX=3D00 DX=\"NONE\\A.TXT\"", "CF AX=0003"),
        ("AX=3D00 DX=\"A.TXT\\X\"", "CF AX=0003"),
        ("AX=3D00 DX=\"SUB\"", "CF AX=0005"),
        ("AX=3D00 DX=\"*.TXT\"", "CF AX=0002"),
        ("AX=3D00 DX=\"\"", "CF AX=0002"),
        ("AX=3D03 DX=\"A.TXT\"", "CF AX=000C"),
        ("AX=3D00 DX=\"longfi~1.tex\"", "AX=0005"),
        ("AX=3D00 DX=\"c:\\sub\\..\\SUB/c.dat\"", "AX=0006"),
        ("AX=3F00 BX=6 CX=100 DX=10", "AX=0005"),
        ("AX=5900 BX=0", "AX=000C CX=0100 BX=0704 ES=0000"),
    ]);
    assert_eq!(b.bytes(0x10, 5), b"gamma");
    assert_eq!(b.bytes(0, 5), b"hello");
}

#[test]
fn written_data_reaches_the_host_when_the_file_is_closed() {
    let mut b = bench();
    b.put(0, b"0123456789");
    b.table(&[("AX=3C00 CX=0 DX=\"new.txt\"", "AX=0005"), ("AX=4000 BX=5 CX=4 DX=0", "AX=0004")]);
    assert_eq!(fs::read(b.path("NEW.TXT")).unwrap(), b"");
    b.table(&[("AX=6800 BX=5", "")]);
    assert_eq!(fs::read(b.path("NEW.TXT")).unwrap(), b"0123");
    b.table(&[
        ("AX=4200 BX=5 CX=0 DX=6", "AX=0006 DX=0000"),
        ("AX=4000 BX=5 CX=2 DX=8", "AX=0002"),
        ("AX=4400 BX=5", "AX=0002 DX=0002"),
        ("AX=4200 BX=5 CX=0 DX=0", "AX=0000"),
        ("AX=3F00 BX=5 CX=100 DX=100", "AX=0008"),
        ("AX=3E00 BX=5", ""),
    ]);
    assert_eq!(b.bytes(0x100, 8), b"0123\0\089");
    assert_eq!(fs::read(b.path("NEW.TXT")).unwrap(), b"0123\0\089");
    // Writing no bytes truncates the file at the position; creating it with 3Ch empties it.
    b.table(&[
        ("AX=3D02 DX=\"NEW.TXT\"", "AX=0005"),
        ("AX=4200 BX=5 CX=0 DX=3", "AX=0003 DX=0000"),
        ("AX=4000 BX=5 CX=0 DX=0", "AX=0000"),
        ("AX=3E00 BX=5", ""),
    ]);
    assert_eq!(fs::read(b.path("NEW.TXT")).unwrap(), b"012");
    b.table(&[("AX=3C00 CX=0 DX=\"NEW.TXT\"", "AX=0005"), ("AX=3E00 BX=5", "")]);
    assert_eq!(fs::read(b.path("NEW.TXT")).unwrap(), b"");
}

#[test]
fn a_snapshot_takes_writes_back() {
    let mut b = bench();
    b.put(0, b"JELLO");
    b.table(&[("AX=3D02 DX=\"A.TXT\"", "AX=0005"), ("AX=4000 BX=5 CX=1 DX=0", "AX=0001")]);
    let (dos, hw) = (b.dos.clone(), b.hw.clone());
    b.table(&[("AX=4000 BX=5 CX=4 DX=0", "AX=0004"), ("AX=4000 BX=5 CX=4 DX=0", "AX=0004")]);
    (b.dos, b.hw) = (dos, hw);
    b.table(&[
        ("AX=4201 BX=5 CX=0 DX=0", "AX=0001"),
        ("AX=3F00 BX=5 CX=100 DX=100", "AX=0004"),
        ("AX=3E00 BX=5", ""),
    ]);
    assert_eq!(b.bytes(0x100, 4), b"ello");
    assert_eq!(fs::read(b.path("A.TXT")).unwrap(), b"Jello");
}

/// Without SHARE an open file can be deleted: its handles stay valid, another file may take its
/// name, and the deleted file does not reappear.
#[test]
fn an_open_file_is_deleted() {
    let mut b = bench();
    b.put(0, b"new");
    let free = b.call("AX=3600");
    b.table(&[
        ("AX=3D02 DX=\"A.TXT\"", "AX=0005"),
        ("AX=4100 DX=\"A.TXT\"", ""),
        ("AX=3D00 DX=\"A.TXT\"", "CF AX=0002"),
        ("AX=3F00 BX=5 CX=9 DX=10", "AX=0005"),
        ("AX=4000 BX=5 CX=3 DX=0", "AX=0003"),
    ]);
    assert_eq!(b.bytes(0x10, 5), b"hello");
    assert!(!b.path("A.TXT").exists());
    b.table(&[
        ("AX=3C00 CX=0 DX=\"A.TXT\"", "AX=0006"),
        ("AX=4000 BX=6 CX=3 DX=0", "AX=0003"),
        ("AX=3E00 BX=6", ""),
        ("AX=4200 BX=5 CX=0 DX=0", "AX=0000"),
        ("AX=3F00 BX=5 CX=20 DX=10", "AX=0008"),
        ("AX=3E00 BX=5", ""),
    ]);
    assert_eq!(b.bytes(0x10, 8), b"hellonew");
    b.dos.flush().unwrap();
    assert_eq!(fs::read(b.path("A.TXT")).unwrap(), b"new");
    b.table(&[("AX=4100 DX=\"A.TXT\"", "")]);
    assert_eq!(b.call("AX=3600"), free, "the room is there again");
}

#[test]
fn two_handles_see_one_file() {
    let mut b = bench();
    b.put(0, b"XY");
    b.table(&[
        ("AX=3D02 DX=\"A.TXT\"", "AX=0005"),
        ("AX=3D00 DX=\"a.txt\"", "AX=0006"),
        ("AX=4500 BX=5", "AX=0007"),
        ("AX=4000 BX=7 CX=2 DX=0", "AX=0002"),
        ("AX=4201 BX=5 CX=0 DX=0", "AX=0002"),
        ("AX=3F00 BX=6 CX=9 DX=10", "AX=0005"),
        ("AX=5600 DX=\"A.TXT\" DI=\"Z.TXT\"", "CF AX=0005"),
        ("AX=3E00 BX=5", ""),
        ("AX=3E00 BX=6", ""),
        ("AX=3E00 BX=7", ""),
        ("AX=4100 DX=\"A.TXT\"", ""),
        ("AX=4100 DX=\"A.TXT\"", "CF AX=0002"),
    ]);
    assert_eq!(b.bytes(0x10, 5), b"XYllo");
    assert!(!b.path("A.TXT").exists());
}

#[test]
fn creating() {
    let mut b = bench();
    b.table(&[
        ("AX=5B00 CX=0 DX=\"A.TXT\"", "CF AX=0050"),
        ("AX=5B00 CX=0 DX=\"N.TXT\"", "AX=0005"),
        ("AX=3C00 CX=0 DX=\"SUB\"", "CF AX=0005"),
        ("AX=3C00 CX=10 DX=\"X\"", "CF AX=0005"),
        ("AX=3C00 CX=0 DX=\"NONE\\X\"", "CF AX=0003"),
        ("AX=3C00 CX=0 DX=\"\\\"", "CF AX=0005"),
        ("AX=3C00 CX=1 DX=\"R.TXT\"", "AX=0006"),
        ("AX=4000 BX=6 CX=1 DX=0", "AX=0001"),
        ("AX=3E00 BX=6", ""),
        ("AX=3C00 CX=0 DX=\"R.TXT\"", "CF AX=0005"),
        ("AX=3D02 DX=\"R.TXT\"", "CF AX=0005"),
        ("AX=4100 DX=\"R.TXT\"", "CF AX=0005"),
        ("AX=4300 DX=\"R.TXT\"", "AX=0021 CX=0021"),
        ("AX=4301 CX=0 DX=\"R.TXT\"", ""),
        ("AX=4300 DX=\"R.TXT\"", "AX=0000"),
        ("AX=4100 DX=\"R.TXT\"", ""),
        ("AX=4300 DX=\"SUB\"", "AX=0010 CX=0010"),
        ("AX=4300 DX=\"\\\"", "CF AX=0002"),
        ("AX=4301 CX=8 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=4302 CX=0 DX=\"A.TXT\"", "CF AX=0001"),
        ("AX=4301 CX=10 DX=\"SUB\"", "CF AX=0005"),
        ("AX=4301 CX=2 DX=\"SUB\"", ""),
        ("AX=4300 DX=\"SUB\"", "AX=0012 CX=0012"),
        ("AX=4301 CX=0 DX=\"SUB\"", ""),
        ("AX=4300 DX=\"A*.TXT\"", "CF AX=0003"),
        ("AX=4300 DX=\"NUL\"", "CF AX=0002"),
        ("AX=3D00 DX=\"NODIR\\NUL\"", "CF AX=0003"),
        ("AX=3D00 DX=\"Q:\\NUL\"", "CF AX=0003"),
        ("AX=3C00 CX=0 DX=\"NODIR\\CON\"", "CF AX=0003"),
        ("AX=4300 DX=\"NODIR\\NUL\"", "CF AX=0003"),
        ("AX=3C00 CX=0 DX=\"A*.TXT\"", "CF AX=0002"),
        ("AX=3D00 DX=\"A*.TXT\"", "CF AX=0002"),
        ("AX=4100 DX=\"A*.TXT\"", "CF AX=0003"),
        // 6Ch: open or create, in all combinations.
        ("AX=6C00 BX=2 CX=0 DX=1 SI=\"A.TXT\"", "AX=0006 CX=0001"),
        ("AX=6C00 BX=2 CX=0 DX=10 SI=\"A.TXT\"", "CF AX=0050"),
        ("AX=6C00 BX=2 CX=0 DX=1 SI=\"Q.TXT\"", "CF AX=0002"),
        ("AX=6C00 BX=2 CX=0 DX=11 SI=\"Q.TXT\"", "AX=0007 CX=0002"),
        ("AX=6C00 BX=2 CX=0 DX=12 SI=\"B.TXT\"", "AX=0008 CX=0003"),
        ("AX=6C00 BX=2 CX=0 DX=13 SI=\"B.TXT\"", "CF AX=0001"),
    ]);
    assert_eq!(b.call("AX=5A00 CX=0 DX=\"SUB\""), "AX=0009");
    let name = b.hw.text(Far::new(DATA, STRINGS), 0, 64);
    let name = String::from_utf8(name).unwrap();
    assert!(name.starts_with("SUB\\AAAA") && name.len() == 12, "{name}");
    b.table(&[("AX=5A00 CX=0 DX=\"SUB\"", "AX=000A")]);
}

#[test]
fn directories() {
    let mut b = bench();
    b.table(&[
        ("AX=4700 DX=0 SI=100", "AX=0100"),
        ("AX=3900 DX=\"SUB\\DEEP\"", ""),
        ("AX=3900 DX=\"SUB\\DEEP\"", "CF AX=0005"),
        ("AX=3900 DX=\"NO\\DEEP\"", "CF AX=0003"),
        ("AX=3900 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=3B00 DX=\"A.TXT\"", "CF AX=0003"),
        ("AX=3B00 DX=\"sub\\deep\"", ""),
        ("AX=4700 DX=3 SI=100", "AX=0100"),
        ("AX=3D00 DX=\"..\\C.DAT\"", "AX=0005"),
        ("AX=3A00 DX=\"\\SUB\\DEEP\"", "CF AX=0010"),
        ("AX=3A00 DX=\"..\"", "CF AX=0010"),
        ("AX=3B00 DX=\"..\\..\"", ""),
        ("AX=3B00 DX=\"..\"", "CF AX=0003"),
        ("AX=3A00 DX=\"SUB\"", "CF AX=0005"),
        ("AX=3A00 DX=\"SUB\\DEEP\"", ""),
        ("AX=3A00 DX=\"SUB\\DEEP\"", "CF AX=0003"),
        ("AX=4700 DX=1 SI=200", "CF AX=0053"),
        ("AX=4700 DX=4 SI=200", "CF AX=000F"),
    ]);
    assert_eq!(b.bytes(0x100, 9), b"SUB\\DEEP\0");
    assert!(!b.path("SUB/DEEP").exists());
}

#[test]
fn renaming() {
    let mut b = bench();
    b.table(&[
        ("AX=5600 DX=\"A.TXT\" DI=\"B.TXT\"", "CF AX=0005"),
        ("AX=5600 DX=\"A.TXT\" DI=\"D:B.TXT\"", "CF AX=0003"),
        ("AX=5600 DX=\"A.TXT\" DI=\"A:B.TXT\"", "CF AX=0011"),
        ("AX=5600 DX=\"A.TXT\" DI=\"NUL\"", "CF AX=0005"),
        ("AX=5600 DX=\"A.TXT\" DI=\"SUB\\AA.TXT\"", ""),
        ("AX=5600 DX=\"A.TXT\" DI=\"X\"", "CF AX=0002"),
        ("AX=5600 DX=\"SUB\" DI=\"DIR\"", ""),
        ("AX=3D00 DX=\"DIR\\C.DAT\"", "AX=0005"),
        ("AX=3D00 DX=\"DIR\\AA.TXT\"", "AX=0006"),
        ("AX=3D00 DX=\"SUB\\AA.TXT\"", "CF AX=0003"),
        ("AX=3B00 DX=\"DIR\"", ""),
        ("AX=5600 DX=\"\\DIR\" DI=\"\\DIR2\"", "CF AX=0010"),
    ]);
    assert_eq!(fs::read(b.path("DIR/AA.TXT")).unwrap(), b"hello");
}

/// Returns everything that a search finds: names, attributes and sizes.
fn search(b: &mut Bench, pattern: &str, attributes: u16) -> Vec<String> {
    b.table(&[("AX=1A00 DX=400", "")]);
    let mut found = Vec::new();
    let mut answer = b.call(&format!("AX=4E00 CX={attributes:X} DX=\"{pattern}\""));
    while answer.is_empty() {
        let name = b.hw.text(Far::new(DATA, 0x41E), 0, 13);
        let (kind, size) = (b.hw.byte(Far::new(DATA, 0x415)), b.hw.dword(Far::new(DATA, 0x41A)));
        found.push(format!("{} {kind:02X} {size}", String::from_utf8(name).unwrap()));
        answer = b.call("AX=4F00");
    }
    found.push(answer);
    found
}

#[test]
fn searching() {
    let mut b = bench();
    let mut lines = |pattern, attributes| search(&mut b, pattern, attributes).join(", ");
    assert_eq!(lines("*.*", 0), "A.TXT 20 5, LONGFI~1.TEX 20 4, B.TXT 20 4, CF AX=0012");
    assert_eq!(lines("*.*", 0x10), "A.TXT 20 5, LONGFI~1.TEX 20 4, SUB 10 0, B.TXT 20 4, CF AX=0012");
    assert_eq!(lines("?.TXT", 0), "A.TXT 20 5, B.TXT 20 4, CF AX=0012");
    assert_eq!(lines("SUB\\*.*", 0x16), ". 10 0, .. 10 0, C.DAT 20 5, CF AX=0012");
    assert_eq!(lines("SUB\\*.*", 0), "C.DAT 20 5, CF AX=0012");
    assert_eq!(lines("*.*", 8), "CF AX=0012");
    assert_eq!(lines("NONE", 0), "CF AX=0012");
    assert_eq!(lines("NONE\\*.*", 0), "CF AX=0003");
    assert_eq!(lines("CON", 0), "CON 40 0, CF AX=0012");
}

#[test]
fn a_search_that_deletes_misses_nothing() {
    let mut b =
        Bench::with(|dir| (0..40).for_each(|i| file(dir, &format!("F{i}.TMP"), "x")), &DosOptions::default());
    b.table(&[("AX=1A00 DX=400", "")]);
    let mut deleted = 0;
    let mut answer = b.call("AX=4E00 CX=0 DX=\"*.TMP\"");
    while answer.is_empty() {
        b.reset_stack();
        assert_eq!(b.call("AX=4100 DX=41E"), "");
        deleted += 1;
        answer = b.call("AX=4F00");
    }
    assert_eq!((deleted, answer.as_str()), (40, "CF AX=0012"));
    assert_eq!(fs::read_dir(b.folder.path()).unwrap().count(), 0);
}

#[test]
fn stamps() {
    let fixed = Timestamp { date: 0x1A2B, time: 0x3C4D };
    let mut b = Bench::with(abc, &DosOptions { fixed_stamp: Some(fixed), ..DosOptions::default() });
    b.table(&[
        ("AX=3D00 DX=\"A.TXT\"", "AX=0005"),
        ("AX=5700 BX=5", "CX=3C4D DX=1A2B"),
        ("AX=5701 BX=5 CX=1111 DX=2222", ""),
        ("AX=5700 BX=5", "CX=1111 DX=2222"),
        ("AX=5702 BX=5", "CF AX=0001"),
        ("AX=5700 BX=9", "CF AX=0006"),
    ]);
}

#[test]
fn true_names() {
    let mut b = bench();
    for (text, expected) in [
        ("a.txt", r"C:\A.TXT"),
        ("sub\\..\\x", r"C:\X"),
        ("con", "C:/CON"),
        ("c:\\*.b", r"C:\????????.B"),
        ("a:x", "A:\\"),
    ] {
        assert_eq!(b.call(&format!("AX=6000 SI=\"{text}\" DI=300")), "", "{text}");
        let name = b.hw.text(Far::new(DATA, 0x300), 0, 64);
        assert_eq!(String::from_utf8(name).unwrap(), expected);
    }
    b.table(&[("AX=6000 SI=\"\" DI=300", "CF AX=0002"), ("AX=6000 SI=\"Q:\\X\" DI=300", "CF AX=0003")]);
}

#[test]
fn handles_run_out() {
    let mut b = bench();
    for handle in 5..20 {
        assert_eq!(b.call("AX=3D00 DX=\"A.TXT\""), format!("AX={handle:04X}"));
    }
    b.table(&[
        ("AX=3D00 DX=\"A.TXT\"", "CF AX=0004"),
        ("AX=3C00 CX=0 DX=\"NEW\"", "CF AX=0004"),
        ("AX=4500 BX=5", "CF AX=0004"),
        ("AX=3D00 DX=\"NONE\"", "CF AX=0002"),
    ]);
    assert!(!b.path("NEW").exists());
    // Room for more handles in a block of memory; the system file table limits them.
    let psp = b.hw.word(sysvars::CURRENT_PSP);
    assert_eq!(b.call(&format!("AX=4A00 ES={psp:X} BX=5800")), "");
    b.table(&[("AX=6700 BX=64", "")]);
    for handle in 20..42 {
        assert_eq!(b.call("AX=3D00 DX=\"A.TXT\""), format!("AX={handle:04X}"));
    }
    b.table(&[("AX=3D00 DX=\"A.TXT\"", "CF AX=0004"), ("AX=6700 BX=14", "CF AX=0004")]);
}

#[test]
fn a_full_disk_takes_what_fits() {
    let mut b = bench();
    b.table(&[("AX=3C00 CX=0 DX=\"BIG\"", "AX=0005")]);
    let end = PENDING_LIMIT as u32 - 10;
    b.table(&[
        (&format!("AX=4200 BX=5 CX={:X} DX={:X}", end >> 16, end & 0xFFFF), "AX=FFF6 DX=03FF"),
        ("AX=4000 BX=5 CX=64 DX=0", "AX=000A"),
        ("AX=4000 BX=5 CX=64 DX=0", "AX=0000"),
        // A position out of range: nothing fits, and nothing grows.
        ("AX=4200 BX=5 CX=FFFF DX=0", "AX=0000 DX=FFFF"),
    ]);
    assert_eq!(b.call("AX=4000 BX=5 CX=64 DX=0"), "AX=0000");
    assert_eq!(b.call("AX=3E00 BX=5"), "");
    assert_eq!(fs::metadata(b.path("BIG")).unwrap().len(), PENDING_LIMIT);
}

#[test]
fn fcb_files() {
    let mut b = bench();
    b.put(0x100, b"\0NEW     DAT");
    b.put(0x400, b"record one......record two......");
    b.table(&[
        ("AX=1A00 DX=400", ""),
        ("AX=1600 DX=100", ""),
        // Records of 16 bytes.
        ("AX=0F55 DX=100", "AX=0F00"),
    ]);
    b.put(0x10E, &[16, 0]);
    b.put(0x120, &[0]);
    b.table(&[
        ("AX=1555 DX=100", "AX=1500"),
        ("AX=1A00 DX=410", ""),
        ("AX=1555 DX=100", "AX=1500"),
        ("AX=1055 DX=100", "AX=1000"),
    ]);
    assert_eq!(fs::read(b.path("NEW.DAT")).unwrap(), b"record one......record two......");
    b.table(&[("AX=1A00 DX=600", ""), ("AX=0F55 DX=100", "AX=0F00")]);
    assert_eq!(b.bytes(0x110, 4), [32, 0, 0, 0]);
    b.put(0x10E, &[12, 0]);
    b.put(0x120, &[0, 1, 0, 0, 0]);
    b.table(&[
        ("AX=2155 DX=100", "AX=2100"),
        ("AX=1455 DX=100", "AX=1400"),
        // The third record has 8 bytes, followed by zeros.
        ("AX=1455 DX=100", "AX=1403"),
        ("AX=1455 DX=100", "AX=1401"),
        ("AX=2355 DX=100", "AX=2300"),
    ]);
    assert_eq!(b.bytes(0x600, 12), b"wo......\0\0\0\0");
    assert_eq!(b.bytes(0x121, 4), [3, 0, 0, 0]);
    // A block: all records from the first; three exist.
    b.put(0x121, &[0, 0, 0, 0]);
    b.table(&[("AX=2755 CX=9 DX=100", "AX=2703 CX=0003"), ("AX=2855 CX=0 DX=100", "AX=2800")]);
    b.put(0x121, &[1, 0, 0, 0]);
    b.table(&[("AX=2855 CX=0 DX=100", "AX=2800"), ("AX=1055 DX=100", "AX=1000")]);
    assert_eq!(fs::read(b.path("NEW.DAT")).unwrap(), b"record one..");
    // Rename, search, delete, with wildcards.
    b.put(0x100, b"\0NEW     ???\0\0\0\0\0OLD?????BAK");
    b.table(&[("AX=1755 DX=100", "AX=1700"), ("AX=1755 DX=100", "AX=17FF")]);
    assert!(b.path("OLD.BAK").exists());
    b.put(0x100, b"\0????????TXT");
    b.table(&[("AX=1155 DX=100", "AX=1100")]);
    assert_eq!(b.bytes(0x600, 13), b"\x03A       TXT\x20");
    b.table(&[
        ("AX=1255 DX=100", "AX=1200"),
        ("AX=1255 DX=100", "AX=12FF"),
        ("AX=1355 DX=100", "AX=1300"),
        ("AX=1355 DX=100", "AX=13FF"),
    ]);
    assert!(!b.path("A.TXT").exists() && !b.path("b.txt").exists());
    // Invalid names, and drives that do not exist.
    for name in [b"\0../ETC  X  ", b"\0        TXT", b"\x09A          ", b"\0A/B        ", b"\0?          "] {
        b.put(0x100, name);
        assert_eq!(b.call("AX=1655 DX=100"), "AX=16FF", "{}", name.escape_ascii());
    }
}

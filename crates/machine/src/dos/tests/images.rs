//! FAT12 and FAT16 on images as A: and D:, further folders as drives, and absolute disk access.

use super::*;
use crate::hardware::disk::SECTOR;

/// Writes an image of this many sectors with an empty volume that begins at `start`.
fn formatted(folder: &Path, name: &str, sectors: usize, start: usize, parameters: &[u8; 19]) -> PathBuf {
    let mut bytes = vec![0; sectors * SECTOR];
    if start > 0 {
        // A partition of type 4 or 6.
        bytes[446..462].copy_from_slice(&[0x80, 1, 1, 0, 6, 15, 63, 39, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes[454..458].copy_from_slice(&(start as u32).to_le_bytes());
        bytes[510..512].copy_from_slice(&[0x55, 0xAA]);
    }
    let volume = start * SECTOR;
    bytes[volume + 0x0B..volume + 0x1E].copy_from_slice(parameters);
    bytes[volume + 0x26..volume + 0x2B].copy_from_slice(&[0x29, 0x78, 0x56, 0x34, 0x12]);
    let (tables, length) = (usize::from(parameters[5]), usize::from(parameters[11]));
    for table in 0..tables {
        let at = volume + (1 + table * length) * SECTOR;
        bytes[at..at + 4].copy_from_slice(&[parameters[10], 0xFF, 0xFF, if start > 0 { 0xFF } else { 0 }]);
    }
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// 360 KB: clusters of 1 KB, 112 entries in the root, tables of 2 sectors.
const FLOPPY: [u8; 19] = [0, 2, 2, 1, 0, 2, 112, 0, 0xD0, 2, 0xFD, 2, 0, 9, 0, 2, 0, 0, 0];
/// 40,000 sectors: clusters of 4 KB, 512 entries in the root, tables of 20 sectors.
const FIXED: [u8; 19] = [0, 2, 8, 1, 0, 2, 0, 2, 0x40, 0x9C, 0xF8, 20, 0, 63, 0, 16, 0, 63, 0];

struct Drives {
    bench: Bench,
    images: tempfile::TempDir,
}

/// Returns drives: A: is an empty floppy, D: an empty hard disk, F: a further folder.
fn disks() -> Drives {
    let images = tempfile::tempdir().unwrap();
    let floppy = formatted(images.path(), "a.img", 720, 0, &FLOPPY);
    let fixed = formatted(images.path(), "d.img", 40_320, 63, &FIXED);
    let more = images.path().join("more");
    fs::create_dir(&more).unwrap();
    file(&more, "F.TXT", "folder");
    let options = DosOptions { drives: vec![('f', more)], ..DosOptions::default() };
    let floppies = [Image::floppy(&floppy, false).unwrap()];
    let fixed = [Image::fixed(&fixed, false).unwrap()];
    let bench = Bench::with_images(|dir| file(dir, "C.TXT", "program"), &options, &floppies, &fixed);
    Drives { bench, images }
}

#[test]
fn files_of_an_image() {
    for drive in ["A:", "D:"] {
        let mut disks = disks();
        let b = &mut disks.bench;
        let rows = |rows: &[(&str, &str)], b: &mut Bench| {
            for (call, expected) in rows {
                let call = call.replace('@', drive);
                assert_eq!(b.call(&call), *expected, "{call}");
            }
        };
        b.put(0, &[7; 0x2000]);
        b.put(0x10, b"0123456789");
        rows(
            &[
                ("AX=3D00 DX=\"@X.TXT\"", "CF AX=0002"),
                ("AX=3C00 CX=0 DX=\"@X.TXT\"", "AX=0005"),
                ("AX=4000 BX=5 CX=2000 DX=0", "AX=2000"),
                ("AX=4000 BX=5 CX=A DX=10", "AX=000A"),
                ("AX=4202 BX=5", "AX=200A"),
                ("AX=4200 BX=5 DX=1FFE", "AX=1FFE DX=0000"),
                ("AX=3F00 BX=5 CX=100 DX=4000", "AX=000C"),
                ("AX=5701 BX=5 CX=6000 DX=5821", ""),
                ("AX=3E00 BX=5", ""),
                ("AX=3900 DX=\"@SUB\"", ""),
                ("AX=3900 DX=\"@SUB\"", "CF AX=0005"),
                ("AX=3B00 DX=\"@SUB\"", ""),
                ("AX=3C00 CX=3 DX=\"@Y.DAT\"", "AX=0005"),
                ("AX=4000 BX=5 CX=3 DX=10", "AX=0003"),
                ("AX=3E00 BX=5", ""),
                ("AX=4300 DX=\"@\\SUB\\Y.DAT\"", "AX=0023 CX=0023"),
                ("AX=3D02 DX=\"@Y.DAT\"", "CF AX=0005"),
                ("AX=4100 DX=\"@Y.DAT\"", "CF AX=0005"),
                ("AX=3A00 DX=\"@\\SUB\"", "CF AX=0010"),
                ("AX=3B00 DX=\"@\\\"", ""),
                ("AX=3A00 DX=\"@\\SUB\"", "CF AX=0005"),
                ("AX=4301 CX=20 DX=\"@\\SUB\\Y.DAT\"", ""),
                ("AX=5600 DX=\"@\\SUB\\Y.DAT\" DI=\"@MOVED\"", ""),
                ("AX=5600 DX=\"@\\MOVED\" DI=\"C:MOVED\"", "CF AX=0011"),
                ("AX=3A00 DX=\"@\\SUB\"", ""),
                ("AX=3D00 DX=\"@\\SUB\\Y.DAT\"", "CF AX=0003"),
                ("AX=3D00 DX=\"@MOVED\"", "AX=0005"),
                ("AX=3F00 BX=5 CX=10 DX=4100", "AX=0003"),
                ("AX=3E00 BX=5", ""),
                ("AX=5B00 CX=0 DX=\"@MOVED\"", "CF AX=0050"),
                ("AX=3C00 CX=0 DX=\"@CON\"", "AX=0005"),
            ],
            b,
        );
        assert_eq!(b.bytes(0x4000, 12), b"\x07\x070123456789");
        assert_eq!(b.bytes(0x4100, 3), b"012");
        // Another machine reads the written data from the image.
        b.hw.disks.flush().unwrap();
        let floppies = [Image::floppy(&disks.images.path().join("a.img"), true).unwrap()];
        let fixed = [Image::fixed(&disks.images.path().join("d.img"), true).unwrap()];
        let mut again = Bench::with_images(|_| {}, &DosOptions::default(), &floppies, &fixed);
        rows(
            &[
                ("AX=4E00 CX=16 DX=\"@*.*\"", ""),
                ("AX=4F00", ""),
                ("AX=4F00", "CF AX=0012"),
                ("AX=3D00 DX=\"@x.txt\"", "AX=0005"),
                ("AX=5700 BX=5", "CX=6000 DX=5821"),
                ("AX=4202 BX=5", "AX=200A"),
            ],
            &mut again,
        );
    }
}

#[test]
fn a_full_disk_takes_what_fits() {
    let mut disks = disks();
    let b = &mut disks.bench;
    b.table(&[
        // 354 clusters of 1 KB.
        ("AX=3600 DX=1", "AX=0002 CX=0200 DX=0162 BX=0162"),
        ("AX=3C00 CX=0 DX=\"A:BIG\"", "AX=0005"),
        ("AX=4200 BX=5 CX=5 DX=8000", "AX=8000 DX=0005"),
        ("AX=4000 BX=5 CX=2000 DX=0", "AX=0800"),
        ("AX=4000 BX=5 CX=2000 DX=0", "AX=0000"),
        ("AX=3600 DX=1", "AX=0002 CX=0200 DX=0162"),
        ("AX=3900 DX=\"A:SUB\"", "CF AX=0005"),
        // Truncated to one byte: the rest is free again.
        ("AX=4200 BX=5 CX=0 DX=1", "AX=0001 DX=0000"),
        ("AX=4000 BX=5 CX=0", "AX=0000"),
        ("AX=3600 DX=1", "AX=0002 CX=0200 DX=0162 BX=0161"),
        ("AX=3E00 BX=5", ""),
        ("AX=4100 DX=\"A:BIG\"", ""),
        ("AX=3600 DX=1", "AX=0002 CX=0200 DX=0162 BX=0162"),
        ("AX=3600 DX=4", "AX=0008 CX=0200 DX=137E BX=137E"),
    ]);
}

#[test]
fn a_directory_grows_and_the_root_does_not() {
    let mut disks = disks();
    let b = &mut disks.bench;
    b.table(&[("AX=3900 DX=\"A:SUB\"", "")]);
    for number in 0..112 {
        let made = b.call(&format!("AX=3C00 CX=0 DX=\"A:\\SUB\\F{number}\""));
        assert_eq!(made, "AX=0005", "{number}");
        b.table(&[("AX=3E00 BX=5", "")]);
    }
    for number in 0..111 {
        assert_eq!(b.call(&format!("AX=3C00 CX=0 DX=\"A:F{number}\"")), "AX=0005", "{number}");
        b.table(&[("AX=3E00 BX=5", "")]);
    }
    b.table(&[("AX=3C00 CX=0 DX=\"A:MORE\"", "CF AX=0052"), ("AX=4E00 CX=10 DX=\"A:\\SUB\\*.*\"", "")]);
    let mut names = 1;
    while b.call("AX=4F00").is_empty() {
        names += 1;
    }
    assert_eq!(names, 114, "with the two entries of dots");
}

#[test]
fn drives_by_letter() {
    let mut disks = disks();
    let b = &mut disks.bench;
    b.table(&[
        ("AX=1900", "AX=1902"),
        ("AX=0E00 DX=5", "AX=0E06"),
        ("AX=1900", "AX=1905"),
        ("AX=3D00 DX=\"F.TXT\"", "AX=0005"),
        ("AX=4400 BX=5", "AX=0045 DX=0045"),
        ("AX=3D00 DX=\"C:C.TXT\"", "AX=0006"),
        ("AX=3D00 DX=\"C.TXT\"", "CF AX=0002"),
        ("AX=3900 DX=\"SUB\"", ""),
        ("AX=3B00 DX=\"SUB\"", ""),
        ("AX=4700 DX=0 SI=100", "AX=0100"),
        ("AX=4700 DX=3 SI=200", "AX=0100"),
        ("AX=6000 SI=\"x\" DI=300", ""),
        ("AX=6000 SI=\"d:y\" DI=400", ""),
        ("AX=0E00 DX=4", "AX=0E06"),
        ("AX=1900", "AX=1905"),
        ("AX=3D00 DX=\"E:X\"", "CF AX=0003"),
        ("AX=4700 DX=5 SI=100", "CF AX=000F"),
        ("AX=3600 DX=5", "AX=FFFF"),
        ("AX=4408 BX=1", "AX=0000"),
        ("AX=4408 BX=4", "AX=0001"),
        ("AX=4408 BX=6", "AX=0001"),
        ("AX=4408 BX=5", "CF AX=000F"),
        ("AX=4408 BX=7", "CF AX=000F"),
        ("AX=5600 DX=\"F:F.TXT\" DI=\"C:G.TXT\"", "CF AX=0011"),
        ("AX=3D00 DX=\"B:X\"", "CF AX=0053"),
        ("AX=1C00 DX=1", "AX=1C02 CX=0200 DX=0162 BX=2917 DS=0080"),
        ("AX=1C00 DX=5", "AX=1CFF"),
        ("AX=2900 SI=\"e:x\" DI=500", "AX=29FF SI=8003"),
        ("AX=2900 SI=\"f:x\" DI=500", "SI=8003"),
    ]);
    assert_eq!(b.bytes(0x100, 4), b"SUB\0");
    assert_eq!(b.bytes(0x200, 1), b"\0");
    assert_eq!(b.bytes(0x300, 9), b"F:\\SUB\\X\0");
    assert_eq!(b.bytes(0x400, 5), b"D:\\Y\0");
    let shown = sysvars::cds(&mut b.hw, 5);
    assert_eq!(b.hw.bytes(shown, 7), b"F:\\SUB\0");
    // The chain of parameter blocks: A:, B:, C:, D:, F:.
    let mut at = b.hw.far(sysvars::LISTS);
    let mut chain = Vec::new();
    while at.offset != 0xFFFF {
        chain.push((b.hw.byte(at), b.hw.byte(at.plus(0x17)), b.hw.word(at.plus(0x0D))));
        at = b.hw.far(at.plus(0x19));
    }
    let expected = [(0, 0xFD, 355), (1, 0xF0, 2848), (2, 0xF8, 0x2001), (3, 0xF8, 0x137F), (5, 0xF8, 0x2001)];
    assert_eq!(chain, expected);
}

#[test]
fn files_by_fcb_on_other_drives() {
    let mut disks = disks();
    let b = &mut disks.bench;
    for (drive, letter) in [(1, "A:"), (4, "D:"), (6, "F:")] {
        let mut fcb = vec![drive];
        fcb.extend(b"NEW     TXT");
        fcb.resize(37, 0);
        b.put(0x100, &fcb);
        b.put(0x200, &[9; 128]);
        b.table(&[
            ("AX=1600 DX=100", ""),
            ("AX=1A00 DX=200", ""),
            ("AX=1500 DX=100", ""),
            ("AX=1000 DX=100", ""),
        ]);
        assert_eq!(b.call(&format!("AX=3D00 DX=\"{letter}NEW.TXT\"")), "AX=0005");
        b.table(&[("AX=4202 BX=5", "AX=0080"), ("AX=3E00 BX=5", ""), ("AX=1300 DX=100", "")]);
    }
}

#[test]
fn sectors_of_a_volume() {
    let mut disks = disks();
    let b = &mut disks.bench;
    // AX, CX, DX, writes, and the result as AX with CF.
    for (vector, ax, cx, dx, expected) in [
        (0x25, 0, 1, 0, Ok(())),
        (0x25, 0, 8, 712, Ok(())),
        (0x25, 0, 9, 712, Err(0x0408)),
        (0x25, 0, 1, 720, Err(0x0408)),
        (0x25, 1, 1, 0, Err(0x8002)),
        (0x25, 2, 1, 0, Err(0x0408)),
        (0x25, 4, 1, 0, Err(0x0201)),
        (0x26, 0, 1, 719, Ok(())),
        (0x25, 3, 1, 39_999, Ok(())),
        (0x25, 3, 1, 40_000, Err(0x0408)),
        (0x25, 3, 0xFFFF, 0, Ok(())),
    ] {
        b.reset_stack();
        // The packet, for CX = FFFFh: sector 1, one of them, to DS:1000.
        b.put(0x4000, &[1, 0, 0, 0, 1, 0, 0, 0x10, 0x00, 0x50]);
        let bx = if cx == 0xFFFF { 0x4000 } else { 0 };
        let r = &mut b.cpu.regs;
        r.set_ax(ax);
        r.set_cx(cx);
        r.set_dx(dx);
        r.set_bx(bx);
        r.set_ds(DATA);
        assert_eq!(b.serve(vector), Resume::Jump);
        let r = &b.cpu.regs;
        let result = if r.flags & Flags::CF == 0 { Ok(()) } else { Err(r.ax()) };
        assert_eq!(result, expected, "{vector:02X} {ax} {cx} {dx}");
        assert_eq!((r.sp(), r.cs(), r.ip), (STACK.offset + 4, CALLER.segment, u32::from(CALLER.offset)));
    }
    // The table of D: begins with its media byte.
    assert_eq!(b.bytes(0x1000, 4), [0xF8, 0xFF, 0xFF, 0xFF]);
}

#[test]
fn disks_that_hold_no_volume() {
    let images = tempfile::tempdir().unwrap();
    let blank = images.path().join("blank.img");
    fs::write(&blank, vec![0; 360 << 10]).unwrap();
    let old = images.path().join("old.img");
    // Before DOS 2 there were no parameters, only the media byte.
    let mut bytes = vec![0; 160 << 10];
    bytes[512..515].copy_from_slice(&[0xFE, 0xFF, 0xFF]);
    fs::write(&old, bytes).unwrap();
    let floppies = [blank, old].map(|path| Image::floppy(&path, false).unwrap());
    let mut b = Bench::with_images(|_| {}, &DosOptions::default(), &floppies, &[]);
    b.table(&[
        ("AX=3D00 DX=\"A:X\"", "CF AX=001A"),
        ("AX=4E00 DX=\"A:*.*\"", "CF AX=001A"),
        ("AX=3600 DX=1", "AX=FFFF"),
        ("AX=3600 DX=2", "AX=0001 CX=0200 DX=0139 BX=0139"),
        ("AX=3C00 CX=0 DX=\"B:X\"", "AX=0005"),
        ("AX=4000 BX=5 CX=5", "AX=0005"),
        ("AX=3600 DX=2", "AX=0001 CX=0200 DX=0139 BX=0138"),
        ("AX=6900 BX=2 DX=0", "CF AX=0005"),
    ]);
}

/// Circular tables, directories that are their own parents, sizes beyond the disk.
#[test]
fn damaged_volumes_hurt_nobody() {
    let images = tempfile::tempdir().unwrap();
    for seed in 0..40_u32 {
        let path = formatted(images.path(), "a.img", 720, 0, &FLOPPY);
        let mut bytes = fs::read(&path).unwrap();
        let mut random = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as u8
        };
        // The tables and the root are random; a file and a directory come first.
        bytes[515..12 * SECTOR].fill_with(&mut next);
        bytes[5 * SECTOR..5 * SECTOR + 12].copy_from_slice(b"DIR        \x10");
        bytes[5 * SECTOR + 32..5 * SECTOR + 44].copy_from_slice(b"FILE       \x20");
        if seed % 4 == 0 {
            // Every cluster is followed by itself or its neighbour.
            bytes[515..3 * SECTOR].fill(0x02);
            bytes[5 * SECTOR + 26] = 2;
        }
        fs::write(&path, bytes).unwrap();
        let floppies = [Image::floppy(&path, true).unwrap()];
        let mut b = Bench::with_images(|_| {}, &DosOptions::default(), &floppies, &[]);
        for call in [
            "AX=3D02 DX=\"A:FILE\"",
            "AX=3F00 BX=5 CX=FFFF DX=0",
            "AX=4200 BX=5 CX=FFFF DX=FFF0",
            "AX=3F00 BX=5 CX=FFFF DX=0",
            "AX=4000 BX=5 CX=100 DX=0",
            "AX=4200 BX=5 CX=1 DX=0",
            "AX=4000 BX=5 CX=0 DX=0",
            "AX=4E00 CX=16 DX=\"A:\\DIR\\*.*\"",
            "AX=4F00",
            "AX=3C00 CX=0 DX=\"A:\\DIR\\NEW\"",
            "AX=3900 DX=\"A:\\DIR\\SUB\"",
            "AX=3A00 DX=\"A:\\DIR\"",
            "AX=4100 DX=\"A:FILE\"",
            "AX=3600 DX=1",
        ] {
            b.call(call);
        }
    }
}

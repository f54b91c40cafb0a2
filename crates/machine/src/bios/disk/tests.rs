use super::*;
use crate::firmware;
use crate::hardware::disk::Disks;
use oxbox_cpu::{Cpu, Flags, Model};

const BUFFER: Far = Far::new(0x3000, 0x0000);

struct Bench {
    cpu: Cpu,
    hw: Hardware,
    bios: Bios,
    _folder: tempfile::TempDir,
}

/// Returns a machine with two floppies of 360 and 1,440 KB and a hard disk of 20 MB. Each sector
/// begins with its number.
fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str, len: usize| {
        let path = folder.path().join(name);
        let mut bytes = vec![0; len];
        for (number, sector) in (0_u32..).zip(bytes.chunks_exact_mut(SECTOR)) {
            sector[..4].copy_from_slice(&number.to_le_bytes());
        }
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let floppies =
        [make("A", 360 << 10), make("B", 1440 << 10)].map(|path| Image::floppy(&path, false).unwrap());
    let fixed = [Image::fixed(&make("C", 20 << 20), false).unwrap()];
    let mut hw = Hardware::new(3000);
    firmware::install(&mut hw);
    let mut bios = Bios::default();
    bios.init(&mut hw);
    hw.disks = Disks::new(&floppies, &fixed);
    bios.add_drives(&mut hw);
    let mut cpu = Cpu::new(Model::I386);
    cpu.regs.set_ss(0x2000);
    Bench { cpu, hw, bios, _folder: folder }
}

impl Bench {
    /// Calls INT 13h with these registers. Returns CF and AX.
    fn call(&mut self, ax: u16, bx: u16, cx: u16, dx: u16) -> String {
        let r = &mut self.cpu.regs;
        r.set_sp(0x1000);
        r.set_ax(ax);
        r.set_bx(bx);
        r.set_cx(cx);
        r.set_dx(dx);
        r.set_es(BUFFER.segment);
        r.set_ds(BUFFER.segment);
        r.set_si(0x8000);
        self.bios.service(0x13, &mut Guest::new(&mut self.cpu, &mut self.hw));
        let carry = u32::from(self.hw.memory.read16(0x2_1004)) & Flags::CF != 0;
        format!("{}{:04X}", if carry { "CF " } else { "" }, self.cpu.regs.ax())
    }
}

#[test]
fn sectors_by_cylinder_head_and_number() {
    let mut b = bench();
    // AX, CX, DX, the result, and the number at the start of the last sector read.
    for (ax, cx, dx, expected, last) in [
        (0x0201, 0x0001, 0x0000, "0001", Some(0)),
        (0x0201, 0x0009, 0x0000, "0001", Some(8)),
        (0x0201, 0x0001, 0x0100, "0001", Some(9)),
        (0x0203, 0x2709, 0x0000, "0003", Some(712)),
        (0x0209, 0x2701, 0x0100, "0009", Some(719)),
        // Past the head, but not past the cylinder.
        (0x0212, 0x0001, 0x0000, "0012", Some(17)),
        (0x0212, 0x0002, 0x0000, "CF 0411", Some(17)),
        (0x0202, 0x0009, 0x0100, "CF 0401", Some(17)),
        (0x0201, 0x000A, 0x0000, "CF 0400", None),
        (0x0201, 0x0000, 0x0000, "CF 0400", None),
        (0x0201, 0x2801, 0x0000, "CF 0400", None),
        (0x0201, 0x0001, 0x0200, "CF 0400", None),
        (0x0200, 0x0001, 0x0000, "CF 0100", None),
        (0x0201, 0x0012, 0x0101, "0001", Some(35)),
        (0x0201, 0x0001, 0x0002, "CF 8000", None),
        (0x0201, 0x0001, 0x0081, "CF 8000", None),
        // A hard disk's transfer continues at the next cylinder: 16 heads, 63 sectors, 40
        // cylinders, and a rest that has no cylinder number.
        (0x0202, 0x003F, 0x0F80, "0002", Some(1008)),
        (0x0201, 0x277F, 0x0F80, "CF 0400", None),
        (0x0201, 0x273F, 0x0F80, "0001", Some(40_319)),
        (0x0281, 0x0001, 0x0080, "CF 0181", None),
        (0x0401, 0x0009, 0x0000, "0001", None),
        (0x0401, 0x000A, 0x0000, "CF 0400", None),
    ] {
        assert_eq!(b.call(ax, 0, cx, dx), expected, "{ax:04X} {cx:04X} {dx:04X}");
        if let Some(last) = last {
            let moved = u16::from(b.cpu.regs.al());
            assert_eq!(b.hw.dword(BUFFER.plus((moved - 1) * 512)), last, "{ax:04X} {cx:04X} {dx:04X}");
        }
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut b = bench();
    b.hw.set_bytes(BUFFER, &[0xA5; 1024]);
    assert_eq!(b.call(0x0302, 0, 0x0103, 0x0001), "0002");
    b.hw.set_bytes(BUFFER, &[0; 1024]);
    assert_eq!(b.call(0x0202, 0, 0x0103, 0x0001), "0002");
    assert_eq!(b.hw.bytes(BUFFER, 1024), [0xA5; 1024]);
    // A track is formatted with the fill byte of the base table.
    b.hw.set_bytes(BUFFER, &[1, 0, 3, 2, 1, 0, 4, 2]);
    assert_eq!(b.call(0x0502, 0, 0x0101, 0x0001), "0002");
    assert_eq!(b.call(0x0202, 0, 0x0103, 0x0001), "0002");
    assert_eq!(b.hw.bytes(BUFFER, 1024), [0xF6; 1024]);
    b.hw.set_bytes(BUFFER, &[1, 0, 19, 2]);
    assert_eq!(b.call(0x0501, 0, 0x0101, 0x0001), "CF 0401");
}

#[test]
fn dma_of_a_floppy_stays_within_its_64_kib() {
    let mut b = bench();
    assert_eq!(b.call(0x0202, 0xFC00, 0x0001, 0x0000), "0002");
    assert_eq!(b.call(0x0202, 0xFC01, 0x0001, 0x0000), "CF 0900");
    assert_eq!(b.call(0x0402, 0xFC01, 0x0001, 0x0000), "0002");
    // A hard disk's transfer continues past the segment.
    assert_eq!(b.call(0x0202, 0xFE00, 0x0002, 0x0080), "0002");
    assert_eq!(b.hw.memory.read32(0x4_0000), 2);
}

#[test]
fn what_the_drives_are() {
    let mut b = bench();
    for (ax, cx, dx, expected, bx_cx_dx) in [
        (0x0800, 0, 0x0000, "0000", [1, 0x2709, 0x0102]),
        (0x0800, 0, 0x0001, "0000", [4, 0x4F12, 0x0102]),
        (0x0800, 0, 0x0080, "0000", [0, 0x273F, 0x0F01]),
        (0x0800, 0, 0x0081, "CF 8000", [0, 0, 0x0081]),
        (0x1500, 0, 0x0000, "0100", [0, 0, 0x0000]),
        (0x1500, 0, 0x0001, "0200", [0, 0, 0x0001]),
        (0x1500, 0, 0x0080, "0300", [0, 0, 0xA000]),
        (0x1500, 0, 0x0003, "0000", [0, 0, 0x0003]),
        (0x1600, 0, 0x0000, "CF 0600", [0, 0, 0x0000]),
        (0x1600, 0, 0x0001, "0000", [0, 0, 0x0001]),
        (0x1000, 0, 0x0080, "0000", [0, 0, 0x0080]),
        (0x1000, 0, 0x0002, "CF 8000", [0, 0, 0x0002]),
        (0x1800, 0x2709, 0x0000, "0000", [0, 0x2709, 0x0000]),
        (0x1800, 0x4F12, 0x0000, "CF 0C00", [0, 0x4F12, 0x0000]),
        (0x0C00, 0x2701, 0x0000, "0000", [0, 0x2701, 0x0000]),
        (0x0C00, 0x2801, 0x0000, "CF 0400", [0, 0x2801, 0x0000]),
        (0x7700, 0, 0x0000, "CF 0100", [0, 0, 0x0000]),
    ] {
        assert_eq!(b.call(ax, 0, cx, dx), expected, "{ax:04X} {dx:04X}");
        let r = &b.cpu.regs;
        assert_eq!([r.bx(), r.cx(), r.dx()], bx_cx_dx, "{ax:04X} {dx:04X}");
    }
    let base = b.hw.vector(0x1E);
    assert_eq!(b.hw.bytes(base, 11), [0xDF, 2, 0x25, 2, 9, 0x1B, 0xFF, 0x6C, 0xF6, 0x0F, 8]);
    let table = b.hw.vector(0x41);
    assert_eq!((b.hw.word(table), b.hw.byte(table.plus(2)), b.hw.byte(table.plus(14))), (40, 16, 63));
    assert_eq!((b.hw.memory.read16(0x410) & 0xC1, b.hw.memory.read8(0x475)), (0x41, 1));
}

#[test]
fn the_last_status_is_kept_for_each_kind() {
    let mut b = bench();
    assert_eq!(b.call(0x0201, 0, 0x000A, 0x0000), "CF 0400");
    assert_eq!(b.call(0x0100, 0, 0, 0x0080), "0000");
    assert_eq!(b.call(0x0100, 0, 0, 0x0000), "CF 0400");
    assert_eq!(b.call(0x0000, 0, 0, 0x0000), "0000");
    assert_eq!(b.call(0x0100, 0, 0, 0x0000), "0000");
}

#[test]
fn sectors_by_number() {
    let mut b = bench();
    assert_eq!(b.call(0x4100, 0x55AA, 0, 0x0080), "2100");
    assert_eq!((b.cpu.regs.bx(), b.cpu.regs.cx()), (0xAA55, 1));
    assert_eq!(b.call(0x4100, 0x55AA, 0, 0x0000), "CF 0100");
    let packet = BUFFER.plus(0x8000);
    for (ax, count, first, expected, moved) in [
        (0x4200, 3, 40_900, "0000", 3),
        (0x4200, 3, 40_958, "CF 0400", 2),
        (0x4200, 1, 1 << 32, "CF 0400", 0),
        (0x4200, 128, 0, "CF 0100", 128),
        (0x4400, 3, 0, "0000", 3),
        (0x4700, 1, 40_959, "0000", 1),
        (0x4700, 1, 40_960, "CF 0400", 1),
    ] {
        b.hw.set_word(packet, 16);
        b.hw.set_word(packet.plus(2), count);
        b.hw.set_far(packet.plus(4), BUFFER);
        b.hw.set_dword(packet.plus(8), first as u32);
        b.hw.set_dword(packet.plus(12), (first >> 32) as u32);
        assert_eq!(b.call(ax, 0, 0, 0x0080), expected, "{ax:04X} {first}");
        assert_eq!(b.hw.word(packet.plus(2)), moved, "{ax:04X} {first}");
        if ax == 0x4200 && moved > 0 && expected != "CF 0100" {
            assert_eq!(u64::from(b.hw.dword(BUFFER)), first);
        }
    }
    b.hw.set_word(packet, 30);
    assert_eq!(b.call(0x4800, 0, 0, 0x0080), "0000");
    let fields = [4, 8, 12, 16, 20].map(|at| b.hw.dword(packet.plus(at)));
    assert_eq!((b.hw.word(packet), fields, b.hw.word(packet.plus(24))), (26, [40, 16, 63, 40_960, 0], 512));
}

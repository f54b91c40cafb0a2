use super::*;

/// A generator of numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.next().is_multiple_of(count)
    }

    /// Returns a word that is often a limit.
    fn word(&mut self) -> u16 {
        let value = self.next();
        match value % 8 {
            0 => 0,
            1 => 0xFFFF,
            2 => (value >> 8) as u16 % 32,
            3 => 0xFFF0 | (value >> 8) as u16,
            4 => STRINGS + ((value >> 8) % 8) as u16 * 0x100,
            _ => (value >> 8) as u16,
        }
    }
}

/// With any registers, memory and stack, no call panics, hangs, or leaves the drive's folder.
#[test]
fn any_call_is_answered() {
    let strings: [&[u8]; 8] = [
        b"A.TXT\0",
        b"SUB\\..\\..\\X\0",
        b"*.*\0",
        b"C:\\SUB\\NEW.DAT\0",
        b"\0",
        b"\x03A       TXT\0\0\x10\0\0\0\0\0",
        b"\xFF\0\0\0\0\x10\0????????????\0\0",
        b"CON\0",
    ];
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for round in 0..60 {
        let outside = tempfile::tempdir().unwrap();
        let inside = outside.path().join("C");
        fs::create_dir_all(inside.join("SUB")).unwrap();
        file(&inside, "A.TXT", "hello");
        let mut b = Bench::with(|_| {}, &DosOptions::default());
        b.dos = Dos::new(
            &DosOptions { folder: Some(inside), ..DosOptions::default() },
            DateTime::date(1980, 1, 1),
        )
        .unwrap();
        b.dos.init(&mut b.hw, &[]);
        b.dos.load_program(&mut b.cpu, &mut b.hw, &[0xCD, 0x20], "T.COM", "").unwrap();
        b.dos.redirect_output(&mut b.hw);
        for _ in 0..400 {
            b.reset_stack();
            for (i, string) in strings.iter().enumerate() {
                b.put(STRINGS + i as u16 * 0x100, string);
            }
            for register in &mut b.cpu.regs.gpr {
                *register = u32::from(numbers.word());
            }
            if !numbers.one_in(4) {
                b.cpu.regs.set_sp(STACK.offset);
            }
            if numbers.one_in(8) {
                b.cpu.regs.set_es(numbers.word());
                b.cpu.regs.set_ds(numbers.word());
            }
            if numbers.one_in(16) {
                // Overwrites a structure of DOS itself.
                let at = Far::new(sysvars::DOS, numbers.word() % 0x1200);
                b.hw.set_byte(at, numbers.next() as u8);
            }
            let vector = if numbers.one_in(16) { 0x20 + (numbers.next() % 17) as u8 } else { 0x21 };
            let function = (numbers.next() % 0x70) as u8;
            // These end most programs at once.
            let ends = matches!(function, 0x00 | 0x31 | 0x4C) || vector != 0x21;
            if ends && !numbers.one_in(8) {
                continue;
            }
            b.cpu.regs.set_ah(function);
            b.serve(vector);
        }
        let listed: Vec<_> = fs::read_dir(outside.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(listed, ["C"], "round {round}");
    }
}

#[test]
fn handlers_that_never_come_back_use_no_memory() {
    let mut b = Bench::new();
    b.hw.set_vector(0x23, Far::new(0x4000, 0x0500));
    for i in 0..10_000u32 {
        b.reset_stack();
        let sp = (i * 2 % 0x8000) as u16;
        b.cpu.regs.set_sp(0xF000 - sp);
        b.cpu.regs.set_ax(0x0800);
        b.keys(&[0x2E03]);
        b.trap(0x21);
    }
    assert!(b.dos.running.calls.len() <= nesting::MOST_NESTED);
}

/// With any content of an FCB that claims to be open, no call panics, hangs, fills memory, or
/// leaves the drive's folder.
#[test]
fn forged_fcbs_do_no_harm() {
    const FCB_CALLS: [u8; 15] =
        [0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x21, 0x22, 0x23, 0x24, 0x27, 0x28];
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    for round in 0..20 {
        let prepare = |folder: &Path| {
            fs::create_dir(folder.join("SUB")).unwrap();
            file(folder, "A.TXT", "hello");
            file(folder, "SUB/B.TXT", "below");
        };
        let options = DosOptions { read_only: round % 4 == 0, ..DosOptions::default() };
        let mut b = Bench::with(prepare, &options);
        b.dos.redirect_output(&mut b.hw);
        b.put(0x100, b"\0A       TXT");
        b.call("AX=0F00 DX=100");
        let opened = b.bytes(0x100, 37);
        for _ in 0..1000 {
            b.put(0x100, &opened);
            if numbers.one_in(4) {
                let names: [&[u8]; 4] =
                    [b"\0????????TXT", b"\0../../X    ", b"\0SUB        ", b"\0NEW     DAT"];
                b.put(0x100, names[numbers.next() as usize % 4]);
            }
            for _ in 0..numbers.next() % 6 {
                // Block, record size, length, mark, position, record, random record.
                let at = 0x0C + numbers.next() as u16 % 0x19;
                let byte = numbers.word() as u8;
                b.put(0x100 + at, &[byte]);
            }
            let dta = numbers.word();
            b.call(&format!("AX=1A00 DX={dta:X}"));
            let function = FCB_CALLS[numbers.next() as usize % FCB_CALLS.len()];
            let count = numbers.word();
            b.call(&format!("AX={function:02X}00 CX={count:X} DX=100"));
        }
        assert!(b.dos.pending_bytes() <= PENDING_LIMIT, "round {round}");
        let read = |name: &str| fs::read(b.path(name)).unwrap_or_default();
        if options.read_only {
            assert_eq!((read("A.TXT"), read("SUB/B.TXT")), (b"hello".to_vec(), b"below".to_vec()));
        }
        let beside = b.folder.path().parent().unwrap().join("X");
        assert!(!beside.exists());
    }
}

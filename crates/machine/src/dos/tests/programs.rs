use super::*;

#[test]
fn the_first_program_finds_what_dos_gives() {
    let mut b = Bench::new();
    let psp = b.hw.word(sysvars::CURRENT_PSP);
    let field = |b: &mut Bench, at: u16, len: usize| b.hw.bytes(Far::new(psp, at), len);
    assert_eq!(field(&mut b, 0, 5), [0xCD, 0x20, 0xFF, 0x9F, 0x00]);
    assert_eq!(field(&mut b, 0x16, 9), [0xF0, 0x05, 1, 1, 1, 0, 2, 0xFF, 0xFF]);
    assert_eq!(field(&mut b, 0x40, 2), [5, 0]);
    assert_eq!(field(&mut b, 0x50, 3), [0xCD, 0x21, 0xCB]);
    assert_eq!(field(&mut b, 0x5C, 12), b"\0ONE        ");
    assert_eq!(field(&mut b, 0x6C, 12), b"\0TWO        ");
    assert_eq!(field(&mut b, 0x80, 10), b"\x08 one two\r");
    let environment = b.hw.word(Far::new(psp, 0x2C));
    let text = b.hw.bytes(Far::new(environment, 0), 59);
    assert_eq!(
        text.escape_ascii().to_string(),
        r"COMSPEC=Z:\\COMMAND.COM\x00PATH=C:\\\x00PROMPT=$P$G\x00\x00\x01\x00C:\\TEST.COM\x00"
    );
    assert_eq!(b.hw.bytes(Far::new(psp - 1, 8), 8), b"TEST\0\0\0\0");
}

#[test]
fn a_program_with_a_long_name_finds_itself_by_its_short_one() {
    for (name, expected) in [
        ("A long name.exe", r"C:\ALONGN~1.EXE"),
        ("sub/Another long.com", r"C:\SUB\ANOTHE~1.COM"),
        ("short.com", r"C:\SHORT.COM"),
        ("elsewhere/x.com", r"C:\ELSEWHERE\X.COM"),
    ] {
        let mut b = Bench::with(
            |dir| {
                file(dir, "A long name.exe", "x");
                file(dir, "short.com", "x");
                fs::create_dir(dir.join("sub")).unwrap();
                file(&dir.join("sub"), "Another long.com", "x");
            },
            &DosOptions::default(),
        );
        assert!(b.call("AX=4C00").starts_with("Jump"));
        b.dos.load_program(&mut b.cpu, &mut b.hw, &[0xC3], name, "").unwrap();
        let psp = b.hw.word(sysvars::CURRENT_PSP);
        let environment = b.hw.word(Far::new(psp, 0x2C));
        let path = b.hw.text(Far::new(environment, 47), 0, 64);
        assert_eq!(String::from_utf8(path).unwrap(), expected);
    }
}

#[test]
fn another_command_interpreter_finds_itself() {
    let own = vec![("comspec".to_owned(), "C:\\4DOS.COM".to_owned())];
    for (file, environment, expected) in [
        ("COMMAND.COM", &[][..], "COMSPEC=C:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
        ("DOS/Command.com", &[], "COMSPEC=C:\\DOS\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
        (COMSPEC, &[], "COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
        ("COMMAND.EXE", &[], "COMSPEC=Z:\\COMMAND.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
        ("COMMAND.COM", &own, "COMSPEC=C:\\4DOS.COM\0PATH=C:\\\0PROMPT=$P$G\0\0"),
    ] {
        let mut hw = Hardware::new(3000);
        firmware::install(&mut hw);
        bios::Bios::default().init(&mut hw);
        let mut dos = Dos::new(&DosOptions::default(), DateTime::date(1980, 1, 1)).unwrap();
        dos.init(&mut hw, environment);
        let mut cpu = Cpu::new(Model::I386);
        dos.load_program(&mut cpu, &mut hw, &[0xC3], file, "").unwrap();
        let segment = hw.word(Far::new(cpu.regs.ds(), 0x2C));
        let strings = hw.bytes(Far::new(segment, 0), expected.len());
        assert_eq!(String::from_utf8(strings).unwrap(), expected, "{file}");
    }
}

fn loaded(file: &[u8], arguments: &str) -> Result<(Cpu, Hardware, Dos), LoadError> {
    let mut hw = Hardware::new(3000);
    firmware::install(&mut hw);
    bios::Bios::default().init(&mut hw);
    let mut dos = Dos::new(&DosOptions::default(), DateTime::date(1980, 1, 1)).unwrap();
    dos.init(&mut hw, &[]);
    let mut cpu = Cpu::new(Model::I386);
    dos.load_program(&mut cpu, &mut hw, file, "DIR/P.EXE", arguments)?;
    Ok((cpu, hw, dos))
}

fn registers(cpu: &Cpu) -> String {
    let r = &cpu.regs;
    format!(
        "AX={:04X} BX={:04X} CX={:04X} DX={:04X} SI={:04X} DI={:04X} BP={:04X} CS:IP={:04X}:{:04X} SS:SP={:04X}:{:04X} DS={:04X} ES={:04X}",
        r.ax(),
        r.bx(),
        r.cx(),
        r.dx(),
        r.si(),
        r.di(),
        r.bp(),
        r.cs(),
        r.ip,
        r.ss(),
        r.sp(),
        r.ds(),
        r.es()
    )
}

#[test]
fn com_programs() {
    let (cpu, mut hw, _) = loaded(&[0x90; LARGEST_COM], "").unwrap();
    assert_eq!(
        registers(&cpu),
        "AX=0000 BX=0000 CX=00FF DX=0638 SI=0100 DI=FFFE BP=091C CS:IP=0638:0100 SS:SP=0638:FFFE DS=0638 ES=0638"
    );
    assert_eq!(hw.word(Far::new(0x0638, 0xFFFE)), 0);
    let (cpu, ..) = loaded(&[0x90], "d:x c:y").unwrap();
    assert_eq!(cpu.regs.ax(), 0x00FF);
    let (cpu, ..) = loaded(&[0x90], "c:x z:y").unwrap();
    assert_eq!(cpu.regs.ax(), 0xFF00);
}

/// Returns an EXE with a header of 32 bytes and `image` bytes, with changed words in the header.
fn exe(image: usize, changes: &[(usize, u16)]) -> Vec<u8> {
    let total = 32 + image;
    let mut file = vec![0x90; total];
    file[..32].fill(0);
    let mut put = |at: usize, value: u16| file[at..at + 2].copy_from_slice(&value.to_le_bytes());
    for (at, value) in [
        (0, 0x5A4D),
        (2, (total % 512) as u16),
        (4, total.div_ceil(512) as u16),
        (8, 2),
        (0xC, 0xFFFF),
        (0x18, 0x1C),
    ] {
        put(at, value);
    }
    for &(at, value) in changes {
        put(at, value);
    }
    file
}

#[test]
fn exe_programs() {
    for (name, changes, expected) in [
        ("plain", &[(0x0E, 3), (0x10, 0x200), (0x14, 5), (0x16, 1)][..], "CS:IP=0649:0005 SS:SP=064B:0200"),
        // No memory requested beyond the image: loaded at the end of memory.
        ("high", &[(0x0C, 0)], "CS:IP=9FE1:0000 SS:SP=9FE1:0000"),
        ("high, whatever its minimum", &[(0x0A, 0x9FFF), (0x0C, 0)], "CS:IP=9FE1:0000 SS:SP=9FE1:0000"),
        ("last page too long", &[(2, 600)], "CS:IP=0648:0000"),
        ("cut", &[(2, 511)], "CS:IP=0648:0000"),
        // A COM program with an EXE header.
        ("com", &[(0x16, 0xFFF0), (0x14, 0x100)], "CS:IP=0638:0100 SS:SP=0648:0000"),
    ] {
        let (cpu, ..) = loaded(&exe(100, changes), "").unwrap();
        let shown = registers(&cpu);
        assert!(shown.contains(expected), "{name}: {shown}");
        assert!(shown.ends_with("DS=0638 ES=0638"), "{name}: {shown}");
    }
    // The maximum limits the block.
    let (_, mut hw, _) = loaded(&exe(100, &[(0x0A, 1), (0x0C, 0x20)]), "").unwrap();
    assert_eq!(hw.word(Far::new(0x0638, 2)), 0x0638 + 0x10 + 30 + 0x20);
    // Relocations.
    let mut file = exe(100, &[(6, 1), (0x1C, 4)]);
    file[36..38].copy_from_slice(&0x0002u16.to_le_bytes());
    let (_, mut hw, _) = loaded(&file, "").unwrap();
    assert_eq!(hw.word(Far::new(0x0648, 4)), 0x064A);
    // The same word twice, and one after the image.
    let mut file = exe(100, &[(6, 3), (0x18, 32), (8, 4)]);
    file[32..44].copy_from_slice(&[4, 0, 0, 0, 4, 0, 0, 0, 0, 0x02, 0, 0]);
    file[68..70].copy_from_slice(&0x0002u16.to_le_bytes());
    let (_, mut hw, _) = loaded(&file, "").unwrap();
    assert_eq!(hw.word(Far::new(0x0648, 4)), 0x0C92);
    assert_eq!(hw.word(Far::new(0x0648, 0x200)), 0x0648);
}

#[test]
fn programs_that_cannot_be_loaded() {
    for (name, file, arguments, expected) in [
        (
            "memory",
            exe(100, &[(0x0A, 0x9A00)]),
            "",
            "the program needs 631520 bytes of memory, 629872 are free",
        ),
        (
            "entry",
            exe(100, &[(0x16, 0x9A00)]),
            "",
            "the EXE header is not valid: its first instruction is outside its memory",
        ),
        (
            "tail",
            vec![0x90],
            &"x".repeat(126),
            "the arguments are too long for DOS: 127 characters, at most 126",
        ),
        ("page", vec![0x90], "語", "\"語\" cannot be written in the DOS code page 437"),
    ] {
        let error = loaded(&file, arguments).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{name}");
    }
}

#[test]
fn a_failed_load_leaves_the_memory_free() {
    let (_, mut hw, mut dos) = loaded(&exe(100, &[(0x0C, 0x20)]), "").unwrap();
    let before = memory::chain(&mut hw).unwrap();
    let mut cpu = Cpu::new(Model::I386);
    for file in [exe(100, &[(0x16, 0x9A00)]), exe(100, &[(4, 99)]), vec![]] {
        dos.load_program(&mut cpu, &mut hw, &file, "X", "").unwrap_err();
        let free = |blocks: &[memory::Block]| {
            blocks.iter().filter(|b| b.owner == 0).map(|b| b.size).collect::<Vec<_>>()
        };
        memory::largest_free(&mut hw).unwrap();
        assert_eq!(free(&memory::chain(&mut hw).unwrap()), free(&before));
    }
}

#[test]
fn ends_of_the_first_program() {
    for (vector, call, code) in [
        (0x21, "AX=4C07", 0x0007),
        (0x21, "AX=4CFF", 0x00FF),
        (0x21, "AX=3103 DX=10", 0x0303),
        (0x21, "AX=0000", 0x0000),
        (0x20, "AX=1234", 0x0000),
        (0x27, "DX=200", 0x0300),
    ] {
        let mut b = Bench::new();
        b.reset_stack();
        b.set(call);
        let psp = b.hw.word(sysvars::CURRENT_PSP);
        b.hw.set_word(STACK.plus(2), psp);
        assert!(b.trap(vector).starts_with("Jump"), "{call}");
        let r = &b.cpu.regs;
        assert_eq!((r.cs(), r.ip), (firmware::ROM_SEGMENT, u32::from(firmware::stub(0x22))), "{call}");
        assert_eq!(b.hw.word(sysvars::RETURN_CODE), code, "{call}");
        assert_eq!(b.serve(0x22), Resume::Wait);
        assert_eq!(b.dos.exit_code(), Some(code as u8), "{call}");
    }
}

#[test]
fn the_end_brings_written_data_to_the_host_and_restores_vectors() {
    let mut b = Bench::new();
    b.put(0, b"data");
    b.table(&[
        ("AX=3C00 CX=0 DX=\"F\"", "AX=0005"),
        ("AX=4000 BX=5 CX=4 DX=0", "AX=0004"),
        ("AX=2523 DX=1", ""),
        ("AX=2524 DX=2", ""),
    ]);
    assert!(b.call("AX=4C00").starts_with("Jump"));
    assert_eq!(fs::read(b.path("F")).unwrap(), b"data");
    for vector in [0x23, 0x24] {
        assert_eq!(b.hw.vector(vector), Far::new(firmware::ROM_SEGMENT, firmware::stub(vector)));
    }
    let chain = memory::chain(&mut b.hw).unwrap();
    assert!(chain.iter().all(|block| block.owner != PSP));
}

#[test]
fn exec() {
    let mut b = Bench::with(
        |dir| {
            fs::write(dir.join("CHILD.COM"), [0xCD, 0x20]).unwrap();
            fs::write(dir.join("BIG.EXE"), exe(100, &[(0x0A, 0x9000)])).unwrap();
            fs::write(dir.join("BAD.EXE"), exe(100, &[(4, 99)])).unwrap();
            fs::write(dir.join("OVL.EXE"), exe(64, &[(6, 1), (0x1C, 0)])).unwrap();
        },
        &DosOptions::default(),
    );
    let parent = b.hw.word(sysvars::CURRENT_PSP);
    // Parameter block: the parent's environment, tail, two FCBs.
    b.put(0x200, &[0, 0, 0x20, 0x02, 0, 0x50, 0x30, 0x02, 0, 0x50, 0x40, 0x02, 0, 0x50]);
    b.put(0x220, b"\x03 /x\r");
    b.put(0x230, b"\x03FIRST   TXT");
    b.put(0x240, b"\0SECOND  DAT");
    b.table(&[("AX=4B00 BX=200 DX=\"CHILD.COM\"", "CF AX=0008"), ("AX=4A00 ES=638 BX=4000", "")]);
    // The bench's data is in the program's own memory, so the whole memory is returned.
    b.table(&[
        ("AX=4A00 ES=638 BX=7000", ""),
        ("AX=4B00 BX=200 DX=\"NONE.COM\"", "CF AX=0002"),
        ("AX=4B00 BX=200 DX=\"BAD.EXE\"", "CF AX=000B"),
        ("AX=4B00 BX=200 DX=\"BIG.EXE\"", "CF AX=0008"),
        ("AX=4B02 BX=200 DX=\"CHILD.COM\"", "CF AX=0001"),
        ("AX=3C00 CX=0 DX=\"KEPT\"", "AX=0005"),
        ("AX=3D80 DX=\"CHILD.COM\"", "AX=0006"),
    ]);
    let answer = b.call("AX=4B00 BX=200 CX=1111 BP=2222 DX=\"CHILD.COM\"");
    assert!(answer.starts_with("Jump"), "{answer}");
    let child = b.hw.word(sysvars::CURRENT_PSP);
    assert!(child > 0x763A);
    let r = b.cpu.regs.clone();
    assert_eq!((r.cs(), r.ip, r.ds(), r.ss()), (child, 0x100, child, child));
    let field = |b: &mut Bench, at: u16, len: usize| b.hw.bytes(Far::new(child, at), len);
    assert_eq!(field(&mut b, 0x16, 2), parent.to_le_bytes());
    assert_eq!(field(&mut b, 0x0A, 4), [0x23, 0x01, 0x00, 0x40]);
    // Handle 5 is inherited; 6 was opened as not inherited.
    assert_eq!(field(&mut b, 0x18, 7), [1, 1, 1, 0, 2, 3, 0xFF]);
    assert_eq!(field(&mut b, 0x5C, 12), b"\x03FIRST   TXT");
    assert_eq!(field(&mut b, 0x6C, 12), b"\0SECOND  DAT");
    assert_eq!(field(&mut b, 0x80, 5), b"\x03 /x\r");
    // The child ends on its own stack; the parent continues after its INT 21h with the registers of
    // its call.
    b.cpu.regs.set_ax(0x4C2A);
    assert_eq!(b.serve(0x21), Resume::Jump);
    let r = &b.cpu.regs;
    assert_eq!((r.cs(), r.ip), (CALLER.segment, u32::from(CALLER.offset)));
    assert_eq!((r.ss(), r.sp()), (STACK.segment, STACK.offset + 6));
    assert_eq!((r.cx(), r.bp(), r.bx(), r.ds(), r.flag(Flags::CF)), (0x1111, 0x2222, 0x200, DATA, false));
    assert_eq!(b.hw.word(sysvars::CURRENT_PSP), parent);
    b.table(&[("AX=4D00", "AX=002A"), ("AX=4D01", "AX=0000"), ("AX=3E00 BX=5", "")]);
    // Load only: the entry point is in the block, the initial AX on the stack.
    assert_eq!(b.call("AX=4B01 BX=200 DX=\"CHILD.COM\""), "");
    let loaded = b.hw.word(sysvars::CURRENT_PSP);
    assert_eq!(
        b.bytes(0x20E, 8),
        [&0xFFFCu16.to_le_bytes()[..], &loaded.to_le_bytes(), &[0, 1], &loaded.to_le_bytes()].concat()
    );
    assert!(b.call("AX=4C00").starts_with("Jump"));
    // An overlay, relocated with its own factor.
    b.put(0x300, &[0x00, 0x58, 0x34, 0x12]);
    b.table(&[("AX=4B03 BX=300 DX=\"OVL.EXE\"", "AX=0000")]);
    assert_eq!(b.hw.bytes(Far::new(0x5800, 0), 4), [0xC4, 0xA2, 0x90, 0x90]);
}

#[test]
fn a_resident_child_keeps_its_memory() {
    let mut b =
        Bench::with(|dir| fs::write(dir.join("TSR.COM"), [0xCD, 0x27]).unwrap(), &DosOptions::default());
    b.put(0x200, &[0; 14]);
    b.table(&[("AX=4A00 ES=638 BX=7000", "")]);
    assert!(b.call("AX=4B00 BX=200 DX=\"TSR.COM\"").starts_with("Jump"));
    let child = b.hw.word(sysvars::CURRENT_PSP);
    b.cpu.regs.set_ax(0x3105);
    b.cpu.regs.set_dx(0x20);
    assert_eq!(b.serve(0x21), Resume::Jump);
    b.table(&[("AX=4D00", "AX=0305")]);
    let block = memory::block_at(&mut b.hw, child).unwrap();
    assert_eq!((block.owner, block.size), (child, 0x20));
}

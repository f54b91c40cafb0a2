use super::*;

/// Returns the chain as text: owner (`.` free, `D` DOS, `S` shell, `P` program) and block sizes.
fn chain(b: &mut Bench) -> String {
    let psp = b.hw.word(sysvars::CURRENT_PSP);
    let blocks = memory::chain(&mut b.hw).unwrap();
    let shown = blocks.iter().map(|block| {
        let owner = match block.owner {
            0 => '.',
            memory::OWNER_DOS => 'D',
            sysvars::SHELL => 'S',
            owner if owner == psp => 'P',
            _ => '?',
        };
        format!("{owner}{:X}", block.size)
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn blocks() {
    let mut b = Bench::new();
    assert_eq!(chain(&mut b), "D44E S20 S21 P4 P99C7");
    b.table(&[("AX=4800 BX=10", "CF AX=0008 BX=0000"), ("AX=4A00 ES=638 BX=1000", "")]);
    assert_eq!(chain(&mut b), "D44E S20 S21 P4 P1000 .89C6");
    b.table(&[
        ("AX=4800 BX=FFFF", "CF AX=0008 BX=89C6"),
        ("AX=4800 BX=10", "AX=1639"),
        ("AX=4800 BX=20", "AX=164A"),
        ("AX=4800 BX=30", "AX=166B"),
        ("AX=4800 BX=8963", "AX=169C"),
        ("AX=4800 BX=1", "CF AX=0008 BX=0000"),
        ("AX=4900 ES=164A", ""),
        ("AX=4900 ES=164B", "CF AX=0009"),
        ("AX=4A00 ES=1639 BX=31", ""),
        ("AX=4A00 ES=1639 BX=32", "CF AX=0008 BX=0031"),
        ("AX=4A00 ES=1639 BX=10", ""),
    ]);
    assert_eq!(chain(&mut b), "D44E S20 S21 P4 P1000 P10 .20 P30 P8963");
    // Best fit uses the small hole, last fit the end of the last one.
    b.table(&[
        ("AX=4900 ES=169C", ""),
        ("AX=5801 BX=1", ""),
        ("AX=5800", "AX=0001"),
        ("AX=4800 BX=18", "AX=164A"),
        ("AX=5801 BX=2", ""),
        ("AX=4800 BX=18", "AX=9FE7"),
        ("AX=5801 BX=3", "CF AX=0001"),
        ("AX=5802", "AX=5800"),
        ("AX=5803 BX=1", "CF AX=0001"),
        ("AX=5803 BX=0", ""),
        ("AX=5804", "CF AX=0001"),
    ]);
}

#[test]
fn a_broken_chain_is_an_error() {
    let mut b = Bench::new();
    let psp = b.hw.word(sysvars::CURRENT_PSP);
    b.hw.set_byte(Far::new(psp - 1, 0), 0x55);
    b.table(&[
        ("AX=4800 BX=1", "CF AX=0007"),
        ("AX=4900 ES=638", "CF AX=0009"),
        ("AX=4A00 ES=638 BX=1", "CF AX=0009"),
    ]);
}

#[test]
fn made_up_blocks_do_no_harm() {
    // Every size that a program can write to a block of its own.
    for size in [0, 1, 0x5FFE, 0x5FFF, 0xA000, 0xFFFE, 0xFFFF] {
        for wanted in [0, 1, 0x8000, 0xFFFF] {
            for mark in [b'M', b'Z'] {
                let mut b = Bench::new();
                b.hw.set_bytes(Far::new(0xFFF0, 0), &[mark, 0, 0, size as u8, (size >> 8) as u8]);
                b.hw.set_bytes(Far::new(0x4FFF, 0), &[mark, 0, 0, size as u8, (size >> 8) as u8]);
                for segment in [0xFFF1, 0x5000] {
                    b.call(&format!("AX=4A00 ES={segment:X} BX={wanted:X}"));
                    b.call(&format!("AX=4900 ES={segment:X}"));
                }
                b.hw.set_word(sysvars::FIRST_BLOCK, 0x4FFF);
                b.call(&format!("AX=4800 BX={wanted:X}"));
            }
        }
    }
}

/// The three strategies of function 58h select three different holes.
#[test]
fn strategies_choose_among_holes() {
    for (strategy, wanted) in [("AX=5801 BX=0", 0), ("AX=5801 BX=1", 2)] {
        let mut b = Bench::new();
        let psp = format!("AX=4A00 ES={PSP:X} BX=1000");
        b.call(&psp);
        let sizes = ["40", "1", "10", "1", "20", "1"];
        let blocks: Vec<String> = sizes.iter().map(|size| b.call(&format!("AX=4800 BX={size}"))).collect();
        let segment = |number: usize| blocks[number].trim_start_matches("AX=").to_owned();
        for hole in [0, 2, 4] {
            b.call(&format!("AX=4900 ES={}", segment(hole)));
        }
        b.call(strategy);
        assert_eq!(b.call("AX=4800 BX=8"), blocks[wanted], "{strategy}");
    }
}

//! Rows: instructions of the 80486 and the Pentium.

use super::{FROM_486, run};
use crate::Model::{I186, I286, I386, I486, I586};
use crate::tests::program::{DATA, Machine, hex};
use crate::{Blocks, Exit, Model};

#[test]
fn instructions() {
    let p5 = &[I586];
    run(&[
        (FROM_486, "bswap edx", "66 0F CA", "EDX=12345678", "EDX=78563412"),
        (FROM_486, "bswap dx", "0F CA", "EDX=12345678", "EDX=12340000"),
        (FROM_486, "xadd [10h], ax", "0F C1 06 10 00", "AX=0002 [10]=FFFF", "AX=FFFF [10]=0100 CF AF"),
        (FROM_486, "xadd bl, cl", "0F C0 CB", "BL=7F CL=01", "BL=80 CL=7F OF SF AF"),
        (FROM_486, "xadd ax, ax", "0F C1 C0", "AX=0003", "AX=0006 PF"),
        (
            FROM_486,
            "xadd ebx, ecx",
            "66 0F C1 CB",
            "EBX=80000000 ECX=80000000",
            "EBX=0 ECX=80000000 CF PF ZF OF",
        ),
        (
            FROM_486,
            "cmpxchg [10h], cx, equal",
            "0F B1 0E 10 00",
            "AX=1234 CX=5678 [10]=3412",
            "[10]=7856 PF ZF",
        ),
        (FROM_486, "cmpxchg [10h], cx, not equal", "0F B1 0E 10 00", "AX=1234 CX=5678 [10]=3312", "AX=1233"),
        (FROM_486, "cmpxchg bl, dl", "0F B0 D3", "AL=01 BL=02 DL=03", "AL=02 CF PF AF SF"),
        (FROM_486, "cmpxchg past the end", "0F B1 0E FF FF", "", "#D"),
        (FROM_486, "invd", "0F 08", "", ""),
        (FROM_486, "wbinvd", "0F 09", "", ""),
        (FROM_486, "invlpg [bx]", "0F 01 3F", "BX=0010", ""),
        (
            p5,
            "cmpxchg8b [10h], equal",
            "0F C7 0E 10 00",
            "EAX=1 EDX=2 EBX=33 ECX=44 [10]=0100000002000000 CF",
            "[10]=3300000044000000 CF ZF",
        ),
        (
            p5,
            "cmpxchg8b [10h], not equal",
            "0F C7 0E 10 00",
            "EAX=1 EDX=2 [10]=0500000006000000 ZF SF",
            "EAX=5 EDX=6 SF",
        ),
        (p5, "cmpxchg8b past the end", "0F C7 0E FC FF", "", "#D"),
        (p5, "cpuid, the maker", "0F A2", "EAX=0", "EAX=1 EBX=756E6547 EDX=49656E69 ECX=6C65746E"),
        (p5, "cpuid, the processor", "0F A2", "EAX=1 EBX=9 ECX=9", "EAX=525 EBX=0 ECX=0 EDX=8110"),
        (p5, "cpuid, no more", "0F A2", "EAX=2 EBX=9", "EAX=0 EBX=0"),
        (p5, "rdtsc at the beginning", "0F 31", "EAX=9 EDX=9", "EAX=0 EDX=0"),
        (&[I486], "cpuid", "0F A2", "", "#6"),
        (&[I386], "bswap", "66 0F CA", "", "#6"),
        (p5, "cmove ax, bx, equal", "0F 44 C3", "AX=0001 BX=0002 ZF", "AX=0002 ZF"),
        (p5, "cmove ax, bx, not equal", "0F 44 C3", "AX=0001 BX=0002", ""),
        (p5, "cmovg ecx, edx", "66 0F 4F CA", "ECX=1 EDX=80000000", "ECX=80000000"),
        (p5, "cmovc ax, [10h]", "0F 42 06 10 00", "[10]=3412 CF", "AX=1234 CF"),
        (p5, "cmovc past the end, no carry", "0F 42 06 FF FF", "", "#D"),
    ]);
}

/// Runs code until HLT and returns the bytes at DS:0200h.
fn stored(model: Model, code: &str, blocks: Blocks<crate::flat::Flat>) -> Vec<u8> {
    let mut machine = Machine::new(model, &hex(code), blocks);
    let Machine { cpu, bus, blocks } = &mut machine;
    while cpu.cycles < 1000 && cpu.run(blocks, bus, cpu.cycles + 100) != Exit::Halt {}
    let at = usize::from(DATA) * 16 + 0x200;
    machine.bus.bytes()[at..at + 4].to_vec()
}

#[test]
fn flags_that_tell_the_processors_apart() {
    // push dword 0FFFFFFFFh / popfd / pushf, popf / pushfd / pop dword [200h] / hlt: PUSHF and POPF
    // do not change the upper half.
    let code = "66 6A FF 66 9D 9C 9D 66 9C 66 8F 06 00 02 F4";
    for (model, expected) in [(I386, 0x0000_7ED7), (I486, 0x0004_7ED7), (I586, 0x0024_7ED7)] {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let bytes = stored(model, code, blocks);
            // TF would trap: it is not compared.
            let flags = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) & !0x100;
            assert_eq!(flags, expected, "{model:?} {flags:08X}");
        }
    }
}

#[test]
fn the_time_stamp_is_the_cycle() {
    // nop / nop / rdtsc / mov [200h], eax / hlt
    for blocks in [Blocks::new(), Blocks::uncached()] {
        assert_eq!(stored(I586, "90 90 0F 31 66 A3 00 02 F4", blocks), [2, 0, 0, 0]);
    }
}

#[test]
fn what_came_later_is_named_once() {
    for (model, code, expected) in [
        (I186, "0F 01 E0", "SMSW 286"),
        (I286, "0F B6 C0", "MOVZX 386"),
        (I286, "0F C8", "BSWAP 486"),
        (I386, "0F C1 C0", "XADD 486"),
        (I386, "0F A2", "CPUID 586"),
        (I486, "0F 31", "RDTSC 586"),
        (I586, "0F 34", "SYSENTER -"),
        (I386, "0F 34", "SYSENTER -"),
        (I386, "0F 44 C3", "CMOVE 586"),
        (I386, "0F FF 00", "-"),
        (I586, "0F A2", "-"),
    ] {
        for blocks in [Blocks::new(), Blocks::uncached()] {
            let mut machine = Machine::new(model, &hex(code), blocks);
            let Machine { cpu, bus, blocks } = &mut machine;
            cpu.run(blocks, bus, 1);
            let missed = cpu.take_missed_instruction();
            assert!(cpu.take_missed_instruction().is_none());
            let shown = missed.map_or("-".to_owned(), |(name, since, at)| {
                assert_eq!(at, (0x1000, 0x100));
                format!("{name} {}", since.map_or("-", Model::name))
            });
            assert_eq!(shown, expected, "{model:?} {code}");
        }
    }
}

//! Every family of instructions in rows: what it is, its bytes, the state before, what must be different afterwards.
//!
//! States are text: `AX=0123`, `[10]=FF` for a byte of the data segment, `ES:[10]=..`, `SS:[10]=..`, and the flags that
//! are set (`CF PF AF ZF SF OF DF IF`). Expectations name what changed; flags are always compared, those in parentheses
//! excepted. `#6` means that the instruction ended at the handler of vector 6.

use super::super::{Blocks, Flags, Model};
use super::flat::{DATA, EXTRA, HANDLERS, Machine, STACK, START, hex};
use Model::{I186, I286, I386, I8086};

/// Models, instruction (for people), bytes, state before, changes.
type Row = (&'static [Model], &'static str, &'static str, &'static str, &'static str);

const ALL: &[Model] = &[I8086, I186, I286, I386];
const FROM_186: &[Model] = &[I186, I286, I386];
const FROM_286: &[Model] = &[I286, I386];
const TO_186: &[Model] = &[I8086, I186];

const FLAGS: [(&str, u32); 9] = [
    ("CF", Flags::CF),
    ("PF", Flags::PF),
    ("AF", Flags::AF),
    ("ZF", Flags::ZF),
    ("SF", Flags::SF),
    ("TF", Flags::TF),
    ("IF", Flags::IF),
    ("DF", Flags::DF),
    ("OF", Flags::OF),
];

const WORDS: [&str; 8] = ["AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI"];
const DWORDS: [&str; 8] = ["EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"];
const BYTES: [&str; 8] = ["AL", "CL", "DL", "BL", "AH", "CH", "DH", "BH"];
const SEGMENTS: [&str; 6] = ["ES", "CS", "SS", "DS", "FS", "GS"];

/// Applies a state's text to a machine.
fn apply(machine: &mut Machine, text: &str) {
    for item in text.split_whitespace() {
        if let Some((_, mask)) = FLAGS.iter().find(|(name, _)| *name == item) {
            machine.cpu.regs.set_flag(*mask, true);
            continue;
        }
        let (name, value) = item.split_once('=').expect("NAME=VALUE");
        let is_memory = name.contains('[');
        let number = if is_memory { 0 } else { u32::from_str_radix(value, 16).expect("a hex number") };
        let regs = &mut machine.cpu.regs;
        let position = |names: &[&str]| names.iter().position(|n| *n == name);
        if let Some(n) = position(&WORDS) {
            regs.gpr[n] = regs.gpr[n] & 0xFFFF_0000 | number;
        } else if let Some(n) = position(&DWORDS) {
            regs.gpr[n] = number;
        } else if let Some(n) = position(&BYTES) {
            let shift = (n & 4) * 2;
            regs.gpr[n & 3] = regs.gpr[n & 3] & !(0xFF << shift) | number << shift;
        } else if let Some(n) = position(&SEGMENTS) {
            regs.seg[n] = number as u16;
        } else if name == "IP" {
            regs.ip = number;
        } else {
            let (base, offset) = match name.split_once(':') {
                Some(("ES", offset)) => (EXTRA, offset),
                Some(("SS", offset)) => (STACK, offset),
                _ => (DATA, name),
            };
            let offset = offset.trim_matches(['[', ']']);
            let offset = u32::from_str_radix(offset, 16).expect("[OFFSET]=BYTES");
            // Bytes as they stand in memory.
            let bytes: Vec<u8> = (0..value.len() / 2)
                .map(|i| u8::from_str_radix(&value[2 * i..2 * i + 2], 16).expect("hex bytes"))
                .collect();
            machine.bus.memory.write_bytes(u32::from(base) * 16 + offset, &bytes);
        }
    }
}

/// Registers and flags as text, for failures.
fn describe(machine: &Machine) -> String {
    let regs = &machine.cpu.regs;
    let mut text: Vec<String> =
        DWORDS.iter().zip(regs.gpr).map(|(name, value)| format!("{name}={value:08X}")).collect();
    text.extend(SEGMENTS.iter().zip(regs.seg).map(|(name, value)| format!("{name}={value:04X}")));
    text.push(format!("IP={:04X}", regs.ip));
    text.extend(FLAGS.iter().filter(|(_, mask)| regs.flag(*mask)).map(|(name, _)| (*name).to_owned()));
    text.join(" ")
}

fn check(model: Model, row: &Row, blocks: Blocks<super::flat::Flat>) {
    let (_, name, code, before, changes) = *row;
    let code = hex(code);
    let mut actual = Machine::new(model, &code, blocks);
    apply(&mut actual, before);
    let mut expected = Machine::new(model, &code, Blocks::new());
    apply(&mut expected, before);
    let retired = actual.cpu.retired;
    while actual.cpu.retired == retired {
        actual.cpu.run(&mut actual.blocks, &mut actual.bus, actual.cpu.cycles + 1);
    }
    // Flags: all that the row names are set, those in parentheses are not compared, all others are clear.
    let ignored =
        FLAGS.iter().filter(|(name, _)| changes.contains(&format!("({name})"))).map(|(_, mask)| mask);
    let ignored = ignored.fold(0, |all, mask| all | mask);
    expected.cpu.regs.flags &= !FLAGS.iter().fold(0, |all, (_, mask)| all | mask);
    expected.cpu.regs.ip = START + code.len() as u32;
    let plain: Vec<&str> = changes.split_whitespace().filter(|item| !item.starts_with('(')).collect();
    let (faults, states): (Vec<&str>, Vec<&str>) = plain.iter().partition(|item| item.starts_with('#'));
    apply(&mut expected, &states.join(" "));
    if let [fault] = faults[..] {
        let vector = u32::from_str_radix(&fault[1..], 16).expect("#VECTOR");
        assert_eq!(
            (actual.cpu.regs.cs(), actual.cpu.regs.ip),
            (HANDLERS, vector * 16),
            "{model:?} {name}: not at the handler of {vector}: {}",
            describe(&actual)
        );
        return;
    }
    let mask = !ignored;
    actual.cpu.regs.flags &= mask;
    expected.cpu.regs.flags &= mask;
    assert_eq!(describe(&actual), describe(&expected), "{model:?} {name} with {before}");
    let differ: Vec<String> = (0..0x10_0000)
        .filter(|at| actual.bus.memory.read8(*at) != expected.bus.memory.read8(*at))
        .map(|at| format!("{at:05X}={:02X}", actual.bus.memory.read8(at)))
        .collect();
    assert!(differ.is_empty(), "{model:?} {name} with {before}: memory {differ:?}");
}

fn run(rows: &[Row]) {
    for row in rows {
        for &model in row.0 {
            check(model, row, Blocks::uncached());
            check(model, row, Blocks::new());
        }
    }
}

#[test]
fn arithmetic() {
    run(&[
        (ALL, "add al, bl", "00 D8", "AL=7F BL=01", "AL=80 SF OF AF"),
        (ALL, "add ax, bx", "01 D8", "AX=FFFF BX=0001", "AX=0000 CF PF AF ZF"),
        (ALL, "add [10h], al", "00 06 10 00", "AL=80 [10]=80", "[10]=00 CF PF ZF OF"),
        (ALL, "adc al, 0", "14 00", "AL=FF CF", "AL=00 CF PF AF ZF"),
        (ALL, "adc ax, 7FFFh", "15 FF 7F", "AX=0000 CF", "AX=8000 PF AF SF OF"),
        (ALL, "sub al, 1", "2C 01", "AL=00", "AL=FF CF PF AF SF"),
        (ALL, "sub bx, [si+2]", "2B 5C 02", "BX=8000 SI=0010 [12]=0100", "BX=7FFF PF AF OF"),
        (ALL, "sbb al, al", "18 C0", "AL=55 CF", "AL=FF CF PF AF SF"),
        (ALL, "cmp al, 5", "3C 05", "AL=05", "PF ZF"),
        (ALL, "cmp bp, -1", "83 FD FF", "BP=0000", "CF AF"),
        (ALL, "neg al", "F6 D8", "AL=80", "AL=80 CF SF OF"),
        (ALL, "neg ax", "F7 D8", "AX=0000 CF", "PF ZF"),
        (ALL, "inc al keeps CF", "FE C0", "AL=7F CF", "AL=80 CF SF OF AF"),
        (ALL, "dec cx", "49", "CX=0000", "CX=FFFF PF AF SF"),
        (ALL, "inc word [bx+di]", "FF 01", "BX=0010 DI=0020 [30]=FFFF", "[30]=0000 PF AF ZF"),
        (&[I386], "add eax, ebx", "66 01 D8", "EAX=7FFFFFFF EBX=1", "EAX=80000000 PF AF SF OF"),
        (&[I386], "sub ecx, 1", "66 83 E9 01", "ECX=00010000", "ECX=0000FFFF PF AF"),
        (&[I386], "inc edx", "66 42", "EDX=FFFFFFFF", "EDX=0 PF AF ZF"),
        (&[I386], "add [ebx+ecx*4+1], al", "67 00 44 8B 01", "EBX=10 ECX=2 AL=01 [19]=01", "[19]=02"),
        (&[I386], "cmp with an address beyond the segment", "67 3A 03", "EBX=10000", "#D"),
    ]);
}

#[test]
fn logic() {
    run(&[
        (ALL, "and al, 0Fh", "24 0F", "AL=F0 CF OF AF", "AL=00 PF ZF"),
        (ALL, "or ax, bx", "09 D8", "AX=8000 BX=0003 CF", "AX=8003 PF SF"),
        (ALL, "xor ax, ax", "31 C0", "AX=1234 CF OF", "AX=0000 PF ZF"),
        (ALL, "test dl, 80h", "F6 C2 80", "DL=80 CF", "SF"),
        (ALL, "not word [10h]", "F7 16 10 00", "[10]=0FF0 CF ZF", "[10]=F00F CF ZF"),
        (
            &[I386],
            "xor [esi], edx",
            "67 66 31 16",
            "ESI=10 EDX=80000001 [10]=01000000",
            "[10]=00000080 PF SF",
        ),
    ]);
}

#[test]
fn shifts() {
    run(&[
        (ALL, "shl al, 1", "D0 E0", "AL=C0", "AL=80 CF SF (AF)"),
        (ALL, "shl al, 1 over the sign", "D0 E0", "AL=80", "AL=00 CF PF ZF OF (AF)"),
        (ALL, "shr ax, 1", "D1 E8", "AX=8001", "AX=4000 CF PF OF (AF)"),
        (ALL, "sar bl, cl", "D2 FB", "BL=81 CL=02", "BL=E0 SF (AF)"),
        (ALL, "rol ax, cl", "D3 C0", "AX=8001 CL=04", "AX=0018 (OF)"),
        (ALL, "ror byte [10h], 1", "D0 0E 10 00", "[10]=01", "[10]=80 CF OF"),
        (ALL, "rcl al, 1", "D0 D0", "AL=80", "AL=00 CF OF"),
        (ALL, "rcr ax, 1", "D1 D8", "AX=0001 CF", "AX=8000 CF OF"),
        (ALL, "a count of 0 changes nothing", "D3 E0", "AX=1234 CL=00 CF OF", "CF OF"),
        (&[I8086], "the 8086 counts to 32", "D3 E0", "AX=0001 CL=20", "AX=0000 PF ZF (AF) (OF)"),
        (FROM_186, "later ones mask 32 to 0", "D3 E0", "AX=0001 CL=20 CF", "CF"),
        (FROM_186, "shr ax, 4", "C1 E8 04", "AX=1238", "AX=0123 CF (AF)"),
        (&[I8086], "setmo al, 1", "D0 F0", "AL=12 CF", "AL=FF PF SF"),
        (FROM_186, "D0 /6 is shl", "D0 F0", "AL=41", "AL=82 PF SF OF (AF)"),
        (
            &[I386],
            "shld eax, ebx, 4",
            "66 0F A4 D8 04",
            "EAX=12345678 EBX=F0000000",
            "EAX=2345678F CF (AF) (OF)",
        ),
        (&[I386], "shrd ax, bx, cl", "0F AD D8", "AX=1234 BX=000F CL=04", "AX=F123 SF (AF) (OF)"),
    ]);
}

#[test]
fn multiplication_and_division() {
    run(&[
        (ALL, "mul bl", "F6 E3", "AL=10 BL=10", "AX=0100 CF OF (PF) (AF) (ZF) (SF)"),
        (ALL, "mul bx, small", "F7 E3", "AX=0003 BX=0004", "AX=000C (PF) (AF) (ZF) (SF)"),
        (ALL, "imul bl", "F6 EB", "AL=FF BL=FE", "AX=0002 (PF) (AF) (ZF) (SF)"),
        (ALL, "imul bx", "F7 EB", "AX=8000 BX=0002", "DX=FFFF AX=0000 CF OF (PF) (AF) (ZF) (SF)"),
        (ALL, "div bl", "F6 F3", "AX=0107 BL=10", "AX=0710 (CF) (PF) (AF) (ZF) (SF) (OF)"),
        (ALL, "idiv bx", "F7 FB", "DX=FFFF AX=FFF9 BX=0002", "AX=FFFD DX=FFFF (CF) (PF) (AF) (ZF) (SF) (OF)"),
        (ALL, "div by 0", "F6 F3", "AX=0001 BL=00", "#0"),
        (ALL, "div overflow", "F7 F3", "DX=0002 AX=0000 BX=0002", "#0"),
        (FROM_286, "idiv to -128", "F6 FB", "AX=FF00 BL=02", "AX=0080 (CF) (PF) (AF) (ZF) (SF) (OF)"),
        (TO_186, "idiv to -128", "F6 FB", "AX=FF00 BL=02", "#0"),
        (&[I8086], "rep idiv bl", "F3 F6 FB", "AX=0007 BL=02", "AX=01FD (CF) (PF) (AF) (ZF) (SF) (OF)"),
        (FROM_186, "imul ax, bx, -2", "6B C3 FE", "BX=0003", "AX=FFFA (PF) (AF) (ZF) (SF)"),
        (
            FROM_186,
            "imul cx, [10h], 1000h",
            "69 0E 10 00 00 10",
            "[10]=1000",
            "CX=0000 CF OF (PF) (AF) (ZF) (SF)",
        ),
        (&[I386], "imul eax, ebx", "66 0F AF C3", "EAX=FFFFFFFF EBX=7", "EAX=FFFFFFF9 (PF) (AF) (ZF) (SF)"),
        (
            &[I386],
            "div ecx",
            "66 F7 F1",
            "EDX=1 EAX=0 ECX=2",
            "EAX=80000000 EDX=0 (CF) (PF) (AF) (ZF) (SF) (OF)",
        ),
    ]);
}

#[test]
fn decimal() {
    run(&[
        (ALL, "daa", "27", "AL=3C", "AL=42 PF AF"),
        (ALL, "daa with both digits", "27", "AL=9A", "AL=00 CF PF AF ZF"),
        (ALL, "das", "2F", "AL=FF CF AF", "AL=99 CF PF AF SF"),
        (&[I8086], "aaa", "37", "AX=00FA", "AX=0100 CF AF (PF) (ZF) (SF) (OF)"),
        (FROM_286, "aaa carries into AH", "37", "AX=00FA", "AX=0200 CF AF (PF) (ZF) (SF) (OF)"),
        (&[I8086], "aas", "3F", "AX=0205 AF", "AX=010F CF AF (PF) (ZF) (SF) (OF)"),
        (FROM_286, "aas borrows from AH", "3F", "AX=0205 AF", "AX=000F CF AF (PF) (ZF) (SF) (OF)"),
        (ALL, "aam", "D4 0A", "AL=3F", "AX=0603 PF (CF) (AF) (OF)"),
        (ALL, "aam 0", "D4 00", "AL=3F", "#0"),
        (ALL, "aad", "D5 0A", "AX=0603", "AX=003F PF (CF) (AF) (OF)"),
    ]);
}

#[test]
fn moves() {
    run(&[
        (ALL, "mov ch, 12h", "B5 12", "", "CH=12"),
        (ALL, "mov [bp+2], ax goes to SS", "89 46 02", "BP=0010 AX=1234", "SS:[12]=3412"),
        (ALL, "es: mov al, [bx]", "26 8A 07", "BX=0010 ES:[10]=56", "AL=56"),
        (ALL, "mov word [si], 1234h", "C7 04 34 12", "SI=0020", "[20]=3412"),
        (ALL, "mov ds, ax", "8E D8", "AX=5678", "DS=5678"),
        (ALL, "mov [10h], es", "8C 06 10 00", "", "[10]=0040"),
        (ALL, "xchg al, [10h]", "86 06 10 00", "AL=11 [10]=22", "AL=22 [10]=11"),
        (ALL, "xchg ax, di", "97", "AX=1111 DI=2222", "AX=2222 DI=1111"),
        (ALL, "lea ax, [bp+si+3]", "8D 42 03", "BP=FFFF SI=0010", "AX=0012"),
        (ALL, "les di, [10h]", "C4 3E 10 00", "[10]=34127856", "DI=1234 ES=5678"),
        (ALL, "xlatb", "D7", "BX=0010 AL=05 [15]=77", "AL=77"),
        (ALL, "cbw", "98", "AX=0080", "AX=FF80"),
        (ALL, "cwd", "99", "AX=8000", "DX=FFFF"),
        (TO_186, "a word at FFFFh wraps", "A1 FF FF", "[FFFF]=34 [0]=12", "AX=1234"),
        (FROM_286, "a word at FFFFh faults", "A1 FF FF", "", "#D"),
        (&[I386], "through SS it is #12", "8B 46 FF", "BP=0000", "#C"),
        (&[I286], "through SS it is #13", "8B 46 FF", "BP=0000", "#D"),
        (&[I8086], "pop cs is a jump", "0F", "SP=0FFE SS:[FFE]=0010", "CS=1000 SP=1000"),
        (&[I386], "movzx eax, byte [10h]", "66 0F B6 06 10 00", "EAX=FFFFFFFF [10]=80", "EAX=80"),
        (&[I386], "movsx ecx, bx", "66 0F BF CB", "BX=8000", "ECX=FFFF8000"),
        (&[I386], "cwde", "66 98", "EAX=1234FFFE", "EAX=FFFFFFFE"),
        (&[I386], "cdq", "66 99", "EAX=80000000", "EDX=FFFFFFFF"),
        (&[I386], "mov fs, ax", "8E E0", "AX=9999", "FS=9999"),
        (&[I386], "lgs ebx, [10h]", "66 0F B5 1E 10 00", "[10]=785634122143", "EBX=12345678 GS=4321"),
        (&[I286], "mov fs, ax", "8E E0", "", "#6"),
    ]);
}

#[test]
fn stack() {
    run(&[
        (ALL, "push ax", "50", "AX=1234", "SP=0FFE SS:[FFE]=3412"),
        (TO_186, "push sp after", "54", "", "SP=0FFE SS:[FFE]=FE0F"),
        (FROM_286, "push sp before", "54", "", "SP=0FFE SS:[FFE]=0010"),
        (ALL, "pop word [bx]", "8F 07", "BX=0010 SP=0800 SS:[800]=CDAB", "[10]=CDAB SP=0802"),
        (ALL, "pop sp", "5C", "SP=0800 SS:[800]=CDAB", "SP=ABCD"),
        (ALL, "pop ds", "1F", "SP=0800 SS:[800]=CDAB", "DS=ABCD SP=0802"),
        (FROM_186, "push -2", "6A FE", "", "SP=0FFE SS:[FFE]=FEFF"),
        (
            FROM_186,
            "pusha",
            "60",
            "AX=1 CX=2 DX=3 BX=4 BP=5 SI=6 DI=7",
            "SP=0FF0 SS:[FF0]=07000600050000100400030002000100",
        ),
        (
            FROM_186,
            "popa skips SP",
            "61",
            "SP=0800 SS:[800]=0100020003000400050006000700FF00",
            "SP=0810 DI=1 SI=2 BP=3 BX=5 DX=6 CX=7 AX=FF",
        ),
        (FROM_186, "enter 4, 0", "C8 04 00 00", "BP=1111", "BP=0FFE SP=0FFA SS:[FFE]=1111"),
        (
            FROM_186,
            "enter 2, 2",
            "C8 02 00 02",
            "BP=0800 SS:[7FE]=CDAB",
            "BP=0FFE SP=0FF8 SS:[FFE]=0008 SS:[FFC]=CDAB SS:[FFA]=FE0F",
        ),
        (FROM_186, "leave", "C9", "BP=0800 SS:[800]=CDAB", "SP=0802 BP=ABCD"),
        (TO_186, "pushf shows bits 12 to 15", "9C", "CF", "CF SP=0FFE SS:[FFE]=03F0"),
        (FROM_286, "pushf", "9C", "CF", "CF SP=0FFE SS:[FFE]=0300"),
        (ALL, "popf", "9D", "SP=0800 SS:[800]=D50C", "SP=0802 CF PF AF ZF SF DF OF"),
        (
            &[I386],
            "pushad",
            "66 60",
            "EAX=11111111",
            "SP=0FE0 SS:[FE4]=00000000 SS:[FEC]=00100000 SS:[FFC]=11111111",
        ),
        (
            &[I386],
            "push fs with 32 bits writes a word",
            "66 0F A0",
            "FS=1234 SS:[FFE]=FFFF",
            "SP=0FFC SS:[FFC]=3412",
        ),
        (
            &[I386],
            "pop dword [esp]",
            "67 66 8F 04 24",
            "SP=0800 SS:[800]=78563412 SS:[804]=00000000",
            "SP=0804 SS:[804]=78563412",
        ),
    ]);
}

#[test]
fn jumps() {
    run(&[
        (ALL, "jmp short", "EB 10", "", "IP=0112"),
        (ALL, "jmp back", "E9 FD FE", "", "IP=0000"),
        (ALL, "jmp far", "EA 34 12 78 56", "", "CS=5678 IP=1234"),
        (ALL, "jmp [bx]", "FF 27", "BX=0010 [10]=3412", "IP=1234"),
        (ALL, "jmp far [10h]", "FF 2E 10 00", "[10]=34127856", "CS=5678 IP=1234"),
        (ALL, "call", "E8 10 00", "", "IP=0113 SP=0FFE SS:[FFE]=0301"),
        (ALL, "call ax", "FF D0", "AX=1234", "IP=1234 SP=0FFE SS:[FFE]=0201"),
        (ALL, "call far", "9A 34 12 78 56", "", "CS=5678 IP=1234 SP=0FFC SS:[FFC]=05010010"),
        (ALL, "ret 4", "C2 04 00", "SP=0800 SS:[800]=3412", "IP=1234 SP=0806"),
        (ALL, "retf", "CB", "SP=0800 SS:[800]=34127856", "IP=1234 CS=5678 SP=0804"),
        (ALL, "jz taken", "74 10", "ZF", "ZF IP=0112"),
        (ALL, "jz not taken", "74 10", "", ""),
        (ALL, "jbe by CF", "76 10", "CF", "CF IP=0112"),
        (ALL, "jl by OF", "7C 10", "OF", "OF IP=0112"),
        (ALL, "jg not with ZF", "7F 10", "ZF", "ZF"),
        (ALL, "jp", "7A 10", "PF", "PF IP=0112"),
        (ALL, "loop", "E2 FE", "CX=0002", "CX=0001 IP=0100"),
        (ALL, "loop to the end", "E2 FE", "CX=0001", "CX=0000"),
        (ALL, "loope ends by ZF", "E1 10", "CX=0005", "CX=0004"),
        (ALL, "loopne", "E0 10", "CX=0005", "CX=0004 IP=0112"),
        (ALL, "jcxz", "E3 10", "CX=0000", "IP=0112"),
        (&[I8086], "60h is an alias of jo", "60 10", "OF", "OF IP=0112"),
        (&[I386], "jz near", "0F 84 00 10", "ZF", "ZF IP=1104"),
        (&[I386], "jecxz", "67 E3 10", "CX=0000 ECX=10000", ""),
        (&[I386], "jmp beyond the segment", "66 E9 00 00 01 00", "", "#D"),
        (&[I386], "setnz [10h]", "0F 95 06 10 00", "", "[10]=01"),
    ]);
}

#[test]
fn strings() {
    run(&[
        (ALL, "movsb", "A4", "SI=0010 DI=0020 [10]=55", "SI=0011 DI=0021 ES:[20]=55"),
        (ALL, "movsw downwards", "A5", "SI=0010 DI=0020 [10]=5566 DF", "SI=000E DI=001E ES:[20]=5566 DF"),
        (
            ALL,
            "rep movsb",
            "F3 A4",
            "SI=0010 DI=0020 CX=5 [10]=0102030405",
            "SI=0015 DI=0025 CX=0 ES:[20]=0102030405",
        ),
        (
            ALL,
            "rep movsw over itself repeats",
            "26 F3 A5",
            "SI=0010 DI=0012 CX=8 ES:[10]=1122",
            "SI=0020 DI=0022 CX=0 ES:[10]=112211221122112211221122112211221122",
        ),
        (ALL, "rep with CX = 0", "F3 A4", "SI=0010 DI=0020 CX=0", ""),
        (ALL, "rep stosw", "F3 AB", "AX=1234 DI=0020 CX=4", "DI=0028 CX=0 ES:[20]=3412341234123412"),
        (ALL, "repne scasb", "F2 AE", "AL=33 DI=0020 CX=9 ES:[20]=1122334455", "DI=0023 CX=6 PF ZF"),
        (
            ALL,
            "repe cmpsb",
            "F3 A6",
            "SI=0010 DI=0020 CX=6 [10]=010203040506 ES:[20]=010203040706",
            "SI=0015 DI=0025 CX=1 CF AF SF",
        ),
        (ALL, "lodsw", "AD", "SI=0010 [10]=3412", "AX=1234 SI=0012"),
        (ALL, "scasw", "AF", "AX=0001 DI=0020 ES:[20]=0200", "DI=0022 CF PF AF SF"),
        (
            ALL,
            "rep movsb wraps",
            "F3 A4",
            "SI=FFFE DI=0020 CX=4 [FFFE]=0102 [0]=0304",
            "SI=0002 DI=0024 CX=0 ES:[20]=01020304",
        ),
        (FROM_186, "insb", "6C", "DX=1234 DI=0020", "DI=0021 ES:[20]=34"),
        (FROM_186, "outsw", "6F", "DX=1234 SI=0010", "SI=0012"),
        (
            &[I386],
            "rep stosd with ECX",
            "67 F3 66 AB",
            "EAX=11223344 EDI=20 ECX=2",
            "EDI=28 ECX=0 ES:[20]=4433221144332211",
        ),
    ]);
}

#[test]
fn bits_and_flags() {
    run(&[
        (ALL, "stc", "F9", "", "CF"),
        (ALL, "cmc", "F5", "CF", ""),
        (ALL, "std", "FD", "", "DF"),
        (ALL, "cli", "FA", "IF", ""),
        (ALL, "sti", "FB", "", "IF"),
        (ALL, "lahf", "9F", "CF ZF SF", "AH=C3 CF ZF SF"),
        (ALL, "sahf", "9E", "AH=D5 OF", "CF PF AF ZF SF OF"),
        (ALL, "salc", "D6", "CF", "AL=FF CF"),
        (&[I386], "bt ax, 15", "0F BA E0 0F", "AX=8000", "CF"),
        (&[I386], "bts [10h], ax reaches beyond", "0F AB 06 10 00", "AX=0021", "[14]=02"),
        (&[I386], "btr with a negative number", "0F B3 06 10 00", "AX=FFFF [E]=0080", "[E]=0000 CF"),
        (&[I386], "btc eax, ebx", "66 0F BB D8", "EAX=1 EBX=20", "EAX=0 CF"),
        (&[I386], "bsf cx, ax", "0F BC C8", "AX=0010", "CX=0004 (CF) (PF) (AF) (SF) (OF)"),
        (&[I386], "bsr of 0", "0F BD C8", "AX=0000 CX=1234", "ZF (CF) (PF) (AF) (SF) (OF)"),
    ]);
}

#[test]
fn ports() {
    run(&[
        (ALL, "in al, 60h", "E4 60", "", "AL=60"),
        (ALL, "in ax, dx", "ED", "DX=1234", "AX=1234"),
        (ALL, "out 20h, al", "E6 20", "AL=20", ""),
        (&[I386], "in eax, dx", "66 ED", "DX=1234", "EAX=1234"),
    ]);
}

#[test]
fn interrupts_and_exceptions() {
    run(&[
        (ALL, "int 21h", "CD 21", "", "#21"),
        (ALL, "int3", "CC", "", "#3"),
        (ALL, "into without OF", "CE", "", ""),
        (ALL, "into with OF", "CE", "OF", "#4"),
        (ALL, "iret", "CF", "SP=0800 SS:[800]=34127856D500", "IP=1234 CS=5678 SP=0806 CF PF AF ZF SF"),
        (FROM_186, "bound inside", "62 06 10 00", "AX=0005 [10]=00000900", ""),
        (FROM_186, "bound outside", "62 06 10 00", "AX=FFFF [10]=00000900", "#5"),
        (FROM_186, "ud2", "0F 0B", "", "#6"),
        (FROM_186, "lea ax, ax", "8D C0", "", "#6"),
        (&[I386], "lock where it may stand", "F0 00 06 10 00", "AL=01", "[10]=01"),
        (&[I386], "lock where it may not", "F0 90", "", "#6"),
        (&[I186, I286], "no 32-bit prefixes", "66 40", "", "#6"),
        (&[I286], "cmov came later", "0F 40 C1", "", "#6"),
        (&[I386], "cmov came later", "0F 40 C1", "", "#6"),
        (&[I386], "arpl is for protected mode", "63 C0", "", "#6"),
        (&[I286], "11 bytes are too many", "26 26 26 26 26 26 26 26 26 26 90", "", "#D"),
        (&[I386], "16 bytes are too many", "26 26 26 26 26 26 26 26 26 26 26 26 26 26 26 90", "", "#D"),
        (
            &[I8086],
            "the 8086 takes any number of prefixes",
            "26 26 26 26 26 26 26 26 26 26 26 26 26 26 26 26 26 26 40",
            "",
            "AX=0001",
        ),
        (&[I286], "smsw ax", "0F 01 E0", "", "AX=FFF0"),
        (&[I386], "smsw ax", "0F 01 E0", "AX=FFFF", "AX=0000"),
        (ALL, "wait without coprocessor", "9B", "", ""),
        (ALL, "fninit", "DB E3", "", ""),
        (ALL, "fnstsw leaves memory alone", "DD 3E 10 00", "[10]=5A5A", ""),
    ]);
}

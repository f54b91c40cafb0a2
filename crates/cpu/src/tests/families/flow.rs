//! Rows: jumps, calls, interrupts and exceptions.

use super::{ALL, FROM_186, run};
use crate::Model::{I186, I286, I386, I8086};

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
        (ALL, "ret to 0 wraps", "C3", "SP=FFFE SS:[FFFE]=3412", "IP=1234 SP=0000"),
        (ALL, "ret 4 wraps", "C2 04 00", "SP=FFFC SS:[FFFC]=3412", "IP=1234 SP=0002"),
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
fn interrupts_and_exceptions() {
    run(&[
        (ALL, "int 21h", "CD 21", "", "#21"),
        (ALL, "int3", "CC", "", "#3"),
        (ALL, "into without OF", "CE", "", ""),
        (ALL, "into with OF", "CE", "OF", "#4 OF"),
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

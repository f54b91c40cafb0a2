//! Rows: ALU operations, shifts, multiplication, division and decimal adjustment.

use super::{ALL, FROM_186, FROM_286, TO_186, run};
use crate::Model::{I286, I386, I8086};

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
        (
            &[I286],
            "idiv that loses a carry",
            "F6 FB",
            "AX=81C1 BL=7C",
            "AX=C180 (CF) (PF) (AF) (ZF) (SF) (OF)",
        ),
        (&[I286], "idiv that notices", "F6 FB", "AX=B9DF BL=0C", "#0 (CF) (PF) (AF) (ZF) (SF) (OF)"),
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
        (TO_186, "das, low digit borrows", "2F", "AL=02 AF", "AL=FC PF AF SF"),
        (FROM_286, "das, low digit borrows", "2F", "AL=02 AF", "AL=FC CF PF AF SF"),
        (&[I8086], "aaa", "37", "AX=00FA", "AX=0100 CF AF (PF) (ZF) (SF) (OF)"),
        (FROM_286, "aaa carries into AH", "37", "AX=00FA", "AX=0200 CF AF (PF) (ZF) (SF) (OF)"),
        (&[I8086], "aas", "3F", "AX=0205 AF", "AX=010F CF AF (PF) (ZF) (SF) (OF)"),
        (FROM_286, "aas borrows from AH", "3F", "AX=0205 AF", "AX=000F CF AF (PF) (ZF) (SF) (OF)"),
        (ALL, "aam", "D4 0A", "AL=3F", "AX=0603 PF (CF) (AF) (OF)"),
        (TO_186, "aam 0", "D4 00", "AL=3F", "#0 ZF PF"),
        (&[I286], "aam 0", "D4 00", "AL=97", "#0 PF (CF) (AF) (OF)"),
        (&[I386], "aam 0", "D4 00", "AL=3F", "#0"),
        (ALL, "aad", "D5 0A", "AX=0603", "AX=003F PF (CF) (AF) (OF)"),
    ]);
}

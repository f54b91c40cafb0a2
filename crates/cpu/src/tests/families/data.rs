//! Rows: moves, the stack, strings, flags and ports.

use super::{ALL, FROM_186, FROM_286, TO_186, run};
use crate::Model::{I286, I386, I8086};

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
        (ALL, "push from 0 wraps", "50", "AX=1234 SP=0000", "SP=FFFE SS:[FFFE]=3412"),
        (TO_186, "push across the end", "50", "AX=1234 SP=0001", "SP=FFFF SS:[FFFF]=34 SS:[0]=12"),
        (ALL, "pop to 0 wraps", "58", "SP=FFFE SS:[FFFE]=3412", "AX=1234 SP=0000"),
        (&[I386], "push, with the upper half kept", "50", "ESP=10000", "ESP=1FFFE"),
        (&[I386], "pop, with the upper half kept", "58", "ESP=1FFFE SS:[FFFE]=3412", "AX=1234 ESP=10000"),
        (TO_186, "push sp after", "54", "", "SP=0FFE SS:[FFE]=FE0F"),
        (FROM_286, "push sp before", "54", "", "SP=0FFE SS:[FFE]=0010"),
        (ALL, "pop word [bx]", "8F 07", "BX=0010 SP=0800 SS:[800]=CDAB", "[10]=CDAB SP=0802"),
        (ALL, "pop sp", "5C", "SP=0800 SS:[800]=CDAB", "SP=ABCD"),
        (ALL, "pop ds", "1F", "SP=0800 SS:[800]=CDAB", "DS=ABCD SP=0802"),
        (FROM_286, "pop word [bx] that faults", "8F 07", "BX=FFFF SP=0800", "#D SP=0802"),
        (&[I286], "pusha that faults writes nothing", "60", "SP=000F", "#D"),
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
        // State of a repetition after a fault: CX depends on the access that faulted.
        (&[I286], "rep movsw, source faults", "F3 A5", "SI=FFFF DI=0020 CX=9", "#D SI=0001 CX=8"),
        (&[I286], "rep movsw, target faults", "F3 A5", "SI=0010 DI=FFFF CX=9", "#D SI=0012 DI=0001 CX=7"),
        (&[I286], "repe cmpsw, source faults", "F3 A7", "SI=FFFF DI=0020 CX=9", "#D SI=0001 DI=0022 CX=8"),
        (&[I286], "repe cmpsw, target faults", "F3 A7", "SI=0010 DI=FFFF CX=9", "#D DI=0001"),
        (&[I286], "rep stosw faults", "F3 AB", "DI=FFFF CX=9", "#D DI=0001 CX=7"),
        (&[I286], "rep lodsw faults", "F3 AD", "SI=FFFF CX=9", "#D SI=0001 CX=8"),
        (&[I286], "repe scasw faults", "F3 AF", "DI=FFFF CX=9", "#D DI=0001 CX=8"),
        // The 80386 restarts the iteration.
        (&[I386], "rep movsw, target faults", "F3 A5", "SI=0010 DI=FFFF CX=9", "#D"),
        (&[I386], "repe cmpsw, source faults", "F3 A7", "SI=FFFF DI=0020 CX=9", "#D"),
        (
            &[I386],
            "rep stosw faults in its second turn",
            "F3 AB",
            "AX=1234 DI=FFFD CX=9",
            "#D DI=FFFF CX=8 ES:[FFFD]=3412",
        ),
        (&[I386], "lodsw faults", "AD", "SI=FFFF", "#D"),
        (&[I386], "repe scasw faults", "F3 AF", "DI=FFFF CX=9", "#D"),
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

//! Tests with the listings of one program by five assemblers.

use super::*;

const SOURCE: &str = "        .model small
        .stack 100h
        .data
text    db \"Hello, World!\", 13, 10, \"$\"
total   dw 5
say     macro
        mov ah, 9
        int 21h
        endm
        .code
start:  mov ax, @data
        mov ds, ax
        mov dx, offset text
        say
        add total, 1
        call leave_
leave_  proc
        mov ah, 4Ch
        int 21h
        ret
leave_  endp
        end start
";

const MASM: &str = "Microsoft (R) Macro Assembler Version 6.11\t\t    11/22/26 10:00:00
hello.asm\t\t\t\t\t\t     Page 1 - 1


\t\t\t\t        .model small
\t\t\t\t        .stack 100h
 0000\t\t\t\t        .data
 0000 48 65 6C 6C 6F 2C\ttext    db \"Hello, World!\", 13, 10, \"$\"
       20 57 6F 72 6C 64
       21 0D 0A 24
 0010 0005\t\t\ttotal   dw 5
\t\t\t\tsay     macro
\t\t\t\t        mov ah, 9
\t\t\t\t        int 21h
\t\t\t\t        endm
 0000\t\t\t\t        .code
 0000  B8 ---- R\t\tstart:  mov ax, @data
 0003  8E D8\t\t\t        mov ds, ax
 0005  BA 0000 R\t\t        mov dx, offset text
\t\t\t\t        say
 0008  B4 09\t\t     1\t        mov ah, 9
 000A  CD 21\t\t     1\t        int 21h
 000C  83 06 0010 R 01\t\t        add total, 1
 0011  E8 0000\t\t\t        call leave_
 0014\t\t\t\tleave_  proc
 0014  B4 4C\t\t\t        mov ah, 4Ch
 0016  CD 21\t\t\t        int 21h
 0018  C3\t\t\t        ret
 0019\t\t\t\tleave_  endp
\t\t\t\t        end start

Symbols:

                N a m e                 Type     Value    Attr

start  . . . . . . . . . . . . .\tL Near\t 0000\t  _TEXT
";

const TASM: &str = "Turbo Assembler\t Version 4.1\t    22/11/26 10:00:00\t    Page 1
hello.asm



      1\t0000\t\t\t     \t     .model small
      2\t0000\t\t\t     \t     .stack 100h
      3\t0000\t\t\t     \t     .data
      4\t0000  48 65 6C 6C 6F 2C 20+ text    db \"Hello, World!\", 13, 10, \"$\"
      5\t      57 6F 72 6C 64 21 0D+
      6\t      0A 24
      7\t0010  0005\t\t     total   dw 5
      8\t\t\t\t     say     macro
      9\t\t\t\t\t     mov ah, 9
     10\t\t\t\t\t     int 21h
     11\t\t\t\t\t     endm
     12\t0012\t\t\t\t     .code
     13\t0000  B8 0000s\t\t     start:  mov ax, @data
     14\t0003  8E D8\t\t\t     mov ds, ax
     15\t0005  BA 0000r\t\t\t     mov dx, offset text
     16\t\t\t\t\t     say
1    17\t0008  B4 09\t\t\t     mov ah, 9
1    18\t000A  CD 21\t\t\t     int 21h
     19\t000C  83 06 0010r 01\t\t     add total, 1
     20\t0011  E8 0000\t\t\t     call leave_
     21\t0014\t\t\t     leave_  proc
     22\t0014  B4 4C\t\t\t     mov ah, 4Ch
     23\t0016  CD 21\t\t\t     int 21h
     24\t0018  C3\t\t\t     ret
     25\t0019\t\t\t     leave_  endp
     26\t\t\t\t\t     end start
";

const UASM: &str = "hello.asm
                                        .model small
                                        .stack 100h
                                        .data
00000000  48656C6C6F2C20576F    text    db \"Hello, World!\", 13, 10, \"$\"
00000010  0500                  total   dw 5
                                say     macro
 >                                      mov ah, 9
 >                                      int 21h
 >                                      endm
00000000                                .code
00000000  B80000                start:  mov ax, DGROUP
00000003  8ED8                          mov ds, ax
00000005  BA0000                        mov dx, offset text
                                        say
00000008  B409               1          mov ah, 9
0000000A  CD21               1          int 21h
0000000C  8306000001                    add total, 1
00000011  E80000                        call leave_
00000014                        leave_  proc
00000014  B44C                          mov ah, 4Ch
00000016  CD21                          int 21h
00000018                                ret
00000019                        leave_  endp
";

/// The linked program: the data follows the code at an even address.
fn program() -> Vec<u8> {
    let mut image =
        vec![0xB8, 1, 0, 0x8E, 0xD8, 0xBA, 0x0A, 0, 0xB4, 9, 0xCD, 0x21, 0x83, 6, 0x1A, 0, 1, 0xE8, 0, 0];
    image.extend([0xB4, 0x4C, 0xCD, 0x21, 0xC3, 0]);
    image.extend(b"Hello, World!\r\n$\x05\x00");
    exe(&image)
}

/// Creates an EXE with a header of two paragraphs.
fn exe(image: &[u8]) -> Vec<u8> {
    let length = (image.len() + 32) as u16;
    let mut file = vec![0; 32];
    file[..2].copy_from_slice(b"MZ");
    file[2..4].copy_from_slice(&(length % 512).to_le_bytes());
    file[4..6].copy_from_slice(&length.div_ceil(512).to_le_bytes());
    file[8] = 2;
    file.extend(image);
    file
}

fn told(symbols: &Symbols) -> (Vec<String>, Vec<String>) {
    let lines = symbols.lines().map(|(line, at)| format!("{line} {:X}-{:X}", at.start, at.end));
    let names = symbols.symbols().iter();
    let names = names.map(|s| format!("{} {:?} {:X}:{:X}", s.name, s.kind, s.frame, s.offset));
    (lines.collect(), names.collect())
}

#[test]
fn lines_are_those_of_the_source() {
    for (assembler, listing) in [("MASM", MASM), ("TASM", TASM), ("UASM", UASM)] {
        assert!(is_listing(listing), "{assembler}");
        let symbols = read(listing, "HELLO.LST", Some(("hello.asm", SOURCE)), &program());
        let (lines, names) = told(&symbols.expect(assembler));
        let expected = [
            "hello.asm:11 0-3",
            "hello.asm:12 3-5",
            "hello.asm:13 5-8",
            "hello.asm:14 8-A",
            "hello.asm:14 A-C",
            "hello.asm:15 C-11",
            "hello.asm:16 11-14",
            "hello.asm:18 14-16",
            "hello.asm:19 16-18",
            "hello.asm:20 18-19",
        ];
        assert_eq!(lines, expected, "{assembler}");
        let expected = ["start Label 0:0", "leave_ Procedure 0:14", "text Data 1:A", "total Data 1:1A"];
        assert_eq!(names, expected, "{assembler}");
    }
}

#[test]
fn without_the_source_the_listing_is_it() {
    let other = "; another program\n mov ax, 1\n mov bx, 2\n ret\n";
    for source in [None, Some(("other.asm", other))] {
        let symbols = read(MASM, "HELLO.LST", source, &program()).expect("a listing of the program");
        assert_eq!(symbols.line_at(0x0A).map(|line| line.to_string()).as_deref(), Some("HELLO.LST:22"));
    }
}

#[test]
fn a_flat_program_of_nasm() {
    let listing = "     1                                  org 100h
     2 00000000 BA[0800]                        mov dx, msg
     3 00000003 B409                    .go:    mov ah, 9
     4 00000005 CD21                            int 21h
     5 00000007 C3                              ret
     6 00000008 4869202070656F706C-     msg     db 'Hi  people$'
     6 00000011 6524
     7 00000013 01<rep 5h>              times 5 db 1
     8 00000018 <res 14h>               buf     resb 20
";
    let program = b"\xBA\x08\x01\xB4\x09\xCD\x21\xC3Hi  people$\x01\x01\x01\x01\x01";
    let symbols = read(listing, "a.lst", None, program).expect("a listing of the program");
    let (lines, names) = told(&symbols);
    assert_eq!(lines, ["a.lst:2 100-103", "a.lst:3 103-105", "a.lst:4 105-107", "a.lst:5 107-108"]);
    assert_eq!(names, [".go Label 0:103", "msg Data 0:108", "buf Data 0:118"]);
}

#[test]
fn what_is_no_listing_of_the_program() {
    let wrong = exe(&[0x90; 64]);
    let why = "its code is not in the program: it is the listing of a different build";
    assert_eq!(read(MASM, "H.LST", None, &wrong), Err(why.to_owned()));
    assert_eq!(read(MASM, "H.LST", None, b"MZ"), Err(why.to_owned()));
    for text in [
        "",
        SOURCE,
        "Hello\n 0000\n 0001 \u{fffd}\u{fffd}\n",
        " Start  Stop   Length Name\n 00000H 0000FH 00010H _TEXT\n 0000:0003  start\n",
    ] {
        assert!(!is_listing(text), "{text}");
    }
}

//! The built-in include files of courses: each routine is called, with keys typed, and the
//! resulting screen compared.
#![cfg(feature = "assembler")]
#![allow(clippy::unwrap_used, reason = "a panic is a test's report")]

mod art_of_assembly;

use oxbox::machine::{Key, Machine, Stop, Until};
use oxbox::toolchain::{BuildRequest, Format, build};

/// Assembles and runs a program with these keys. Returns the screen's lines, joined by `
/// `.
fn screen(source: &str, keys: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.asm");
    std::fs::write(&path, source).unwrap();
    let built = build(&BuildRequest { inputs: vec![path], ..oxbox::built_in::build_request() });
    let program = built.unwrap_or_else(|error| panic!("{error}\n{source}"));
    let drive = tempfile::tempdir().unwrap();
    let mut config = oxbox::built_in::config();
    config.dos.folder = Some(drive.path().to_owned());
    let mut machine = Machine::new(&config).unwrap();
    let name = if program.format == Format::Com { "P.COM" } else { "P.EXE" };
    machine.load(&program.bytes, name, " one two").unwrap();
    let mut keys = keys.split_whitespace();
    loop {
        match machine.run(&Until::KEY_WAIT, &mut ()) {
            Stop::KeyWait => {
                machine.type_key(keys.next().expect("a key is left").parse::<Key>().unwrap());
            }
            Stop::Exited(0) => break,
            stop => panic!("{stop:?}\n{source}"),
        }
    }
    assert_eq!(keys.next(), None, "all keys are read\n{source}");
    let text = machine.text().unwrap().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("|").trim_end_matches('|').to_owned()
}

#[test]
fn emu8086_has_its_macros_and_procedures() {
    // Body, keys, screen.
    let rows = [
        ("PUTC 'a'\n PUTC 13\n PUTC 10\n mov bl, 'b'\n PUTC bl", "", "a|b"),
        ("call CLEAR_SCREEN\n GOTOXY 2, 1\n PUTC 'x'", "", "|  x"),
        ("PRINT 'a$b'\n PRINTN ' c'\n PRINTN\n PRINT 'd'", "", "a$b c||d"),
        ("CURSOROFF\n mov ah, 3\n mov bh, 0\n int 10h\n mov al, ch\n mov ah, 0\n call PRINT_NUM", "", "40"),
        ("CURSORON\n mov ah, 3\n mov bh, 0\n int 10h\n mov ax, cx\n call PRINT_NUM", "", "1543"),
        ("lea si, text\n call PRINT_STRING", "", "Hello"),
        ("call PTHIS\n db 'in line', 0\n PUTC '.'", "", "in line."),
        (
            "lea di, buffer\n mov dx, 5\n call GET_STRING\n PRINTN\n lea si, buffer\n call PRINT_STRING",
            "a b BKSP c d e f ENTER",
            "acde|acde",
        ),
        ("lea di, buffer\n mov dx, 0\n call GET_STRING\n lea si, buffer\n call PRINT_STRING", "", "~~~~~~~~"),
        ("call SCAN_NUM\n PRINTN\n mov ax, cx\n call PRINT_NUM", "1 2 - x 3 BKSP 4 ENTER", "124|124"),
        ("call SCAN_NUM\n PRINTN\n mov ax, cx\n call PRINT_NUM", "- 3 2 7 6 9 8 ENTER", "-32768|-32768"),
        ("call SCAN_NUM\n PRINTN\n mov ax, cx\n call PRINT_NUM", "- BKSP 7 ENTER", "7|7"),
        ("mov ax, -12\n call PRINT_NUM\n PUTC ' '\n mov ax, 0\n call PRINT_NUM", "", "-12 0"),
        ("mov ax, 65535\n call PRINT_NUM_UNS", "", "65535"),
    ];
    for (body, keys, expected) in rows {
        let source = format!(
            "        include emu8086.inc\n .model tiny\n .code\n org 100h\nstart:  {body}\n mov ax, 4C00h\n int 21h\n\
             text db 'Hello', 0\nbuffer db 8 dup ('~'), 0\n DEFINE_PRINT_STRING\n DEFINE_PTHIS\n DEFINE_GET_STRING\n \
             DEFINE_CLEAR_SCREEN\n DEFINE_SCAN_NUM\n DEFINE_PRINT_NUM\n DEFINE_PRINT_NUM_UNS\n end start\n"
        );
        assert_eq!(screen(&source, keys), expected, "{body}");
    }
}

#[test]
fn the_16_bit_irvine_names_do_what_the_book_says() {
    let rows = [
        ("mov al, 'a'\n call WriteChar\n call Crlf\n call WriteChar", "", "a|a"),
        ("mov dx, offset text\n call WriteString", "", "Hello"),
        ("mov eax, 4000000000\n call WriteDec", "", "4000000000"),
        ("mov eax, 12\n call WriteInt\n neg eax\n call WriteInt", "", "+12-12"),
        ("mov eax, 0BEEFh\n call WriteHex", "", "0000BEEF"),
        (
            "mov eax, 0BEEFh\n mov ebx, 2\n call WriteHexB\n mov al, ' '\n call WriteChar\n mov al, 0AFh\n mov ebx, 1\n call WriteHexB",
            "",
            "BEEF AF",
        ),
        ("mov eax, 5\n call WriteBin", "", "0000 0000 0000 0000 0000 0000 0000 0101"),
        ("mov eax, 0A5h\n mov ebx, 1\n call WriteBinB", "", "1010 0101"),
        ("call ReadChar\n call WriteChar\n call WriteChar", "q", "qq"),
        ("call ReadKey\n jnz @F\n mWrite 'none'\n@@:", "", "none"),
        (
            "mov dx, offset buffer\n mov cx, 4\n call ReadString\n call WriteString\n movzx eax, ax\n call WriteDec",
            "a b BKSP c d e f ENTER",
            "acde|acde4",
        ),
        ("call ReadDec\n call WriteDec", "4 2 ENTER", "42|42"),
        ("call ReadInt\n call WriteInt", "x ENTER - 5 ENTER", "x|<invalid integer>|-5|-5"),
        ("call ReadHex\n call WriteHex", "B e 1 F ENTER", "Be1F|0000BE1F"),
        ("call WaitMsg\n mov al, '!'\n call WriteChar", "a", "Press any key to continue...|!"),
        (
            "mov al, yellow + 16 * blue\n call SetTextColor\n mWrite 'x'\n mov ax, 0B800h\n mov es, ax\n movzx eax, byte ptr es:[1]\n mov bl, al\n mov al, lightGray\n call SetTextColor\n movzx eax, bl\n call WriteDec",
            "",
            "x30",
        ),
        ("call Clrscr\n mov dh, 1\n mov dl, 3\n call Gotoxy\n mWrite 'x'", "", "|   x"),
        (
            "call GetMaxXY\n movzx eax, dh\n call WriteDec\n mov al, ' '\n call WriteChar\n movzx eax, dl\n call WriteDec",
            "",
            "25 80",
        ),
        ("invoke Str_length, addr text\n movzx eax, ax\n call WriteDec", "", "5"),
        ("invoke Str_copy, addr text, addr buffer\n mov dx, offset buffer\n call WriteString", "", "Hello"),
        (
            "invoke Str_compare, addr text, addr small_\n mov al, '='\n je @F\n mov al, '<'\n jb @F\n mov al, '>'\n@@: call WriteChar",
            "",
            "<",
        ),
        (
            "invoke Str_trim, addr spaces, ' '\n mov dx, offset spaces\n call WriteString\n mWrite '.'",
            "",
            "a b.",
        ),
        ("invoke Str_ucase, addr small_\n mov dx, offset small_\n call WriteString", "", "HELLO"),
        (
            "mov al, '7'\n call IsDigit\n jnz @F\n mWrite 'yes'\n@@: mov al, 'x'\n call IsDigit\n jz @F\n mWrite ' no'\n@@:",
            "",
            "yes no",
        ),
        ("mov dx, offset number\n mov cx, 6\n call ParseInteger32\n call WriteInt", "", "-123"),
        (
            "mov dx, offset number + 3\n mov cx, 3\n call ParseDecimal32\n call WriteDec\n mov dx, offset text\n call ParseDecimal32\n jnc @F\n mWrite ' none'\n@@:",
            "",
            "123 none",
        ),
        (
            "mov al, 1Eh\n call SetTextColor\n call GetTextColor\n mov bx, ax\n mov al, lightGray\n call SetTextColor\n movzx eax, bx\n call WriteDec",
            "",
            "30",
        ),
        (
            "mov dx, offset name_\n call CreateOutputFile\n mov bx, ax\n mov dx, offset text\n mov cx, 5\n call WriteToFile\n call WriteDec\n mov ax, bx\n call CloseFile\n \
             mov dx, offset name_\n call OpenInputFile\n mov bx, ax\n mov dx, offset buffer\n mov cx, 20\n call ReadFromFile\n call WriteDec\n mov ax, bx\n call CloseFile\n \
             call WriteDec\n mov dx, offset buffer\n call WriteString\n mov dx, offset text\n call OpenInputFile\n jnc @F\n call WriteInt\n@@:",
            "",
            "551Hello-1",
        ),
        ("mov dx, offset buffer\n call GetCommandTail\n jc @F\n call WriteString\n@@:", "", "one two"),
        (
            "mWriteLn 'line'\n mWriteSpace 2\n mWriteString text\n mWriteSpace\n mGotoxy 3, 4\n mWrite 'x'",
            "",
            "line|  Hello|||   x",
        ),
        ("mReadString small_\n call Crlf\n mWriteString small_", "a b c d e f g ENTER", "abcde||abcde"),
        (
            "call GetMseconds\n mov ebx, eax\n mov eax, 200\n call Delay\n call GetMseconds\n sub eax, ebx\n cmp eax, 150\n jb @F\n cmp eax, 300\n ja @F\n mWrite 'about 200'\n@@:",
            "",
            "about 200",
        ),
        (
            "call Randomize\n mov cx, 100\nroll: mov eax, 6\n call RandomRange\n cmp eax, 6\n jae @F\n loop roll\n mWrite 'dice'\n@@: call Random32",
            "",
            "dice",
        ),
        ("mov si, offset text\n mov cx, 2\n mov bx, 2\n call DumpMem", "", "|6548 6C6C"),
        (
            "mov eax, 0ABCDh\n mov ebx, 2\n mov ecx, 3\n mov edx, 4\n mov esi, 5\n mov edi, 6\n mov ebp, 7\n cmp eax, eax\n call DumpRegs\n cmp eax, 0ABCDh\n jne @F\n mWrite 'kept'\n@@:",
            "",
            "@regs",
        ),
    ];
    for (body, keys, expected) in rows {
        let source = format!(
            "INCLUDE Irvine16.inc\nINCLUDE Macros.inc\n.data\nname_ byte 'F.TXT', 0\ntext byte 'Hello', 0\nsmall_ byte 'hello', 0\nspaces byte 'a b   ', 0\nnumber byte '  -123', 0\n\
             buffer byte 20 dup (0)\n.code\nmain PROC\n Startup\n {body}\n exit\nmain ENDP\nEND main\n"
        );
        let shown = screen(&source, keys);
        if expected == "@regs" {
            for part in [
                "|EAX=0000ABCD EBX=00000002 ECX=00000003 EDX=00000004|ESI=00000005 EDI=00000006 EBP=00000007 ESP=00000400|",
                "CF=0 SF=0 ZF=1 OF=0",
                "|kept",
            ] {
                assert!(shown.contains(part), "{part}: {shown}");
            }
            continue;
        }
        assert_eq!(shown, expected, "{body}");
    }
}

#[test]
fn names_of_the_ucr_library_write_and_read() {
    let rows = [
        ("putc 'a'\n putcr\n mov al, 'b'\n putc", "", "a|b"),
        ("mov di, offset text\n puts", "", "Hello"),
        ("print 'in line', nl, 'and on'", "", "in line|and on"),
        ("getc\n putc\n rawgetc\n putc", "q w", "qw"),
        ("mov al, 'Q'\n tolower\n putc\n toupper\n putc", "", "qQ"),
        ("mov ax, 0\n puti\n mov ax, -32768\n puti\n mov ax, 12\n puti", "", "0-3276812"),
        ("mov ax, 65535\n putu\n mov ax, 7\n putu", "", "655357"),
        ("mov ax, 0A9Fh\n putw\n puth", "", "0A9F9F"),
        ("mov ax, 50\n mov bx, 1\n mov dx, 2\n stc\n puti\n adc ax, bx\n add ax, dx\n putu", "", "5054"),
        ("print\n byte 'behind', 13, 10, 0\n mov al, '.'\n putc", "", "behind|."),
        ("mov di, offset buffer\n gets\n puts", "a b BKSP c ENTER", "ac|ac"),
        ("getsm\n puts", "h i ENTER", "hi|hi"),
        ("geti\n puti\n getu\n putu", "- 1 2 ENTER 6 5 5 3 5 ENTER", "-12|-1265535|65535"),
        (
            "mov di, offset number\n atoi\n puti\n mov di, offset number + 2\n atou\n putu\n atoh\n putw\n mov di, offset text\n atoi\n jnc @F\n print ' none'\n@@:",
            "",
            "-1231230123 none",
        ),
        ("mov di, offset big\n atoi\n jnc @F\n print 'too large'\n@@: atou\n putu", "", "too large40000"),
        (
            "mov di, offset buffer\n mov ax, -32768\n itoa\n puts\n utoa\n puts\n mov ax, 0BEEFh\n wtoa\n puts\n htoa\n puts",
            "",
            "-3276832768BEEFEF",
        ),
        (
            "mov ax, -7\n itoam\n puts\n utoam\n puts\n free\n jc @F\n free\n jnc @F\n print '.'\n@@:",
            "",
            "-765529.",
        ),
        ("mov ax, -5\n mov cx, 5\n putisize\n mov cx, 6\n putusize", "", "   -5 65531"),
        (
            "mov dx, 1\n mov ax, 0E240h\n putl\n mov dx, -1\n mov ax, -2\n putl\n putul",
            "",
            "123456-24294967294",
        ),
        (
            "mov di, offset text\n mov dx, ds\n mov si, offset buffer\n strcpy\n mov si, offset number\n strcat\n puts\n strlen\n mov ax, cx\n puti",
            "",
            "Hello -123x11",
        ),
        (
            "mov di, offset text\n mov dx, ds\n mov si, offset lower\n strcmp\n jae @F\n print '<'\n@@: mov ax, cx\n puti\n stricmp\n jne @F\n print '='\n@@: mov ax, cx\n puti",
            "",
            "<0=5",
        ),
        (
            "mov di, offset text\n mov al, 'l'\n strchr\n mov ax, cx\n puti\n mov al, 'x'\n strchr\n jnc @F\n print ' no '\n@@: \
             mov dx, ds\n mov si, offset lower + 2\n strstr\n mov ax, cx\n puti\n mov si, offset number\n strstr\n jnc @F\n print ' no'\n@@:",
            "",
            "2 no 2 no",
        ),
        (
            "mov di, offset text\n strdup\n strupr\n puts\n strlwr\n puts\n strrev\n puts\n mov al, '*'\n strset\n puts\n mov di, offset text\n mov ax, ds\n mov es, ax\n puts",
            "",
            "HELLOhelloolleh*****Hello",
        ),
        (
            "mov dx, 100h\n meminit\n mov ax, cx\n putw\n mov cx, 0F00h\n malloc\n mov ax, es\n mov bx, ax\n malloc\n jnc @F\n print ' full'\n@@: mov cx, 80h\n \
             malloc\n jc @F\n mov es, bx\n free\n mov cx, 0E00h\n malloc\n mov ax, es\n cmp ax, bx\n jne @F\n print ' again'\n@@:",
            "",
            "0100 full again",
        ),
        (
            "random\n mov bx, ax\n random\n cmp ax, bx\n je @F\n randomize\n random\n print 'random'\n@@:",
            "",
            "random",
        ),
        (
            "printf\n byte 'I=%d U=%5u %c %s %x %h %i 100%%\\n\\\\%ld\\t%lu', 0\n dword word_, word_, text, text, word_, word_, word_, long_, long_",
            "",
            "I=-2 U=65534 H Hello FFFE FFFE -2 100%|\\-123456        4294843840",
        ),
    ];
    for (body, keys, expected) in rows {
        // The library before version 2 expects the text of print after the call.
        let file = if body.contains("print\n byte") { "stdlib.a" } else { "ucrlib.a" };
        let source = format!(
            "        include {file}\ndata segment para public 'data'\ntext byte 'Hello', 0\nlower byte 'hello', 0\nnumber byte ' -123x', 0\n\
             big byte '40000', 0\nbuffer byte 40 dup ('~'), 0\nword_ word -2\nlong_ sdword -123456\ndata ends\n\
             stacks segment stack\n byte 256 dup (?)\nstacks ends\n\
             code segment para public 'code'\n assume cs:code, ds:data\nstart: mov ax, data\n mov ds, ax\n mov es, ax\n \
             {body}\n mov al, 0\n ExitPgm\ncode ends\n end start\n"
        );
        assert_eq!(screen(&source, keys), expected, "{body}");
    }
}

#[test]
fn the_textbooks_io_h_reads_and_writes() {
    let rows = [
        ("output text\n output text, 2", "", "HelloHe"),
        ("itoa answer, 42\n itoa answer + 6, -32768\n output answer, 12", "", "    42-32768"),
        (
            "mov eax, -2147483648\n dtoa answer, eax\n output answer, 11\n dtoa answer, 7\n output answer, 11",
            "",
            "-2147483648          7",
        ),
        (
            "inputs line_, 5\n itoa answer, cx\n output line_\n output answer, 6",
            "a b BKSP c d e f g ENTER",
            "acdef|acdef     5",
        ),
        ("atoi number\n itoa answer, ax\n output answer, 6\n jno @F\n output text\n@@:", "", "  -123"),
        ("atoi text\n jno @F\n output text\n@@: itoa answer, ax\n output answer, 6", "", "Hello     0"),
        (
            "atoi big\n jno @F\n output text\n@@: atod big\n jo @F\n dtoa answer, eax\n output answer, 11\n@@:",
            "",
            "Hello      40000",
        ),
        ("inputc\n mov answer, al\n output answer, 1", "q", "qq"),
    ];
    for (body, keys, expected) in rows {
        let source = format!(
            " .model small\n .386\n .stack 400h\n include io.h\n .data\ntext db 'Hello', 0\nnumber db '  -123', 0\nbig db '+40000 ', 0\nline_ db 20 dup ('~')\n\
             answer db 20 dup ('~'), 0\n .code\nstart: mov ax, @data\n mov ds, ax\n {body}\n mov ax, 4C00h\n int 21h\n end start\n"
        );
        assert_eq!(screen(&source, keys), expected, "{body}");
    }
}

/// In the form of emu8086's own templates and examples: no .model, no END, ENDS without a name.
#[test]
fn emu8086_sources_run_as_they_are() {
    let rows = [
        ("org 100h\nmov dx, offset msg\nmov ah, 9\nint 21h\nret\nmsg db 'Hello$'\n", "", "Hello"),
        (
            "#make_COM#\nname \"test\"\ninclude 'emu8086.inc'\nORG 100h\nPRINTN 'n?'\ncall SCAN_NUM\nPRINTN\nmov ax, cx\ncall PRINT_NUM\n\
             mov b.[di+2000h], '!'\nPUTC b.[di+2000h]\nret\nDEFINE_SCAN_NUM\nDEFINE_PRINT_NUM\nDEFINE_PRINT_NUM_UNS\nEND\n",
            "4 2 ENTER",
            "n?|42|42!",
        ),
        (
            "data segment\n pkey db \"press any key...$\"\n n db 3\nends\nstack segment\n dw 128 dup(0)\nends\ncode segment\nstart:\n mov ax, data\n \
             mov ds, ax\n mov es, ax\n lea dx, pkey\n mov ah, 9\n int 21h\n mov ah, 1\n int 21h\n mov al, n\n sub al, 3\n mov ah, 4Ch\n int 21h\n\
             ends\nend start\n",
            "x",
            "press any key...x",
        ),
        (
            ".data\nx db 'model$'\n.code\nstart: mov ax, @data\nmov ds, ax\nlea dx, x\nmov ah, 9\nint 21h\nmov ax, 4C00h\nint 21h\nend start\n",
            "",
            "model",
        ),
    ];
    for (source, keys, expected) in rows {
        assert_eq!(screen(source, keys), expected, "{source}");
    }
}

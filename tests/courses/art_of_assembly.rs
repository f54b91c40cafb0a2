//! The UCR Standard Library as "The Art of Assembly Language Programming" describes it, in chapters 7, 15
//! and 16: texts, conversions, sets of characters and patterns.

use super::screen;

fn program(body: &str) -> String {
    format!(
        "        include stdlib.a\n        matchfuncs\n\
         data segment para public 'data'\n\
         text byte 'Hello', 0, 20 dup (0)\nlower_ byte 'hello', 0\nblanks byte '  a b  ', 0\n\
         numbers byte '-12,65535,A9F,-2147483648,4000000000,', 0\nlarge byte '2147483648', 0\n\
         buffer byte 60 dup ('~'), 0\nword_ word -2\nlong_ sdword -123456\npointer dword text\n\
         set one, two\n include stdsets.a\n\
         name_ pattern {{anycset, alpha, 0, letters}}\nletters pattern {{spancset, alphanum}}\n\
         input1 byte 'a1=25;', 0\ninput2 byte '7up', 0\ninput3 byte 'key: 10 20 30', 0\n\
         grab_name pattern {{sl_match2, name_, 0, equals}}\nequals pattern {{matchchar, '=', 0, grab_value}}\n\
         grab_value pattern {{sl_match2, value, 0, semicolon}}\nvalue pattern {{anycset, digits, 0, more}}\n\
         more pattern {{spancset, digits}}\nsemicolon pattern {{matchchar, ';', 0, at_end}}\nat_end pattern {{eos}}\n\
         last pattern {{arb, 0, 0, value}}\n\
         each pattern {{arbnum, item, 0, at_end}}\nitem pattern {{spancset, digits, 0, gap}}\n\
         gap pattern {{matchchar, ' ', at_end}}\n\
         to_colon pattern {{matchtochar, ':', 0, spaces}}\nspaces pattern {{matchchars, ' ', 0, value}}\n\
         to_text pattern {{matchtostr, twenty, 0, three}}\ntwenty byte '20', 0\nthree pattern {{rpos, 3}}\n\
         to_pattern pattern {{matchtopat, value, 0, at_10}}\nat_10 pattern {{pos, 7}}\n\
         any_case pattern {{matchistr, key, other}}\nkey byte 'KEY', 0\nother pattern {{matchstr, seven}}\nseven byte '7u', 0\n\
         jump pattern {{skip, 5, 0, go}}\ngo pattern {{gotopos, 8, 0, from_end}}\nfrom_end pattern {{rgotopos, 2, 0, not_digit}}\n\
         not_digit pattern {{notanycset, digits, is_digit}}\nis_digit pattern {{anycset, digits}}\n\
         up_to pattern {{brkcset, digits, 0, value}}\n\
         data ends\n\
         stacks segment stack\n byte 1024 dup (?)\nstacks ends\n\
         code segment para public 'code'\n assume cs:code, ds:data\n\
         ; Matches ES:DI with DX:SI: + or -, and the length up to AX.\n\
         try proc near\n xor cx, cx\n match\n push ax\n mov al, '+'\n jc @F\n mov al, '-'\n@@: putc\n pop ax\n sub ax, di\n puti\n ret\ntry endp\n\
         start: mov ax, data\n mov ds, ax\n mov es, ax\n \
         {body}\n mov al, 0\n ExitPgm\ncode ends\n end start\n"
    )
}

fn check(rows: &[(&str, &str)]) {
    for (body, expected) in rows {
        assert_eq!(screen(&program(body), ""), *expected, "{body}");
    }
}

#[test]
fn texts_that_follow_the_call() {
    check(&[
        (
            "lesi text\n strcatl\n byte ' there', 0\n puts\n strcmpl\n byte 'Hello you', 0\n jae @F\n putc 'L'\n@@: mov ax, cx\n puti",
            "Hello thereL6",
        ),
        (
            "lesi text\n stricmpl\n byte 'hELLO', 0\n jne @F\n strstrl\n byte 'lo', 0\n mov ax, cx\n puti\n@@:",
            "3",
        ),
        ("ldxi buffer\n strcpyl\n byte 'copy', 0\n puts\n strdupl\n byte 'dup', 0\n puts", "copydup"),
        (
            "lesi text\n mov cx, 4\n strinsl\n byte '-X-', 0\n puts\n ldxi lower_\n mov cx, 99\n strins\n puts",
            "Hell-X-oHell-X-ohello",
        ),
        (
            "lesi text\n strspanl\n byte 'lo', 0\n mov ax, cx\n puti\n strcspanl\n byte 'eH', 0\n mov ax, cx\n puti\n ldxi blanks\n strspan\n \
             mov ax, cx\n puti\n strcspan\n mov ax, cx\n puti",
            "2250",
        ),
    ]);
}

#[test]
fn texts_in_new_memory() {
    check(&[
        (
            "lesi text\n ldxi lower_\n strcatm\n puts\n strcatml\n byte '!', 0\n puts\n lesi text\n mov cx, 2\n strinsm\n puts\n lesi text\n mov cx, 0\n \
             strinsml\n byte '>', 0\n puts\n lesi text\n puts",
            "HellohelloHellohello!Hehellollo>HelloHello",
        ),
        (
            "lesi text\n struprm\n puts\n strlwrm\n puts\n strrevm\n puts\n mov cx, 1\n mov ax, 2\n strdelm\n puts\n mov ax, 99\n strdel\n puts\n \
             lesi text\n puts\n mov al, '*'\n mov cx, 3\n strsetm\n puts",
            "HELLOhelloollehoehoHello***",
        ),
        (
            "lesi blanks\n strbdelm\n puts\n putc '.'\n strtrimm\n puts\n putc '.'\n lesi blanks\n strtrim\n strbdel\n puts\n putc '.'",
            "a b  .a b.a b.",
        ),
        ("argc\n mov ax, cx\n puti\n mov ax, 2\n argv\n puts\n mov ax, 3\n argv\n puts\n putc '.'", "2two."),
        (
            "mov ax, 3000h\n mov es, ax\n mov cx, 20h\n meminit2\n mov cx, 100h\n malloc\n mov ax, es\n putw\n malloc\n jnc @F\n \
             print\n byte ' full', 0\n@@:",
            "3001 full",
        ),
    ]);
}

#[test]
fn numbers_and_formats() {
    check(&[
        (
            "lesi numbers\n atoi2\n puti\n inc di\n atou2\n putu\n inc di\n atoh2\n putw\n inc di\n atol2\n putl\n inc di\n atoul2\n putul\n inc di\n \
             atoul2\n jnc @F\n print\n byte ' none', 0\n@@: lesi large\n atol\n jnc @F\n print\n byte ' too large', 0\n@@: atoul\n jc @F\n putul\n@@:",
            "-12655350A9F-21474836484000000000 none too large2147483648",
        ),
        (
            "mov ax, -12\n cwd\n lesi buffer\n itoa2\n utoa2\n wtoa2\n htoa2\n ltoa2\n ultoa2\n lesi buffer\n puts",
            "-1265524FFF4F4-124294967284",
        ),
        (
            "mov ax, -12\n cwd\n htoam\n puts\n wtoam\n puts\n ltoam\n puts\n ultoam\n puts\n ltoa\n puts\n ultoa\n puts",
            "F4FFF4-124294967284-124294967284",
        ),
        (
            "mov dx, -1\n mov ax, -12\n isize\n puti\n mov ax, -12\n usize\n puti\n mov ax, -12\n lsize\n puti\n mov ax, -12\n ulsize\n puti",
            "35310",
        ),
        ("mov ax, -12\n cwd\n mov cx, 5\n putlsize\n mov cx, 12\n putulsize", "  -12  4294967284"),
        (
            "mov cx, 128\n mov bl, 0\nscan: mov al, cl\n isalnum\n jne @F\n inc bl\n@@: isalpha\n jne @F\n inc bl\n@@: isxdigit\n jne @F\n inc bl\n\
             @@: isdigit\n jne @F\n inc bl\n@@: islower\n jne @F\n inc bl\n@@: isupper\n jne @F\n inc bl\n@@: loop scan\n mov al, bl\n mov ah, 0\n putu",
            // 62 + 52 + 22 + 10 + 26 + 26
            "198",
        ),
        (
            "printf\n byte '%5s.%-5d.%\\*7u.%-\\+6x.%^s.%lx.%3c.%%', 0\n dword lower_ + 2, word_, word_, word_, pointer, long_, text",
            "  llo.-2   .**65534.FFFE++.Hello.FFFE1DC0.  H.%",
        ),
    ]);
}

#[test]
fn sets_of_characters() {
    check(&[
        (
            "lesi one\n mov al, 'b'\n mov ah, 'd'\n rangeset\n addstrl\n byte 'xyz', 0\n rmvstrl\n byte 'cy', 0\n mov al, 'a'\n addchar\n mov al, 'x'\n \
             rmvchar\n ldxi text\n addstr\n ldxi lower_\n rmvstr\n\
             next: rmvitem\n or al, al\n jz @F\n putc\n jmp next\n@@:",
            "Habdz",
        ),
        (
            "lesi one\n ldxi digits\n copyset\n ldxi xdigits\n setintersect\n nextitem\n putc\n mov al, 'a'\n member\n je @F\n print\n byte ' no', 0\n\
             @@: setunion\n member\n jne @F\n print\n byte ' yes ', 0\n@@: ldxi digits\n setdifference\n nextitem\n putc\n lesi two\n nextitem\n puth",
            "0 no yes A00",
        ),
        (
            "createsets\n inc di\n mov al, '#'\n addchar\n dec di\n member\n je @F\n inc di\n member\n jne @F\n putc\n emptyset\n nextitem\n puth\n@@:",
            "#00",
        ),
        (
            "lesi whitespace\n mov al, 9\n member\n jne @F\n lesi delimiters\n mov al, ';'\n member\n jne @F\n lesi upper\n mov al, 'q'\n member\n je @F\n \
             lesi lower\n member\n jne @F\n putc\n@@:",
            "q",
        ),
    ]);
}

#[test]
fn patterns() {
    check(&[
        ("lesi input1\n ldxi name_\n call try\n lesi input2\n call try\n lesi input3\n call try", "+2-0+3"),
        (
            "lesi input1\n ldxi grab_name\n call try\n lesi grab_name\n patgrab\n puts\n putc ' '\n lesi grab_value\n patgrab\n puts",
            "+6a1 25",
        ),
        ("lesi input1\n ldxi grab_name\n mov cx, 4\n match\n jc @F\n sub ax, di\n puti\n@@:", "4"),
        // The last digit, after which nothing else has to match.
        ("lesi input3\n ldxi last\n call try\n lesi last\n patgrab\n puts", "+13key: 10 20 3"),
        ("lesi input3\n add di, 5\n ldxi each\n call try\n lesi input3\n call try", "+8-0"),
        (
            "lesi input3\n ldxi to_colon\n call try\n ldxi to_text\n call try\n ldxi to_pattern\n call try",
            "+7+10+7",
        ),
        (
            "lesi input3\n ldxi any_case\n call try\n lesi input2\n call try\n lesi input1\n call try",
            "+3+2-0",
        ),
        ("lesi input3\n ldxi jump\n call try\n ldxi up_to\n call try", "+12+7"),
        (
            "lesi input1\n ldxi equals\n call try\n mov ax, es\n mov dx, ax\n ldxi letters\n push ds\n mov cx, di\n add cx, 1\n match2\n pop ds\n sub ax, di\n puti",
            "-01",
        ),
    ]);
}

/// Matching functions of the program's own, as in section 16.4, and statements that UASM reads differently.
#[test]
fn own_matching_functions() {
    let source = "        include stdlib.a\n        matchfuncs\n\
        data segment para public 'data'\nflags byte 0FFh\nsum pattern {number, 0, 0, plus}\n\
        plus pattern {matchchar, '+', done, sum}\ndone pattern {succeed}\ntotal word 0\ninput byte '12+30+4', 0\ndata ends\n\
        stacks segment stack\n byte 1024 dup (?)\nstacks ends\n\
        code segment para public 'code'\n assume cs:code, ds:data\n\
        digit_ equ -2[bp]\n\
        number proc far\n push bp\n mov bp, sp\n sub sp, 2\n push ds\n push di\n mov ax, data\n mov ds, ax\n atoi2\n jnc @F\n pop ax\n push ax\n clc\n jmp out_\n\
        @@: mov digit_, ax\n mov ax, digit_\n add total, ax\n mov ax, di\n stc\nout_: pop di\n pop ds\n mov sp, bp\n pop bp\n ret\nnumber endp\n\
        succeed proc far\n mov ax, di\n stc\n ret\nsucceed endp\n\
        start: mov ax, data\n mov ds, ax\n lesi input\n ldxi sum\n xor cx, cx\n match\n jnc @F\n mov ax, total\n puti\n and flags, not 80h\n\
        mov al, flags\n puth\n@@: mov al, 0\n ExitPgm\ncode ends\n end start\n";
    assert_eq!(screen(source, ""), "467F");
}

//! Key classes: a search that runs one key for all equivalent ones has the same report as a search
//! that runs each key.

use oxbox::walk::{Bounds, Choices, ExploreOptions, Predicate, Sameness, Setup, explore};

/// Random numbers, the same on every host (xorshift).
struct Random(u32);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Characters that programs compare with.
const ASKED: &[u8] = b"0159aAbBcq\r\x1B\0;H";

/// The ways in which programs read a key: BIOS, and DOS with and without echo.
const READS: [&[u8]; 5] = [
    &[0xB4, 0x00, 0xCD, 0x16],
    &[0xB4, 0x10, 0xCD, 0x16],
    &[0xB4, 0x07, 0xCD, 0x21],
    &[0xB4, 0x08, 0xCD, 0x21],
    &[0xB4, 0x01, 0xCD, 0x21],
];

/// Operations on a key in AL or AX. Variables are at 400h, a table of 256 bytes at 500h.
const STEPS: [&[u8]; 46] = [
    &[0x2C, 0x30],                                              // sub al, '0'
    &[0x24, 0xDF],                                              // and al, 0DFh
    &[0x24, 0x0F],                                              // and al, 0Fh
    &[0x34, 0x20],                                              // xor al, ' '
    &[0x98],                                                    // cbw
    &[0x30, 0xE4],                                              // xor ah, ah
    &[0x88, 0xC3],                                              // mov bl, al
    &[0x50, 0x5B],                                              // push ax; pop bx
    &[0xBB, 0x00, 0x05, 0xD7],                                  // mov bx, 500h; xlat
    &[0x88, 0xC3, 0x30, 0xFF, 0x8A, 0x87, 0, 5],                // mov bl, al; xor bh, bh; mov al, [bx+500h]
    &[0xA2, 0x00, 0x04],                                        // mov [400h], al
    &[0xA0, 0x01, 0x04],                                        // mov al, [401h]
    &[0x8A, 0x1E, 0x00, 0x04],                                  // mov bl, [400h]
    &[0xFE, 0x06, 0x01, 0x04, 0x80, 0x26, 0x01, 0x04, 0x03],    // inc byte [401h]; and byte [401h], 3
    &[0x00, 0x06, 0x02, 0x04, 0x80, 0x26, 0x02, 0x04, 0x07],    // add [402h], al; and byte [402h], 7
    &[0x31, 0xDB],                                              // xor bx, bx
    &[0xB8, 0x07, 0x0E, 0xCD, 0x10],                            // mov ax, 0E07h; int 10h
    &[0xB4, 0x0E, 0xCD, 0x10],                                  // mov ah, 0Eh; int 10h
    &[0x88, 0xC2, 0xB4, 0x02, 0xCD, 0x21],                      // mov dl, al; mov ah, 2; int 21h
    &[0xB2, 0x2E, 0xB4, 0x02, 0xCD, 0x21],                      // mov dl, '.'; mov ah, 2; int 21h
    &[0xE8, 0x01, 0x00, 0x43, 0x43], // call to the second inc bx, which returns nowhere: the stack keeps a word
    &[0x9C, 0x59],                   // pushf; pop cx
    &[0x60, 0xB3, 0x01, 0xA8, 0x10, 0x61], // pusha; mov bl, 1; test al, 10h; popa
    &[0xB4, 0x02, 0xCD, 0x16],       // mov ah, 2; int 16h
    &[0xB4, 0x12, 0xCD, 0x16, 0x88, 0xE3], // mov ah, 12h; int 16h; mov bl, ah
    &[0x1E, 0x6A, 0x40, 0x1F, 0x8A, 0x1E, 0x17, 0x00, 0x1F], // push ds; push 40h; pop ds; mov bl, [17h]; pop ds
    &[0x66, 0x60, 0x43, 0x66, 0x61],                         // pushad; inc bx; popad
    &[0x60, 0x5F, 0x5E, 0x5D, 0x5B, 0x5B, 0x5A, 0x59, 0x58], // pusha, and each popped
    &[0x66, 0x50, 0x5B, 0x5A],                               // push eax; pop bx; pop dx
    &[0x55, 0x89, 0xC5, 0xC8, 2, 0, 0, 0xC9, 0x89, 0xEB, 0x5D], // push bp; mov bp, ax; enter 2, 0; leave; mov bx, bp; pop bp
    &[0xD1, 0xE0],                                              // shl ax, 1
    &[0xF7, 0xD8],                                              // neg ax
    // or al, al; jnz over: the second byte of an extended code is read without a wait.
    &[0x08, 0xC0, 0x75, 0x04, 0xB4, 0x08, 0xCD, 0x21],
    &[0x08, 0xC0, 0x75, 0x06, 0x90, 0x43, 0xB4, 0x07, 0xCD, 0x21],
    // or al, al; jnz over; mov ah, 0Bh; int 21h; mov ah, 7; int 21h
    &[0x08, 0xC0, 0x75, 0x08, 0xB4, 0x0B, 0xCD, 0x21, 0xB4, 0x07, 0xCD, 0x21],
    // or al, al; jnz over; mov dl, '.'; mov ah, 2; int 21h; mov ah, 8; int 21h
    &[0x08, 0xC0, 0x75, 0x0A, 0xB2, 0x2E, 0xB4, 0x02, 0xCD, 0x21, 0xB4, 0x08, 0xCD, 0x21],
    // or al, al; jnz over; mov ax, 3; int 10h; mov ah, 8; int 21h
    &[0x08, 0xC0, 0x75, 0x09, 0xB8, 0x03, 0x00, 0xCD, 0x10, 0xB4, 0x08, 0xCD, 0x21],
    // or al, al; jnz over; mov cx, 0C000h; loop $; mov ah, 8; int 21h: timer interrupts arrive
    &[0x08, 0xC0, 0x75, 0x09, 0xB9, 0x00, 0xC0, 0xE2, 0xFE, 0xB4, 0x08, 0xCD, 0x21],
    // or al, al; jnz over; mov ax, 4C07h; int 21h
    &[0x08, 0xC0, 0x75, 0x05, 0xB8, 0x07, 0x4C, 0xCD, 0x21],
    &[0xB8, 0x03, 0x00, 0xCD, 0x10],                   // mov ax, 3; int 10h
    &[0x06, 0x07],                                     // push es; pop es
    &[0x8E, 0xC0, 0x1E, 0x07],                         // mov es, ax; push ds; pop es
    &[0xBF, 0x10, 0x04, 0xAA, 0xBF, 0, 0],             // mov di, 410h; stosb; mov di, 0
    &[0xBF, 0x11, 0x04, 0xB0, 0x41, 0xAA, 0xBF, 0, 0], // the same with mov al, 'A'
    &[0xE4, 0x21, 0xE6, 0x21],                         // in al, 21h; out 21h, al
    &[0x0C, 0x03, 0xE6, 0x80, 0xFA, 0xFB],             // or al, 3; out 80h, al; cli; sti
];

/// Returns a program that reads a key, processes it, and starts again. Jumps lead forwards; one of
/// them skips an exit.
fn program(random: &mut Random) -> Vec<u8> {
    let mut code = vec![0x89, 0xE5, 0x89, 0xEC]; // mov bp, sp; mov sp, bp: the start of each iteration
    code.extend(random.one_of(&READS));
    let mut jumps = Vec::new();
    for _ in 0..4 + random.below(8) {
        if random.below(2) == 0 {
            // cmp al, byte and a jump: je, jne, jb, ja, jge, jp
            code.extend([
                0x3C,
                random.one_of(ASKED),
                random.one_of(&[0x74, 0x75, 0x72, 0x77, 0x7D, 0x7A]),
                0,
            ]);
            jumps.push(code.len());
        } else {
            code.extend(random.one_of(&STEPS));
        }
        if random.below(3) == 0 && !jumps.is_empty() {
            let from = jumps.remove(random.below(jumps.len()));
            code[from - 1] = (code.len() - from) as u8;
        }
    }
    // The remaining jumps lead behind this one, to an exit with AL or a crash.
    let back = -(code.len() as i32 + 3 - 2);
    code.extend([0xE9, back as u8, (back >> 8) as u8]);
    for from in jumps {
        code[from - 1] = (code.len() - from) as u8;
    }
    code.extend(random.one_of(&[
        &[0xB4, 0x4C, 0xCD, 0x21][..],
        &[0x0F, 0x0B],
        &[0xB8, 0x03, 0x4C, 0xCD, 0x21],
    ]));
    code.resize(0x400, 0);
    code.extend((0..0x100_u32).map(|index| (index * index % 7) as u8));
    code
}

#[test]
fn a_walk_by_class_reports_what_a_walk_by_key_reports() {
    let choices = Choices::from_words("0-9 a-f A-C [ ENTER ESC SP F1 F2 SHIFT+F1 SHIFT+F2 UP DOWN INS DEL CTRL+a CTRL+b CTRL+p ALT+x ALT+y KP0 SHIFT+INS SHIFT+KP0 ALT+KP9 ALT+KP7 ALT+KP3 CTRL+c CTRL+e - @300").expect("choices");
    let programs = std::env::var("OXBOX_CLASSES").ok().and_then(|number| number.parse().ok()).unwrap_or(40);
    let mut random = Random(0x2545_F491);
    for number in 0..programs {
        let code = program(&mut random);
        let setup = Setup::new(code.clone(), "A.COM");
        let sameness = random.one_of(&[Sameness::State, Sameness::Program]);
        let find_all = match random.below(3) {
            0 => vec![Predicate::Crash, Predicate::Exit(3)],
            1 => vec![
                Predicate::Output(".".into()),
                "bl == 3".parse().map(Predicate::Expression).expect("words"),
            ],
            _ => Vec::new(),
        };
        let bounds = Bounds { depth: Some(3), states: Some(150), ..Bounds::default() };
        let by_key = ExploreOptions {
            sameness,
            bounds,
            find_all,
            threads: 1 + random.below(2),
            ..ExploreOptions::default()
        };
        let by_class = ExploreOptions { by_class: true, ..by_key.clone() };
        let [by_key, by_class] = [by_key, by_class]
            .map(|options| explore(&setup, &choices, &options, &|_| {}).expect("it starts"));
        assert_eq!(by_class, by_key, "program {number}: {:02X?}", &code[..0x80]);
    }
}

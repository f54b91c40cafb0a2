//! Memory and environment as programs see them.

use super::*;
use oxbox::dos::{DosOptions, GROWTH_LIMIT};
use oxbox::hardware::disk::{DiskError, Image, SECTOR};

/// Prints INT 12h, the top of the program's memory, the largest block that DOS would allocate, and
/// the environment's first strings.
const ASK: &str = "
        int 12h
        call print_ax
        mov ax, ds:[2]
        call print_ax
        mov es, ds:[2Ch]
        xor di, di
        mov cx, 400h
next:   mov dl, es:[di]
        inc di
        or dl, dl
        jnz show
        cmp byte ptr es:[di], 0
        je over
        mov dl, '|'
show:   mov ah, 2
        int 21h
        loop next
over:   mov al, 0
        jmp quit";

#[test]
fn memory_and_environment_are_as_asked_for() {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let rows = [
        (640, vec![], "0280 9FFF COMSPEC=Z:\\COMMAND.COM|PATH=C:\\|PROMPT=$P$G"),
        (
            512,
            vec![variable("lib", "C:\\LIB")],
            "0200 7FFF COMSPEC=Z:\\COMMAND.COM|PATH=C:\\|PROMPT=$P$G|LIB=C:\\LIB",
        ),
        (
            128,
            vec![variable("PATH", "C:\\BIN")],
            "0080 1FFF COMSPEC=Z:\\COMMAND.COM|PATH=C:\\BIN|PROMPT=$P$G",
        ),
    ];
    for (memory_kib, environment, expected) in rows {
        let dos = DosOptions { environment, ..DosOptions::default() };
        let mut machine = Machine::new(&Config { memory_kib, dos, ..Config::default() }).expect("a machine");
        machine.load(&assemble(ASK), "TEST.COM", "").expect("loads");
        assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0), "{memory_kib} KiB");
        assert_eq!(line(&machine), expected, "{memory_kib} KiB");
    }
}

#[test]
fn a_long_environment_moves_the_program_up() {
    let value = "x".repeat(2000);
    let dos = DosOptions { environment: vec![("LONG".to_owned(), value)], ..DosOptions::default() };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).expect("a machine");
    machine.load(&assemble(ASK), "TEST.COM", "").expect("loads");
    let psp = machine.cpu().regs.ds();
    assert!(psp > 0x0638 + 2000 / 16, "PSP at {psp:04X}");
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0));
    assert!(machine.text().expect("text").line(1).contains("xxxx"));
}

#[test]
fn a_program_without_room_is_told() {
    let mut machine = Machine::new(&Config { memory_kib: 64, ..Config::default() }).expect("a machine");
    let error = machine.load(&[0x90; 45_000], "TEST.COM", "").expect_err("DOS leaves 39 KiB of 64");
    assert!(error.to_string().contains("memory"), "{error}");
}

/// A file of 60 MiB that is not closed, of which each key changes a byte.
#[test]
fn snapshots_share_what_was_written_into_files() {
    let body = "
        mov ah, 3Ch
        xor cx, cx
        mov dx, offset name_
        int 21h
        mov bx, ax
        mov si, 60*32
fill:   mov ah, 40h
        mov cx, 8000h
        mov dx, 1000h
        int 21h
        dec si
        jnz fill
again:  mov ah, 0
        int 16h
        mov ax, 4200h
        xor cx, cx
        xor dx, dx
        int 21h
        mov ah, 40h
        mov cx, 1
        int 21h
        jmp again
name_   db 'F', 0";
    let mut machine = machine(body);
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
    let first = machine.snapshot();
    let mut last = first.clone();
    for _ in 0..20 {
        machine.type_key("A".parse().expect("a key"));
        assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::KeyWait);
        let snapshot = machine.snapshot();
        let bytes = snapshot.bytes_beyond(&last);
        assert!((0x4000..0x4_0000).contains(&bytes), "{bytes} bytes for a key");
        last = snapshot;
    }
    let fresh = self::machine("jmp quit").snapshot();
    assert!(first.bytes_beyond(&fresh) > 60 << 20, "what a snapshot holds of files counts");
}

/// A program that creates empty files until DOS refuses.
#[test]
fn the_host_s_disk_is_not_filled() {
    let body = "
next:   mov di, offset name_ + 3
        mov cx, 4
        mov ax, si
digits: xor dx, dx
        mov bx, 10
        div bx
        add dl, '0'
        mov [di], dl
        dec di
        loop digits
        mov ah, 3Ch
        mov dx, offset name_
        int 21h
        jc quit
        mov bx, ax
        mov ah, 3Eh
        int 21h
        inc si
        jmp next
name_   db '0000.DAT', 0";
    let folder = tempfile::tempdir().expect("a folder");
    let dos = DosOptions { folder: Some(folder.path().to_owned()), ..DosOptions::default() };
    let mut machine = Machine::new(&Config { dos, ..Config::default() }).expect("a machine");
    machine.load(&assemble(body), "TEST.COM", "").expect("loads");
    const CANNOT_MAKE_DIRECTORY_ENTRY: u8 = 0x52;
    assert_eq!(machine.run(&Until::KEY_WAIT, &mut ()), Stop::Exited(CANNOT_MAKE_DIRECTORY_ENTRY));
    const CLUSTER: u64 = 32 << 10;
    let files = std::fs::read_dir(folder.path()).expect("a folder").count() as u64;
    assert_eq!(files, GROWTH_LIMIT / CLUSTER);
}

#[test]
fn what_is_written_to_a_disk_takes_so_much_memory_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("disk.img");
    std::fs::File::create(&path).expect("a file").set_len(1 << 30).expect("a sparse file");
    let mut image = Image::fixed(&path, false).expect("an image");
    let mut taken = 0;
    // A sector of each block of 4 KiB.
    let refused = (0..image.sectors()).step_by(8).find_map(|sector| {
        let error = image.write(sector, &[7; SECTOR]).err();
        taken += u32::from(error.is_none());
        error.map(|error| (sector, error))
    });
    assert_eq!(refused.map(|(_, error)| error), Some(DiskError::Failed));
    assert_eq!(taken, (256 << 20) / 4096);
    // Existing sectors can change.
    assert_eq!(image.write(0, &[8; SECTOR]), Ok(()));
}

#[test]
fn a_routine_is_called_with_other_pages_in_the_frame() {
    let body = "
        mov ax, 4300h\n mov bx, 2\n int 67h
        mov ax, 0E000h\n mov es, ax
        mov ax, 4400h\n mov bx, 1\n int 67h
        mov word ptr es:[0], 2222h
        mov ax, 4400h\n mov bx, 0\n int 67h
        mov word ptr es:[0], 1111h
        mov word ptr target, offset routine\n mov word ptr target + 2, cs
        mov word ptr target + 5, offset page_1\n mov word ptr target + 7, cs
        mov word ptr target + 10, offset page_0\n mov word ptr target + 12, cs
        mov bp, sp
        mov si, offset target\n mov ax, 5600h\n int 67h
        call print_ax
        mov ax, es:[0]\n call print_ax
        sub bp, sp\n mov ax, bp\n call print_ax
        mov ax, 5602h\n int 67h\n mov ax, bx\n call print_ax
        jmp quit
    routine:
        mov ax, es:[0]\n call print_ax\n retf
    target  dd 0
            db 1
            dd 0
            db 1
            dd 0
            dw 4 dup (0)
    page_1  dw 1, 0
    page_0  dw 0, 0";
    let mut machine = machine(body);
    assert_eq!(machine.run(&LIMIT, &mut ()), Stop::Exited(0x12));
    assert_eq!(line(&machine), "2222 0022 1111 0000 0012");
}

use super::*;

/// Returns a drive with a secret beside it.
fn beside(prepare: impl FnOnce(&Path)) -> (Bench, tempfile::TempDir) {
    let outside = tempfile::tempdir().unwrap();
    file(outside.path(), "SECRET.TXT", "secret");
    let bench = Bench::with(
        |dir| {
            prepare(dir);
            #[cfg(unix)]
            {
                use std::os::unix::fs::symlink;
                symlink(outside.path(), dir.join("OUT")).unwrap();
                symlink(outside.path().join("SECRET.TXT"), dir.join("LINK.TXT")).unwrap();
                symlink("/etc/passwd", dir.join("PASSWD")).unwrap();
                symlink(outside.path().join("NOTYET.TXT"), dir.join("DANGLING")).unwrap();
                symlink("inside.txt", dir.join("GOOD.TXT")).unwrap();
            }
            file(dir, "inside.txt", "inside");
        },
        &DosOptions::default(),
    );
    (bench, outside)
}

#[test]
fn nothing_outside_can_be_opened() {
    let (mut b, outside) = beside(|_| {});
    let secret = outside.path().to_str().unwrap().to_owned();
    for path in [
        "..\\SECRET.TXT",
        "..\\..\\..\\..\\..\\..\\etc\\passwd",
        "\\..\\..\\etc\\passwd",
        "/etc/passwd",
        "C:/../../etc/passwd",
        "\\\\?\\C:\\etc\\passwd",
        "\\\\localhost\\c$\\x",
        "//etc/passwd",
        "OUT\\SECRET.TXT",
        "OUT/SECRET.TXT",
        "LINK.TXT",
        "PASSWD",
        "DANGLING",
        "OUT\\..\\LINK.TXT",
        ".\\OUT\\.\\SECRET.TXT",
        "inside.txt\\..\\..\\x",
        "~\\x",
        "$HOME",
        "D:\\etc\\passwd",
        &format!("{secret}/SECRET.TXT"),
        "....\\x",
        "..\u{1}\\x",
    ] {
        for (function, name) in [("AX=3D00", "open"), ("AX=4300", "attributes"), ("AX=4100", "delete")] {
            let answer = b.call(&format!("{function} CX=0 DX=\"{path}\""));
            assert!(answer.starts_with("CF"), "{name} {path}: {answer}");
        }
        let answer = b.call(&format!("AX=3B00 DX=\"{path}\""));
        assert!(answer.starts_with("CF"), "chdir {path}: {answer}");
    }
    assert_eq!(b.call("AX=3D02 DX=\"GOOD.TXT\""), if cfg!(unix) { "AX=0005" } else { "CF AX=0002" });
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_written_through() {
    let (mut b, outside) = beside(|dir| {
        pipe(&dir.join("FIFO"));
        std::os::unix::net::UnixListener::bind(dir.join("SOCKET")).unwrap();
        std::os::unix::fs::symlink("/dev/null", dir.join("DEVICE")).unwrap();
        fs::create_dir(dir.join("FOLDER")).unwrap();
    });
    for name in
        ["DANGLING", "LINK.TXT", "PASSWD", "OUT", "FIFO", "SOCKET", "DEVICE", "FOLDER", "OUT\\NEW.TXT"]
    {
        let denied = if name.contains('\\') { "CF AX=0003" } else { "CF AX=0005" };
        for call in ["AX=3C00 CX=0 DX", "AX=6C00 BX=2 CX=0 DX=12 SI", "AX=5B00 CX=0 DX"] {
            let exists = name == "FOLDER" && !call.starts_with("AX=3C");
            let expected = if exists && call.starts_with("AX=5B") { "CF AX=0050" } else { denied };
            assert_eq!(b.call(&format!("{call}=\"{name}\"")), expected, "{call} {name}");
        }
    }
    b.put(0x100, b"\0FIFO       ");
    b.table(&[("AX=1655 DX=100", "AX=16FF")]);
    assert!(!outside.path().join("NOTYET.TXT").exists());
    assert_eq!(fs::read(outside.path().join("SECRET.TXT")).unwrap(), b"secret");
    // Creating or renaming onto a link does not follow it either.
    b.table(&[
        ("AX=3900 DX=\"OUT\"", "CF AX=0005"),
        ("AX=5600 DX=\"INSIDE.TXT\" DI=\"DANGLING\"", "CF AX=0005"),
    ]);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Replaces a file by something that is not a plain file of the drive.
#[cfg(unix)]
fn replace(path: &Path, what: &str, secret: &Path) {
    fs::remove_file(path).unwrap();
    match what {
        "link" => std::os::unix::fs::symlink(secret, path).unwrap(),
        "pipe" => pipe(path),
        _ => fs::create_dir(path).unwrap(),
    }
}

#[cfg(unix)]
fn take_away(path: &Path, what: &str) {
    let gone = if what == "folder" { fs::remove_dir(path) } else { fs::remove_file(path) };
    gone.unwrap();
}

/// A replacement of an open file is neither read nor written, and never waited for.
#[cfg(unix)]
#[test]
fn what_takes_an_open_file_s_place_is_left_alone() {
    let (mut b, outside) = beside(|dir| file(dir, "A.TXT", "hello"));
    let secret = outside.path().join("SECRET.TXT");
    let path = b.path("A.TXT");
    b.put(0, b"text");
    for what in ["link", "pipe", "folder"] {
        b.table(&[("AX=3D02 DX=\"A.TXT\"", "AX=0005"), ("AX=3D00 DX=\"A.TXT\"", "AX=0006")]);
        replace(&path, what, &secret);
        b.table(&[("AX=3F00 BX=6 CX=4 DX=10", "CF AX=0005"), ("AX=4000 BX=5 CX=4 DX=0", "CF AX=0005")]);
        b.table(&[("AX=3E00 BX=5", ""), ("AX=3E00 BX=6", "")]);
        take_away(&path, what);
        // Written before, refused at the end: the data stays in guest state, and the user gets a
        // message.
        fs::write(&path, "hello").unwrap();
        b.table(&[("AX=3C00 CX=0 DX=\"A.TXT\"", "AX=0005"), ("AX=4000 BX=5 CX=4 DX=0", "AX=0004")]);
        replace(&path, what, &secret);
        b.table(&[("AX=3E00 BX=5", "CF AX=0005")]);
        let told = b.dos.flush().unwrap_err().to_string();
        assert!(told.starts_with("A.TXT: ") && !told.contains('\n'), "{what}: {told}");
        take_away(&path, what);
        b.dos.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text", "{what}");
    }
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
}

/// A folder is repeatedly replaced by a link to the outside while a program works in it.
#[cfg(unix)]
#[test]
fn a_race_for_a_folder_is_lost_by_nobody() {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    let (mut b, outside) = beside(|dir| {
        fs::create_dir(dir.join("SUB")).unwrap();
        file(&dir.join("SUB"), "A.TXT", "inside");
    });
    file(outside.path(), "A.TXT", "secret");
    let (sub, aside) = (b.path("SUB"), b.path("ASIDE"));
    b.put(0, b"guest");
    b.put(0x100, b"SUB\\A.TXT\0");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                fs::rename(&sub, &aside).unwrap();
                symlink(outside.path(), &sub).unwrap();
                fs::remove_file(&sub).unwrap();
                fs::rename(&aside, &sub).unwrap();
            }
        });
        for _ in 0..500 {
            b.call("AX=3D02 DX=100");
            b.call("AX=3F00 BX=5 CX=6 DX=10");
            assert_ne!(b.bytes(0x10, 6), b"secret");
            b.call("AX=4000 BX=5 CX=5 DX=0");
            b.call("AX=3E00 BX=5");
            b.call("AX=3C00 CX=0 DX=100");
            b.call("AX=3E00 BX=5");
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read(outside.path().join("A.TXT")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn pipes_and_links_out_are_not_seen() {
    let (mut b, _outside) = beside(|dir| {
        std::os::unix::net::UnixListener::bind(dir.join("SOCKET")).unwrap();
        pipe(&dir.join("FIFO"));
    });
    b.table(&[("AX=1A00 DX=400", "")]);
    let mut found = Vec::new();
    let mut answer = b.call("AX=4E00 CX=37 DX=\"*.*\"");
    while answer.is_empty() {
        found.push(String::from_utf8(b.hw.text(Far::new(DATA, 0x41E), 0, 13)).unwrap());
        answer = b.call("AX=4F00");
    }
    assert_eq!(found, ["GOOD.TXT", "INSIDE.TXT"]);
    b.table(&[("AX=3D00 DX=\"FIFO\"", "CF AX=0002"), ("AX=3D00 DX=\"SOCKET\"", "CF AX=0002")]);
}

#[test]
fn device_names_are_devices_everywhere() {
    let mut b = Bench::with(
        |dir| {
            file(dir, "con.txt", "a file");
            file(dir, "nul", "a file");
        },
        &DosOptions::default(),
    );
    for (name, information) in [
        ("CON", "80D3"),
        ("con.txt", "80D3"),
        ("NUL", "80C4"),
        ("C:\\NUL.X", "80C4"),
        ("AUX", "80C0"),
        ("com1", "80C0"),
        ("PRN", "A0C0"),
        ("LPT2.DAT", "A0C0"),
        ("CLOCK$", "80C8"),
    ] {
        assert_eq!(b.call(&format!("AX=3D02 DX=\"{name}\"")), "AX=0005", "{name}");
        assert_eq!(b.call("AX=4400 BX=5"), format!("AX={information} DX={information}"), "{name}");
        b.table(&[("AX=3E00 BX=5", "")]);
        assert_eq!(b.call(&format!("AX=3C00 CX=0 DX=\"{name}\"")), "AX=0005", "{name}");
        b.table(&[("AX=3E00 BX=5", "")]);
    }
    // Names that are devices only in Windows are refused for new files on every host.
    for name in ["COM5", "lpt9.x", "COM0", "CONIN$", "COM²"] {
        for function in ["AX=3C00", "AX=3900"] {
            assert_eq!(b.call(&format!("{function} CX=0 DX=\"{name}\"")), "CF AX=0005", "{name}");
        }
    }
    // Existing files with such names are visible on the host, under names that are not devices in
    // DOS.
    b.table(&[("AX=3D00 DX=\"CON~1.TXT\"", "AX=0005"), ("AX=3D00 DX=\"NUL~1\"", "AX=0006")]);
    b.put(0, b"x");
    b.table(&[
        ("AX=3D02 DX=\"NUL\"", "AX=0007"),
        ("AX=4000 BX=7 CX=1 DX=0", "AX=0001"),
        ("AX=3F00 BX=7 CX=1 DX=0", "AX=0000"),
    ]);
}

#[test]
fn read_only_drives_stay_as_they_are() {
    let options = DosOptions { read_only: true, ..DosOptions::default() };
    let mut b = Bench::with(|dir| file(dir, "A.TXT", "hello"), &options);
    b.table(&[
        ("AX=3D02 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=3D01 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=3D00 DX=\"A.TXT\"", "AX=0005"),
        ("AX=3C00 CX=0 DX=\"NEW\"", "CF AX=0005"),
        ("AX=3C00 CX=0 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=5A00 CX=0 DX=\"\"", "CF AX=0005"),
        ("AX=5B00 CX=0 DX=\"NEW\"", "CF AX=0005"),
        ("AX=4100 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=5600 DX=\"A.TXT\" DI=\"B.TXT\"", "CF AX=0005"),
        ("AX=3900 DX=\"DIR\"", "CF AX=0005"),
        ("AX=3A00 DX=\"DIR\"", "CF AX=0005"),
        ("AX=4301 CX=1 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=5701 BX=5 CX=0 DX=0", "CF AX=0005"),
    ]);
    b.put(0x100, b"\0A       TXT");
    b.table(&[("AX=0F55 DX=100", "AX=0F00")]);
    assert_ne!(b.call("AX=1555 DX=100"), "AX=1500");
    b.table(&[("AX=1055 DX=100", "AX=1000")]);
    b.put(0x100, b"\0NEW     TXT");
    b.table(&[("AX=1655 DX=100", "AX=16FF"), ("AX=1355 DX=100", "AX=13FF")]);
    assert_eq!(fs::read_dir(b.folder.path()).unwrap().count(), 1);
}

#[test]
fn what_the_host_protects_is_read_only() {
    let mut b = Bench::with(
        |dir| {
            file(dir, "A.TXT", "hello");
            let mut permissions = fs::metadata(dir.join("A.TXT")).unwrap().permissions();
            permissions.set_readonly(true);
            fs::set_permissions(dir.join("A.TXT"), permissions).unwrap();
        },
        &DosOptions::default(),
    );
    b.table(&[
        ("AX=4300 DX=\"A.TXT\"", "AX=0021 CX=0021"),
        ("AX=3D02 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=3C00 CX=0 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=4100 DX=\"A.TXT\"", "CF AX=0005"),
        ("AX=1A00 DX=400", ""),
        ("AX=4E00 CX=0 DX=\"*.*\"", ""),
    ]);
    assert_eq!(b.bytes(0x415, 1), [0x21]);
}

/// Writing a file again keeps its permissions.
#[cfg(unix)]
#[test]
fn permissions_stay_when_a_file_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let mut b = Bench::with(
        |dir| {
            file(dir, "A.TXT", "hello");
            fs::set_permissions(dir.join("A.TXT"), fs::Permissions::from_mode(0o640)).unwrap();
        },
        &DosOptions::default(),
    );
    b.put(0x300, b"new");
    b.table(&[
        ("AX=3D02 DX=\"A.TXT\"", "AX=0005"),
        ("AX=4000 BX=5 CX=3 DX=300", "AX=0003"),
        ("AX=3E00 BX=5", ""),
    ]);
    b.dos.flush().unwrap();
    let path = b.folder.path().join("A.TXT");
    assert_eq!(fs::read(&path).unwrap(), b"newlo");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn without_a_folder_the_drive_lives_in_memory() {
    let mut b = Bench::new();
    b.dos = Dos::new(&DosOptions::default(), DateTime::date(1980, 1, 1)).unwrap();
    b.dos.init(&mut b.hw, &[]);
    b.put(0, b"data");
    b.table(&[
        ("AX=3900 DX=\"DIR\"", ""),
        ("AX=3C00 CX=0 DX=\"DIR\\F\"", "AX=0005"),
        ("AX=4000 BX=5 CX=4 DX=0", "AX=0004"),
        ("AX=3E00 BX=5", ""),
        ("AX=3D00 DX=\"DIR\\F\"", "AX=0005"),
        ("AX=3F00 BX=5 CX=9 DX=10", "AX=0004"),
        ("AX=3E00 BX=5", ""),
        ("AX=5600 DX=\"DIR\\F\" DI=\"G\"", ""),
        ("AX=3A00 DX=\"DIR\"", ""),
        ("AX=4100 DX=\"G\"", ""),
    ]);
    assert_eq!(b.bytes(0x10, 4), b"data");
}

#[test]
fn a_folder_that_is_not_there_is_one_line() {
    let options = DosOptions { folder: Some("/no/such/folder".into()), ..DosOptions::default() };
    let error = Dos::new(&options, DateTime::date(1980, 1, 1)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("the folder /no/such/folder cannot be read: ") && !text.contains('\n'),
        "{text}"
    );
}

#[test]
fn a_state_does_not_depend_on_where_the_folder_is() {
    let states: Vec<Vec<u8>> = (0..2)
        .map(|_| {
            let mut b = Bench::with(|dir| file(dir, "A.TXT", "hello"), &DosOptions::default());
            b.table(&[("AX=3D02 DX=\"A.TXT\"", "AX=0005"), ("AX=4000 BX=5 CX=3 DX=0", "AX=0003")]);
            postcard::to_stdvec(&b.dos).unwrap()
        })
        .collect();
    assert!(states[0] == states[1]);
}

#[test]
fn a_forged_state_reaches_nothing_outside() {
    let mut b = Bench::with(|dir| file(dir, "MINE.TXT", "mine"), &DosOptions::default());
    b.table(&[("AX=3D00 DX=\"MINE.TXT\"", "AX=0005"), ("AX=3E00 BX=5", "")]);
    let mut state = postcard::to_stdvec(&b.dos).unwrap();
    let name = state.windows(8).position(|w| w == b"MINE.TXT").unwrap();
    state[name..name + 8].copy_from_slice(b"../C.TXT");
    b.dos.adopt(postcard::from_bytes(&state).unwrap());
    b.table(&[
        ("AX=3D02 DX=\"MINE.TXT\"", "AX=0005"),
        ("AX=3F00 BX=5 CX=4 DX=0", "CF AX=0002"),
        ("AX=4000 BX=5 CX=4 DX=0", "CF AX=0002"),
    ]);
}

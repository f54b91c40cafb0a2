//! Files that a program rewrites.

use super::{oxbox, until};
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// Repeatedly creates F with 1 MiB of 'A', then 'B', and so on.
const REWRITE: &[u8] = b"\xB3\x41\xBF\x00\x10\xB9\x00\x80\x88\xD8\xF3\xAA\xB4\x3C\x31\xC9\xBA\x31\x01\xCD\x21\x53\x93\
    \xBD\x20\x00\xB4\x40\xB9\x00\x80\xBA\x00\x10\xCD\x21\x4D\x75\xF3\xB4\x3E\xCD\x21\x5B\x80\xF3\x03\xEB\xD1F\0";

const LENGTH: usize = 1 << 20;

/// Creates F with "new", and ends.
const REPLACE: &[u8] =
    b"\xB4\x3C\x31\xC9\xBA\x1A\x01\xCD\x21\x93\xB4\x40\xB9\x03\x00\xBA\x1C\x01\xCD\x21\xB8\x00\x4C\xCD\x21\xC3F\0new";

#[test]
fn a_killed_run_leaves_the_old_file_or_the_new_one() {
    // In memory if possible: a hundred mebibytes need not go to a disk, and a kill interrupts a
    // write more often.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let file = folder.path().join("F");
    fs::write(folder.path().join("REWRITE.COM"), REWRITE).unwrap();
    fs::write(&file, vec![b'A'; LENGTH]).unwrap();
    let mut rewritten = 0;
    for round in 0..100_u64 {
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        let mut run =
            oxbox(folder.path(), "run REWRITE.COM --headless").stderr(Stdio::null()).spawn().unwrap();
        // Sometimes after a complete write, otherwise at any time.
        if round % 4 == 0 {
            until("a rewrite", || fs::metadata(&file).unwrap().modified().unwrap() != before);
        }
        std::thread::sleep(Duration::from_micros(round * 7919 % 30_000));
        run.kill().unwrap();
        run.wait().unwrap();
        let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.extension().is_some_and(|e| e == "tmp"))
            .for_each(|path| fs::remove_file(path).unwrap());
        rewritten += usize::from(fs::metadata(&file).unwrap().modified().unwrap() != before);
        let bytes = fs::read(&file).unwrap();
        let whole = bytes.len() == LENGTH && bytes.iter().all(|byte| *byte == bytes[0]);
        let parts = bytes.chunk_by(|a, b| a == b).map(<[u8]>::len).collect::<Vec<_>>();
        assert!(whole, "round {round}: {} bytes in parts of {parts:?}", bytes.len());
    }
    assert!(rewritten >= 25, "{rewritten} runs came to rewriting it");
}

#[test]
fn a_hard_link_to_the_outside_is_not_written_through() {
    let outside = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("SECRET"), "old").unwrap();
    fs::hard_link(outside.path().join("SECRET"), folder.path().join("F")).unwrap();
    fs::write(folder.path().join("REPLACE.COM"), REPLACE).unwrap();
    let output = oxbox(folder.path(), "run REPLACE.COM --headless").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read(folder.path().join("F")).unwrap(), b"new");
    assert_eq!(fs::read(outside.path().join("SECRET")).unwrap(), b"old");
}

/// Files that a killed run left behind are not visible on the program's drive.
#[test]
fn temporary_files_are_not_seen() {
    // Finds the first *.* and ends with code 1 if it is not this program.
    let find =
        b"\xB4\x4E\x31\xC9\xBA\x17\x01\xCD\x21\xB4\x4F\xCD\x21\xB0\x00\x72\x02\xFE\xC0\xB4\x4C\xCD\x21*.*\0";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("FIND.COM"), find).unwrap();
    fs::write(folder.path().join(".oxbox-1-0.tmp"), "half").unwrap();
    let output = oxbox(folder.path(), "run FIND.COM --headless").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

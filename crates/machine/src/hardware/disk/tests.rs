use super::*;
use std::path::PathBuf;

fn file(folder: &tempfile::TempDir, name: &str, len: u64) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::File::create(&path).unwrap().set_len(len).unwrap();
    path
}

fn shown(image: Result<Image, ImageError>) -> String {
    match image {
        Ok(image) => {
            let Geometry { cylinders, heads, sectors } = image.geometry();
            format!("{cylinders}/{heads}/{sectors} {}", image.sectors())
        }
        Err(error) => error.why,
    }
}

#[test]
fn a_floppy_is_told_by_its_length() {
    let folder = tempfile::tempdir().unwrap();
    for (len, expected) in [
        (160 << 10, "40/1/8 320"),
        (180 << 10, "40/1/9 360"),
        (320 << 10, "40/2/8 640"),
        (360 << 10, "40/2/9 720"),
        (720 << 10, "80/2/9 1440"),
        (1200 << 10, "80/2/15 2400"),
        (1440 << 10, "80/2/18 2880"),
        (2880 << 10, "80/2/36 5760"),
        (512, "80/2/18 1"),
        (10 << 10, "80/2/18 20"),
        (0, "it has 0 bytes, and a floppy has 512 to 2949120, whole sectors of 512"),
        (1000, "it has 1000 bytes, and a floppy has 512 to 2949120, whole sectors of 512"),
        (3 << 20, "it has 3145728 bytes, and a floppy has 512 to 2949120, whole sectors of 512"),
    ] {
        assert_eq!(shown(Image::floppy(&file(&folder, "f", len), false)), expected, "{len}");
    }
    assert!(Image::floppy(folder.path(), false).is_err_and(|error| error.why == "it is not a file"));
    assert!(Image::floppy(&folder.path().join("none"), false).is_err());
}

#[test]
fn a_hard_disk_is_told_by_its_first_sector() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "h", 20 << 20);
    let mut partitions = [0; 512];
    partitions[446..462].copy_from_slice(&[0x80, 1, 1, 0, 4, 3, 0x11, 0xFF, 17, 0, 0, 0, 0, 0x9F, 0, 0]);
    partitions[510..].copy_from_slice(&[0x55, 0xAA]);
    let mut parameters = [0; 512];
    parameters[0x0B..0x0D].copy_from_slice(&512_u16.to_le_bytes());
    parameters[0x18..0x1C].copy_from_slice(&[17, 0, 4, 0]);
    for (first, expected) in
        [([0; 512], "40/16/63 40960"), (partitions, "602/4/17 40960"), (parameters, "602/4/17 40960")]
    {
        let mut image = Image::fixed(&path, false).unwrap();
        image.write(0, &first).unwrap();
        image.flush().unwrap();
        assert_eq!(shown(Image::fixed(&path, false)), expected);
    }
    // Sparse: no byte of it is on the disk.
    assert_eq!(shown(Image::fixed(&file(&folder, "large", 6 << 30), false)), "783/255/63 12582912");
    assert_eq!(
        shown(Image::fixed(&file(&folder, "odd", 700), false)),
        "it has 700 bytes, and a hard disk has whole sectors of 512, at most 2^28"
    );
}

#[test]
fn writes_stay_beside_the_image_until_they_are_flushed() {
    let folder = tempfile::tempdir().unwrap();
    // One that is read into memory, and one that is read in place; the last block of the first is
    // cut short.
    for len in [180 << 10, 20 << 20, 512] {
        for read_only in [false, true] {
            let path = file(&folder, "f", len);
            let open = if len > (4 << 20) { Image::fixed } else { Image::floppy };
            let mut image = open(&path, read_only).unwrap();
            let last = image.sectors() - 1;
            image.write(last, &[7; SECTOR]).unwrap();
            assert_eq!(image.read(last), Ok([7; SECTOR]));
            assert_eq!(image.write(last + 1, &[7; SECTOR]), Err(DiskError::NotFound));
            assert_eq!(image.read(last + 1), Err(DiskError::NotFound));
            let contents = || std::fs::read(&path).unwrap();
            assert_eq!(contents(), vec![0; len as usize]);
            image.flush().unwrap();
            let mut expected = vec![0; len as usize];
            if !read_only {
                expected[last as usize * SECTOR..].fill(7);
            }
            assert!(contents() == expected, "{len} {read_only}");
            // Writes can be undone.
            image.write(last, &[0; SECTOR]).unwrap();
            image.flush().unwrap();
            assert!(contents() == vec![0; len as usize], "{len} {read_only}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_protected_file_is_a_protected_disk() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "f", 360 << 10);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(Image::floppy(&path, false).unwrap().write(0, &[1; SECTOR]), Err(DiskError::Protected));
    assert_eq!(Image::floppy(&path, true).unwrap().write(0, &[1; SECTOR]), Ok(()));
}

#[test]
fn snapshots_share_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::floppy(&file(&folder, "f", 360 << 10), false).unwrap();
    let mut disks = Disks::new(&[image], &[]);
    let hash = |disks: &Disks| postcard::to_stdvec(disks).unwrap();
    let write =
        |disks: &mut Disks, sector, byte| disks.get_mut(0).unwrap().write(sector, &[byte; SECTOR]).unwrap();
    let blank = (disks.save(), hash(&disks));
    write(&mut disks, 3, 1);
    let one = (disks.save(), hash(&disks));
    write(&mut disks, 700, 2);
    let two = (disks.save(), hash(&disks));
    assert!(blank.1 != one.1 && one.1 != two.1 && blank.1 != two.1);
    for (saved, expected) in [&one, &blank, &two, &one] {
        disks.restore(saved);
        assert_eq!(&hash(&disks), expected);
        // A stored snapshot is equal.
        let stored = postcard::to_stdvec(saved).unwrap();
        disks.restore(&postcard::from_bytes(&stored).unwrap());
        assert_eq!(&hash(&disks), expected);
    }
    assert_eq!(disks.get(0).unwrap().read(3), Ok([1; SECTOR]));
    // The same disk, written in a different order.
    write(&mut disks, 3, 0);
    assert_eq!(hash(&disks), blank.1);
    assert!(postcard::from_bytes::<SavedDisks>(&[1, 1, 3, 0, 0, 0, 0]).is_err());
}

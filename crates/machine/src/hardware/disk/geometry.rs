//! Cylinders, heads and sectors of disks, from the length of the image or from the boot sector.

/// Bytes per sector.
pub const SECTOR: usize = 512;

/// Dimensions of a disk, by which its sectors are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Cylinders (tracks per side).
    pub cylinders: u16,
    /// Heads (sides).
    pub heads: u16,
    /// Sectors per track; the first is number 1.
    pub sectors: u16,
}

/// Floppy formats by size in KiB: cylinders, heads, sectors.
const FLOPPIES: [(usize, Geometry); 10] = [
    (160, Geometry::new(40, 1, 8)),
    (180, Geometry::new(40, 1, 9)),
    (320, Geometry::new(40, 2, 8)),
    (360, Geometry::new(40, 2, 9)),
    (640, Geometry::new(80, 2, 8)),
    (720, Geometry::new(80, 2, 9)),
    (1200, Geometry::new(80, 2, 15)),
    (1440, Geometry::new(80, 2, 18)),
    (1680, Geometry::new(80, 2, 21)),
    (2880, Geometry::new(80, 2, 36)),
];

/// The floppy format of an image that is shorter than any disk, such as a single boot sector.
pub(super) const COMMON_FLOPPY: Geometry = Geometry::new(80, 2, 18);

/// Largest number of cylinders that INT 13h can address.
const MOST_CYLINDERS: u16 = 1024;

impl Geometry {
    const fn new(cylinders: u16, heads: u16, sectors: u16) -> Geometry {
        Geometry { cylinders, heads, sectors }
    }

    /// Returns the floppy format of this size in bytes.
    pub(super) fn of_floppy(bytes: u64) -> Option<Geometry> {
        FLOPPIES.iter().find(|(kib, _)| *kib as u64 * 1024 == bytes).map(|(_, geometry)| *geometry)
    }

    /// Geometry of a hard disk of `sectors` sectors: from its first sector (the last sectors of the
    /// partitions in a partition table, or the parameters of a file system), otherwise the
    /// translation of a BIOS.
    pub(super) fn of_fixed(sectors: u64, first: &[u8; SECTOR]) -> Geometry {
        let told = of_partitions(first).or_else(|| of_parameters(first));
        let (heads, per_track) = told.unwrap_or(match sectors {
            // 1024 cylinders of 16 heads are 504 MiB; larger disks get more heads.
            0..=1_032_192 => (16, 63),
            _ => (255, 63),
        });
        let cylinders = sectors / (u64::from(heads) * u64::from(per_track));
        let cylinders = cylinders.clamp(1, u64::from(MOST_CYLINDERS)) as u16;
        Geometry::new(cylinders, heads, per_track)
    }

    /// Returns the number of the sector at cylinder, head and number, from the start of the disk.
    pub fn sector(self, cylinder: u16, head: u16, number: u16) -> Option<u32> {
        let there = cylinder < self.cylinders && head < self.heads && (1..=self.sectors).contains(&number);
        let track = u32::from(cylinder) * u32::from(self.heads) + u32::from(head);
        there.then(|| track * u32::from(self.sectors) + u32::from(number) - 1)
    }
}

/// Heads and sectors per track, from the end of the first partition.
fn of_partitions(first: &[u8; SECTOR]) -> Option<(u16, u16)> {
    let entries = first[446..510].chunks_exact(16);
    let is_table = first[510..] == [0x55, 0xAA] && entries.clone().all(|entry| entry[0] & 0x7F == 0);
    let entry = entries.into_iter().find(|entry| entry[4] != 0).filter(|_| is_table)?;
    let (heads, sectors) = (u16::from(entry[5]) + 1, u16::from(entry[6] & 0x3F));
    (sectors > 0 && heads > 1).then_some((heads, sectors))
}

/// Heads and sectors per track, from the parameters of a file system.
fn of_parameters(first: &[u8; SECTOR]) -> Option<(u16, u16)> {
    let word = |at: usize| u16::from_le_bytes([first[at], first[at + 1]]);
    let (bytes, sectors, heads) = (word(0x0B), word(0x18), word(0x1A));
    let is_told = bytes == SECTOR as u16 && (1..=63).contains(&sectors) && (1..=255).contains(&heads);
    is_told.then_some((heads, sectors))
}

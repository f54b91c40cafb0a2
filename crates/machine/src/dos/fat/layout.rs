//! The layout of a volume, from the BIOS parameter block of its boot sector or from its media byte.

use crate::hardware::disk::Image;

/// Size of a directory entry in bytes.
pub(super) const ENTRY: u32 = 32;
/// Directory entries per sector.
pub(super) const ENTRIES: u32 = 512 / ENTRY;

/// The maximum number of clusters of a FAT12 volume; with more it is FAT16.
const MOST_OF_FAT12: u32 = 4084;
/// The maximum number of clusters of a FAT16 volume.
const MOST_OF_FAT16: u32 = 65_524;

/// The parts of a volume, in sectors from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dos) struct Layout {
    /// Its first sector on the disk.
    pub(in crate::dos) start: u32,
    /// Sectors per cluster.
    pub(in crate::dos) cluster: u8,
    pub(in crate::dos) reserved: u16,
    pub(in crate::dos) tables: u8,
    pub(in crate::dos) root_entries: u16,
    pub(in crate::dos) sectors: u32,
    pub(in crate::dos) media: u8,
    /// Sectors per table.
    pub(in crate::dos) table: u16,
    /// The start of the root directory, and of the data.
    pub(in crate::dos) root: u32,
    pub(in crate::dos) data: u32,
    /// The number of clusters; the first one has the number 2.
    pub(in crate::dos) clusters: u32,
    /// Whether entries of the table have 16 bits instead of 12.
    pub(in crate::dos) wide: bool,
    /// The serial number of an extended parameter block.
    pub(in crate::dos) serial: Option<u32>,
}

impl Layout {
    /// Reads the layout of the volume that begins at a sector of a disk.
    pub(in crate::dos) fn read(image: &Image, start: u32) -> Option<Layout> {
        let boot = image.read(start).ok()?;
        Layout::of_boot_sector(&boot, start).or_else(|| {
            let table = image.read(start.checked_add(1)?).ok()?;
            Layout::of_media(&table, start)
        })
    }

    fn of_boot_sector(boot: &[u8; 512], start: u32) -> Option<Layout> {
        let word = |at: usize| u16::from_le_bytes([boot[at], boot[at + 1]]);
        let dword = |at: usize| u32::from(word(at)) | u32::from(word(at + 2)) << 16;
        if word(0x0B) != 512 || !boot[0x0D].is_power_of_two() || boot[0x10] == 0 {
            return None;
        }
        let sectors = if word(0x13) != 0 { u32::from(word(0x13)) } else { dword(0x20) };
        let serial = (boot[0x26] == 0x29).then(|| dword(0x27));
        let parts = [word(0x0E), word(0x11), word(0x16)];
        Layout::new(start, boot[0x0D], parts, boot[0x10], sectors, boot[0x15], serial)
    }

    /// Derives the layout from the table, whose first sector begins with the media byte and FFFFh.
    /// Before DOS 2 disks had nothing else.
    fn of_media(table: &[u8; 512], start: u32) -> Option<Layout> {
        if table[1..3] != [0xFF, 0xFF] {
            return None;
        }
        // Sectors per cluster, root entries, sectors per table, sectors.
        let (cluster, root, table_sectors, sectors) = match table[0] {
            0xFE => (1, 64, 1, 320),
            0xFC => (1, 64, 2, 360),
            0xFF => (2, 112, 1, 640),
            0xFD => (2, 112, 2, 720),
            _ => return None,
        };
        Layout::new(start, cluster, [1, root, table_sectors], 2, sectors, table[0], None)
    }

    fn new(
        start: u32,
        cluster: u8,
        [reserved, root_entries, table]: [u16; 3],
        tables: u8,
        sectors: u32,
        media: u8,
        serial: Option<u32>,
    ) -> Option<Layout> {
        let root = u32::from(reserved) + u32::from(tables) * u32::from(table);
        let data = root + u32::from(root_entries).div_ceil(ENTRIES);
        let clusters = sectors.checked_sub(data)? / u32::from(cluster);
        let wide = clusters > MOST_OF_FAT12;
        let told = u32::from(table) * 512 * 8 / if wide { 16 } else { 12 };
        // FAT32 has no separate root directory and no 16-bit table size.
        let is_whole =
            reserved > 0 && table > 0 && root_entries > 0 && (1..=MOST_OF_FAT16).contains(&clusters);
        (is_whole && told > 2).then(|| Layout {
            start,
            cluster,
            reserved,
            tables,
            root_entries,
            sectors,
            media,
            table,
            root,
            data,
            clusters: clusters.min(told - 2),
            wide,
            serial,
        })
    }

    pub(super) fn cluster_bytes(&self) -> u32 {
        u32::from(self.cluster) * 512
    }

    /// Whether the number is that of a cluster of data.
    pub(super) fn has(&self, cluster: u16) -> bool {
        (2..self.clusters + 2).contains(&u32::from(cluster))
    }

    pub(super) fn sector_of(&self, cluster: u16) -> u32 {
        self.data + (u32::from(cluster).saturating_sub(2)) * u32::from(self.cluster)
    }
}

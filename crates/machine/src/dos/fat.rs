//! FAT12 and FAT16 on a disk image, read and written as by DOS.
//!
//! Only the start of the volume is kept between calls: changes by INT 13h, 26h and a format are
//! visible at once. A directory is identified by its first cluster (the root by 0), an entry by its
//! index there, as in DOS's DTA of a search.
//! Source: Microsoft's FAT specification 1.03; for disks without parameters the media bytes of the
//! interrupt list, table 01356.

mod directory;
mod entry;
mod files;
mod layout;
mod table;
mod volume;

pub(super) use layout::Layout;
pub(super) use volume::{Fat, Partition};

//! FAT12 and FAT16 on the image of a disk, as DOS reads and writes them.
//!
//! Nothing is kept between calls but where the volume begins: what INT 13h, 26h and a format change is seen at once. A directory is
//! known by its first cluster (the root by 0), an entry by its place there, as DOS knows them in the DTA of a search.
//! Source: Microsoft's FAT specification 1.03; for disks without parameters the media bytes of the interrupt list, table 01356.

mod directory;
mod entry;
mod files;
mod layout;
mod table;
mod volume;

pub(super) use layout::Layout;
pub(super) use volume::{Fat, Partition};

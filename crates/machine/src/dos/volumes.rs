//! The drives by letter: host folders and volumes on images, each with its current directory.
//!
//! A: and B: are floppy drives, which always exist and are not ready without an image. C: is the
//! program's folder. Z: can only be used in paths.

use super::{
    built_in::{self, BuiltIn},
    drive::{CLUSTER, Drive, Folder, Found, Node, Timestamp},
    error::ErrorCode,
    fat::{Fat, Layout, Partition},
    names::{DRIVE_C, DRIVE_Z, Name, Path, Presence},
    sysvars::ShownDrive,
};
use crate::hardware::disk::{Disks, FIRST_FIXED};
use serde::{Deserialize, Serialize};

/// Sectors per cluster of a folder.
const SECTORS_OF_FOLDER: u8 = (CLUSTER / 512) as u8;

/// The storage of a drive's files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Medium {
    Folder(Box<Drive>),
    Partition(Partition),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Volume {
    pub(super) medium: Medium,
    pub(super) directory: Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) drive: u8,
    pub(super) node: Node,
}

/// All drives, by number: A: is 0.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Volumes {
    drives: Vec<Option<Volume>>,
    /// Virtual time of work on images since the last query, in cycles.
    image_cost: u64,
    /// Drive Z:. Not part of the state: it comes with the configuration.
    #[serde(skip)]
    built_in: BuiltIn,
}

impl Volumes {
    /// Sets the content of drive Z:.
    pub(super) fn put_built_in(&mut self, command_com: &'static [u8]) {
        self.built_in = BuiltIn(command_com);
    }

    pub(super) fn put(&mut self, drive: u8, medium: Medium) {
        let place = usize::from(drive);
        if self.drives.len() <= place {
            self.drives.resize_with(place + 1, || None);
        }
        self.drives[place] = Some(Volume { medium, directory: Path::new() });
    }

    /// Creates drives for the board's images: A: and B:, and for the first volume of each hard
    /// disk, at the first free letter.
    pub(super) fn put_images(&mut self, disks: &Disks) {
        for (drive, _) in (0..DRIVE_C).zip(disks.floppies()) {
            self.put(drive, Medium::Partition(Partition::whole(drive)));
        }
        for (disk, _) in (FIRST_FIXED..).zip(disks.fixed()) {
            let free = (DRIVE_C + 1..DRIVE_Z).find(|drive| self.get(*drive).is_none());
            if let Some((drive, partition)) = free.zip(Partition::first_of(disks, disk)) {
                self.put(drive, Medium::Partition(partition));
            }
        }
    }

    pub(super) fn get(&self, drive: u8) -> Option<&Volume> {
        self.drives.get(usize::from(drive))?.as_ref()
    }

    pub(super) fn get_mut(&mut self, drive: u8) -> Option<&mut Volume> {
        self.drives.get_mut(usize::from(drive))?.as_mut()
    }

    /// Returns the drives for DOS's tables.
    pub(super) fn shown(&self, disks: &Disks) -> Vec<ShownDrive> {
        let shown = |drive| match (self.get(drive), self.layout(disks, drive)) {
            (Some(Volume { medium: Medium::Folder(_), .. }), _) => ShownDrive::folder(drive),
            (_, Some(layout)) => ShownDrive {
                drive,
                cluster: [layout.cluster - 1, layout.cluster.trailing_zeros() as u8],
                reserved: layout.reserved,
                tables: layout.tables,
                root_entries: layout.root_entries,
                data: layout.data as u16,
                highest: (layout.clusters + 1) as u16,
                table: layout.table,
                root: layout.root as u16,
                media: layout.media,
            },
            (_, None) => ShownDrive::empty_floppy(drive),
        };
        (0..DRIVE_Z).filter(|drive| self.has(*drive)).map(shown).collect()
    }

    /// Whether the drive exists, ready or not.
    pub(super) fn has(&self, drive: u8) -> bool {
        drive < DRIVE_C || self.get(drive).is_some()
    }

    pub(super) fn presence(&self, drive: u8) -> Presence<'_> {
        match self.get(drive) {
            Some(volume) => Presence::Ready(&volume.directory),
            None if drive < DRIVE_C => Presence::NotReady,
            None if drive == DRIVE_Z => Presence::Ready(&[]),
            None => Presence::MissingDevices,
        }
    }

    /// Returns the layout of a drive's volume, if it is on an image.
    pub(super) fn layout(&self, disks: &Disks, drive: u8) -> Option<Layout> {
        match &self.get(drive)?.medium {
            Medium::Folder(_) => None,
            Medium::Partition(partition) => partition.layout(disks),
        }
    }

    pub(super) fn partition(&self, drive: u8) -> Option<Partition> {
        match &self.get(drive)?.medium {
            Medium::Folder(_) => None,
            Medium::Partition(partition) => Some(*partition),
        }
    }

    /// Returns the files of a drive. Fails with `InvalidDrive` if it does not exist, `UnknownMedia`
    /// if its disk contains no volume.
    pub(super) fn on<'a>(&'a mut self, disks: &'a mut Disks, drive: u8) -> Result<Files<'a>, ErrorCode> {
        if drive == DRIVE_Z {
            return Ok(OnBuiltIn(self.built_in));
        }
        let volume = self.drives.get_mut(usize::from(drive)).and_then(Option::as_mut);
        match &mut volume.ok_or(ErrorCode::InvalidDrive)?.medium {
            Medium::Folder(folder) => Ok(Files::Folder(folder)),
            Medium::Partition(partition) => {
                Fat::mount(*partition, disks, &mut self.image_cost).map(Files::Image)
            }
        }
    }

    fn folders_mut(&mut self) -> impl Iterator<Item = &mut Drive> {
        self.drives.iter_mut().flatten().filter_map(|volume| match &mut volume.medium {
            Medium::Folder(folder) => Some(&mut **folder),
            Medium::Partition(_) => None,
        })
    }

    /// Converts a host path of a file on C: to the path that programs use.
    pub(super) fn find_host(&mut self, path: &str) -> Option<Path> {
        self.folder_of_c()?.find_host(path)
    }

    /// Returns C:, if it is a host folder or in memory.
    pub(super) fn folder_of_c(&mut self) -> Option<&mut Drive> {
        match &mut self.get_mut(DRIVE_C)?.medium {
            Medium::Folder(folder) => Some(folder),
            Medium::Partition(_) => None,
        }
    }

    /// Discards the listings of host folders where they are not in use.
    pub(super) fn forget_listings(&mut self) {
        self.folders_mut().for_each(Drive::forget_listing);
    }

    fn folder(&self, drive: usize) -> Option<&Drive> {
        match &self.drives.get(drive)?.as_ref()?.medium {
            Medium::Folder(folder) => Some(folder),
            Medium::Partition(_) => None,
        }
    }

    /// Returns about how many bytes of memory their state needs beyond another's.
    pub(super) fn bytes_beyond(&self, other: &Volumes) -> usize {
        let pairs = (0..self.drives.len()).filter_map(|drive| self.folder(drive).zip(other.folder(drive)));
        pairs.map(|(own, other)| own.bytes_beyond(other)).sum()
    }

    /// Returns the bytes that were written to folders and are not on the host yet.
    pub(super) fn pending(&self) -> u64 {
        (0..self.drives.len()).filter_map(|drive| self.folder(drive)).map(Drive::pending).sum()
    }

    /// Returns what the program has added to folders: bytes, and a cluster per file and folder.
    pub(super) fn added(&self) -> u64 {
        let folders = (0..self.drives.len()).filter_map(|drive| self.folder(drive));
        folders.map(|folder| folder.pending() + folder.growth()).sum()
    }

    /// Starts or ends replaying, during which host folders do not change.
    pub(super) fn set_dry_run(&mut self, dry_run: bool) {
        self.folders_mut().for_each(|folder| folder.set_dry_run(dry_run));
    }

    /// Stores written data in the host folders, all if possible. Errors: the first failure.
    pub(super) fn flush(&mut self) -> std::io::Result<()> {
        let mut result = Ok(());
        for folder in self.folders_mut() {
            result = result.and(folder.flush());
        }
        result
    }

    /// Returns the virtual time of the drives' work since the last query.
    pub(super) fn take_host_cost(&mut self) -> u64 {
        let images = std::mem::take(&mut self.image_cost);
        self.folders_mut().fold(images, |host_cost, folder| host_cost + folder.take_host_cost())
    }

    /// Takes over a saved state, except for the host folders and drive Z:.
    pub(super) fn adopt(&mut self, saved: Volumes) {
        let folders: Vec<(u8, Folder)> = (0..)
            .zip(&mut self.drives)
            .filter_map(|(drive, volume)| match &mut volume.as_mut()?.medium {
                Medium::Folder(folder) => Some((drive, folder.take_folder())),
                Medium::Partition(_) => None,
            })
            .collect();
        *self = Volumes { built_in: self.built_in, ..saved };
        for (drive, folder) in folders {
            if let Some(Volume { medium: Medium::Folder(own), .. }) = self.get_mut(drive) {
                own.set_folder(folder);
            }
        }
    }
}

#[derive(Debug)]
pub(super) enum Files<'a> {
    Folder(&'a mut Drive),
    Image(Fat<'a>),
    BuiltIn(BuiltIn),
}

use Files::{BuiltIn as OnBuiltIn, Folder as OnFolder, Image as OnImage};

impl Files<'_> {
    pub(super) fn find(&mut self, path: &[Name]) -> Result<Node, ErrorCode> {
        match self {
            OnFolder(folder) => folder.find(path),
            OnImage(fat) => fat.find(path),
            OnBuiltIn(files) => files.find(path),
        }
    }

    pub(super) fn find_directory(&mut self, path: &[Name]) -> Result<u16, ErrorCode> {
        match self {
            OnFolder(folder) => folder.find_directory(path),
            OnImage(fat) => fat.find_directory(path),
            OnBuiltIn(files) => files.find_directory(path),
        }
    }

    pub(super) fn search(
        &mut self,
        directory: u16,
        pattern: &Name,
        wanted: u8,
        slot: u16,
    ) -> Result<Found, ErrorCode> {
        match self {
            OnFolder(folder) => folder.search(directory, pattern, wanted, slot),
            OnImage(fat) => fat.search(directory, pattern, wanted, slot),
            OnBuiltIn(files) => files.search(pattern, slot),
        }
    }

    /// Whether directories contain entries for themselves and their parents.
    pub(super) fn keeps_dot_entries(&self) -> bool {
        matches!(self, OnImage(_))
    }

    pub(super) fn attributes(&mut self, node: Node) -> Result<u8, ErrorCode> {
        match self {
            OnFolder(folder) => folder.attributes(node),
            OnImage(fat) => fat.attributes(node),
            OnBuiltIn(_) => Ok(built_in::ATTRIBUTES),
        }
    }

    pub(super) fn set_attributes(&mut self, node: Node, attributes: u8) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.set_attributes(node, attributes),
            OnImage(fat) => fat.set_attributes(node, attributes),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn size(&mut self, node: Node) -> Result<u32, ErrorCode> {
        match self {
            OnFolder(folder) => folder.size(node),
            OnImage(fat) => fat.size(node),
            OnBuiltIn(files) => Ok(files.size()),
        }
    }

    pub(super) fn stamp(&mut self, node: Node) -> Timestamp {
        match self {
            OnFolder(folder) => folder.stamp(node),
            OnImage(fat) => fat.stamp(node),
            OnBuiltIn(_) => built_in::STAMP,
        }
    }

    pub(super) fn set_stamp(&mut self, node: Node, stamp: Timestamp) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.set_stamp(node, stamp),
            OnImage(fat) => fat.set_stamp(node, stamp),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn read(&mut self, node: Node, offset: u32, len: usize) -> Result<Vec<u8>, ErrorCode> {
        match self {
            OnFolder(folder) => folder.read(node, offset, len),
            OnImage(fat) => fat.read(node, offset, len),
            OnBuiltIn(files) => Ok(files.read(offset, len)),
        }
    }

    pub(super) fn write(&mut self, node: Node, offset: u32, bytes: &[u8]) -> Result<usize, ErrorCode> {
        match self {
            OnFolder(folder) => folder.write(node, offset, bytes),
            OnImage(fat) => fat.write(node, offset, bytes),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn resize(&mut self, node: Node, size: u32) -> Result<bool, ErrorCode> {
        match self {
            OnFolder(folder) => folder.resize(node, size),
            OnImage(fat) => fat.resize(node, size),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn create(&mut self, path: &[Name], attributes: u8) -> Result<Node, ErrorCode> {
        match self {
            OnFolder(folder) => folder.create(path, attributes),
            OnImage(fat) => fat.create(path, attributes),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn delete(&mut self, node: Node) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.delete(node),
            OnImage(fat) => fat.delete(node),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn rename(&mut self, node: Node, path: &[Name]) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.rename(node, path),
            OnImage(fat) => fat.rename(node, path),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn make_directory(&mut self, path: &[Name], stamp: Timestamp) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.make_directory(path),
            OnImage(fat) => fat.make_directory(path, stamp),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn remove_directory(&mut self, path: &[Name]) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.remove_directory(path),
            OnImage(fat) => fat.remove_directory(path),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    pub(super) fn hold(&mut self, node: Node) {
        if let OnFolder(folder) = self {
            folder.hold(node);
        }
    }

    pub(super) fn release(&mut self, node: Node) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.release(node),
            OnImage(_) | OnBuiltIn(_) => Ok(()),
        }
    }

    /// Stores written data on the host, if the drive is a host folder.
    pub(super) fn commit(&mut self, node: Node) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) => folder.commit(node),
            OnImage(_) | OnBuiltIn(_) => Ok(()),
        }
    }

    /// Whether programs may write on this drive, and to this file. Fails with `AccessDenied`.
    pub(super) fn lets_write(&mut self, node: Node) -> Result<(), ErrorCode> {
        match self {
            OnFolder(folder) if folder.is_read_only() => Err(ErrorCode::AccessDenied),
            OnFolder(folder) => folder.host_lets_write(node),
            OnImage(_) => Ok(()),
            OnBuiltIn(_) => Err(ErrorCode::AccessDenied),
        }
    }

    /// Returns free and total clusters, and sectors per cluster.
    pub(super) fn clusters(&mut self) -> Result<(u16, u16, u8), ErrorCode> {
        match self {
            OnFolder(folder) => {
                let (free, total) = folder.clusters();
                Ok((free, total, SECTORS_OF_FOLDER))
            }
            OnImage(fat) => {
                let (total, sectors) = (fat.layout().clusters as u16, fat.layout().cluster);
                Ok((fat.free_clusters()?, total, sectors))
            }
            OnBuiltIn(_) => Err(ErrorCode::InvalidDrive),
        }
    }
}

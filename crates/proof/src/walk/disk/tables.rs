//! The tables, each in its own redb database.
//!
//! Such a file is never opened again, so nothing protects it against a failure of the host: writes
//! are passed to the host without waiting for them.

use super::{DiskError, Origin};
use redb::backends::FileBackend;
use redb::{Database, Error, ReadOnlyTable, ReadableDatabase, StorageBackend, TableDefinition};
use std::fs::File;
use std::io;

const ROWS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("rows");
const NUMBERS: TableDefinition<'_, u128, u32> = TableDefinition::new("numbers");
const ORIGINS: TableDefinition<'_, u32, Origin> = TableDefinition::new("origins");

/// A temporary file whose writes are not synchronised.
#[derive(Debug)]
struct Unsynced(FileBackend);

impl StorageBackend for Unsynced {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

/// A database, and a second handle of its file to query its size.
#[derive(Debug)]
struct Scratch {
    database: Database,
    file: File,
}

impl Scratch {
    /// Creates a database with a cache of `cache` bytes.
    fn new(cache: usize) -> Result<Scratch, DiskError> {
        let made = || {
            let file = tempfile::tempfile_in(super::folder())?;
            let backend = Unsynced(FileBackend::new(file.try_clone()?)?);
            let database = redb::Builder::new().set_cache_size(cache).create_with_backend(backend)?;
            Ok(Scratch { database, file })
        };
        told(made())
    }

    fn bytes(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }
}

fn told<T>(result: Result<T, Error>) -> Result<T, DiskError> {
    result.map_err(|error| DiskError::new(&error))
}

/// Rows in the order of insertion.
#[derive(Debug)]
pub(in crate::walk) struct Rows {
    scratch: Scratch,
    /// The rows that are present.
    first: u64,
    end: u64,
}

impl Rows {
    pub(in crate::walk) fn new(cache: usize) -> Result<Rows, DiskError> {
        Ok(Rows { scratch: Scratch::new(cache)?, first: 0, end: 0 })
    }

    pub(in crate::walk) fn push(&mut self, rows: &[Vec<u8>]) -> Result<(), DiskError> {
        let write = || {
            let write = self.scratch.database.begin_write()?;
            let mut table = write.open_table(ROWS)?;
            for (number, row) in (self.end..).zip(rows) {
                table.insert(number, row.as_slice())?;
            }
            drop(table);
            Ok(write.commit()?)
        };
        told(write())?;
        self.end += rows.len() as u64;
        Ok(())
    }

    /// Removes and returns the first row.
    pub(in crate::walk) fn pop(&mut self) -> Result<Option<Vec<u8>>, DiskError> {
        if self.first == self.end {
            return Ok(None);
        }
        // The row stays in the file, which is deleted when no rows are left.
        let read = || {
            let table = self.scratch.database.begin_read()?.open_table(ROWS)?;
            Ok(table.get(self.first)?.map(|row| row.value().to_vec()))
        };
        let row = told(read())?;
        self.first += 1;
        Ok(row)
    }

    pub(in crate::walk) fn bytes(&self) -> u64 {
        self.scratch.bytes()
    }
}

/// Known states: the number of each identity, and the first path to each.
pub(in crate::walk) struct States {
    scratch: Scratch,
    /// A read transaction after the last insertion.
    tables: Option<(ReadOnlyTable<u128, u32>, ReadOnlyTable<u32, Origin>)>,
}

impl States {
    pub(in crate::walk) fn new(cache: usize) -> Result<States, DiskError> {
        Ok(States { scratch: Scratch::new(cache)?, tables: None })
    }

    /// Adds states: numbers ordered by identity, and origins ordered by number.
    pub(in crate::walk) fn extend(
        &mut self,
        numbers: &[(u128, u32)],
        origins: impl Iterator<Item = (u32, Origin)>,
    ) -> Result<(), DiskError> {
        // While a reader exists, the pages visible to it are not reused.
        self.tables = None;
        let write = || {
            let write = self.scratch.database.begin_write()?;
            let mut table = write.open_table(NUMBERS)?;
            for &(identity, number) in numbers {
                table.insert(identity, number)?;
            }
            drop(table);
            let mut table = write.open_table(ORIGINS)?;
            for (number, origin) in origins {
                table.insert(number, origin)?;
            }
            drop(table);
            write.commit()?;
            let read = self.scratch.database.begin_read()?;
            Ok((read.open_table(NUMBERS)?, read.open_table(ORIGINS)?))
        };
        self.tables = Some(told(write())?);
        Ok(())
    }

    pub(in crate::walk) fn number(&self, identity: u128) -> Result<Option<u32>, DiskError> {
        let Some((numbers, _)) = &self.tables else { return Ok(None) };
        told(numbers.get(identity).map(|number| number.map(|number| number.value())).map_err(Error::from))
    }

    /// Returns the first path to a state.
    pub(in crate::walk) fn origin(&self, number: u32) -> Result<Option<Origin>, DiskError> {
        let Some((_, origins)) = &self.tables else { return Ok(None) };
        told(origins.get(number).map(|origin| origin.map(|origin| origin.value())).map_err(Error::from))
    }

    pub(in crate::walk) fn bytes(&self) -> u64 {
        self.scratch.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_in_their_order() {
        let mut rows = Rows::new(1 << 16).expect("a file");
        let row = |number: u8| vec![number; 100 * usize::from(number)];
        let mut expected = 0;
        for round in 0..10 {
            rows.push(&[row(2 * round), row(2 * round + 1)]).expect("written");
            assert_eq!(rows.pop().expect("read"), Some(row(expected)));
            expected += 1;
        }
        for number in expected..20 {
            assert_eq!(rows.pop().expect("read"), Some(row(number)));
        }
        assert_eq!(rows.pop().expect("read"), None);
        assert!(rows.bytes() > 0);
    }

    #[test]
    fn states_are_known_by_all_that_tells_them() {
        let mut states = States::new(1 << 16).expect("a file");
        assert_eq!((states.number(7), states.origin(0)), (Ok(None), Ok(None)));
        for round in 0..3_u32 {
            let numbers: Vec<(u128, u32)> =
                (0..1000).map(|n| (u128::from(n) << 100 | u128::from(round), round * 1000 + n)).collect();
            let origins = (0..1000).map(|n| (round * 1000 + n, (n, round as u16)));
            states.extend(&numbers, origins).expect("written");
        }
        assert_eq!(states.number(999 << 100 | 2), Ok(Some(2999)));
        assert_eq!(states.number(1000 << 100), Ok(None));
        assert_eq!(states.origin(1005), Ok(Some((5, 1))));
        assert_eq!(states.origin(3000), Ok(None));
    }
}

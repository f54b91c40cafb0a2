//! The allocation table: the chains of clusters.

use super::volume::{CYCLES_A_STEP, Fat};
use crate::dos::error::ErrorCode;

/// The entry of a free cluster, and of the last one of a chain; all from LAST end a chain.
const FREE: u16 = 0;
const END: u16 = 0xFFFF;
const LAST: u16 = 0xFFF8;

impl Fat<'_> {
    fn table_byte(&mut self, at: u32) -> Result<u8, ErrorCode> {
        let sector = u32::from(self.layout.reserved) + at / 512;
        Ok(self.read_sector(sector)?[(at % 512) as usize])
    }

    /// Returns the entry of a cluster in FAT16's form.
    fn table_entry(&mut self, cluster: u16) -> Result<u16, ErrorCode> {
        *self.host_cost += CYCLES_A_STEP;
        let cluster = u32::from(cluster);
        if self.layout.wide {
            let sector = u32::from(self.layout.reserved) + cluster / 256;
            let bytes = self.read_sector(sector)?;
            let at = (cluster % 256 * 2) as usize;
            return Ok(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        }
        let at = cluster + cluster / 2;
        let pair = u16::from_le_bytes([self.table_byte(at)?, self.table_byte(at + 1)?]);
        let entry = if cluster % 2 == 0 { pair & 0x0FFF } else { pair >> 4 };
        Ok(if entry >= 0x0FF0 { entry | 0xF000 } else { entry })
    }

    fn set_table_entry(&mut self, cluster: u16, value: u16) -> Result<(), ErrorCode> {
        let number = u32::from(cluster);
        if self.layout.wide {
            self.set_table_bytes(number * 2, &[(0, value as u8), (0, (value >> 8) as u8)])
        } else if number % 2 == 0 {
            let bytes = [(0, value as u8), (0xF0, (value >> 8) as u8 & 0x0F)];
            self.set_table_bytes(number + number / 2, &bytes)
        } else {
            let bytes = [(0x0F, (value << 4) as u8), (0, (value >> 4) as u8)];
            self.set_table_bytes(number + number / 2, &bytes)
        }
    }

    /// Writes bytes to all copies of the table: for each byte the kept bits and the set ones.
    fn set_table_bytes(&mut self, at: u32, bytes: &[(u8, u8)]) -> Result<(), ErrorCode> {
        for table in 0..u32::from(self.layout.tables) {
            let first = u32::from(self.layout.reserved) + table * u32::from(self.layout.table);
            for (at, (kept, set)) in (at..).zip(bytes) {
                let mut sector = self.read_sector(first + at / 512)?;
                let byte = &mut sector[(at % 512) as usize];
                *byte = *byte & kept | set;
                self.write_sector(first + at / 512, &sector)?;
            }
        }
        Ok(())
    }

    /// Returns the cluster after another. `None` at the end of the chain or in a damaged table.
    pub(super) fn after(&mut self, cluster: u16) -> Result<Option<u16>, ErrorCode> {
        let next = self.table_entry(cluster)?;
        Ok((next < LAST && self.layout.has(next)).then_some(next))
    }

    /// Returns the cluster this many steps after the first. In a circular chain it continues until
    /// the steps are used up.
    pub(super) fn cluster_at(&mut self, first: u16, steps: u32) -> Result<Option<u16>, ErrorCode> {
        if !self.layout.has(first) {
            return Ok(None);
        }
        let mut cluster = first;
        for _ in 0..steps {
            match self.after(cluster)? {
                Some(next) => cluster = next,
                None => return Ok(None),
            }
        }
        Ok(Some(cluster))
    }

    /// Allocates a free cluster, and appends it to `last` if given. `None` on a full disk.
    pub(super) fn allocate(&mut self, last: Option<u16>) -> Result<Option<u16>, ErrorCode> {
        let count = self.layout.clusters;
        let from = last.map_or(0, |last| u32::from(last) - 1);
        for step in 0..count {
            let cluster = ((from + step) % count + 2) as u16;
            if self.table_entry(cluster)? == FREE {
                self.set_table_entry(cluster, END)?;
                if let Some(last) = last {
                    self.set_table_entry(last, cluster)?;
                }
                return Ok(Some(cluster));
            }
        }
        Ok(None)
    }

    /// Ends a chain after a cluster and frees the rest.
    pub(super) fn cut_behind(&mut self, last: u16) -> Result<(), ErrorCode> {
        if let Some(next) = self.after(last)? {
            self.set_table_entry(last, END)?;
            self.free(next)?;
        }
        Ok(())
    }

    pub(super) fn free(&mut self, first: u16) -> Result<(), ErrorCode> {
        let mut cluster = Some(first).filter(|first| self.layout.has(*first));
        // A freed cluster has no successor, so that a circular chain ends too.
        while let Some(here) = cluster {
            cluster = self.after(here)?;
            self.set_table_entry(here, FREE)?;
        }
        Ok(())
    }

    pub(in crate::dos) fn free_clusters(&mut self) -> Result<u16, ErrorCode> {
        let mut free = 0;
        for number in 0..self.layout.clusters {
            free += u16::from(self.table_entry((number + 2) as u16)? == FREE);
        }
        Ok(free)
    }
}

//! Coverage in LCOV format: reading, merging, and writing.
//!
//! Format: geninfo(1). Branch 0 of a jump is taken, branch 1 is not taken.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The coverage of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// The execution count of each line.
    pub lines: BTreeMap<u32, u64>,
    /// The count of each branch by line, branch number and direction; `None` if never reached.
    pub branches: BTreeMap<(u32, u32, u32), Option<u64>>,
    /// The line and the call count of each procedure.
    pub functions: BTreeMap<String, (u32, u64)>,
}

/// The coverage of several files.
///
/// ```
/// use oxbox_inspect::Lcov;
///
/// let once: Lcov = "TN:\nSF:a.asm\nDA:3,1\nBRDA:3,0,0,1\nBRDA:3,0,1,0\nend_of_record\n".parse()?;
/// let mut twice = once.clone();
/// twice.merge(&once);
/// assert_eq!(twice.files["a.asm"].lines[&3], 2);
/// assert_eq!(twice.to_string().parse::<Lcov>()?, twice);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lcov {
    /// The files by name.
    pub files: BTreeMap<String, FileCoverage>,
}

impl Lcov {
    /// Adds the counts of another run.
    pub fn merge(&mut self, other: &Lcov) {
        for (name, from) in &other.files {
            let to = self.files.entry(name.clone()).or_default();
            for (line, count) in &from.lines {
                *to.lines.entry(*line).or_default() += count;
            }
            for (branch, count) in &from.branches {
                let sum = to.branches.entry(*branch).or_default();
                *sum = sum.map_or(*count, |sum| Some(sum + count.unwrap_or_default()));
            }
            for (function, (line, count)) in &from.functions {
                to.functions.entry(function.clone()).or_insert((*line, 0)).1 += count;
            }
        }
    }

    /// Returns the number of lines with code, and of executed lines.
    pub fn lines(&self) -> (usize, usize) {
        let lines = || self.files.values().flat_map(|file| file.lines.values());
        (lines().count(), lines().filter(|count| **count > 0).count())
    }
}

impl fmt::Display for Lcov {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, FileCoverage { lines, branches, functions }) in &self.files {
            writeln!(f, "TN:\nSF:{name}")?;
            functions.iter().try_for_each(|(name, (line, _))| writeln!(f, "FN:{line},{name}"))?;
            functions.iter().try_for_each(|(name, (_, count))| writeln!(f, "FNDA:{count},{name}"))?;
            let entered = functions.values().filter(|(_, count)| *count > 0).count();
            writeln!(f, "FNF:{}\nFNH:{entered}", functions.len())?;
            for ((line, number, way), count) in branches {
                let count = count.map_or("-".to_owned(), |count| count.to_string());
                writeln!(f, "BRDA:{line},{number},{way},{count}")?;
            }
            let gone = branches.values().filter(|count| count.is_some_and(|count| count > 0)).count();
            writeln!(f, "BRF:{}\nBRH:{gone}", branches.len())?;
            lines.iter().try_for_each(|(line, count)| writeln!(f, "DA:{line},{count}"))?;
            let executed = lines.values().filter(|count| **count > 0).count();
            writeln!(f, "LF:{}\nLH:{executed}\nend_of_record", lines.len())?;
        }
        Ok(())
    }
}

impl FromStr for Lcov {
    type Err = String;

    fn from_str(text: &str) -> Result<Lcov, String> {
        let mut report = Lcov::default();
        let mut name = None;
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = || format!("line {number}: '{line}' is not understood");
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            if key == "SF" {
                name = Some(value.to_owned());
            }
            let Some(name) = &name else { continue };
            let file = report.files.entry(name.clone()).or_default();
            let fields: Vec<&str> = value.split(',').collect();
            let field = |at: usize| fields.get(at).copied().ok_or_else(wrong);
            let value = |at: usize| field(at)?.parse::<u64>().map_err(|_| wrong());
            let small = |at: usize| field(at)?.parse::<u32>().map_err(|_| wrong());
            match key {
                "DA" => *file.lines.entry(small(0)?).or_default() += value(1)?,
                "BRDA" => {
                    let count = if field(3)? == "-" { None } else { Some(value(3)?) };
                    file.branches.insert((small(0)?, small(1)?, small(2)?), count);
                }
                "FN" => file.functions.entry(field(1)?.to_owned()).or_default().0 = small(0)?,
                "FNDA" => file.functions.entry(field(1)?.to_owned()).or_default().1 += value(0)?,
                _ => {}
            }
        }
        Ok(report)
    }
}

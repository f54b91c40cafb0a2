//! Tables of functions: the handlers of an interrupt by the number in AH or AL, one row per
//! function.
//!
//! Rows are in the order of their numbers, which the compiler checks. A lookup uses the number as
//! an index.

/// A function: its number, its name as in Ralf Brown's interrupt list, and its handler.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function<H> {
    pub(crate) number: u8,
    pub(crate) name: &'static str,
    pub(crate) handler: H,
}

#[derive(Debug)]
pub(crate) struct Functions<H: 'static> {
    rows: &'static [Function<H>],
    /// For each number, one more than the index of its row; 0 if it has none.
    places: [u8; 256],
}

impl<H> Functions<H> {
    pub(crate) const fn new(rows: &'static [Function<H>]) -> Self {
        assert!(rows.len() < 256);
        let mut places = [0; 256];
        let mut i = 0;
        while i < rows.len() {
            assert!(
                i == 0 || rows[i - 1].number < rows[i].number,
                "rows stand in the order of their numbers"
            );
            places[rows[i].number as usize] = i as u8 + 1;
            i += 1;
        }
        Functions { rows, places }
    }

    pub(crate) fn get(&self, number: u8) -> Option<&'static Function<H>> {
        let place = self.places[usize::from(number)].checked_sub(1)?;
        self.rows.get(usize::from(place))
    }
}

pub(crate) const fn row<H>(number: u8, name: &'static str, handler: H) -> Function<H> {
    Function { number, name, handler }
}

/// The names of a call: its interrupt, and its function and subfunction if they have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) interrupt: &'static str,
    pub(crate) selector: Selector,
    pub(crate) function: Option<&'static str>,
    pub(crate) subfunction: Option<&'static str>,
}

/// The register that selects the function of an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selector {
    None,
    Ah,
    Ax,
}

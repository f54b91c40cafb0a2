//! Tests of the twins without a program.

use crate::grid18::Grid18Twin;
use crate::ttt1::Ttt1Twin;
use oxbox_proof::verify::{Proof, Twins};

#[test]
fn lines_are_counted_without_a_program() {
    assert_eq!(Twins::new(|| vec![Box::new(Ttt1Twin::new())]).lines(), 497);
    assert_eq!(
        Twins::new(|| vec![Box::new(Grid18Twin::new()), Box::new(Grid18Twin::new())]).lines(),
        2 * 255_168
    );
}

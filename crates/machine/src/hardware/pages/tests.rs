//! Pages that snapshots share.

use super::*;

type Small = Pages<u32, { 32 * 1024 }, 1024>;

fn write(pages: &mut Small, cell: usize, value: u32) {
    pages.mark(cell);
    pages.marked()[cell] = value;
}

fn restore(pages: &mut Small, saved: &Saved<u32, { 32 * 1024 }, 1024>) -> Vec<usize> {
    let mut differing = Vec::new();
    pages.restore(
        saved,
        |page, before, after| {
            assert_ne!(before, after);
            differing.push(page);
        },
        |_| {},
    );
    differing
}

#[test]
fn a_restore_goes_back_and_touches_what_differs() {
    let mut pages = Small::new();
    write(&mut pages, 5, 1);
    let first = pages.save(|_| {});
    write(&mut pages, 5, 2);
    write(&mut pages, 1024, 3);
    // Written with the same value: nothing to restore.
    write(&mut pages, 20 * 1024, 0);
    let second = pages.save(|_| {});
    write(&mut pages, 31 * 1024, 4);
    assert_eq!(restore(&mut pages, &first), [0, 1, 31]);
    assert_eq!((pages.cells()[5], pages.cells()[1024], pages.cells()[31 * 1024]), (1, 0, 0));
    assert!(pages.equals(&first) && !pages.equals(&second));
    assert_eq!(restore(&mut pages, &second), [0, 1]);
    assert!(restore(&mut pages, &second).is_empty());
    assert_eq!(restore(&mut Small::new(), &second), [0, 1], "in another memory");
}

#[test]
fn the_hash_is_that_of_the_cells() {
    let (mut saved_often, mut never_saved) = (Small::new(), Small::new());
    let blank = never_saved.hash();
    for (cell, value) in [(0, 1), (1, 2), (9_000, 3), (31 * 1024, 4), (9_000, 5)] {
        write(&mut saved_often, cell, value);
        write(&mut never_saved, cell, value);
        assert_eq!(saved_often.hash(), never_saved.hash());
        saved_often.save(|_| {});
        assert_eq!(saved_often.hash(), never_saved.hash());
    }
    for cell in [0, 1, 9_000, 31 * 1024] {
        assert_ne!(saved_often.hash(), blank, "{cell}");
        write(&mut saved_often, cell, 0);
    }
    assert_eq!(saved_often.hash(), blank);
}

#[test]
fn stored_pages_come_back() {
    let mut pages = Small::new();
    for cell in [3, 17 * 1024, 32 * 1024 - 1] {
        write(&mut pages, cell, 0x0403_0201);
    }
    let saved = pages.save(|_| {});
    let bytes = postcard::to_stdvec(&saved).unwrap();
    assert!(bytes.len() < 3 * 40 + 2, "{} bytes", bytes.len());
    let read: Saved<u32, { 32 * 1024 }, 1024> = postcard::from_bytes(&bytes).unwrap();
    assert!(restore(&mut pages, &read).is_empty());
    let damaged = |bytes: &[u8]| {
        let stored = postcard::to_stdvec(&serde_bytes(bytes)).unwrap();
        postcard::from_bytes::<Saved<u32, { 32 * 1024 }, 1024>>(&stored).is_err()
    };
    // A run out of the page, an unknown page.
    assert!(damaged(&[0, 1, 0x81, 1, 1]) && damaged(&[0xFF; 2 + PAGE_BYTES]));
}

#[test]
fn what_differs_from_another_memory_is_enough() {
    let mut pages = Small::new();
    write(&mut pages, 3, 0x0403_0201);
    let base = pages.save(|_| {});
    write(&mut pages, 3, 0x0403_02FF);
    write(&mut pages, 31 * 1024, 7);
    // Written with the same value.
    write(&mut pages, 9 * 1024, 0);
    let saved = pages.save(|_| {});
    let stored = saved.beyond(&base);
    assert!(stored.len() < 2 * 40 + 2, "{} bytes", stored.len());
    let found = base.with(&stored).expect("the same pages");
    assert!(pages.equals(&found) && !pages.equals(&base));
    assert!(base.with(&stored[1..]).is_none() && base.with(&[0xFF; 2 + PAGE_BYTES]).is_none());
}

#[test]
fn equal_neighbours_share_a_page() {
    let mut pages = Small::new();
    let fill = |pages: &mut Small, value| {
        pages.mark_run(2 * 1024..6 * 1024);
        pages.marked()[2 * 1024..6 * 1024].fill(value);
    };
    fill(&mut pages, 7);
    let first = pages.save(|_| {});
    let saved = &first.chunks[0].pages;
    assert!((3..6).all(|page| Arc::ptr_eq(&saved[2], &saved[page])) && !Arc::ptr_eq(&saved[1], &saved[2]));
    // A page of several is written: the others stay.
    write(&mut pages, 3 * 1024, 8);
    let second = pages.save(|_| {});
    fill(&mut pages, 9);
    assert_eq!(restore(&mut pages, &second), [2, 3, 4, 5]);
    assert_eq!((pages.cells()[3 * 1024], pages.cells()[4 * 1024]), (8, 7));
    assert_eq!(restore(&mut pages, &first), [3]);
}

/// Serialises bytes as the format stores them: a length and that many bytes.
fn serde_bytes(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

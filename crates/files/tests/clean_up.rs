//! The end of a process. A test target of its own, because the crate cannot be used afterwards.

use std::mem::forget;

use oxbox_files::scratch::{ScratchFolder, clean_up, clean_up_at_once};

#[test]
fn the_end_of_the_process_removes_scratch_folders() {
    let parent = tempfile::tempdir().unwrap();
    for (name, end) in [("at once", clean_up_at_once as fn()), ("in order", clean_up)] {
        let folder = ScratchFolder::new_in(parent.path()).unwrap();
        let path = folder.path().to_owned();
        std::fs::write(path.join("F"), "").unwrap();
        // Dropping it would remove the folder and wait indefinitely for the closed registry.
        forget(folder);
        end();
        assert!(!path.exists(), "{name}");
    }
}

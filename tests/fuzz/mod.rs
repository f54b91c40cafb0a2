//! The fuzz targets over their corpus: seeds, inputs that reached new code, and former failures.
#![cfg(feature = "suite")]

#[path = "../../fuzz/src/targets/table.rs"]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn the_corpus_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, target) in targets::TARGETS {
        let entries = fs::read_dir(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{name} has no corpus");
        for path in paths {
            println!("{}", path.display());
            target(&fs::read(path).expect("a file"));
        }
    }
}

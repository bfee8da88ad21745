//! Checks that the public items of each library crate are those of `xtask/api/CRATE.txt`.

#[path = "../../src/api.rs"]
mod listing;

use std::path::Path;

#[test]
fn public_items_are_those_on_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (path, text) in listing::all(&root).unwrap() {
        let known = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        let (old, new): (Vec<_>, Vec<_>) = (known.lines().collect(), text.lines().collect());
        let gone: Vec<_> = old.iter().filter(|line| !new.contains(line)).collect();
        let added: Vec<_> = new.iter().filter(|line| !old.contains(line)).collect();
        assert!(
            gone.is_empty() && added.is_empty(),
            "{} differs; if that is intended, run `cargo xtask gen`: gone {gone:#?}, added {added:#?}",
            path.display()
        );
    }
}

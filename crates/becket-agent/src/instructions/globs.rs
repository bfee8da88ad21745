//! The `paths` of a rule: patterns for the files that it applies to.
//!
//! A pattern is relative to a directory, and matches a whole path below it: `*.md` matches the Markdown files in that
//! directory, `**/*.md` those at any depth. A pattern that ends in `/` matches everything below.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;

/// Compiled patterns.
#[derive(Debug, Clone)]
pub(super) struct Globs {
    /// The original patterns.
    pub(super) written: Vec<String>,
    set: GlobSet,
}

impl Globs {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// Errors with the first invalid pattern and the reason, or if there is none at all.
    pub(super) fn new(written: Vec<String>) -> Result<Self, String> {
        if written.is_empty() {
            return Err(
                "`paths` names no file: write a pattern such as `src/**/*.ts`, or leave it out".to_owned()
            );
        }
        let mut set = GlobSetBuilder::new();
        for pattern in &written {
            set.add(glob(pattern).map_err(|error| format!("`paths`: `{pattern}` can't be read: {error}"))?);
        }
        let set = set.build().map_err(|error| format!("`paths` can't be read: {error}"))?;
        Ok(Self { written, set })
    }

    /// Returns whether the patterns match a file, by its path relative to their directory.
    pub(super) fn name(&self, below: &Path) -> bool {
        self.set.is_match(below)
    }
}

fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    let whole = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
    GlobBuilder::new(&whole).literal_separator(true).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_whole_paths_below_their_directory() {
        for (pattern, path, named) in [
            ("**/*.ts", "a.ts", true),
            ("**/*.ts", "src/deep/a.ts", true),
            ("*.md", "README.md", true),
            ("*.md", "docs/README.md", false),
            ("src/**", "src/deep/a", true),
            ("src/", "src/deep/a", true),
            ("./src/*.rs", "src/a.rs", true),
            ("/src/*.rs", "src/a.rs", true),
            ("src/*.{ts,tsx}", "src/a.tsx", true),
            ("src/*.{ts,tsx}", "src/b/a.tsx", false),
        ] {
            let globs = Globs::new(vec![pattern.to_owned()]).unwrap();
            assert_eq!(globs.name(Path::new(path)), named, "{pattern} {path}");
        }
        for wrong in [vec![], vec!["a{b".to_owned()]] {
            let why = Globs::new(wrong).unwrap_err();
            assert!(why.starts_with("`paths`"), "{why}");
        }
    }
}

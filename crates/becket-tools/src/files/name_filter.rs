//! The files that match a model's glob: as with ripgrep's `--glob`, but files that an ignore file hides are never
//! included.
//!
//! A pattern without a slash matches the name alone, at any depth; one with a slash matches the whole path below the
//! searched directory. A leading `!` inverts the match.

use globset::{GlobBuilder, GlobMatcher};
use std::path::Path;

/// A compiled glob.
#[derive(Debug, Clone)]
pub(crate) struct NameFilter {
    matcher: GlobMatcher,
    negated: bool,
    hidden: bool,
}

/// An error in a glob.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GlobError {
    #[error("`{field}` is empty: write a pattern such as `**/*.rs`")]
    Empty { field: &'static str },
    #[error(
        "`{field}` must stay below the directory that is searched, which `{glob}` does not: give the directory as `path`"
    )]
    Leaves { field: &'static str, glob: String },
    #[error("`{field}` can't be read: {source}")]
    Syntax { field: &'static str, source: globset::Error },
}

impl NameFilter {
    /// Compiles the glob in `field`.
    pub(crate) fn new(field: &'static str, glob: &str) -> Result<Self, GlobError> {
        let (negated, pattern) = glob.strip_prefix('!').map_or((false, glob), |rest| (true, rest));
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if pattern.is_empty() {
            return Err(GlobError::Empty { field });
        }
        let leaves = |part: &str| part == ".." || part == "~";
        if pattern.starts_with('/') || pattern.split(['/', '{', '}', ',']).any(leaves) {
            return Err(GlobError::Leaves { field, glob: crate::schema::brief(glob) });
        }
        let whole = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
        let built = GlobBuilder::new(&whole).literal_separator(true).build();
        let matcher = built.map_err(|source| GlobError::Syntax { field, source })?.compile_matcher();
        let hidden = pattern.split('/').any(|part| part.starts_with('.'));
        Ok(Self { matcher, negated, hidden })
    }

    /// Returns whether the glob matches the file, given as a path below the searched directory.
    pub(crate) fn names(&self, below: &Path) -> bool {
        self.matcher.is_match(below) != self.negated
    }

    /// Returns whether the glob names hidden files explicitly.
    pub(crate) fn is_about_hidden(&self) -> bool {
        self.hidden && !self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_names_what_it_says() {
        for (glob, path, named) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**/*.rs", "src/deep/a.rs", true),
            ("./src/*.rs", "src/a.rs", true),
            ("*.{ts,tsx}", "web/a.tsx", true),
            ("!*.rs", "a.rs", false),
            ("!*.rs", "a.toml", true),
            ("**/*", "a/b", true),
            (".github/**", ".github/x.yml", true),
        ] {
            assert_eq!(NameFilter::new("glob", glob).unwrap().names(Path::new(path)), named, "{glob} {path}");
        }
        assert!(NameFilter::new("glob", ".github/**").unwrap().is_about_hidden());
        assert!(!NameFilter::new("glob", "!.github/**").unwrap().is_about_hidden());
    }

    #[test]
    fn a_glob_that_leaves_or_can_t_be_read_is_refused_by_its_field() {
        for glob in ["/etc/*", "../*", "a/../../b", "{..,x}/*", "~/x", ""] {
            let error = NameFilter::new("pattern", glob).unwrap_err().to_string();
            assert!(error.starts_with("`pattern` "), "{glob}: {error}");
        }
        let error = NameFilter::new("glob", "a{b").unwrap_err().to_string();
        assert!(error.contains("`glob`") && error.contains("unclosed"), "{error}");
    }
}

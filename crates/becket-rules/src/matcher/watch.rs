//! The watch list that a `FileChanged` matcher builds (M8). It names files; it watches nothing.

/// Returns the literal file names that a `FileChanged` matcher asks to watch in the cwd: its text split on `|`, blanks
/// around each name trimmed, empty names dropped. `*` is a name like any other.
///
/// ```
/// assert_eq!(becket_rules::watch_names(Some(".env|Cargo.toml")), [".env", "Cargo.toml"]);
/// assert!(becket_rules::watch_names(None).is_empty());
/// ```
#[must_use]
pub fn watch_names(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split('|').map(str::trim).filter(|name| !name.is_empty()).collect()
}

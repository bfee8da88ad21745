//! Texts of remote origin, made safe for an error.

/// The limit on a line, in characters.
const LONGEST: usize = 500;

/// Returns the beginning of a remote text, on one line and without control characters.
pub(crate) fn line(text: &str) -> String {
    becket_base::text::one_line(text, LONGEST)
}

//! Reports as JSON: indented, one document.

use crate::out::Out;
use becket_embed::view::Report;
use std::io;

/// Prints a report.
pub(crate) fn print(report: &Report, out: &Out) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(report).map_err(io::Error::other)?;
    text.push(b'\n');
    out.print_raw(&text)
}

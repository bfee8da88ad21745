//! Reports as JSON: indented, one document.

use crate::out::Out;
use becket_embed::view::Report;
use std::io;

/// Prints a report.
pub(crate) fn print(report: &Report, out: &Out) -> io::Result<()> {
    out.print_json(report)
}

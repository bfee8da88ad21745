//! The configuration: found, read entry by entry, merged, judged and written back.

mod cases;
mod guards;
mod laws;
mod robust;
mod sources;
mod support;
mod writing;

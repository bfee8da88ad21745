//! The dialects against their fixtures, and their laws.

mod fixtures;
mod laws;
mod tables;

//! The tools themselves, one module each behind one small trait, and the table that lists them.
//!
//! A tool does its work and says what came of it. It asks no rule, fires no hook and prompts nobody.

mod bash;
mod capture;
mod file;
mod glob;
mod grep;
mod grep_sink;
mod name_filter;
mod read;
mod read_lines;
mod table;
mod tool;
mod walk;

pub(crate) use capture::Excerpt;
pub(crate) use table::all;
pub(crate) use table::find;
pub(crate) use tool::{Call, Input, Tool, failed};

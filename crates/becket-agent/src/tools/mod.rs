//! The tools themselves, one module each behind one small trait, and the table that lists them.
//!
//! A tool does its work and returns the result. It checks no rule, fires no hook and asks no person.

mod ask_user;
mod bash;
mod capture;
mod edit;
mod edit_text;
mod exit_plan;
pub(crate) mod file;
mod glob;
mod grep;
mod grep_sink;
mod in_session;
mod ledger;
mod mark;
mod name_filter;
mod of_session;
mod patch;
mod reach;
mod read;
mod read_lines;
mod replace;
mod seen;
mod table;
mod tool;
mod walk;
mod web_fetch;
mod write;

pub use ask_user::{AskQuestions, ModelOption, ModelQuestion};
pub(crate) use capture::{Capture, Excerpt};
pub use exit_plan::LeavePlan;
pub(crate) use mark::MarkedStream;
pub use of_session::{SessionTools, session_tools};
pub(crate) use reach::of_edit;
pub(crate) use table::all;
pub(crate) use table::find;
pub(crate) use tool::{Call, Input, Tool, failed};
pub use web_fetch::Web;

//! A session at a terminal: a person types prompts, watches the work, and is asked.
//!
//! - [`handle`]: what the rest of the program says to the terminal
//! - [`thread`]: the one thread that reads keys and writes to the screen; [`asking`]: how it asks; [`suspend`]: how it stops
//! - [`dumb`]: the same for a terminal that knows no escape sequences
//! - [`screen`]: writing; what is restored
//! - [`document`], [`pager`]: what a question is about, in part and whole
//! - [`editor`], [`ahead`]: the line that prompts are typed in, its history and completion; what is typed while something
//!   works
//! - [`answer_input`], [`menu`], [`field`], [`key_guard`]: a choice, and a line of words, for one question, and which keys count for it
//! - [`view`], [`markdown`], [`status`]: what is shown of a session, and what is under way
//! - [`open`]: taking the terminal over, and the one question that comes before all else
//! - [`person`]: the user as calls ([`permission`]), hooks, models ([`questions`]) and servers ([`form`]) ask them
//! - [`idle_prompt`]: a prompt that is left alone
//!
//! INVARIANT: text of models, tools, hooks and servers reaches the screen with its control characters made visible. An
//! unanswered question is a no. However the program ends, the terminal is restored.

mod ahead;
mod answer_input;
mod asking;
mod document;
mod dumb;
mod editor;
mod field;
mod form;
mod handle;
mod idle_prompt;
mod key_guard;
mod markdown;
mod menu;
mod open;
mod pager;
mod permission;
mod person;
mod questions;
mod screen;
mod status;
mod suspend;
mod thread;
mod view;

pub(super) use handle::{ActiveWork, Line, Terminal};
pub(super) use idle_prompt::idle;
pub(super) use open::{is_trusted, opened};
pub(super) use person::Person;
pub(super) use screen::width;
pub(super) use view::View;

//! A session at a terminal: a user types prompts, watches the work, and answers questions.
//!
//! - [`handle`]: the terminal, for the rest of the program
//! - [`thread`]: the one thread that reads keys and writes to the screen; [`asking`]: its questions; [`suspend`]:
//!   Ctrl-Z
//! - [`dumb`]: the thread for a terminal without escape sequences
//! - [`screen`]: output, and its restoration
//! - [`document`], [`pager`]: the subject of a question, as an excerpt and in full
//! - [`editor`], [`ahead`]: the line that prompts are typed in, its history and completion; input that is typed during
//!   a turn
//! - [`answer_input`], [`menu`], [`field`], [`key_guard`]: a choice or a line of text for one question, and the keys
//!   that count for it
//! - [`view`], [`markdown`], [`status`]: the display of a session, and its current work
//! - [`open`]: taking over the terminal, and the question about trust
//! - [`person`]: the user, for calls ([`permission`]), hooks, models ([`questions`]) and servers ([`form`])
//! - [`idle_prompt`]: the detection of an idle prompt
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

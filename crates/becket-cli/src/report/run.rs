//! The output of a session: lines of JSON ([`Stream`]), one object with the result ([`RunResult`]), or text for people
//! ([`Live`]).
//!
//! All of it is pure: events go in, text comes out. It neither decides nor writes anything.

mod content;
mod event;
mod hook_rows;
mod input;
mod line;
mod live;
mod naming;
mod result;
mod spending;
mod stream;
mod summary;
mod system_line;
#[cfg(test)]
mod tests;

pub(crate) use event::{PromptStart, SessionEvent, SessionState};
pub(crate) use input::{BadLine, Line, MessageMetadata, fields_of, quoted, read_line, repeated};
pub(crate) use live::{Live, Page, Verbosity};
pub(crate) use naming::Ids;
pub(crate) use result::RunResult;
pub(crate) use stream::{Stream, StreamOptions};
pub(crate) use system_line::{Init, Plugin, Server};

//! Files that define an agent, a skill or a command: where they lie, whose they are, and what stands in them.
//!
//! Text in, values out; nothing here runs anything. INVARIANT: a broken file is a finding with its place, and takes no
//! other file down with it (`protocol.md` C7).

mod dialect;
mod fields;
mod files;
mod home;
mod names;
mod whose;

pub use dialect::Dialect;
pub(crate) use fields::Fields;
pub(crate) use files::{is_markdown, markdown, unreadable};
pub(crate) use home::namespace;
pub use home::{Home, Homes};
pub(crate) use names::{is_plain, unknown};
pub use whose::{ModelChoice, Whose};

//! Files that define an agent, a skill or a command: their location, owner and content.
//!
//! Only parsing; nothing here runs anything. INVARIANT: an invalid file is a finding with its position, and affects no
//! other file (`protocol.md` C7).

mod dialect;
mod fields;
mod files;
mod home;
mod names;
mod owner;

pub use dialect::Dialect;
pub(crate) use fields::Fields;
pub(crate) use files::{is_markdown, markdown, unreadable};
pub(crate) use home::namespace;
pub use home::{Home, Homes};
pub(crate) use names::{is_plain, unknown};
pub use owner::{DefinitionOwner, ModelChoice};

//! What a server asks a user, read and checked (`protocol.md` X6): forms and addresses, and the answers to them.
//!
//! It asks nobody and opens nothing. It refuses what it can't read with words for the server, never with a guess; and
//! addresses other than `http` and `https`.
//!
//! INVARIANT: what [`Form::validate`] lets through has the fields of the form alone, and each required one.
//! INVARIANT: nothing here panics, whatever a server sends.

mod address;
mod check;
mod choice;
mod field;
mod form;
mod format;
mod request;

pub use address::{Address, Caution};
pub use check::{FieldError, Judge};
pub use choice::Choice;
pub use field::{Field, FieldKind};
pub use form::Form;
pub use format::Format;

/// A question of a server can't be read. It is refused; the words are for the server and for a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The parameters of the request are not as they should be.
    #[error("the question can't be read: {what}")]
    Params {
        /// What is wrong.
        what: String,
    },
    /// A field of the form is none that a user could fill in.
    #[error("the field `{field}` of the form can't be read: {what}")]
    Field {
        /// Its name.
        field: String,
        /// What is wrong.
        what: String,
    },
    /// The address can't be opened.
    #[error("the address `{url}` can't be opened: {what}")]
    Address {
        /// As it came; the beginning of it where it is long.
        url: String,
        /// What is wrong.
        what: String,
    },
}

impl Unreadable {
    fn params(what: impl Into<String>) -> Self {
        Self::Params { what: what.into() }
    }
}

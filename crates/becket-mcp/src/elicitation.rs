//! Questions of a server to a user, parsed and checked (`protocol.md` X6): forms and addresses, and the answers to
//! them.
//!
//! It does not prompt and does not open anything. Input that can't be parsed is rejected with a message for the
//! server, never guessed; so are addresses other than `http` and `https`.
//!
//! INVARIANT: content that [`Form::validate`] accepts has only fields of the form, and every required one.
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

/// A malformed question of a server. It is refused; the message is for the server and for a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The parameters of the request are malformed.
    #[error("the question can't be read: {what}")]
    Params {
        /// The problem.
        what: String,
    },
    /// A user could not fill in a field of the form.
    #[error("the field `{field}` of the form can't be read: {what}")]
    Field {
        /// The name of the field.
        field: String,
        /// The problem.
        what: String,
    },
    /// The address can't be opened.
    #[error("the address `{url}` can't be opened: {what}")]
    Address {
        /// The address unchanged, or its beginning if it is long.
        url: String,
        /// The problem.
        what: String,
    },
}

impl Unreadable {
    fn params(what: impl Into<String>) -> Self {
        Self::Params { what: what.into() }
    }
}

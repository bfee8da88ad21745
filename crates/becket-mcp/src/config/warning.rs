//! Warnings about one server that do not disable it.

use super::error::{cut, near};
use super::place::Place;

/// A probable mistake. The server is used anyway.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerWarning {
    /// A key is unknown.
    #[error("{place}: `{}` means nothing here{}: remove it, unless another program reads it", cut(.key), near(.meant.as_deref()))]
    KeyUnknown {
        /// The position of the value.
        place: Place,
        /// The key.
        key: String,
        /// A known key that may have been meant.
        meant: Option<String>,
    },
    /// A key is only for servers of another type.
    #[error("{place}: `{key}` means nothing to a server of type `{kind}`: remove it")]
    KeyUnused {
        /// The position of the value.
        place: Place,
        /// The key.
        key: String,
        /// The type of the server.
        kind: &'static str,
    },
    /// A header is set by the transport.
    #[error("{place}: the header `{}` is set by the transport, so this one is not sent: remove it", cut(.name))]
    HeaderUnused {
        /// The position of the value.
        place: Place,
        /// The name as written.
        name: String,
    },
    /// A part of an address is never sent.
    #[error("{place}: what follows `#` in `url` is never sent and was left out: remove it")]
    Fragment {
        /// The position of the address.
        place: Place,
    },
    /// Credentials are sent over an unencrypted connection.
    #[error("{place}: credentials are sent to `{}` unencrypted: use `{secure}`", cut(.host))]
    Unencrypted {
        /// The position of the address.
        place: Place,
        /// The host.
        host: String,
        /// The scheme that encrypts.
        secure: &'static str,
    },
    /// A key of `oauth` for a person's login is used with a grant that needs none.
    #[error("{place}: `{key}` means nothing with the grant `{grant}`: remove it")]
    GrantUnused {
        /// The position of the value.
        place: Place,
        /// The key.
        key: &'static str,
        /// The grant.
        grant: &'static str,
    },
    /// Certificates are configured for a connection without TLS.
    #[error("{place}: `tls` means nothing to an unencrypted address: use `{secure}`, or remove `tls`")]
    TlsUnused {
        /// The position of `url`.
        place: Place,
        /// The scheme that encrypts.
        secure: &'static str,
    },
}

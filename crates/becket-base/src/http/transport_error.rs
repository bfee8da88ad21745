//! Errors of network transports, with advice on what to do. They contain no URL: a query may contain a key.

use rustls::{CertificateError, Error as TlsError};
use std::error::Error;
use std::io::{self, ErrorKind};

/// The other end of a connection, as messages name it.
#[derive(Debug, Clone, Copy)]
pub struct Peer<'a> {
    /// Host and port.
    pub name: &'a str,
    /// The setting that names a PEM file of trusted roots.
    pub ca_setting: &'a str,
}

impl Peer<'_> {
    /// Returns the message for an error whose cause the user can do something about.
    #[must_use]
    pub fn describe(&self, error: &(dyn Error + 'static)) -> Option<String> {
        match tls_error(error) {
            Some(error) => Some(self.describe_tls(error)),
            None => self.describe_io(io_error(error)?),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    fn describe_io(&self, error: &io::Error) -> Option<String> {
        let name = self.name;
        match error.kind() {
            ErrorKind::ConnectionRefused => {
                Some(format!("nothing listens at {name} (connection refused): is the server running?"))
            }
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                Some(format!("{name} broke off the connection: {error}"))
            }
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
                Some(format!("there is no route to {name}: {error}"))
            }
            _ => None,
        }
    }

    /// Returns the message for an error of TLS.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    #[must_use]
    pub fn describe_tls(&self, error: &TlsError) -> String {
        let name = self.name;
        match error {
            TlsError::InvalidCertificate(why) => {
                format!("the certificate of {name} can't be trusted: {error}; {}", self.help(why))
            }
            TlsError::InvalidMessage(_) => {
                format!("{name} does not speak TLS: leave the `s` of `https` or `wss` out")
            }
            _ => format!("no TLS connection to {name}: {error}"),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    fn help(&self, why: &CertificateError) -> String {
        match why {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "renew it on the server".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "write the name that it is made for into the URL".to_owned()
            }
            _ => format!(
                "install the certificate of its issuer, or name its PEM file in `{}`",
                self.ca_setting
            ),
        }
    }
}

/// Returns the TLS error among an error and its causes.
#[must_use]
pub fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e TlsError> {
    causes(error).find_map(|error| error.downcast_ref())
}

/// Returns the innermost I/O error among an error and its causes.
#[must_use]
pub fn io_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    causes(error).filter_map(|error| error.downcast_ref()).last()
}

/// Returns the text of the innermost cause, which is the specific one.
#[must_use]
pub fn deepest(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

/// Iterates over an error and its causes. An error inside an `io::Error`, which is not among its sources, counts too.
pub fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'e (dyn Error + 'static)| {
        let error: &'e (dyn Error + 'static) = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as &'e (dyn Error + 'static)),
            None => error.source(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let peer = Peer { name: "h:1", ca_setting: "tls.ca" };
        let tls = |error: TlsError| io::Error::other(io::Error::other(error));
        for (error, expected) in [
            (ErrorKind::ConnectionRefused.into(), Some("is the server running?")),
            (
                io::Error::other(io::Error::from(ErrorKind::ConnectionReset)),
                Some("h:1 broke off the connection"),
            ),
            (ErrorKind::NetworkUnreachable.into(), Some("no route to h:1")),
            (tls(TlsError::InvalidCertificate(CertificateError::Expired)), Some("renew it on the server")),
            (
                tls(TlsError::InvalidCertificate(CertificateError::UnknownIssuer)),
                Some("PEM file in `tls.ca`"),
            ),
            (tls(TlsError::DecryptError), Some("no TLS connection to h:1")),
            (ErrorKind::Other.into(), None),
        ] {
            let message = peer.describe(&error);
            assert_eq!(message.is_some(), expected.is_some(), "{message:?}");
            assert!(message.unwrap_or_default().contains(expected.unwrap_or_default()), "{error}");
        }
    }
}

//! Errors of network transports, in words that say what to do. They contain no URL: a query may hold a key.

use std::error::Error;
use std::io::{self, ErrorKind};

use rustls::{AlertDescription, CertificateError, Error as TlsError};

use crate::fault::Fault;

/// The properties of a server that the message depends on.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Host and port.
    pub(super) name: String,
    /// True if the connection uses TLS.
    pub(super) encrypted: bool,
    /// True if a client certificate is shown.
    pub(super) identified: bool,
}

impl Place {
    /// No connection was established.
    pub(super) fn unreachable(&self, error: &(dyn Error + 'static)) -> Fault {
        Fault::Unreachable(self.words(error).unwrap_or_else(|| format!("{}: {}", self.name, deepest(error))))
    }

    /// A connection was there, and broke before its time. Unreachable is only what has certainly not looked at what was
    /// sent.
    pub(super) fn broken_off(&self, error: &(dyn Error + 'static)) -> Fault {
        match tls_within(error) {
            // The alert of a server about our certificate comes only after its own part of the handshake.
            Some(error @ TlsError::AlertReceived(alert)) if is_about_us(*alert) => {
                Fault::Unreachable(self.of_tls(error))
            }
            Some(error) => Fault::BrokenOff(self.of_tls(error)),
            None => Fault::BrokenOff(format!("{}{}", deepest(error), self.perhaps(error))),
        }
    }

    /// Describes the error of a server that has never sent a valid answer.
    pub(super) fn no_answer(&self, error: &(dyn Error + 'static)) -> Fault {
        match tls_within(error) {
            Some(error) => Fault::Unreachable(self.of_tls(error)),
            None => no_answer(&format!("{}{}", deepest(error), self.perhaps(error))),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the system's errors: those that a person can do something about"
    )]
    fn words(&self, error: &(dyn Error + 'static)) -> Option<String> {
        if let Some(error) = tls_within(error) {
            return Some(self.of_tls(error));
        }
        let place = &self.name;
        match io_within(error)?.kind() {
            ErrorKind::ConnectionRefused => {
                Some(format!("nothing listens at {place} (connection refused): is the server running?"))
            }
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => {
                Some(format!("{place} broke off the connection{}", self.perhaps(error)))
            }
            _ => None,
        }
    }

    /// Returns a possible cause for an unspecific error: a server that requires a certificate need not say so.
    fn perhaps(&self, error: &(dyn Error + 'static)) -> &'static str {
        let is_reset = io_within(error).is_some_and(|error| {
            matches!(
                error.kind(),
                ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof
            )
        });
        if is_reset && self.encrypted && !self.identified {
            "; if it wants a client certificate, name one in `tls.cert` and its key in `tls.key`"
        } else {
            ""
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the library's errors: those that a person can do something about"
    )]
    fn of_tls(&self, error: &TlsError) -> String {
        let place = &self.name;
        match error {
            TlsError::InvalidCertificate(why) => {
                format!("the certificate of {place} can't be trusted: {error}; {}", help(why))
            }
            TlsError::InvalidMessage(_) => {
                format!("{place} does not speak TLS: leave the `s` of `https` or `wss` out")
            }
            TlsError::AlertReceived(alert) if !self.identified && is_about_us(*alert) => format!(
                "{place} wants a client certificate: name one in `tls.cert` and its key in `tls.key` ({error})"
            ),
            TlsError::AlertReceived(alert) if is_about_us(*alert) => format!(
                "{place} does not accept the client certificate in `tls.cert`: name one that it trusts ({error})"
            ),
            _ => format!("no TLS connection to {place}: {error}"),
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's errors: those that a person can do something about"
)]
fn help(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "renew it on the server",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "write the name that it is made for into the URL"
        }
        _ => "install the certificate of its issuer, or name its PEM file in `tls.ca`",
    }
}

/// No HTTP response arrived.
pub(super) fn no_answer(how: &str) -> Fault {
    Fault::NotMcp(format!("it gave no HTTP answer: {how}"))
}

/// Returns whether servers send this alert about a client certificate.
fn is_about_us(alert: AlertDescription) -> bool {
    matches!(
        alert,
        AlertDescription::CertificateRequired
            | AlertDescription::NoCertificate
            | AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied
            | AlertDescription::DecryptError
    )
}

fn tls_within<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e TlsError> {
    causes(error).find_map(|error| error.downcast_ref())
}

fn io_within<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e io::Error> {
    causes(error).filter_map(|error| error.downcast_ref()).last()
}

/// Returns the innermost error, which is the specific one.
pub(super) fn deepest(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map_or_else(String::new, ToString::to_string)
}

/// Iterates over an error and its causes. An error inside an `io::Error` is not among its sources.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
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

    // rules: X1, X4
    #[test]
    fn what_may_have_looked_at_a_request_is_not_called_unreachable() {
        let place = Place { name: "h:1".into(), encrypted: true, identified: false };
        for (error, is_unreachable) in [
            (TlsError::AlertReceived(AlertDescription::CertificateRequired), true),
            (TlsError::AlertReceived(AlertDescription::UnknownCA), true),
            (TlsError::AlertReceived(AlertDescription::InternalError), false),
            (TlsError::DecryptError, false),
        ] {
            let fault = place.broken_off(&io::Error::other(error.clone()));
            assert_eq!(matches!(fault, Fault::Unreachable(_)), is_unreachable, "{error}: {fault}");
        }
    }
}

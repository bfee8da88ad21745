//! Errors of network transports, with messages that say what to do. They contain no URL: a query may contain a key.

use std::error::Error;
use std::io::ErrorKind;

use becket_base::http::{Peer, io_error, tls_error};
use rustls::{AlertDescription, Error as TlsError};

use crate::fault::Fault;

pub(super) use becket_base::http::deepest;

/// The properties of a server that the message depends on.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Host and port.
    pub(super) name: String,
    /// True if the connection uses TLS.
    pub(super) encrypted: bool,
    /// True if a client certificate is presented.
    pub(super) identified: bool,
}

impl Place {
    /// Returns the fault if no connection was established.
    pub(super) fn unreachable(&self, error: &(dyn Error + 'static)) -> Fault {
        Fault::Unreachable(self.words(error).unwrap_or_else(|| format!("{}: {}", self.name, deepest(error))))
    }

    /// Returns the fault if an established connection broke. It is `Unreachable` only if the server certainly has not
    /// looked at the request.
    pub(super) fn broken_off(&self, error: &(dyn Error + 'static)) -> Fault {
        match tls_error(error) {
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
        match tls_error(error) {
            Some(error) => Fault::Unreachable(self.of_tls(error)),
            None => no_answer(&format!("{}{}", deepest(error), self.perhaps(error))),
        }
    }

    fn words(&self, error: &(dyn Error + 'static)) -> Option<String> {
        match tls_error(error) {
            Some(error) => Some(self.of_tls(error)),
            None => {
                let eof = io_error(error).filter(|error| error.kind() == ErrorKind::UnexpectedEof);
                let ended = || eof.map(|_| format!("{} broke off the connection", self.name));
                self.peer().describe(error).or_else(ended).map(|message| message + self.perhaps(error))
            }
        }
    }

    fn peer(&self) -> Peer<'_> {
        Peer { name: &self.name, ca_setting: "tls.ca" }
    }

    /// Returns a possible cause for an unspecific error: a server that requires a certificate need not report it.
    fn perhaps(&self, error: &(dyn Error + 'static)) -> &'static str {
        let is_reset = io_error(error).is_some_and(|error| {
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

    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    fn of_tls(&self, error: &TlsError) -> String {
        let place = &self.name;
        match error {
            TlsError::AlertReceived(alert) if !self.identified && is_about_us(*alert) => format!(
                "{place} wants a client certificate: name one in `tls.cert` and its key in `tls.key` ({error})"
            ),
            TlsError::AlertReceived(alert) if is_about_us(*alert) => format!(
                "{place} does not accept the client certificate in `tls.cert`: name one that it trusts ({error})"
            ),
            _ => self.peer().describe_tls(error),
        }
    }
}

/// Returns the fault if no HTTP response arrived.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

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

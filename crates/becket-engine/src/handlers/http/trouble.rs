//! Messages for requests without an answer, which say what to do. They hold no URL (S3): the handler's label names it.

use super::clients::CONNECT;
use super::resolve::NoAddress;
use rustls::{CertificateError, Error as TlsError};
use std::error::Error;
use std::io::{self, ErrorKind};

/// Converts an error into a message; `place` is the host and port.
pub(super) fn in_words(error: reqwest::Error, place: &str) -> String {
    let error = error.without_url();
    let mut deepest = error.to_string();
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        if let Some(words) = of_cause(error, place) {
            return words;
        }
        deepest = error.to_string();
        cause = error.source();
    }
    if error.is_timeout() {
        return format!("no connection to {place} within {} s", CONNECT.as_secs());
    }
    if error.is_connect() {
        return format!("no connection to {place}: {deepest}");
    }
    format!("what {place} sent is no whole HTTP answer: {deepest}")
}

fn of_cause(error: &(dyn Error + 'static), place: &str) -> Option<String> {
    if let Some(no_address) = error.downcast_ref::<NoAddress>() {
        return Some(no_address.to_string());
    }
    if let Some(error) = error.downcast_ref::<TlsError>() {
        return Some(of_tls(error, place));
    }
    let error = error.downcast_ref::<io::Error>()?;
    // An error inside an `io::Error` is not among its sources.
    if let Some(inner) = error.get_ref() {
        return of_cause(inner, place);
    }
    of_io(error, place)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the system's errors: those that a person can do something about"
)]
fn of_io(error: &io::Error, place: &str) -> Option<String> {
    match error.kind() {
        ErrorKind::ConnectionRefused => {
            Some(format!("nothing listens at {place} (connection refused): is the server running?"))
        }
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            Some(format!("{place} broke off the connection: {error}"))
        }
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
            Some(format!("there is no way to {place}: {error}"))
        }
        _ => None,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's errors: those that a person can do something about"
)]
fn of_tls(error: &TlsError, place: &str) -> String {
    match error {
        TlsError::InvalidCertificate(why) => {
            format!("the certificate of {place} can't be trusted: {error}; {}", help(why))
        }
        TlsError::InvalidMessage(_) => {
            format!("{place} does not speak TLS: is it an `http://` server?")
        }
        _ => format!("no TLS connection to {place}: {error}"),
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
        _ => "install the certificate of its issuer, or name its PEM file in `NODE_EXTRA_CA_CERTS`",
    }
}

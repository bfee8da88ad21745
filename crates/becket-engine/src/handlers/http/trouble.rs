//! Messages for requests without an answer, with advice. They contain no URL (S3): the handler's label names it.

use super::clients::CONNECT;
use super::resolve::NoAddress;
use becket_base::http::{Peer, causes, deepest};

/// Converts an error into a message; `place` is the host and port.
pub(super) fn describe(error: reqwest::Error, place: &str) -> String {
    let error = error.without_url();
    if let Some(no_address) = causes(&error).find_map(|cause| cause.downcast_ref::<NoAddress>()) {
        return no_address.to_string();
    }
    let peer = Peer { name: place, ca_setting: "NODE_EXTRA_CA_CERTS" };
    if let Some(message) = peer.describe(&error) {
        return message;
    }
    if error.is_timeout() {
        return format!("no connection to {place} within {} s", CONNECT.as_secs());
    }
    if error.is_connect() {
        return format!("no connection to {place}: {}", deepest(&error));
    }
    format!("what {place} sent is not a whole HTTP answer: {}", deepest(&error))
}

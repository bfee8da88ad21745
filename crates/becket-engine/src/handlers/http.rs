//! HTTP handlers: POST the input, read the answer (H5), and reach no address that policy refuses (S1, S2).
//!
//! Responsibilities:
//! - [`allowed`]: the URLs that may be posted to at all. Pure, at planning.
//! - [`target`]: the target of a URL, for the handler's source: a literal address is checked here, and nothing is sent
//!   to one that is refused.
//! - [`resolve`]: the addresses of a name. The check is part of the connector, so the address that was checked is the
//!   one that is connected to: there is no second lookup. Of an answer with several addresses only the allowed ones are
//!   tried.
//! - [`clients`]: connections are kept, and shared only between handlers that may reach the same addresses.
//! - [`header`], [`secret`]: the content of a header, which is never shown (S3).
//! - [`answer`]: the response, and its meaning (O1, O10). Nothing is followed, unpacked or read past the cap.
//!
//! INVARIANT: everything that a run does happens inside the future of [`run()`]; dropping it closes the connection.
//! Only an idle connection remains, for a second at most, and a thread if the system's resolver hangs.

mod answer;
mod clients;
mod excerpt;
mod header;
mod proxy;
mod redact;
mod resolve;
mod run;
mod target;
mod tls;
mod trouble;

pub(crate) use clients::Clients;
pub use resolve::{Resolve, SystemResolver};
pub(crate) use run::run;

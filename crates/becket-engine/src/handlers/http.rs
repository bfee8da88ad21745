//! HTTP handlers: POST the input, read the answer (H5), and reach no address that policy refuses (S1, S2).
//!
//! Where things are decided:
//! - [`allowed`]: which URLs may be posted to at all. Pure, at planning.
//! - [`target`]: where a URL leads, for the handler's source: a literal address is judged here, and nothing is sent
//!   to one that is refused.
//! - [`resolve`]: what a name leads to. The judge sits in the connector, so what was judged is what is connected to:
//!   there is no second lookup. Of an answer with several addresses only the good ones are tried.
//! - [`clients`]: connections are kept, and shared only between handlers that may reach the same addresses.
//! - [`header`], [`secret`]: what a header holds, and that it is never shown (S3).
//! - [`answer`]: what came, and what it means (O1, O10). Nothing is followed, unpacked or read past the cap.
//!
//! INVARIANT: everything that a run does happens inside the future of [`run()`]; dropping it closes the connection.
//! What stays is an idle connection, for a second at most, and a thread where the system's resolver hangs.

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

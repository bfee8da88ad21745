//! Who asks: headers, tokens and how they are come by (`protocol.md` X3).

mod headers_error;
mod source;

pub use headers_error::HeadersError;
pub use source::{HeaderSource, Headers, Layered, StaticHeaders, Why};

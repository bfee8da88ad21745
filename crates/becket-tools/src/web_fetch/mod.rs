//! WebFetch: a page of the web, as an answer to a question about it.
//!
//! - `place`: where a URL leads, and whether a model's call may go there.
//! - `fetch`: the request, redirects, bounds.
//! - `page`, `html`, `markup`, `lines`: what came, as text.
//! - `tool`: the tool, and the small model that reads the page for the one that asked.

mod fetch;
mod html;
mod lines;
mod markup;
mod page;
mod place;
mod tool;

pub use tool::WebFetch;

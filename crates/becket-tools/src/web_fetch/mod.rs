//! WebFetch: a page of the web, as an answer to a question about it.
//!
//! - `place`: the target of a URL, and the decision whether a model's call may go there.
//! - `fetch`: the request, redirects, limits.
//! - `page`, `html`, `markup`, `lines`: the response as text.
//! - `tool`: the tool, and the small model that reads the page for the calling one.

mod fetch;
mod html;
mod lines;
mod markup;
mod page;
mod place;
mod tool;

pub use tool::WebFetch;

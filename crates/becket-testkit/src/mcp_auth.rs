//! An MCP server that requires a login, and its authorisation server, in one process on a loopback port.
//!
//! The authorisation server checks the same as a real one: the redirect address, PKCE with S256, the resource, that a
//! code and a refresh token are used once, and the authentication of a client. Its login page accepts every user.
//!
//! - [`AuthPlan`] defines what it publishes and issues, and overrides single responses.
//! - [`AuthServer`] runs it, counts, and lets tokens expire.
//! - [`browse`] and [`log_in`] act as the user's browser.

mod browser;
mod form;
mod issue;
mod plan;
mod server;

pub use browser::{Page, browse, log_in};
pub use plan::AuthPlan;
pub use server::AuthServer;

#[cfg(test)]
mod tests;

//! An MCP server that wants a login, and the authorisation server that gives it, in one process on a loopback port.
//!
//! The authorisation server checks what a real one checks: the redirect address, PKCE with S256, the resource, that a code
//! and a refresh token are used once, and how a client proves who it is. Its login page lets everybody in.
//!
//! - [`AuthPlan`] says what it publishes and gives, and answers single requests otherwise.
//! - [`AuthServer`] runs it, counts, and lets tokens expire.
//! - [`browse`] and [`log_in`] stand for the user's browser.

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

//! The kinds of handlers, a folder each, and the context that they run in.

#[cfg(feature = "models")]
pub(crate) mod agent;
pub(crate) mod callback;
pub(crate) mod command;
pub(crate) mod context;
pub(crate) mod host_services;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod interceptor;
pub(crate) mod mcp;
#[cfg(feature = "models")]
pub(crate) mod prompt;
pub(crate) mod questions;

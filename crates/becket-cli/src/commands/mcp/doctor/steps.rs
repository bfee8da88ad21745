//! The steps of connecting to a server, in order.

use becket_embed::view::mcp::McpStep;
use std::fmt::Display;
use std::time::Instant;

/// The steps so far.
#[derive(Default)]
pub(super) struct Steps(pub(super) Vec<McpStep>);

impl Steps {
    /// Adds a step that succeeded.
    pub(super) fn good(&mut self, what: &str, begun: Option<Instant>, detail: impl Display) {
        self.add(what, true, begun, &detail);
    }

    /// Adds a step that failed, and how to fix it.
    pub(super) fn bad(&mut self, what: &str, begun: Option<Instant>, detail: impl Display) {
        self.add(what, false, begun, &detail);
    }

    fn add(&mut self, what: &str, ok: bool, begun: Option<Instant>, detail: &dyn Display) {
        let ms = begun.map(|begun| begun.elapsed().as_secs_f64() * 1e3);
        self.0.push(McpStep { what: what.to_owned(), ok, said: detail.to_string(), ms });
    }
}

//! The state that all connections of a pool share. Nothing of it owns the pool.

use std::sync::Arc;

use becket_process::{CancellationToken, Runner};

use super::board::Board;
use super::lanes::Lanes;
use super::needed::Needed;
use crate::catalog::Catalog;
use crate::connection::{Lent, Ways};
use crate::host::Host;
use crate::options::Options;

/// Shared by the pool and its attempts.
pub(super) struct Common {
    pub(super) options: Options,
    pub(super) runner: Runner,
    pub(super) lent: Lent,
    pub(super) lanes: Lanes,
    pub(super) ways: Ways,
    pub(super) needed: Needed,
    pub(super) catalog: Arc<Catalog>,
    pub(super) board: Arc<Board>,
    /// True once the pool is closed: no server is connected any longer.
    pub(super) closed: CancellationToken,
}

impl Common {
    pub(super) fn new(options: Options, host: Arc<dyn Host>) -> Self {
        let (lanes, lent) = (Lanes::new(&options), Lent::new(host, options.question_limit));
        let (runner, board, catalog) = (Runner::new(), Arc::default(), Arc::default());
        let (ways, needed) = (Ways::new(&options), Needed::new(options.auth_needed.clone()));
        let closed = CancellationToken::new();
        Self { options, runner, lent, lanes, ways, needed, catalog, board, closed }
    }
}

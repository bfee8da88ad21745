//! Requests to the host on behalf of a server. A host that panics, hangs or has ended causes no more than a refusal to
//! the server.
//!
//! INVARIANT: the host receives only requests for capabilities that it offers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use becket_process::CancellationToken;
use futures_util::FutureExt;
use serde_json::{Map, Value};

use crate::host::{
    Elicitation, ElicitationAnswer, Host, LogMessage, Offers, Progress, ProgressListener, Root,
};

/// A handle to the host, for connections.
#[derive(Clone)]
pub(crate) struct HostHandle {
    host: Arc<dyn Host>,
    offers: Offers,
    /// The time limit on an answer.
    limit: Duration,
}

/// The reason why the host gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HostFailure {
    #[error("this client does not offer that")]
    NotOffered,
    #[error("this client gave no answer in time")]
    TooLate,
    #[error("this client failed")]
    Panicked,
    #[error("the question was withdrawn")]
    Withdrawn,
}

impl HostHandle {
    /// Queries the host's offers once; a host that panics then offers nothing.
    pub(crate) fn new(host: Arc<dyn Host>, limit: Duration) -> Self {
        let offers = catch_unwind(AssertUnwindSafe(|| host.offers())).unwrap_or_default();
        Self { host, offers, limit }
    }

    pub(super) fn offers(&self) -> Offers {
        self.offers
    }

    /// Asks the user, until `withdrawn` fires.
    pub(super) async fn elicit(
        &self,
        server: &str,
        asked: Elicitation,
        withdrawn: &CancellationToken,
    ) -> Result<ElicitationAnswer, HostFailure> {
        let offered = match &asked {
            Elicitation::Form { .. } => self.offers.form,
            Elicitation::Url { .. } => self.offers.url,
        };
        let cancel = CancellationToken::new();
        // A task to which the host has passed the question sees the end, too.
        let _over = cancel.clone().drop_guard();
        self.ask(offered, withdrawn, async { self.host.elicit(server, asked, &cancel).await }).await
    }

    pub(super) async fn sample(
        &self,
        server: &str,
        request: Map<String, Value>,
        withdrawn: &CancellationToken,
    ) -> Result<Result<Map<String, Value>, String>, HostFailure> {
        let cancel = CancellationToken::new();
        let _over = cancel.clone().drop_guard();
        let answer = async { self.host.sample(server, request, &cancel).await };
        self.ask(self.offers.sampling, withdrawn, answer).await
    }

    pub(super) async fn roots(
        &self,
        server: &str,
        withdrawn: &CancellationToken,
    ) -> Result<Vec<Root>, HostFailure> {
        self.ask(self.offers.roots, withdrawn, async { self.host.roots(server).await }).await
    }

    pub(super) fn completed(&self, server: &str, id: &str) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.host.completed(server, id)));
    }

    pub(super) fn progress(&self, server: &str, progress: Progress) {
        // A host that panics has not received it.
        let _ = catch_unwind(AssertUnwindSafe(|| self.host.progress(server, progress)));
    }

    pub(super) fn tell_listener(&self, listener: &ProgressListener, progress: &Progress) {
        let _ = catch_unwind(AssertUnwindSafe(|| listener.notify(progress)));
    }

    pub(super) fn log(&self, server: &str, logged: LogMessage) {
        let _ = catch_unwind(AssertUnwindSafe(|| self.host.log(server, logged)));
    }

    async fn ask<T>(
        &self,
        offered: bool,
        withdrawn: &CancellationToken,
        answer: impl Future<Output = T>,
    ) -> Result<T, HostFailure> {
        if !offered {
            return Err(HostFailure::NotOffered);
        }
        let answer = AssertUnwindSafe(answer).catch_unwind();
        tokio::select! {
            biased;
            () = withdrawn.cancelled() => Err(HostFailure::Withdrawn),
            answer = answer => answer.map_err(|_| HostFailure::Panicked),
            () = tokio::time::sleep(self.limit) => Err(HostFailure::TooLate),
        }
    }
}

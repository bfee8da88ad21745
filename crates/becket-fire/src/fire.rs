//! The hooks of one event, from its mark to the end of those in the background.

use crate::enclosing;
use crate::env_file::hand_on;
use crate::left_hooks::LeftHooks;
use crate::{FiringError, Launch, ProcessContext};
use becket_engine::{BackgroundDelivery, CancellationToken, Engine, Outcome, Wake};
use becket_model::{Event, EventKind, Session};
use tokio::time::Instant;

/// A fired event.
#[derive(Debug)]
pub struct Fired {
    /// The outcome.
    pub outcome: Outcome,
    /// The ends of hooks in the background, in order.
    pub background: Vec<BackgroundEnd>,
    /// The hooks that still run in the background.
    pub left: Option<LeftHooks>,
}

/// The treatment of hooks that continue in the background.
#[derive(Debug, Clone, Copy)]
pub enum BackgroundWait<'a> {
    /// They are awaited, each up to its own limit.
    ToTheEnd,
    /// A copy of this process waits for them, if the system has one; otherwise this one does, until a moment if there
    /// is one.
    InCopy {
        /// The session.
        launch: &'a Launch,
        /// The moment at which they are ended: hooks that don't decide must not delay the answer too long.
        until: Option<Instant>,
    },
}

/// The end of a hook in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundEnd {
    /// Texts for the model, on its next turn.
    pub context: Vec<String>,
    /// The text that wakes an idle model.
    pub reminder: Option<String>,
}

/// Fires an event, and waits for the background, too, unless a copy of this process can do that: the process ends with
/// its answer, and later output would be lost. At the end of a session hooks in the background have the budget of its
/// hooks (A5). Descendants see the mark of the event, and the agent gets the variables that hooks have set.
///
/// # Errors
/// Errors if `cancel` is cancelled; the hooks were then ended.
pub async fn fire(
    engine: &Engine,
    event: &Event,
    cancel: &CancellationToken,
    process: &ProcessContext,
    wait: BackgroundWait<'_>,
) -> Result<Fired, FiringError> {
    let mut background_end = match wait {
        BackgroundWait::ToTheEnd => None,
        BackgroundWait::InCopy { until, .. } => until,
    };
    if !engine.plan(event).runs().is_empty() {
        enclosing::show(engine.host().mark(event));
        if event.kind() == EventKind::SessionEnd {
            let end = Instant::now() + engine.host().session_end_budget(&event.session);
            background_end = Some(background_end.map_or(end, |earlier| earlier.min(end)));
        }
    }
    let outcome = engine.fire_until(event, cancel).await;
    let left = match wait {
        BackgroundWait::InCopy { launch, .. } if !cancel.is_cancelled() => {
            LeftHooks::of(engine, launch, event)
        }
        BackgroundWait::InCopy { .. } | BackgroundWait::ToTheEnd => None,
    };
    let background = match left {
        Some(_) => merged(engine.host().collect_background(&event.session.id), Vec::new()),
        None => background(engine, &event.session, cancel, background_end).await,
    };
    hand_on(engine, event, process);
    if cancel.is_cancelled() {
        Err(FiringError::Interrupted)
    } else {
        Ok(Fired { outcome, background, left })
    }
}

/// Waits for hooks in the background up to the limit of each. A signal ends them at once: an agent that ends its hook
/// kills it a moment later, and their processes would remain.
async fn background(
    engine: &Engine,
    session: &Session,
    cancel: &CancellationToken,
    end: Option<Instant>,
) -> Vec<BackgroundEnd> {
    let at_end = async {
        match end {
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = engine.host().wait_for_background(&session.id) => {}
        () = cancel.cancelled() => {}
        () = at_end => {}
    }
    let delivered = engine.host().end_background(&session.id).await;
    merged(delivered, engine.host().wait_for_rewakes(&session.id).await)
}

fn merged(delivered: Vec<BackgroundDelivery>, mut wakes: Vec<Wake>) -> Vec<BackgroundEnd> {
    let with_wake = |one: BackgroundDelivery| {
        let wake = wakes.iter().position(|wake| wake.id == one.id).map(|at| wakes.remove(at));
        BackgroundEnd { context: one.contexts, reminder: wake.map(|wake| wake.reminder) }
    };
    delivered.into_iter().map(with_wake).collect()
}

//! The state of all background hooks: which run, which wait, and which results are due. Pure: it starts nothing, ends
//! nothing and reads no clock.
//!
//! INVARIANT: an id is pending from [`Ledger::adopt`] to its one [`Ledger::finish`]; its result is then in exactly one
//! place until a caller takes it. State of one session is never visible through another. Nothing grows without a bound
//! except the queue of hooks that wait to run, which no rule allows to refuse: results and wakes that are not taken are
//! kept up to [`KEPT`] and [`KEPT_BYTES`] for each session, then the oldest is dropped and counted.

use super::{BackgroundDelivery, BackgroundHook, PendingState, Wake};
use crate::config::handler::Handler;
use crate::report::background_id::BackgroundId;
use becket_model::{EventKind, SessionId};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of hooks that run at once in one session (A1).
pub(super) const AT_ONCE: usize = 32;
/// The number of results, and of wakes, that are kept for one session until they are taken.
pub(super) const KEPT: usize = 1_024;
/// The number of bytes of text that they may contain, not counting the latest.
pub(super) const KEPT_BYTES: usize = 8 << 20;

/// The ledger. `G` is the handle by which the registry controls a pending hook.
#[derive(Debug)]
pub(super) struct Ledger<G> {
    entries: BTreeMap<BackgroundId, Entry<G>>,
    sessions: HashMap<SessionId, Account>,
    wakes: VecDeque<Wake>,
    closed: bool,
}

/// One pending hook.
#[derive(Debug)]
pub(super) struct Entry<G> {
    pub(super) session: SessionId,
    pub(super) event: EventKind,
    pub(super) handler: Arc<Handler>,
    pub(super) limit: Duration,
    /// Set if its exit 2 wakes the host (A4).
    pub(super) rewake: bool,
    pub(super) grip: G,
    state: PendingState,
    since: Instant,
    /// Set if the session was forgotten meanwhile, so that the result is dropped.
    discarded: bool,
}

/// The state of one session.
#[derive(Debug, Default)]
struct Account {
    running: usize,
    waiting: BTreeSet<BackgroundId>,
    results: VecDeque<BackgroundDelivery>,
    /// The total size of the results, in bytes.
    result_bytes: usize,
    missed_results: u64,
    wakes: usize,
    missed_wakes: u64,
    /// The number of callers that wait for the session's wakes themselves, so that no subscriber receives them.
    held: usize,
}

/// The result of an adoption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// The hook has room and starts now.
    Runs,
    /// The hook starts when a later [`Ledger::finish`] names it.
    Waits,
    /// The ledger is closed: the hook must not start at all.
    Refused,
}

impl<G> Entry<G> {
    pub(super) fn new(session: SessionId, handler: Arc<Handler>, grip: G) -> Self {
        Entry {
            session,
            event: handler.event,
            limit: handler.timeout.limit,
            handler,
            rewake: false,
            grip,
            state: PendingState::Waiting,
            since: Instant::now(),
            discarded: false,
        }
    }
}

impl<G> Ledger<G> {
    pub(super) fn new() -> Self {
        Ledger { entries: BTreeMap::new(), sessions: HashMap::new(), wakes: VecDeque::new(), closed: false }
    }

    /// Adds a hook. One that is already running does not wait, but takes up room as well.
    pub(super) fn adopt(
        &mut self,
        id: BackgroundId,
        mut entry: Entry<G>,
        already_running: bool,
    ) -> Admission {
        if self.closed {
            return Admission::Refused;
        }
        let account = self.sessions.entry(entry.session.clone()).or_default();
        let runs = already_running || account.running < AT_ONCE;
        if runs {
            account.running += 1;
            entry.state = PendingState::Running;
        } else {
            account.waiting.insert(id);
        }
        self.entries.insert(id, entry);
        if runs { Admission::Runs } else { Admission::Waits }
    }

    /// Records the end of a hook and returns the waiting hooks that start now. A second call for an id changes nothing.
    pub(super) fn finish(
        &mut self,
        id: BackgroundId,
        result: BackgroundDelivery,
        wake: Option<Wake>,
    ) -> Vec<BackgroundId> {
        let Some(entry) = self.entries.remove(&id) else { return Vec::new() };
        let account = self.sessions.entry(entry.session.clone()).or_default();
        match entry.state {
            PendingState::Waiting => drop(account.waiting.remove(&id)),
            PendingState::Running => account.running -= 1,
        }
        if !entry.discarded && !self.closed {
            account.owe(result);
            if let Some(wake) = wake {
                self.queue(wake);
            }
        }
        let started = self.fill(&entry.session);
        self.tidy(&entry.session);
        started
    }

    /// Returns the pending hooks of one session, or of all, in the order of adoption.
    pub(super) fn pending(&self, session: Option<&SessionId>) -> Vec<BackgroundHook> {
        let is_selected = |entry: &Entry<G>| session.is_none_or(|session| entry.session == *session);
        let pending = |(id, entry): (&BackgroundId, &Entry<G>)| BackgroundHook {
            id: *id,
            session: entry.session.clone(),
            event: entry.event,
            handler: entry.handler.clone(),
            state: entry.state,
            since: entry.since,
            limit: entry.limit,
        };
        self.entries.iter().filter(|(_, entry)| is_selected(entry)).map(pending).collect()
    }

    /// Takes the uncollected results of a session, oldest first.
    pub(super) fn collect(&mut self, session: &SessionId) -> Vec<BackgroundDelivery> {
        let Some(account) = self.sessions.get_mut(session) else { return Vec::new() };
        let mut results: Vec<BackgroundDelivery> = account.take_results().into();
        if let Some(oldest) = results.first_mut() {
            oldest.missed = std::mem::take(&mut account.missed_results);
        }
        self.tidy(session);
        results
    }

    /// Takes the oldest wake of a session for which no host waits.
    pub(super) fn take_wake(&mut self) -> Option<Wake> {
        let is_free = |wake: &Wake| self.sessions.get(&wake.session).is_none_or(|account| account.held == 0);
        let at = self.wakes.iter().position(is_free)?;
        let wake = self.wakes.remove(at)?;
        Some(self.hand_out(wake))
    }

    /// Takes all wakes of a session.
    pub(super) fn take_wakes_of(&mut self, session: &SessionId) -> Vec<Wake> {
        let (taken, others) =
            std::mem::take(&mut self.wakes).into_iter().partition(|wake| wake.session == *session);
        self.wakes = others;
        let taken: VecDeque<Wake> = taken;
        taken.into_iter().map(|wake| self.hand_out(wake)).collect()
    }

    /// Withholds the session's wakes from [`Ledger::take_wake`] from now on.
    pub(super) fn hold(&mut self, session: &SessionId) {
        self.sessions.entry(session.clone()).or_default().held += 1;
    }

    /// Undoes one [`Ledger::hold`].
    pub(super) fn release(&mut self, session: &SessionId) {
        if let Some(account) = self.sessions.get_mut(session) {
            account.held = account.held.saturating_sub(1);
        }
        self.tidy(session);
    }

    /// Returns the pending hooks of a session.
    pub(super) fn entries_of<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a Entry<G>> {
        self.entries.values().filter(move |entry| entry.session == *session)
    }

    /// Returns the handle of a pending hook.
    pub(super) fn grip(&mut self, id: BackgroundId) -> Option<&mut G> {
        self.entries.get_mut(&id).map(|entry| &mut entry.grip)
    }

    /// Returns whether the result of a pending hook will be kept for a caller.
    pub(super) fn is_owed(&self, id: BackgroundId) -> bool {
        !self.closed && self.entries.get(&id).is_some_and(|entry| !entry.discarded)
    }

    /// Drops all results of a session; the results of its pending hooks will be dropped too.
    pub(super) fn forget(&mut self, session: &SessionId) {
        self.wakes.retain(|wake| wake.session != *session);
        for entry in self.entries.values_mut().filter(|entry| entry.session == *session) {
            entry.discarded = true;
        }
        if let Some(account) = self.sessions.get_mut(session) {
            drop(account.take_results());
            (account.wakes, account.missed_results, account.missed_wakes) = (0, 0, 0);
        }
        self.tidy(session);
    }

    /// Closes the ledger: from now on it adopts no hook and keeps no result.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.wakes.clear();
        for account in self.sessions.values_mut() {
            drop(account.take_results());
            account.wakes = 0;
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Gives the session's free places to those that have waited longest.
    fn fill(&mut self, session: &SessionId) -> Vec<BackgroundId> {
        let mut started = Vec::new();
        let Some(account) = self.sessions.get_mut(session) else { return started };
        while account.running < AT_ONCE
            && let Some(id) = account.waiting.pop_first()
        {
            account.running += 1;
            started.push(id);
        }
        for id in &started {
            if let Some(entry) = self.entries.get_mut(id) {
                (entry.state, entry.since) = (PendingState::Running, Instant::now());
            }
        }
        started
    }

    fn queue(&mut self, wake: Wake) {
        let account = self.sessions.entry(wake.session.clone()).or_default();
        let of_the_session = |kept: &&Wake| kept.session == wake.session;
        let mut bytes: usize = self.wakes.iter().filter(of_the_session).map(Wake::weight).sum();
        while account.wakes == KEPT || (account.wakes > 0 && bytes + wake.weight() > KEPT_BYTES) {
            account.missed_wakes += 1;
            account.wakes -= 1;
            let oldest = self.wakes.iter().position(|kept| of_the_session(&kept));
            bytes -= oldest.and_then(|at| self.wakes.remove(at)).map_or(0, |wake| wake.weight());
        }
        account.wakes += 1;
        self.wakes.push_back(wake);
    }

    fn hand_out(&mut self, mut wake: Wake) -> Wake {
        if let Some(account) = self.sessions.get_mut(&wake.session) {
            account.wakes = account.wakes.saturating_sub(1);
            wake.missed = std::mem::take(&mut account.missed_wakes);
        }
        self.tidy(&wake.session);
        wake
    }

    /// Drops the account of a session once it is empty.
    fn tidy(&mut self, session: &SessionId) {
        if self.sessions.get(session).is_some_and(Account::is_empty) {
            self.sessions.remove(session);
        }
    }
}

impl Account {
    fn owe(&mut self, result: BackgroundDelivery) {
        let weight = result.weight();
        while self.results.len() == KEPT || self.result_bytes + weight > KEPT_BYTES {
            let Some(oldest) = self.results.pop_front() else { break };
            self.result_bytes -= oldest.weight();
            self.missed_results += 1;
        }
        self.result_bytes += weight;
        self.results.push_back(result);
    }

    fn take_results(&mut self) -> VecDeque<BackgroundDelivery> {
        self.result_bytes = 0;
        std::mem::take(&mut self.results)
    }

    fn is_empty(&self) -> bool {
        self.running == 0
            && self.waiting.is_empty()
            && self.results.is_empty()
            && self.wakes == 0
            && self.held == 0
    }
}

#[cfg(test)]
mod tests;

//! The time that a session waits for hooks.

use super::distribution::milliseconds;
use super::report::SessionProfile;
use std::collections::VecDeque;

/// The maximum number of waiting intervals that may still be joined: later events rarely begin before the last of so
/// many.
const OPEN: usize = 64;

/// The length of a session, and the part of it that it waited. Events at the same time count once.
#[derive(Debug, Default)]
pub(super) struct SessionTimes {
    host: String,
    first: u64,
    last: u64,
    events: u64,
    waited: u64,
    open: VecDeque<(u64, u64)>,
}

impl SessionTimes {
    pub(super) fn at(host: &str, time: u64) -> Self {
        SessionTimes { host: host.to_owned(), first: time, last: time, ..SessionTimes::default() }
    }

    /// Extends the session to a moment.
    pub(super) fn extend(&mut self, time: u64) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }

    /// Adds an event. Events come in the order of their ends.
    pub(super) fn wait(&mut self, from: u64, us: u64) {
        let (mut from, mut to) = (from, from.saturating_add(us));
        self.extend(from);
        self.extend(to);
        self.events += 1;
        while let Some((begin, end)) = self.open.pop_back() {
            if end < from {
                self.open.push_back((begin, end));
                break;
            }
            from = from.min(begin);
            to = to.max(end);
        }
        self.open.push_back((from, to));
        if self.open.len() > OPEN
            && let Some((begin, end)) = self.open.pop_front()
        {
            self.waited = self.waited.saturating_add(end - begin);
        }
    }

    pub(super) fn report(&self, id: &str) -> SessionProfile {
        let open: u64 = self.open.iter().map(|(begin, end)| end - begin).sum();
        let (waiting, span) = (self.waited.saturating_add(open), self.last.saturating_sub(self.first));
        SessionProfile {
            session: id.to_owned(),
            host: self.host.clone(),
            events: self.events,
            waiting: milliseconds(waiting),
            span: milliseconds(span),
            share: if span == 0 { 0.0 } else { waiting as f64 / span as f64 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_at_the_same_time_count_once() {
        let mut session = SessionTimes::at("run", 0);
        // In the order of their ends: two apart, then one over both, and one inside of it.
        for (from, us) in [(10, 5), (20, 5), (8, 22), (28, 2), (90, 10)] {
            session.wait(from, us);
        }
        let report = session.report("s");
        assert_eq!((report.waiting, report.span, report.events), (0.032, 0.1, 5));
        assert!((report.share - 0.32).abs() < 1e-9);
    }

    #[test]
    fn a_long_session_keeps_few_stretches() {
        let mut session = SessionTimes::at("run", 0);
        (0..1_000).for_each(|at| session.wait(at * 10, 5));
        assert_eq!((session.report("s").waiting, session.open.len()), (5.0, OPEN));
    }
}

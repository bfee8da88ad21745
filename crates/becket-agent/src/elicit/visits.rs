//! The visits that servers have requested and not yet reported as done.
//!
//! INVARIANT: a server can report only its own visits as done, each once; the number of visits kept for a server is
//! limited, however many it requests.

use becket_mcp::Elicitation;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of visits kept for one server; the oldest is removed first.
const MOST: usize = 64;

/// The ids of visits, by server.
#[derive(Default)]
pub(super) struct Visits(Arc<Mutex<HashMap<String, VecDeque<String>>>>);

/// A visit that the user is asked for; dropping it removes the visit.
pub(super) struct Visit {
    all: Visits,
    /// The server and the id; `None` for a form, or for a visit without an id.
    of: Option<(String, String)>,
}

impl Visits {
    /// Records a question. A server may report a visit as done before the user has answered.
    pub(super) fn begin(&self, server: &str, asked: &Elicitation) -> Visit {
        let of = match asked {
            Elicitation::Url { id, .. } if !id.is_empty() => Some((server.to_owned(), id.clone())),
            Elicitation::Url { .. } | Elicitation::Form { .. } => None,
        };
        if let Some((server, id)) = &of {
            self.with(server, |ids| {
                ids.retain(|known| known != id);
                if ids.len() == MOST {
                    ids.pop_front();
                }
                ids.push_back(id.clone());
            });
        }
        Visit { all: Visits(Arc::clone(&self.0)), of }
    }

    /// Removes a visit that a server reports as done; returns whether it was recorded.
    pub(super) fn complete(&self, server: &str, id: &str) -> bool {
        self.with(server, |ids| {
            let before = ids.len();
            ids.retain(|known| known != id);
            ids.len() < before
        })
    }

    fn with<T>(&self, server: &str, change: impl FnOnce(&mut VecDeque<String>) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = all.entry(server.to_owned()).or_default();
        let done = change(ids);
        if ids.is_empty() {
            all.remove(server);
        }
        done
    }
}

impl Visit {
    /// Keeps the visit: the user has opened the address, and the server will report when it is done.
    pub(super) fn goes_on(mut self) {
        self.of = None;
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some((server, id)) = &self.of {
            self.all.complete(server, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(id: &str) -> Elicitation {
        Elicitation::Url { message: "go".into(), url: "https://example.org".into(), id: id.into() }
    }

    // rule: X6
    #[test]
    fn a_visit_is_done_once_and_only_where_it_was_asked_for() {
        let visits = Visits::default();
        visits.begin("it", &visit("a")).goes_on();
        assert!(!visits.complete("other", "a") && !visits.complete("it", "b"));
        assert!(visits.complete("it", "a") && !visits.complete("it", "a"));
        drop(visits.begin("it", &visit("declined")));
        assert!(!visits.complete("it", "declined"));
        let waits = visits.begin("it", &visit("early"));
        assert!(visits.complete("it", "early"), "before the user has said anything");
        waits.goes_on();
        visits.begin("it", &visit("")).goes_on();
        assert!(!visits.complete("it", ""));
    }

    // rule: X6
    #[test]
    fn what_is_kept_of_a_server_is_bounded() {
        let visits = Visits::default();
        visits.begin("quiet", &visit("0")).goes_on();
        for id in 0..=MOST {
            visits.begin("loud", &visit(&id.to_string())).goes_on();
        }
        assert!(!visits.complete("loud", "0") && visits.complete("loud", "1"));
        assert!(visits.complete("quiet", "0"));
        assert!((2..=MOST).all(|id| visits.complete("loud", &id.to_string())));
        assert!(visits.0.lock().unwrap().is_empty());
    }
}

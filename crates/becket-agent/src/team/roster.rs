//! Who is in a team, and what each of them does. In memory: teammates end with their session.
//!
//! INVARIANT: between a message for a teammate that waits and its work on it there is no moment at which it counts as
//! idle, so who waits for the team never goes too early.

use becket_model::AgentId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What the lead of a team is called.
pub(crate) const LEAD: &str = "team-lead";

/// What a teammate does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Works,
    Waits,
    Gone,
}

#[derive(Debug)]
struct Mate {
    name: Arc<str>,
    agent: AgentId,
    state: State,
    /// Whether something has been put into its box since it looked.
    mail: bool,
}

#[derive(Debug, Default)]
struct List {
    mates: Vec<Mate>,
    /// Whether something may be in the lead's box.
    lead_mail: bool,
    /// What the lead is to be told.
    notes: Vec<String>,
}

/// How a team stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Something is in the lead's box.
    Mail,
    /// Somebody works.
    Works,
    /// Nobody works, and the lead has not heard all of it.
    Notes,
    /// Nobody works, and there is nothing to say.
    Still,
}

/// Who is in a team.
#[derive(Debug)]
pub(super) struct Roster {
    list: Mutex<List>,
    /// News each time something changes.
    news: watch::Sender<()>,
}

impl Roster {
    pub(super) fn new() -> Self {
        // A session that is gone on with may have a message of the last time.
        let list = List { lead_mail: true, ..List::default() };
        Self { list: Mutex::new(list), news: watch::Sender::new(()) }
    }

    /// Adds a teammate, which works; false where there is one of that name.
    pub(super) fn join(&self, name: &str, agent: AgentId) -> bool {
        let mut list = self.lock();
        if name == LEAD || list.mates.iter().any(|mate| *mate.name == *name && mate.state != State::Gone) {
            return false;
        }
        list.mates.retain(|mate| *mate.name != *name);
        list.mates.push(Mate { name: name.into(), agent, state: State::Works, mail: false });
        true
    }

    /// The names of those who are there.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let list = self.lock();
        let there = list.mates.iter().filter(|mate| mate.state != State::Gone);
        there.map(|mate| Arc::clone(&mate.name)).collect()
    }

    /// Which teammate an agent is.
    pub(super) fn name_of(&self, agent: &AgentId) -> Option<Arc<str>> {
        let list = self.lock();
        list.mates.iter().find(|mate| mate.agent == *agent).map(|mate| Arc::clone(&mate.name))
    }

    /// Something was put into a box.
    pub(super) fn posted(&self, to: &str) {
        let mut list = self.lock();
        if to == LEAD {
            list.lead_mail = true;
        }
        for mate in list.mates.iter_mut().filter(|mate| *mate.name == *to && mate.state != State::Gone) {
            (mate.mail, mate.state) = (true, State::Works);
        }
        drop(list);
        self.news.send_replace(());
    }

    /// Whether somebody has to look into their box; they do then.
    pub(super) fn looks(&self, who: &str) -> bool {
        let mut list = self.lock();
        if who == LEAD {
            return std::mem::take(&mut list.lead_mail);
        }
        let mate = list.mates.iter_mut().find(|mate| *mate.name == *who);
        mate.is_some_and(|mate| std::mem::take(&mut mate.mail))
    }

    /// A teammate has nothing to do: the lead is to be told, and it waits for a message. It goes on at once where there is
    /// one.
    pub(super) async fn idle(&self, who: &str, note: String) {
        let mut news = self.news.subscribe();
        if !self.rests(who, Some(note)) {
            return;
        }
        self.news.send_replace(());
        while self.rests(who, None) {
            // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
            let _ = news.changed().await;
        }
    }

    /// Whether a teammate has nothing to do; it waits then.
    fn rests(&self, who: &str, note: Option<String>) -> bool {
        let mut list = self.lock();
        let Some(mate) = list.mates.iter_mut().find(|mate| *mate.name == *who) else { return false };
        if mate.mail {
            mate.state = State::Works;
            return false;
        }
        mate.state = State::Waits;
        list.notes.extend(note);
        true
    }

    /// A teammate has ended; the lead is to be told why.
    pub(super) fn gone(&self, who: &str, note: Option<String>) {
        let mut list = self.lock();
        for mate in list.mates.iter_mut().filter(|mate| *mate.name == *who) {
            mate.state = State::Gone;
        }
        list.notes.extend(note);
        drop(list);
        self.news.send_replace(());
    }

    /// What the lead is to be told; once.
    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notes)
    }

    pub(super) fn stands(&self) -> Stands {
        let list = self.lock();
        if list.lead_mail {
            return Stands::Mail;
        }
        match list.mates.iter().any(|mate| mate.state == State::Works) {
            true => Stands::Works,
            false if list.notes.is_empty() => Stands::Still,
            false => Stands::Notes,
        }
    }

    /// Told of each change from now on.
    pub(super) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The members of a team and their activity, in memory: teammates end with their session.
//!
//! INVARIANT: between a message for a waiting teammate and its work on it there is no moment at which it counts as
//! idle, so a caller that waits for the team never returns too early.

use becket_model::AgentId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The name of a team's lead.
pub(crate) const LEAD: &str = "team-lead";

/// The activity of a teammate.
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
    /// Set if a message has arrived since it last checked.
    mail: bool,
}

#[derive(Debug, Default)]
struct List {
    mates: Vec<Mate>,
    /// Set if the lead may have messages.
    lead_mail: bool,
    /// The notes for the lead.
    notes: Vec<String>,
}

/// The state of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TeamState {
    /// The lead has messages.
    Mail,
    /// A teammate is working.
    Working,
    /// No teammate is working, and the lead has unread notes.
    Notes,
    /// No teammate is working, and there are no notes.
    Idle,
}

/// The members of a team.
#[derive(Debug)]
pub(super) struct Roster {
    list: Mutex<List>,
    /// Notifies of each change.
    news: watch::Sender<()>,
}

impl Roster {
    pub(super) fn new() -> Self {
        // A resumed session may have an unread message from before.
        let list = List { lead_mail: true, ..List::default() };
        Self { list: Mutex::new(list), news: watch::Sender::new(()) }
    }

    /// Adds a working teammate; returns false if there is one with that name.
    pub(super) fn join(&self, name: &str, agent: AgentId) -> bool {
        let mut list = self.lock();
        if name == LEAD || list.mates.iter().any(|mate| *mate.name == *name && mate.state != State::Gone) {
            return false;
        }
        list.mates.retain(|mate| *mate.name != *name);
        list.mates.push(Mate { name: name.into(), agent, state: State::Works, mail: false });
        true
    }

    /// Returns the names of the members.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let list = self.lock();
        let there = list.mates.iter().filter(|mate| mate.state != State::Gone);
        there.map(|mate| Arc::clone(&mate.name)).collect()
    }

    /// Returns the name of the teammate with this agent id.
    pub(super) fn name_of(&self, agent: &AgentId) -> Option<Arc<str>> {
        let list = self.lock();
        list.mates.iter().find(|mate| mate.agent == *agent).map(|mate| Arc::clone(&mate.name))
    }

    /// Records that a message was put into a mailbox.
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

    /// Returns whether a member has to read its mailbox; clears that flag.
    pub(super) fn looks(&self, who: &str) -> bool {
        let mut list = self.lock();
        if who == LEAD {
            return std::mem::take(&mut list.lead_mail);
        }
        let mate = list.mates.iter_mut().find(|mate| *mate.name == *who);
        mate.is_some_and(|mate| std::mem::take(&mut mate.mail))
    }

    /// Marks a teammate as idle, notifies the lead, and waits for a message. Returns at once if there is one.
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

    /// Marks a teammate as idle, unless it has messages; returns whether it is idle.
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

    /// Records a teammate's end, with the reason for the lead.
    pub(super) fn record_end(&self, who: &str, note: Option<String>) {
        let mut list = self.lock();
        for mate in list.mates.iter_mut().filter(|mate| *mate.name == *who) {
            mate.state = State::Gone;
        }
        list.notes.extend(note);
        drop(list);
        self.news.send_replace(());
    }

    /// Takes the notes for the lead.
    pub(super) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().notes)
    }

    pub(super) fn state(&self) -> TeamState {
        let list = self.lock();
        if list.lead_mail {
            return TeamState::Mail;
        }
        match list.mates.iter().any(|mate| mate.state == State::Works) {
            true => TeamState::Working,
            false if list.notes.is_empty() => TeamState::Idle,
            false => TeamState::Notes,
        }
    }

    /// Returns a receiver that is notified of each change from now on.
    pub(super) fn news(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! A session's shared task list and, if it leads a team, its teammates and their messages.
//!
//! INVARIANT: one team per session, whose list and name do not change while it has teammates.

use super::list::{ChangeError, ListedTask, TaskFile};
use super::mail::{Mail, MailError, Mailboxes};
use super::roster::{LEAD, Roster, TeamState};
use super::seat::Seat;
use super::shared_file::SharedFileError;
use becket_base::text::hex;
use becket_engine::CancellationToken;
use becket_model::{AgentId, Session};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The maximum number of characters of a name.
const LONGEST: usize = 64;

/// An invalid name in a team: it may only contain letters, digits, `_` and `-`, since it is also used as a file name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a name for it: use 1 to {LONGEST} letters, digits, `_` and `-`")]
pub struct NameError(String);

/// Checks that a text is a valid name of a team or a teammate.
///
/// # Errors
/// [`NameError`] if it is not.
pub(crate) fn check_name(name: &str) -> Result<(), NameError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fits = !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain);
    if fits { Ok(()) } else { Err(NameError(becket_tools::schema::brief(name))) }
}

/// A session's shared task list and, if it leads a team, its teammates. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct Team {
    inner: Arc<Inner>,
}

struct Inner {
    /// Becket's own directory.
    directory: PathBuf,
    leads: Leads,
    roster: Roster,
}

/// The session's role as the lead of a team.
enum Leads {
    /// No teammates: each session has its own list.
    Nobody,
    /// A team, named after the session if no name was given.
    Team { name: OnceLock<String>, session: OnceLock<String> },
}

impl Team {
    /// Creates the list of a session without teammates, below `directory`: `tasks/<session>/tasks.json`.
    pub(crate) fn without_teammates(directory: impl Into<PathBuf>) -> Self {
        Self::of(directory.into(), Leads::Nobody)
    }

    /// Creates the list of a session that leads a team: `teams/<name>/tasks.json` below `directory`. Sessions that use
    /// the same name share it. Without a name the team is named after the session.
    ///
    /// # Errors
    /// Errors if the name is not a valid file name: see [`NameError`].
    pub(crate) fn with_teammates(
        directory: impl Into<PathBuf>,
        name: Option<&str>,
    ) -> Result<Self, NameError> {
        name.map_or(Ok(()), check_name)?;
        let name = name.map_or_else(OnceLock::new, |name| OnceLock::from(name.to_owned()));
        Ok(Self::of(directory.into(), Leads::Team { name, session: OnceLock::new() }))
    }

    fn of(directory: PathBuf, leads: Leads) -> Self {
        Self { inner: Arc::new(Inner { directory, leads, roster: Roster::new() }) }
    }

    /// Returns whether there may be teammates.
    #[must_use]
    pub(crate) fn has_teammates(&self) -> bool {
        matches!(self.inner.leads, Leads::Team { .. })
    }

    /// Returns the team's name as events contain it; `None` without teammates.
    #[must_use]
    pub fn name(&self, session: &Session) -> Option<&str> {
        match &self.inner.leads {
            Leads::Nobody => None,
            Leads::Team { name, .. } => Some(name.get_or_init(|| {
                let id: String = component(session.id.as_str()).chars().take(8).collect();
                format!("session-{id}")
            })),
        }
    }

    /// Returns the task list.
    #[must_use]
    pub fn list(&self, session: &Session) -> TaskFile {
        TaskFile::new(&self.place(session))
    }

    fn place(&self, session: &Session) -> PathBuf {
        let directory = &self.inner.directory;
        match self.name(session) {
            Some(name) => directory.join("teams").join(name),
            None => directory.join("tasks").join(component(session.id.as_str())),
        }
    }

    /// Returns the teammate that fires an event or calls a tool; `None` for the lead or another agent.
    #[must_use]
    pub fn teammate(&self, session: &Session) -> Option<Arc<str>> {
        let agent = session.agent.as_ref()?.id.as_ref()?;
        self.inner.roster.name_of(agent)
    }

    /// Returns the tasks that a teammate works on.
    pub(crate) async fn in_progress(
        &self,
        who: &str,
        session: &Session,
        cancel: &CancellationToken,
    ) -> Result<Vec<ListedTask>, ChangeError> {
        Ok(self.list(session).all(cancel).await?.in_progress_of(who))
    }

    /// Returns the names of all possible receivers.
    pub(crate) fn members(&self) -> Vec<Arc<str>> {
        let mut names = vec![Arc::from(LEAD)];
        names.extend(self.inner.roster.names());
        names
    }

    /// Adds a new teammate, which is removed when the seat is dropped.
    pub(crate) fn join(&self, name: &str, agent: &AgentId, session: &Session) -> Result<Seat, String> {
        let Some(team) = self.name(session) else {
            return Err("this session has no team, so an agent can't have a `name`".to_owned());
        };
        check_name(name).map_err(|error| error.to_string())?;
        if !self.inner.roster.join(name, agent.clone()) {
            return Err(format!("there is a teammate `{name}` already: choose another name"));
        }
        Ok(Seat::new(self.clone(), name, team, session.clone()))
    }

    /// Sends a message to a member.
    pub(crate) async fn post(
        &self,
        to: &str,
        mail: Mail,
        session: &Session,
        cancel: &CancellationToken,
    ) -> Result<(), MailError> {
        let boxes = self.boxes(session);
        let posted = boxes.post(to, mail, cancel).await;
        let lies_there = match &posted {
            Ok(()) => true,
            // The write may have finished after its caller had gone: without a reader for the mailbox, the message
            // would be lost.
            Err(MailError::File(SharedFileError::Halted(_))) => {
                boxes.waiting(to).await.is_ok_and(|mail| !mail.is_empty())
            }
            Err(MailError::Full(_) | MailError::File(_)) => false,
        };
        if lies_there {
            self.inner.roster.posted(to);
        }
        posted
    }

    /// Returns a member's messages, if any have arrived since the last call. They are kept until [`Team::heard`].
    pub(crate) async fn mail(&self, who: Option<&str>, session: &Session) -> Result<Vec<Mail>, MailError> {
        let who = who.unwrap_or(LEAD);
        if !self.has_teammates() || !self.inner.roster.looks(who) {
            return Ok(Vec::new());
        }
        self.boxes(session).waiting(who).await
    }

    /// Removes a member's messages up to this one, once its conversation contains them.
    pub(crate) async fn acknowledge(
        &self,
        who: Option<&str>,
        up_to: u64,
        session: &Session,
    ) -> Result<(), MailError> {
        self.boxes(session).acknowledge(who.unwrap_or(LEAD), up_to).await
    }

    /// Takes the notes about teammates for the lead.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.inner.roster.take_notes()
    }

    pub(super) fn roster(&self) -> &Roster {
        &self.inner.roster
    }

    /// Waits until there is news for the lead, or no teammate is working any more; returns whether there is news. A
    /// message counts at once; an idle teammate counts only when none is working. Cancel-safe.
    pub(crate) async fn has_news(&self, session: &Session) -> bool {
        if !self.has_teammates() {
            return false;
        }
        let mut news = self.inner.roster.news();
        loop {
            match self.inner.roster.state() {
                TeamState::Mail => {
                    // In this order: messages that arrive in between are found in the next round.
                    self.inner.roster.looks(LEAD);
                    let waiting = self.boxes(session).waiting(LEAD).await;
                    // A mailbox that can't be read is reported in the turn that reads it.
                    if waiting.map_or(true, |mail| !mail.is_empty()) {
                        self.inner.roster.posted(LEAD);
                        return true;
                    }
                }
                TeamState::Notes => return true,
                TeamState::Idle => return false,
                TeamState::Working => {
                    // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
                    let _ = news.changed().await;
                }
            }
        }
    }

    /// Returns the mailboxes of the session that created the team: teammates of another session with the same names
    /// differ.
    fn boxes(&self, of: &Session) -> Mailboxes {
        let own = match &self.inner.leads {
            Leads::Nobody => component(of.id.as_str()),
            Leads::Team { session, .. } => session.get_or_init(|| component(of.id.as_str())).clone(),
        };
        Mailboxes::new(&self.place(of).join("mail").join(own))
    }
}

/// Returns a session's id as the name of a directory.
fn component(id: &str) -> String {
    match check_name(id) {
        Ok(()) => id.to_owned(),
        Err(_) => hex(&id.as_bytes()[..id.len().min(LONGEST / 2)]),
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let directory: &Path = &self.inner.directory;
        f.debug_struct("Team")
            .field("directory", &directory)
            .field("has_teammates", &self.has_teammates())
            .field("roster", &self.inner.roster)
            .finish()
    }
}

#[cfg(test)]
mod tests;

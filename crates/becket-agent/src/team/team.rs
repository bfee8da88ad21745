//! A session's shared list of tasks and, if it leads a team, its teammates and their mail.
//!
//! INVARIANT: one team per session, whose list and name stay the same as long as it has teammates.

use super::list::{ChangeError, ListedTask, TaskFile};
use super::mail::{Mail, MailError, Mailboxes};
use super::roster::{LEAD, Roster, Stands};
use super::seat::Seat;
use super::shared_file::SharedFileError;
use becket_base::text::hex;
use becket_engine::CancellationToken;
use becket_model::{AgentId, Session};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The most characters of a name.
const LONGEST: usize = 64;

/// An invalid name in a team: it has letters, digits, `_` and `-` only, since it also names a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a name for it: use 1 to {LONGEST} letters, digits, `_` and `-`")]
pub struct NameError(String);

/// Checks that a text may name a team or a teammate.
///
/// # Errors
/// [`NameError`] if it may not.
pub(crate) fn check_name(name: &str) -> Result<(), NameError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fits = !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain);
    if fits { Ok(()) } else { Err(NameError(becket_tools::schema::brief(name))) }
}

/// A session's shared list of tasks and, if it leads a team, its teammates. Cheap to clone; all clones are the same.
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

/// Leadership of teammates.
enum Leads {
    /// There are none; each session has a list of its own.
    Nobody,
    /// A team; named after the session if it was given no name.
    Team { name: OnceLock<String>, session: OnceLock<String> },
}

impl Team {
    /// The list of a session without teammates, kept below `directory`: `tasks/<session>/tasks.json`.
    pub(crate) fn without_teammates(directory: impl Into<PathBuf>) -> Self {
        Self::of(directory.into(), Leads::Nobody)
    }

    /// A session that leads a team, whose list is `teams/<name>/tasks.json` below `directory`: sessions that give the same
    /// name share it. Without a name the team is called after the session.
    ///
    /// # Errors
    /// The name names no file: see [`NameError`].
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

    /// The team's name, as events say it; none without teammates.
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

    /// The list of tasks.
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

    /// Returns the teammate that fires an event, or calls a tool; `None` for the lead, or another agent.
    #[must_use]
    pub fn teammate(&self, session: &Session) -> Option<Arc<str>> {
        let agent = session.agent.as_ref()?.id.as_ref()?;
        self.inner.roster.name_of(agent)
    }

    /// The tasks that a teammate works on.
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

    /// A new teammate. It is gone when the seat is dropped.
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
            // The write may have finished after its caller had gone: in a box without a reader the message is lost.
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

    /// Returns a member's messages, if any have come since the last call. They stay until [`Team::heard`].
    pub(crate) async fn mail(&self, who: Option<&str>, session: &Session) -> Result<Vec<Mail>, MailError> {
        let who = who.unwrap_or(LEAD);
        if !self.has_teammates() || !self.inner.roster.looks(who) {
            return Ok(Vec::new());
        }
        self.boxes(session).waiting(who).await
    }

    /// Removes a member's messages up to this one, once its conversation holds them.
    pub(crate) async fn heard(
        &self,
        who: Option<&str>,
        up_to: u64,
        session: &Session,
    ) -> Result<(), MailError> {
        self.boxes(session).heard(who.unwrap_or(LEAD), up_to).await
    }

    /// Takes the notes on teammates for the lead.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.inner.roster.take_notes()
    }

    pub(super) fn roster(&self) -> &Roster {
        &self.inner.roster
    }

    /// Waits until there is news for the lead, or no teammate works any more; returns whether there is news. A message
    /// counts
    /// at once; that a teammate is idle counts only when none works. Cancel-safe.
    pub(crate) async fn has_news(&self, session: &Session) -> bool {
        if !self.has_teammates() {
            return false;
        }
        let mut news = self.inner.roster.news();
        loop {
            match self.inner.roster.stands() {
                Stands::Mail => {
                    // In this order: what comes in between is seen in the next round.
                    self.inner.roster.looks(LEAD);
                    let waiting = self.boxes(session).waiting(LEAD).await;
                    // What can't be read is reported in the turn that reads it.
                    if waiting.map_or(true, |mail| !mail.is_empty()) {
                        self.inner.roster.posted(LEAD);
                        return true;
                    }
                }
                Stands::Notes => return true,
                Stands::Still => return false,
                Stands::Works => {
                    // INVARIANT: `self` holds the sender, so the channel can't close while this waits.
                    let _ = news.changed().await;
                }
            }
        }
    }

    /// The boxes of the session that the team was made in: teammates of another one with the same names are others.
    fn boxes(&self, of: &Session) -> Mailboxes {
        let own = match &self.inner.leads {
            Leads::Nobody => component(of.id.as_str()),
            Leads::Team { session, .. } => session.get_or_init(|| component(of.id.as_str())).clone(),
        };
        Mailboxes::new(&self.place(of).join("mail").join(own))
    }
}

/// A session's id as the name of a directory.
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

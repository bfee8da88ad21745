//! Messages between teammates and their lead, stored on disk until they are read.
//!
//! INVARIANT: a message is in its file until its receiver's conversation contains it. A session that is killed in
//! between reads it again; none is lost.

use super::shared_file::{SharedFile, SharedFileError};
use becket_engine::CancellationToken;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The maximum number of messages in a mailbox.
const MOST: usize = 1_000;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mail {
    #[serde(default)]
    pub(crate) id: u64,
    pub(crate) from: String,
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    pub(crate) at: String,
}

impl Mail {
    pub(crate) fn new(from: &str, text: &str, summary: Option<&str>) -> Self {
        let at = crate::transcript::time_text(SystemTime::now());
        Self { id: 0, from: from.to_owned(), text: text.to_owned(), summary: summary.map(str::to_owned), at }
    }

    /// Returns the text for the receiver.
    pub(crate) fn words(&self) -> String {
        let about = self.summary.as_ref().map(|summary| format!(" ({summary})")).unwrap_or_default();
        format!("Message from `{}`{about}:\n{}", self.from, self.text)
    }
}

/// The reason why a message was not sent, for the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MailError {
    #[error("{MOST} messages wait for `{0}` already: wait until some are read")]
    Full(String),
    #[error("messages can't be kept: {0}")]
    File(#[from] SharedFileError),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Mailbox {
    #[serde(default)]
    last: u64,
    #[serde(default)]
    mail: Vec<Mail>,
}

/// The mailboxes of a team, in a directory of one session.
#[derive(Debug, Clone)]
pub(super) struct Mailboxes {
    directory: PathBuf,
}

impl Mailboxes {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    fn of(&self, name: &str) -> SharedFile {
        SharedFile::new(self.directory.join(format!("{name}.json")))
    }

    /// Puts a message into a mailbox.
    pub(super) async fn post(
        &self,
        to: &str,
        mut mail: Mail,
        cancel: &CancellationToken,
    ) -> Result<(), MailError> {
        let (file, name) = (self.of(to), to.to_owned());
        let posted = file.change(cancel, |waiting: &mut Mailbox| {
            if waiting.mail.len() >= MOST {
                return Err(MailError::Full(name));
            }
            waiting.last += 1;
            mail.id = waiting.last;
            waiting.mail.push(mail);
            Ok(())
        });
        posted.await
    }

    /// Returns the messages in a mailbox, without removing them.
    pub(super) async fn waiting(&self, name: &str) -> Result<Vec<Mail>, MailError> {
        let waiting: Mailbox = self.of(name).read(&CancellationToken::new()).await?;
        Ok(waiting.mail)
    }

    /// Removes the messages in a mailbox up to this one, which have been delivered.
    pub(super) async fn acknowledge(&self, name: &str, up_to: u64) -> Result<(), MailError> {
        let (file, never) = (self.of(name), CancellationToken::new());
        let taken = file.change(&never, move |waiting: &mut Mailbox| {
            waiting.mail.retain(|mail| mail.id > up_to);
            Ok(())
        });
        taken.await
    }
}

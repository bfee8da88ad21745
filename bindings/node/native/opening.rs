//! Opening a session from JavaScript's options, and closing it.
//!
//! INVARIANT: the variables and the home come from JavaScript, whose `process.env` they are: those of this process are
//! not read here, where another thread may be changing them.

use crate::channel::Channel;
use crate::host;
use crate::observer::ChannelObserver;
use crate::person::Person;
use crate::questions::Questions;
use becket_embed::view::finding::Finding;
use becket_embed::{NotOpened, Open, Session};
use becket_engine::{Builder, CancellationToken};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// The options from JavaScript. An unknown field is an error: a misspelt one must not be ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    around: HostEnvironment,
    open: Open,
    /// True if JavaScript observes events.
    is_told: bool,
}

/// The environment of a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostEnvironment {
    pub(crate) vars: BTreeMap<String, String>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) temp: PathBuf,
    pub(crate) managed_dir: Option<PathBuf>,
    /// A script that answers instead of every model.
    pub(crate) model_script: Option<PathBuf>,
}

/// The description of an open session for JavaScript.
#[derive(Serialize)]
struct SessionInfo<'a> {
    session: &'a str,
    findings: Vec<Finding>,
}

/// A session that could not be opened.
#[derive(Debug, Serialize)]
pub(crate) struct OpenError {
    pub(crate) why: String,
    pub(crate) findings: Vec<Finding>,
}

impl OpenError {
    pub(crate) fn new(why: impl ToString) -> Self {
        OpenError { why: why.to_string(), findings: Vec::new() }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| error.to_string())
    }
}

impl From<NotOpened> for OpenError {
    fn from(error: NotOpened) -> Self {
        let why = error.to_string();
        match error {
            NotOpened::Wrong(_) => OpenError::new(why),
            NotOpened::Configuration { findings, .. } => OpenError { why, findings },
        }
    }
}

/// The channel to JavaScript, and the token that ends everything that runs.
#[derive(Clone)]
pub(crate) struct SessionContext {
    pub(crate) channel: Arc<Channel>,
    pub(crate) questions: Arc<Questions>,
    pub(crate) cancel: CancellationToken,
}

/// An open session, and the directory of its private files.
pub(crate) struct OpenSession {
    pub(crate) session: Session,
    private: PathBuf,
}

impl OpenSession {
    /// Opens a session. It reads files, so it blocks.
    ///
    /// # Errors
    /// Errors if the session could not be opened.
    pub(crate) fn open(wants: &str, with: &SessionContext) -> Result<Self, OpenError> {
        let OpenRequest { around, open, is_told } = serde_json::from_str(wants).map_err(OpenError::new)?;
        let private = around.temp.join(format!("becket-{}", Uuid::new_v4()));
        let host = host::of(around, private.clone()).map_err(OpenError::new)?;
        let (is_interactive, cancel) = (open.interactive, with.cancel.clone());
        let told_and_asked = |builder: Builder| {
            let builder =
                if is_told { builder.observe(ChannelObserver(with.channel.clone())) } else { builder };
            if is_interactive { builder.ask_user(Person(with.questions.clone())) } else { builder }
        };
        let session = host.open(open, cancel, told_and_asked)?;
        Ok(OpenSession { session, private })
    }

    /// Returns the description for JavaScript, as JSON.
    pub(crate) fn info(&self) -> Result<String, serde_json::Error> {
        let findings = self.session.check().findings;
        serde_json::to_string(&SessionInfo { session: self.session.id(), findings })
    }

    /// Ends everything that it runs, and deletes its private files.
    pub(crate) async fn close(&self) {
        self.session.close().await;
        // The directory exists only if a hook needed it.
        drop(std::fs::remove_dir_all(&self.private));
    }
}

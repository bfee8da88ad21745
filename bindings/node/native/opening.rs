//! Opening a session from JavaScript's options, and closing it.
//!
//! INVARIANT: the variables and the home come from JavaScript, whose `process.env` they are: those of this process are
//! not read here, where another thread may be changing them.

use crate::asked::Questions;
use crate::host;
use crate::line::Line;
use crate::person::Person;
use crate::told::Observing;
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
struct Wants {
    around: Around,
    open: Open,
    /// True if JavaScript observes events.
    is_told: bool,
}

/// The environment of a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Around {
    pub(crate) vars: BTreeMap<String, String>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) temp: PathBuf,
    pub(crate) managed_dir: Option<PathBuf>,
    /// A script that answers in the place of every model.
    pub(crate) model_script: Option<PathBuf>,
}

/// The description of an open session for JavaScript.
#[derive(Serialize)]
struct Opened<'a> {
    session: &'a str,
    findings: Vec<Finding>,
}

/// A session that could not be opened.
#[derive(Debug, Serialize)]
pub(crate) struct Refused {
    pub(crate) why: String,
    pub(crate) findings: Vec<Finding>,
}

impl Refused {
    pub(crate) fn because(why: impl ToString) -> Self {
        Refused { why: why.to_string(), findings: Vec::new() }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| error.to_string())
    }
}

impl From<NotOpened> for Refused {
    fn from(error: NotOpened) -> Self {
        let why = error.to_string();
        match error {
            NotOpened::Wrong(_) => Refused::because(why),
            NotOpened::Configuration { findings, .. } => Refused { why, findings },
        }
    }
}

/// The line to JavaScript, and the token that ends everything that runs.
#[derive(Clone)]
pub(crate) struct With {
    pub(crate) line: Arc<Line>,
    pub(crate) questions: Arc<Questions>,
    pub(crate) cancel: CancellationToken,
}

/// An open session, and the directory of its private files.
pub(crate) struct OpenSession {
    pub(crate) session: Session,
    private: PathBuf,
}

impl OpenSession {
    /// Opens one. It reads files, so it blocks.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn open(wants: &str, with: &With) -> Result<Self, Refused> {
        let Wants { around, open, is_told } = serde_json::from_str(wants).map_err(Refused::because)?;
        let private = around.temp.join(format!("becket-{}", Uuid::new_v4()));
        let host = host::of(around, private.clone()).map_err(Refused::because)?;
        let (is_interactive, cancel) = (open.interactive, with.cancel.clone());
        let told_and_asked = |builder: Builder| {
            let builder = if is_told { builder.observe(Observing(with.line.clone())) } else { builder };
            if is_interactive { builder.ask_user(Person(with.questions.clone())) } else { builder }
        };
        let session = host.open(open, cancel, told_and_asked)?;
        Ok(OpenSession { session, private })
    }

    /// Returns the description for JavaScript, as JSON.
    pub(crate) fn told(&self) -> Result<String, serde_json::Error> {
        let findings = self.session.check().findings;
        serde_json::to_string(&Opened { session: self.session.id(), findings })
    }

    /// Ends all that it runs, and deletes its private files.
    pub(crate) async fn close(&self) {
        self.session.close().await;
        // The directory exists only if a hook needed it.
        drop(std::fs::remove_dir_all(&self.private));
    }
}

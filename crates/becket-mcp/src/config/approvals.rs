//! Approved contents of a project's servers. Pure: text in, text out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;

/// A user's approvals.
///
/// Each is for one project, one name and one fingerprint, which an entry's directory below the project's root is a part
/// of: the same command line means another program in another directory. Every change in an entry needs a new approval.
/// It does not cover the behaviour of the named program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    projects: BTreeMap<String, BTreeMap<String, Fingerprint>>,
}

/// The text is not a file of approvals, so nothing counts as approved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the approvals of MCP servers can't be read, so none counts: {why}: remove the file, and approve again"
)]
pub struct ApprovalsError {
    why: String,
}

/// The format of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: u32,
    projects: BTreeMap<String, BTreeMap<String, String>>,
}

const VERSION: u32 = 1;

impl Approvals {
    /// Parses the output of [`Approvals::to_text`]. An empty text has no approvals.
    ///
    /// # Errors
    /// Errors if the text has another format, or that of a later version.
    pub fn parse(text: &str) -> Result<Self, ApprovalsError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let wrong = |why: String| ApprovalsError { why };
        let Wire { version, projects } =
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if version != VERSION {
            return Err(wrong(format!("they are of version {version}, and this reads version {VERSION}")));
        }
        let mut approvals = Self::default();
        for (project, servers) in projects {
            for (server, text) in servers {
                let fingerprint = Fingerprint::parse(&text)
                    .ok_or_else(|| wrong("a fingerprint is not `sha256:` and 64 digits".to_owned()))?;
                approvals.approve(&project, &server, fingerprint);
            }
        }
        Ok(approvals)
    }

    /// Returns the text for the file, keys sorted.
    #[must_use]
    pub fn to_text(&self) -> String {
        let servers = |servers: &BTreeMap<String, Fingerprint>| {
            servers.iter().map(|(server, fingerprint)| (server.clone(), fingerprint.to_string())).collect()
        };
        let projects = self.projects.iter().map(|(project, all)| (project.clone(), servers(all))).collect();
        // INVARIANT: maps of strings can be written.
        let text = serde_json::to_string_pretty(&Wire { version: VERSION, projects }).unwrap_or_default();
        format!("{text}\n")
    }

    /// Approves a content, replacing an earlier approval of that name. `project` is a stable name of the project, such
    /// as its canonical path.
    pub fn approve(&mut self, project: &str, server: &str, fingerprint: Fingerprint) {
        self.projects.entry(project.to_owned()).or_default().insert(server.to_owned(), fingerprint);
    }

    /// Revokes the approval of a server, or of every server of a project; returns whether there was one.
    pub fn forget(&mut self, project: &str, server: Option<&str>) -> bool {
        let Some(server) = server else { return self.projects.remove(project).is_some() };
        let Some(servers) = self.projects.get_mut(project) else { return false };
        let was = servers.remove(server).is_some();
        if servers.is_empty() {
            self.projects.remove(project);
        }
        was
    }

    /// Returns the approved content under a name.
    #[must_use]
    pub fn of(&self, project: &str, server: &str) -> Option<&Fingerprint> {
        self.projects.get(project)?.get(server)
    }
}

//! The directory that a file of the project belongs to: its servers start there, and an approval covers it, so that a
//! relative program is the one that was approved.

use std::path::{Path, PathBuf};

use super::fingerprint::Fingerprint;
use super::grant::{Grant, IdentityProvider, PrivateKey};
use super::server::{Remote, Tls, Transport};

/// The directory of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileDirectory {
    path: PathBuf,
    /// The path from the root of the project; empty for the root.
    relative: PathBuf,
}

impl FileDirectory {
    /// Creates a directory of the project with this root.
    pub(super) fn new(path: &Path, root: &Path) -> Self {
        Self { path: path.to_owned(), relative: path.strip_prefix(root).unwrap_or(path).to_owned() }
    }

    /// Returns the fingerprint of an entry in this directory. In the root of the project, it is that of the entry.
    pub(super) fn fingerprint(&self, entry: &Fingerprint) -> Fingerprint {
        if self.relative.as_os_str().is_empty() { entry.clone() } else { entry.in_directory(&self.relative) }
    }

    /// Resolves a server's relative paths against this directory, and starts its programs there.
    pub(super) fn apply(&self, transport: &mut Transport) {
        match transport {
            Transport::Stdio(stdio) => {
                stdio.cwd =
                    Some(stdio.cwd.as_ref().map_or_else(|| self.path.clone(), |cwd| self.path.join(cwd)));
            }
            Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote) => {
                self.apply_to_remote(remote);
            }
            Transport::SseIde(_) | Transport::WsIde(_) | Transport::Proxy(_) | Transport::InProcess => {}
        }
    }

    fn apply_to_remote(&self, remote: &mut Remote) {
        let whole = |path: &mut PathBuf| *path = self.path.join(&*path);
        if remote.headers_helper.is_some() {
            remote.helper_cwd = Some(self.path.clone());
        }
        if let Some(Tls { ca, cert, key }) = &mut remote.tls {
            [ca, cert, key].into_iter().flatten().for_each(whole);
        }
        if let Some(oauth) = &mut remote.oauth {
            match &mut oauth.grant {
                Grant::Key(PrivateKey { file, .. }) | Grant::Assertion(file) => whole(file),
                Grant::Exchange(IdentityProvider { id_token, .. }) => whole(id_token),
                Grant::Code | Grant::Secret => {}
            }
        }
    }
}

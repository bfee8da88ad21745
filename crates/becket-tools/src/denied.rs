//! Files that a rule keeps from being read, for searches and recursive commands that would come across them (P7).
//!
//! The engine denies a call that names such a file. It can't see the files that a search of a directory above it would
//! show: so searches skip these files, and no command that reads whole trees runs unasked while there are any.

use becket_model::Session;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Returns whether a rule denies reading a file in a session.
pub(crate) type IsDenied = Arc<dyn Fn(&Session, &Path) -> bool + Send + Sync>;

/// Returns whether any rule denies reads now.
pub(crate) type MayDeny = Arc<dyn Fn() -> bool + Send + Sync>;

/// The denied files of one session.
#[derive(Clone)]
pub(crate) struct DeniedFiles {
    session: Session,
    is_denied: Option<IsDenied>,
}

impl DeniedFiles {
    pub(crate) fn new(session: &Session, is_denied: Option<IsDenied>) -> Self {
        Self { session: session.clone(), is_denied }
    }

    /// Returns whether the file must not be read, under its given name or its target (P8).
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.is_denied.as_ref().is_some_and(|is_denied| {
            let real = crate::places::real(path).filter(|real| real != path);
            is_denied(&self.session, path) || real.is_some_and(|real| is_denied(&self.session, &real))
        })
    }

    /// Returns whether nothing can be denied.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_denied.is_none()
    }
}

impl fmt::Debug for DeniedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Denied").field("is_empty", &self.is_empty()).finish_non_exhaustive()
    }
}

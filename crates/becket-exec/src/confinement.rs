//! The rights of a process without a supervisor.

use std::io;

use crate::error::StartError;
use crate::sys;
use becket_model::Rights;

/// Rights that are ready to be enforced, for a process that starts others with restricted rights and needs no rules
/// for them.
pub struct Confinement {
    sandbox: sys::Sandbox,
    attributes: Option<sys::AttributeSupervisor>,
}

impl Confinement {
    /// Prepares the rights. After this, entering allocates nothing and opens nothing.
    ///
    /// # Errors
    /// Returns a [`StartError`] if a right can't be taken away on this system, or a path of the rights does not exist
    /// (E5).
    pub fn new(rights: &Rights) -> Result<Self, StartError> {
        Ok(Self { sandbox: sys::confine(rights)?, attributes: None })
    }

    /// Prepares the rights for threads of this process, and starts a thread that keeps the attributes of files (mode,
    /// owner, times, extended attributes) as they are where the rights don't allow writing. [`Confinement::new`] does
    /// not restrict them. Only one thread can enter, and no other process.
    ///
    /// # Errors
    /// Errors as [`Confinement::new`] does, or if no thread can be started.
    pub fn with_attributes(rights: &Rights) -> Result<Self, StartError> {
        let attributes = Some(sys::AttributeSupervisor::start(rights)?);
        Ok(Self { sandbox: sys::confine(rights)?, attributes })
    }

    /// Takes the rights away permanently from the calling thread and from everything that it starts from now on.
    ///
    /// # Errors
    /// Errors if the system refuses, as it does for [`Confinement::with_attributes`] inside of another supervisor; then
    /// nothing may be started.
    pub fn enter(&self) -> io::Result<()> {
        self.sandbox.enter()?;
        self.attributes.as_ref().map_or(Ok(()), sys::AttributeSupervisor::enter)
    }
}

impl std::fmt::Debug for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confinement").finish_non_exhaustive()
    }
}

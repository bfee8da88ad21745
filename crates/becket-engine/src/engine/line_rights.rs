//! The rights that the settings leave to command lines (E5).

use crate::engine::host_operations::HostOperations;
use becket_model::Rights;
use std::path::{Path, PathBuf};

impl HostOperations<'_> {
    /// Returns the directory of the project (C4).
    pub fn project_directory(self) -> PathBuf {
        self.inner().snapshot().places.project_dir.clone()
    }

    /// Returns the rights of the command lines of a session in `cwd` (E5), with paths as they are written:
    /// `becket_exec::real_rights` resolves them on this system. Returns all rights if `sandbox` is not enabled.
    ///
    /// A line writes below the working directories, the directory for temporary files and what `allowWrite` names.
    ///
    /// # Errors
    /// Errors if a restriction of the settings can't be read, so no line may run: the reason, with its place.
    pub fn line_rights(self, cwd: &Path) -> Result<Rights, String> {
        let config = self.engine().config();
        let Some(grant) = &config.sandbox.lines else { return Ok(Rights::default()) };
        self.rights_of_lines(grant, cwd)
    }
}

//! The mode of a session, as far as its engine knows it (`protocol.md` P13, C5).

use crate::engine::host_operations::HostOperations;
use crate::permission::start_mode::{DISABLED, StartMode};

impl<'a> HostOperations<'a> {
    /// Returns the mode that the session starts in: the command line's, else `defaultMode` of the settings, else
    /// `default` (C5).
    pub fn start_mode(self) -> &'a StartMode {
        &self.inner().started
    }

    /// Checks that the session may be in the mode `bypassPermissions`: it was started with the mode available, and no
    /// file forbids it now (P13).
    ///
    /// # Errors
    /// Returns the reason, as a message for the user.
    pub fn may_bypass(self) -> Result<(), String> {
        if self.engine().config().policy.bypass_permissions_disabled {
            return Err(DISABLED.to_owned());
        }
        if !self.inner().started.bypass_available {
            return Err("the session was started without `bypassPermissions`".to_owned());
        }
        Ok(())
    }
}

//! The mode that a session starts in, and whether it may be `bypassPermissions` (`protocol.md` P13, C5).

use crate::config::{Config, Request};
use becket_model::event::PermissionMode;
use becket_rules::Mode;

/// The mode in which a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartMode {
    /// The mode.
    pub mode: PermissionMode,
    /// A warning for the user, if the mode is not the requested one.
    pub warning: Option<String>,
    /// Set if the session was started with `bypassPermissions` available.
    pub(crate) bypass_available: bool,
}

impl StartMode {
    /// Returns the command line's mode, else that of the files, else `default`.
    pub(crate) fn of(request: &Request, config: &Config) -> Self {
        let of_files = || config.default_mode.as_ref().map(|set| set.mode.clone());
        let requested = request.permissions.mode().map(mode_of).or_else(of_files);
        let requested = requested.unwrap_or(PermissionMode::Default);
        let bypasses = requested == PermissionMode::BypassPermissions;
        let bypass_available = bypasses || request.permissions.bypass_available();
        if bypasses && config.policy.bypass_permissions_disabled {
            let warning = format!("the session starts in the mode `default`: {DISABLED}");
            return Self { mode: PermissionMode::Default, warning: Some(warning), bypass_available };
        }
        Self { mode: requested, warning: None, bypass_available }
    }
}

pub(crate) const DISABLED: &str =
    "`disableBypassPermissionsMode` in the settings forbids `bypassPermissions`";

/// Converts the mode to the one in events.
pub(crate) fn mode_of(mode: Mode) -> PermissionMode {
    match mode {
        Mode::Default => PermissionMode::Default,
        Mode::AcceptEdits => PermissionMode::AcceptEdits,
        Mode::Plan => PermissionMode::Plan,
        Mode::DontAsk => PermissionMode::DontAsk,
        Mode::BypassPermissions => PermissionMode::BypassPermissions,
        Mode::Auto => PermissionMode::Auto,
    }
}

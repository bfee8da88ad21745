//! The mode that a session starts in, and whether it may be `bypassPermissions` (`protocol.md` P13, C5).

use crate::config::{Config, Request};
use becket_model::event::PermissionMode;
use becket_rules::Mode;

/// The mode in which a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartMode {
    /// The mode.
    pub mode: PermissionMode,
    /// For the user, where it is another one than was asked for.
    pub warning: Option<String>,
    /// Set if the session was started with `bypassPermissions` available.
    pub(crate) bypass_available: bool,
}

impl StartMode {
    /// The command line's mode, else that of the files, else `default`.
    pub(crate) fn of(request: &Request, config: &Config) -> Self {
        let of_files = || config.default_mode.as_ref().map(|set| set.mode.clone());
        let wanted = request.permissions.mode().map(mode_of).or_else(of_files);
        let wanted = wanted.unwrap_or(PermissionMode::Default);
        let bypasses = wanted == PermissionMode::BypassPermissions;
        let bypass_available = bypasses || request.permissions.bypass_available();
        if bypasses && config.policy.bypass_permissions_disabled {
            let warning = format!("the session starts in the mode `default`: {DISABLED}");
            return Self { mode: PermissionMode::Default, warning: Some(warning), bypass_available };
        }
        Self { mode: wanted, warning: None, bypass_available }
    }
}

pub(crate) const DISABLED: &str =
    "`disableBypassPermissionsMode` in the settings forbids `bypassPermissions`";

/// The mode as events name it.
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

//! The permission mode of an agent: the one its definition requests, within the limits of its session.
//!
//! INVARIANT: no definition allows what the session's mode `plan` or `dontAsk` forbids, and none reaches
//! `bypassPermissions` if the session could not.

use super::definition::Definition;
use becket_model::event::PermissionMode;

/// The rights that an agent may get beyond its session's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MayWiden {
    /// Set if the agent's file may grant anything: it does not come from an untrusted project (G3), and none of its
    /// guards is broken (C7b).
    pub(crate) grants: bool,
    /// Set if the session may enter `bypassPermissions`.
    pub(crate) bypass: bool,
}

/// Returns the mode in force for an agent while its session is in mode `session`.
pub(crate) fn in_force(session: PermissionMode, definition: &Definition, may: MayWiden) -> PermissionMode {
    let Some(wanted) = &definition.permission_mode else {
        return session;
    };
    weigh(session, wanted, may)
}

fn weigh(session: PermissionMode, wanted: &PermissionMode, may: MayWiden) -> PermissionMode {
    use PermissionMode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Other, Plan};
    match (session, wanted) {
        // The stricter mode wins, whichever side it comes from.
        (Plan, _) | (_, Plan) => Plan,
        (DontAsk, _) | (_, DontAsk) => DontAsk,
        // The user has chosen a permissive mode for the session already, or has left it to a classifier.
        (session @ (BypassPermissions | AcceptEdits | Auto | Other(_)), _) => session,
        (Default, Default | Other(_)) => Default,
        (Default, BypassPermissions) if may.grants && may.bypass => BypassPermissions,
        (Default, AcceptEdits) if may.grants => AcceptEdits,
        (Default, Auto) if may.grants => Auto,
        (Default, BypassPermissions | AcceptEdits | Auto) => Default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [&str; 6] = PermissionMode::NAMES;

    fn weighed(session: &str, wanted: &str, may: MayWiden) -> String {
        let wanted = PermissionMode::from_name(wanted);
        weigh(PermissionMode::from_name(session), &wanted, may).to_string()
    }

    // rules: P14, G3, C7b
    #[test]
    fn a_definition_widens_only_the_default_mode_and_only_where_it_may() {
        let free = MayWiden { grants: true, bypass: true };
        for (session, wanted, may, expected) in [
            ("default", "acceptEdits", free, "acceptEdits"),
            ("default", "auto", free, "auto"),
            ("default", "bypassPermissions", free, "bypassPermissions"),
            ("default", "bypassPermissions", MayWiden { bypass: false, ..free }, "default"),
            ("default", "bypassPermissions", MayWiden { grants: false, ..free }, "default"),
            ("default", "acceptEdits", MayWiden { grants: false, ..free }, "default"),
            ("default", "auto", MayWiden { grants: false, ..free }, "default"),
            ("acceptEdits", "bypassPermissions", free, "acceptEdits"),
            ("auto", "bypassPermissions", free, "auto"),
            ("bypassPermissions", "default", free, "bypassPermissions"),
        ] {
            assert_eq!(weighed(session, wanted, may), expected, "{session} {wanted} {may:?}");
        }
    }

    // rule: P14
    #[test]
    fn plan_and_dont_ask_hold_whoever_says_so() {
        for other in MODES {
            for may in [MayWiden { grants: true, bypass: true }, MayWiden { grants: false, bypass: false }] {
                assert_eq!(weighed("plan", other, may), "plan");
                assert_eq!(weighed(other, "plan", may), "plan");
                if other != "plan" {
                    assert_eq!(weighed("dontAsk", other, may), "dontAsk");
                    assert_eq!(weighed(other, "dontAsk", may), "dontAsk");
                }
            }
        }
    }
}

//! The settlement of a tool call after hooks and permission rules (D3, D6, D8, D10).
//!
//! A hook's allow skips the prompt and nothing more: a deny rule still denies and an ask rule still asks. Everything
//! here is one total function of the decisions, without questions or I/O.

use becket_model::{Attributed, PermissionDecision, Ruling, Stop, Verdict};

/// The decision of the rules of all settings on the call, on the input that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleSays {
    /// A deny rule matches.
    Deny(String),
    /// An ask rule matches.
    Ask(String),
    /// An allow rule covers the call.
    Allow(String),
    /// No rule decides.
    Nothing,
}

impl RuleSays {
    /// Returns the answer after that of rules for another name of the tool: they deny and ask, and allow nothing (X5).
    pub(crate) fn restricted_by(self, other: RuleSays) -> RuleSays {
        match other {
            RuleSays::Deny(_) | RuleSays::Ask(_) => self.stricter(other),
            RuleSays::Allow(_) | RuleSays::Nothing => self,
        }
    }

    /// Returns the stricter of two answers; the first if they are equally strict.
    pub(crate) fn stricter(self, other: RuleSays) -> RuleSays {
        match (&self, &other) {
            (RuleSays::Deny(_), _) => self,
            (_, RuleSays::Deny(_)) => other,
            (RuleSays::Ask(_), _) => self,
            (_, RuleSays::Ask(_)) => other,
            (RuleSays::Nothing, _) => self,
            (RuleSays::Allow(_), RuleSays::Nothing) => other,
            (RuleSays::Allow(_), RuleSays::Allow(_)) => self,
        }
    }
}

/// Circumstances that may prevent an allow (D3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Circumstances {
    /// Set if there is a person to ask.
    pub(crate) interactive: bool,
    /// Set if the session is in the mode `dontAsk`.
    pub(crate) dont_ask: bool,
    /// The reason why no hook's allow counts for this call: a tool that needs a person, a critical removal.
    pub(crate) allow_is_void: Option<String>,
}

/// The decision about a call by hooks and permission rules together. Exhaustive on purpose: a match has to handle every
/// case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a call whose settlement nobody reads is not guarded"]
pub enum Settlement {
    /// The call runs without a prompt.
    Allowed {
        /// The hook or rule, and its reason.
        because: String,
    },
    /// The call does not run.
    Denied {
        /// The reason, for the model.
        because: String,
    },
    /// A person is asked.
    Asked {
        /// The hook or rule, and its reason.
        because: String,
    },
    /// The call waits for the session to be resumed (D10).
    Deferred,
    /// The call does not run, and the host stops (D6).
    Stopped {
        /// The `stopReason`, or a text that a hook stopped it.
        because: String,
    },
    /// Neither hooks nor rules decide: the host's mode does (P11, P14).
    Undecided,
}

impl Settlement {
    /// Returns the word that reports use: `allowed`, `denied`, `asked`, `deferred`, `stopped`, `open`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Settlement::Allowed { .. } => "allowed",
            Settlement::Denied { .. } => "denied",
            Settlement::Asked { .. } => "asked",
            Settlement::Deferred => "deferred",
            Settlement::Stopped { .. } => "stopped",
            Settlement::Undecided => "open",
        }
    }
}

/// Settles a PreToolUse verdict (D3, D6, D10).
pub(crate) fn tool_call(verdict: &Verdict, rules: &RuleSays, circumstances: &Circumstances) -> Settlement {
    let hook = || verdict.joined_reason().unwrap_or_default();
    let decision = match &verdict.ruling {
        Ruling::Permission { decision, .. } => Some(*decision),
        // No other ruling occurs on a tool call; if one did, it would be a block.
        Ruling::Block(_) | Ruling::RequestDeny { .. } | Ruling::WorktreeFailed(_) => {
            Some(PermissionDecision::Deny)
        }
        Ruling::None | Ruling::RequestAllow { .. } | Ruling::Elicitation { .. } | Ruling::Worktree(_) => None,
    };
    if decision == Some(PermissionDecision::Deny) {
        return Settlement::Denied { because: hook() };
    }
    if let Some(stop) = &verdict.stop {
        return stopped(stop);
    }
    if let RuleSays::Deny(rule) = rules {
        return Settlement::Denied { because: rule.clone() };
    }
    match decision {
        Some(PermissionDecision::Defer) => Settlement::Deferred,
        Some(PermissionDecision::Ask) => ask(hook(), circumstances),
        Some(PermissionDecision::Allow) => allowed_by_hook(rules, circumstances, hook()),
        Some(PermissionDecision::Deny) | None => by_rule(rules),
    }
}

fn stopped(stop: &Attributed<Stop>) -> Settlement {
    let because = stop.what.reason.clone().unwrap_or_else(|| format!("stopped by a hook ({})", stop.source));
    Settlement::Stopped { because }
}

/// Settles an ask of a hook: a person is asked in every mode, and without one the call is denied.
fn ask(because: String, circumstances: &Circumstances) -> Settlement {
    if circumstances.interactive && !circumstances.dont_ask {
        Settlement::Asked { because }
    } else {
        Settlement::Denied { because }
    }
}

fn allowed_by_hook(rules: &RuleSays, circumstances: &Circumstances, hook: String) -> Settlement {
    if let RuleSays::Ask(rule) = rules {
        return Settlement::Asked { because: rule.clone() };
    }
    if let Some(why) = &circumstances.allow_is_void {
        return Settlement::Asked { because: why.clone() };
    }
    Settlement::Allowed { because: hook }
}

fn by_rule(rules: &RuleSays) -> Settlement {
    match rules {
        RuleSays::Deny(rule) => Settlement::Denied { because: rule.clone() },
        RuleSays::Ask(rule) => Settlement::Asked { because: rule.clone() },
        RuleSays::Allow(rule) => Settlement::Allowed { because: rule.clone() },
        RuleSays::Nothing => Settlement::Undecided,
    }
}

/// Settles a PermissionRequest verdict (D3, D8): an allow answers the prompt, whatever its cause, but overrides no deny
/// rule; a rewritten input is checked against the ask rules too. If a folder without trust proposes the rewrite, the
/// user is asked (G3).
pub(crate) fn permission_request(verdict: &Verdict, rules: &RuleSays) -> Settlement {
    if let (Some(stop), false) = (&verdict.stop, matches!(verdict.ruling, Ruling::RequestDeny { .. })) {
        return stopped(stop);
    }
    if let (Some(proposed), false) = (&verdict.fields.proposed_input, is_denied(verdict, rules)) {
        let by = format!("`{}` ({})", proposed.label, proposed.source);
        return Settlement::Asked {
            because: format!("the hook {by} rewrites the call, and its folder is not trusted"),
        };
    }
    match &verdict.ruling {
        Ruling::RequestDeny { .. } => {
            Settlement::Denied { because: verdict.joined_reason().unwrap_or_default() }
        }
        Ruling::RequestAllow { updated_input, .. } => match rules {
            RuleSays::Deny(rule) => Settlement::Denied { because: rule.clone() },
            RuleSays::Ask(rule) if updated_input.is_some() => Settlement::Asked { because: rule.clone() },
            RuleSays::Ask(_) | RuleSays::Allow(_) | RuleSays::Nothing => Settlement::Allowed {
                because: verdict.joined_reason().unwrap_or_else(|| "allowed by a hook".into()),
            },
        },
        Ruling::None
        | Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => by_rule(rules),
    }
}

/// Returns whether a hook or a rule denies the request, whatever the others decide.
fn is_denied(verdict: &Verdict, rules: &RuleSays) -> bool {
    verdict.ruling.holds_back() || matches!(rules, RuleSays::Deny(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::{DecidedBy, EventKind, Reason, Source};

    fn attributed<T>(what: T) -> Attributed<T> {
        Attributed { source: Source::User, label: "guard".into(), what }
    }

    fn verdict(decision: Option<PermissionDecision>) -> Verdict {
        let mut verdict = Verdict::silent(EventKind::PreToolUse);
        if let Some(decision) = decision {
            let reason = Reason { text: "because".into(), by: DecidedBy::Answer };
            verdict.ruling = Ruling::Permission { decision, reasons: vec![attributed(reason)] };
        }
        verdict
    }

    /// Returns the strictness of a settlement; higher is stricter.
    fn strictness(settlement: &Settlement) -> u8 {
        match settlement {
            Settlement::Allowed { .. } => 0,
            Settlement::Undecided => 1,
            Settlement::Asked { .. } => 2,
            Settlement::Deferred => 3,
            Settlement::Denied { .. } | Settlement::Stopped { .. } => 4,
        }
    }

    fn rules() -> [RuleSays; 4] {
        let rule = || "rule".to_owned();
        [RuleSays::Allow(rule()), RuleSays::Nothing, RuleSays::Ask(rule()), RuleSays::Deny(rule())]
    }

    const DECISIONS: [Option<PermissionDecision>; 5] = [
        None,
        Some(PermissionDecision::Allow),
        Some(PermissionDecision::Ask),
        Some(PermissionDecision::Defer),
        Some(PermissionDecision::Deny),
    ];

    fn all_circumstances() -> Vec<Circumstances> {
        let mut all = Vec::new();
        for interactive in [false, true] {
            for dont_ask in [false, true] {
                for void in [None, Some("void".to_owned())] {
                    all.push(Circumstances { interactive, dont_ask, allow_is_void: void });
                }
            }
        }
        all
    }

    #[test]
    fn a_deny_of_either_side_holds_in_every_circumstance() {
        // rules: D3, D1
        for circumstances in all_circumstances() {
            for rule in rules() {
                let settled = tool_call(&verdict(Some(PermissionDecision::Deny)), &rule, &circumstances);
                assert_eq!(strictness(&settled), 4, "{rule:?} {circumstances:?}");
            }
            for decision in DECISIONS {
                let settled = tool_call(&verdict(decision), &RuleSays::Deny("r".into()), &circumstances);
                assert_eq!(strictness(&settled), 4, "{decision:?} {circumstances:?}");
            }
        }
    }

    #[test]
    fn an_ask_rule_is_never_passed_and_an_ask_hook_neither() {
        // rule: D3
        for circumstances in all_circumstances() {
            for decision in DECISIONS {
                let settled = tool_call(&verdict(decision), &RuleSays::Ask("r".into()), &circumstances);
                assert!(strictness(&settled) >= 2, "{decision:?} {circumstances:?} {settled:?}");
            }
            for rule in rules() {
                let settled = tool_call(&verdict(Some(PermissionDecision::Ask)), &rule, &circumstances);
                assert!(strictness(&settled) >= 2, "{rule:?} {circumstances:?} {settled:?}");
            }
        }
    }

    #[test]
    fn a_stricter_hook_never_makes_a_laxer_settlement() {
        // rules: D1, D3
        let decisions =
            [Some(PermissionDecision::Allow), Some(PermissionDecision::Ask), Some(PermissionDecision::Deny)];
        for circumstances in all_circumstances() {
            for rule in rules() {
                let strict: Vec<u8> = decisions
                    .iter()
                    .map(|d| strictness(&tool_call(&verdict(*d), &rule, &circumstances)))
                    .collect();
                assert!(strict.is_sorted(), "{rule:?} {circumstances:?} {strict:?}");
            }
        }
    }

    #[test]
    fn a_stop_holds_the_call_back_whatever_else_is_said() {
        // rule: D6
        for decision in DECISIONS {
            for rule in rules() {
                let mut stopped = verdict(decision);
                stopped.stop = Some(attributed(Stop { reason: None }));
                let settled = tool_call(&stopped, &rule, &Circumstances::default());
                assert_eq!(strictness(&settled), 4, "{decision:?} {rule:?}");
            }
        }
    }
}

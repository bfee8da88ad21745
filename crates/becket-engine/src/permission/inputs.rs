//! Collects permission rules and circumstances of a verdict (D3), for [`crate::permission::decide`].

use crate::host::environment::Environment;
use crate::host::tool_set::ToolSet;
use crate::permission::decide;
use crate::permission::decide::{Circumstances, RuleSays, Settlement};
use crate::plan::facts::{Facts, LinksOnDisk};
use crate::plan::snapshot::Snapshot;
use crate::plan::tool_input;
use becket_model::event::PermissionMode;
use becket_model::table::DecisionModel;
use becket_model::{Attributed, Event, PermissionDecision, Ruling, Verdict};
use becket_rules::shell::Line;
use becket_rules::{Behavior, Decision, Renames, critical_removal_in, may_remove};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The parts of a session that permissions depend on, apart from its configuration.
pub(crate) struct PermissionSession<'a> {
    pub(crate) tools: &'a ToolSet,
    pub(crate) rule_tools: &'a Renames,
    /// The environment of the host, in which calls run.
    pub(crate) environment: &'a Environment,
    /// Set if a person can be asked.
    pub(crate) interactive: bool,
}

/// Returns the settlement of the call; `None` on events that are not about permission.
///
/// `written` is the event as the host fired it: parameter rules are compared with the input of the model or a hook, not
/// with the defaults of a schema (P10). `judged` is the event with the input that would run.
pub(crate) fn of(
    session: &PermissionSession<'_>,
    snapshot: &Snapshot,
    written: &Event,
    judged: &Event,
    verdict: &Verdict,
) -> Option<Settlement> {
    with_person(session, snapshot, written, judged, verdict, session.interactive)
}

/// Returns whether the call is denied only because there is no person to ask: otherwise the person would be asked.
pub(crate) fn has_nobody_to_ask(
    session: &PermissionSession<'_>,
    snapshot: &Snapshot,
    written: &Event,
    judged: &Event,
    verdict: &Verdict,
    settlement: Option<&Settlement>,
) -> bool {
    let asks = matches!(verdict.ruling, Ruling::Permission { decision: PermissionDecision::Ask, .. });
    let is_denied = matches!(settlement, Some(Settlement::Denied { .. }));
    if !asks || !is_denied || session.interactive {
        return false;
    }
    let with_person = with_person(session, snapshot, written, judged, verdict, true);
    matches!(with_person, Some(Settlement::Asked { .. }))
}

fn with_person(
    session: &PermissionSession<'_>,
    snapshot: &Snapshot,
    written: &Event,
    judged: &Event,
    verdict: &Verdict,
    interactive: bool,
) -> Option<Settlement> {
    let of_call = is_about_a_call(judged)?;
    let settle = |rules: &RuleSays, circumstances: &Circumstances| match of_call {
        true => decide::tool_call(verdict, rules, circumstances),
        false => decide::permission_request(verdict, rules),
    };
    if snapshot.config.permissions.is_empty() && !allows(verdict) {
        // No rule can match, and no allow can be void: only a mode could let the call run.
        let settled = settle(&RuleSays::Nothing, &circumstances_of(judged, interactive));
        return Some(asked_if_critical(session, judged, verdict, settled));
    }
    // Gathered once, so that a command line is analysed only once.
    let mut facts = Facts::gather(judged, session.environment, session.rule_tools);
    let literals =
        [written.body.tool_call().map(|(_, input)| input), rewrite(verdict).map(|rewrite| &rewrite.what)];
    let harmless = |line: &Line| {
        let tool = judged.body.tool_call().map(|(tool, _)| tool);
        tool.map_or_else(Vec::new, |tool| session.tools.harmless_commands(tool, &judged.session, line))
    };
    let mut rules = None;
    for literal in literals.into_iter().flatten() {
        facts = facts.written(literal);
        let decision = rules_say(snapshot, &facts, &harmless);
        rules = Some(rules.map_or(decision.clone(), |before: RuleSays| before.stricter(decision)));
    }
    let rules = rules.unwrap_or(RuleSays::Nothing);
    let circumstances = Circumstances {
        allow_is_void: void_allow(session, judged, &facts, verdict),
        ..circumstances_of(judged, interactive)
    };
    let settled = settle(&rules, &circumstances);
    Some(match runs_unasked(&settled, judged, verdict) {
        true => removal(&facts).map_or(settled, |because| Settlement::Asked { because }),
        false => settled,
    })
}

/// Asks about the removal of a critical path, whatever allows it: a hook, a rule, a mode (D3, P14). An allow of
/// PermissionRequest hooks is the answer to such a question, and counts.
pub(crate) fn asked_if_critical(
    session: &PermissionSession<'_>,
    event: &Event,
    verdict: &Verdict,
    settled: Settlement,
) -> Settlement {
    let may_remove =
        event.body.tool_call().is_some_and(|(tool, input)| may_remove(tool, input, session.rule_tools));
    if !may_remove || !runs_unasked(&settled, event, verdict) {
        return settled;
    }
    let facts = Facts::gather(event, session.environment, session.rule_tools);
    removal(&facts).map_or(settled, |because| Settlement::Asked { because })
}

/// Returns whether a call with this settlement may run without a question to a person.
fn runs_unasked(settled: &Settlement, event: &Event, verdict: &Verdict) -> bool {
    match settled {
        Settlement::Allowed { .. } => !matches!(verdict.ruling, Ruling::RequestAllow { .. }),
        Settlement::Undecided => match &event.session.permission_mode {
            // These modes ask or deny by themselves.
            Some(PermissionMode::Default | PermissionMode::Plan | PermissionMode::DontAsk) => false,
            // A host without a mode runs what nothing decides.
            None
            | Some(
                PermissionMode::AcceptEdits
                | PermissionMode::Auto
                | PermissionMode::BypassPermissions
                | PermissionMode::Other(_),
            ) => true,
        },
        Settlement::Denied { .. }
        | Settlement::Asked { .. }
        | Settlement::Deferred
        | Settlement::Stopped { .. } => false,
    }
}

/// Returns the reason why the call removes a critical path, if it does.
pub(crate) fn removal(facts: &Facts<'_>) -> Option<String> {
    let scope = facts.scope(facts.cwd(), &LinksOnDisk);
    facts.call().and_then(|call| critical_removal_in(call, &scope, &|name| facts.variable(name)))
}

/// Returns the event with the input that would run: a hook's rewrite, normalized, or the original (D4, D9).
pub(crate) fn judged<'a>(
    session: &PermissionSession<'_>,
    event: Cow<'a, Event>,
    verdict: &Verdict,
) -> Cow<'a, Event> {
    match rewrite(verdict) {
        Some(rewrite) => {
            let event = tool_input::with_input(&event, &rewrite.what);
            Cow::Owned(tool_input::normalize(&event, session.tools, session.environment.home()).into_owned())
        }
        None => event,
    }
}

/// Returns whether the event is about a call that would run, or about the prompt for one; `None` if it is about
/// neither.
fn is_about_a_call(event: &Event) -> Option<bool> {
    match event.kind().spec().decision {
        DecisionModel::Permission => Some(true),
        DecisionModel::PermissionRequest => Some(false),
        DecisionModel::None
        | DecisionModel::Context
        | DecisionModel::Block
        | DecisionModel::Retry
        | DecisionModel::Task
        | DecisionModel::ContinueOnly
        | DecisionModel::Display
        | DecisionModel::Path
        | DecisionModel::Elicitation => None,
    }
}

/// Returns the input by which a hook replaces the model's.
pub(crate) fn rewrite(verdict: &Verdict) -> Option<&Attributed<Map<String, Value>>> {
    if let Ruling::RequestAllow { updated_input: Some(rewrite), .. } = &verdict.ruling {
        return Some(rewrite);
    }
    verdict.fields.updated_input.as_ref().or(verdict.fields.proposed_input.as_ref())
}

fn circumstances_of(event: &Event, interactive: bool) -> Circumstances {
    Circumstances {
        interactive,
        dont_ask: event.session.permission_mode == Some(PermissionMode::DontAsk),
        allow_is_void: None,
    }
}

/// Tools that a person has to answer: an allow counts only together with the answers (D3).
const ANSWERED_BY_A_PERSON: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// Returns whether there is an allow that circumstances could void.
fn allows(verdict: &Verdict) -> bool {
    matches!(verdict.ruling, Ruling::Permission { decision: PermissionDecision::Allow, .. })
}

fn void_allow(
    session: &PermissionSession<'_>,
    event: &Event,
    facts: &Facts<'_>,
    verdict: &Verdict,
) -> Option<String> {
    if !allows(verdict) {
        return None;
    }
    let (tool, _) = event.body.tool_call()?;
    requires_user(session, tool, facts, || answers(tool, verdict))
}

/// Returns the reason why neither an allow of a hook nor a mode replaces a person's answer (D3); `answered` is true if
/// a hook gave the person's answers.
pub(crate) fn requires_user(
    session: &PermissionSession<'_>,
    tool: &str,
    facts: &Facts<'_>,
    answered: impl FnOnce() -> bool,
) -> Option<String> {
    if session.tools.requires_user(tool) {
        return Some(format!("`{tool}` says that a person has to answer its prompts"));
    }
    if ANSWERED_BY_A_PERSON.contains(&tool) && !answered() {
        return Some(format!("an allow of `{tool}` counts only beside the answers (`updatedInput`)"));
    }
    removal(facts)
}

/// Asks about a call if a hook rewrites its input and no hook's allow counts for it (D3); a person's answers may be
/// such a rewrite.
pub(crate) fn unless_critical(
    session: &PermissionSession<'_>,
    event: &Event,
    settlement: Settlement,
) -> Settlement {
    let why = || {
        let (tool, _) = event.body.tool_call()?;
        let facts = Facts::gather(event, session.environment, session.rule_tools);
        requires_user(session, tool, &facts, || true)
    };
    match settlement {
        Settlement::Allowed { .. } | Settlement::Undecided => {
            why().map_or(settlement, |because| Settlement::Asked { because })
        }
        Settlement::Denied { .. }
        | Settlement::Asked { .. }
        | Settlement::Deferred
        | Settlement::Stopped { .. } => settlement,
    }
}

/// Returns whether a hook gave the person's answers; another hook's rewrite of the questions is not an answer.
fn answers(tool: &str, verdict: &Verdict) -> bool {
    verdict.fields.updated_input.as_ref().is_some_and(|input| {
        tool != "AskUserQuestion" || input.what.get("answers").is_some_and(Value::is_object)
    })
}

/// Returns the settlement of a call by deny and ask rules alone.
pub(crate) fn rule_restriction(snapshot: &Snapshot, facts: &Facts<'_>) -> Option<Settlement> {
    match rules_say(snapshot, facts, &|_| Vec::new()) {
        RuleSays::Deny(because) => Some(Settlement::Denied { because }),
        RuleSays::Ask(because) => Some(Settlement::Asked { because }),
        RuleSays::Allow(_) | RuleSays::Nothing => None,
    }
}

/// Returns the decision of the rules of all settings on the call (P11); of those for another name of its tool only a
/// deny or an ask (X5). `harmless` returns the commands of a line that need no allow rule.
fn rules_say(snapshot: &Snapshot, facts: &Facts<'_>, harmless: &dyn Fn(&Line) -> Vec<usize>) -> RuleSays {
    // Without rules the call need not be analysed.
    let Some(call) = facts.call().filter(|_| !snapshot.config.permissions.is_empty()) else {
        return RuleSays::Nothing;
    };
    let scope = facts.scope(&snapshot.places.project_dir, &LinksOnDisk);
    let others = facts.under_other_names().iter().map(|call| said(snapshot.rules.decide(call, &scope)));
    let own = said(snapshot.rules.decide_beside(call, &scope, harmless));
    others.fold(own, RuleSays::restricted_by)
}

/// Converts the decision of rules, with the rule in its reason.
fn said(decision: Decision<'_>) -> RuleSays {
    let reason = match decision.rule {
        Some(entry) => format!(
            "the rule `{}` of {} says {}: {}",
            entry.rule(),
            entry.origin().label,
            entry.list().key(),
            decision.why
        ),
        None => decision.why,
    };
    match decision.behavior {
        Behavior::Deny => RuleSays::Deny(reason),
        Behavior::Ask => RuleSays::Ask(reason),
        Behavior::Allow => RuleSays::Allow(reason),
        Behavior::Undecided => RuleSays::Nothing,
    }
}

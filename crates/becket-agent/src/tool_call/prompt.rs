//! The permission prompt: PermissionRequest hooks and the person, at the same time (`protocol.md` D8).
//!
//! - A person's answer ends the wait for hooks, and never overrides a denial that has already arrived.
//! - A hook's allow counts only after all hooks have answered, and only if the person has not denied.
//! - No person and no decision: denied (P11).
//! - An approval applies to one input: the one that was shown, or a rewrite, which the guards then judge.

use super::calls::CallContext;
use super::gate;
use super::hook_log::HookLog;
use super::person::{PermissionAnswer, PermissionPrompt};
use super::report::{CallEnd, DeniedBy};
use becket_engine::{CancellationToken, Outcome, Settlement, catch_panic};
use becket_model::event::PermissionMode;
use becket_model::event::permission::PermissionRequest;
use becket_model::{Event, Ruling};
use becket_rules::PermissionUpdate;
use futures_util::FutureExt;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::pin::pin;

/// A permission prompt in progress.
pub(super) struct Prompt {
    /// The input that would run.
    pub(super) input: Map<String, Value>,
    /// The same input as the model or a hook wrote it (P10).
    pub(super) written: Map<String, Value>,
    pub(super) because: String,
    pub(super) hooks_may_answer: bool,
}

/// The combined decision of the hooks.
enum Hooks {
    Deny(CallEnd),
    Allow {
        /// The hooks' rewrite.
        instead: Option<Map<String, Value>>,
        updates: Vec<Value>,
    },
    /// A rewrite that needs a person's approval (G3).
    Propose(Proposal),
    /// No decision that counts. An ask rule may match the rewrite that a hook allowed: then its reason.
    Nothing {
        asked: Option<String>,
    },
}

/// A rewrite by a hook, which does not run without a person's approval.
pub(super) struct Proposal {
    pub(super) input: Map<String, Value>,
    pub(super) because: String,
}

/// The person's decision.
enum Person {
    Allow(Vec<PermissionUpdate>),
    Rewritten(Map<String, Value>, Vec<PermissionUpdate>),
    Answered(Map<String, Value>),
    Deny {
        because: String,
        interrupt: bool,
    },
    /// There is no person, or the code that asks has failed.
    Nobody(String),
}

/// An allowed input, and the origin of the allow.
pub(super) enum Yes {
    /// Not allowed yet: the original call does not run, and a person is asked about this rewrite instead.
    Proposed(Proposal),
    /// The person allowed the input that was shown.
    OfPerson(Map<String, Value>),
    /// The person allowed an input of their own, which no guard has seen. The updates count only if that input may run.
    Rewritten { input: Map<String, Value>, updates: Vec<PermissionUpdate> },
    /// Hooks allowed it. Their updates count only if nothing blocks the call afterwards (P13).
    OfHooks {
        input: Map<String, Value>,
        /// Set if it is a rewrite, which no guard has seen.
        is_rewritten: bool,
        updates: Vec<PermissionUpdate>,
    },
}

/// Asks for the permission, and returns the allowed input.
///
/// # Errors
/// Errors with the end of the call if it was not allowed.
pub(super) async fn ask(at: &CallContext<'_>, prompt: Prompt, log: &mut HookLog) -> Result<Yes, CallEnd> {
    let end_hooks = at.cancel.child_token();
    let (hooks, person) = {
        let mut hooks = pin!(hooks_say(at, &prompt, &end_hooks, log));
        let mut person = pin!(person_says(at, &prompt));
        // Hooks that answer quickly save the person a prompt.
        match soon(at, hooks.as_mut()).await {
            Some(open @ Hooks::Nothing { .. }) => (open, Some(person.await)),
            Some(decision) => (decision, None),
            None => tokio::select! {
                biased;
                decision = person.as_mut() => {
                    if !matches!(decision, Person::Nobody(_)) {
                        end_hooks.cancel();
                    }
                    (hooks.await, Some(decision))
                }
                decision = hooks.as_mut() => match decision {
                    Hooks::Nothing { .. } => (decision, Some(person.await)),
                    // Dropping the future withdraws the prompt.
                    Hooks::Deny(_) | Hooks::Allow { .. } | Hooks::Propose(_) => (decision, None),
                },
            },
        }
    };
    if at.cancel.is_cancelled() {
        return Err(CallEnd::Cancelled { started: false });
    }
    settle(prompt, hooks, person, log)
}

/// Returns the hooks' decision if it comes before the person has to be asked.
async fn soon(at: &CallContext<'_>, hooks: impl Future<Output = Hooks>) -> Option<Hooks> {
    let patience = at.calls.person.as_ref().map(|person| person.patience()).unwrap_or_default();
    match patience.is_zero() {
        true => hooks.now_or_never(),
        false => tokio::time::timeout(patience, hooks).await.ok(),
    }
}

/// Combines the decisions: any denial wins, then the person's approval, then the hooks'.
fn settle(prompt: Prompt, hooks: Hooks, person: Option<Person>, log: &mut HookLog) -> Result<Yes, CallEnd> {
    match (hooks, person) {
        (Hooks::Deny(ended), _) => Err(ended),
        (_, Some(Person::Deny { because, interrupt })) => {
            log.interrupt |= interrupt;
            Err(CallEnd::Denied { by: DeniedBy::Person, because })
        }
        (_, Some(Person::Allow(updates))) => {
            log.updates = updates;
            Ok(Yes::OfPerson(prompt.input))
        }
        (_, Some(Person::Rewritten(input, updates))) if input == prompt.input => {
            log.updates = updates;
            Ok(Yes::OfPerson(input))
        }
        (_, Some(Person::Rewritten(input, updates))) => Ok(Yes::Rewritten { input, updates }),
        (_, Some(Person::Answered(answers))) => {
            // Everything that hooks and rules have judged is unchanged.
            let mut input = prompt.input;
            input.insert("answers".to_owned(), Value::Object(answers));
            Ok(Yes::OfPerson(input))
        }
        (Hooks::Allow { instead, updates }, Some(Person::Nobody(_)) | None) => {
            let (is_rewritten, input) = (instead.is_some(), instead.unwrap_or(prompt.input));
            Ok(Yes::OfHooks { input, is_rewritten, updates: read(&updates, &mut log.warnings) })
        }
        (Hooks::Propose(proposal), Some(Person::Nobody(_)) | None) => Ok(Yes::Proposed(proposal)),
        (Hooks::Nothing { asked }, Some(Person::Nobody(why))) => {
            let because = format!("{}, and {why}", asked.unwrap_or(prompt.because));
            Err(CallEnd::Denied { by: DeniedBy::Nobody, because })
        }
        (Hooks::Nothing { .. }, None) => {
            Err(CallEnd::Denied { by: DeniedBy::Nobody, because: "nobody has answered".to_owned() })
        }
    }
}

/// Parses the updates of hooks; invalid ones are reported.
fn read(updates: &[Value], warnings: &mut Vec<String>) -> Vec<PermissionUpdate> {
    let mut readable = Vec::new();
    for update in updates {
        match PermissionUpdate::parse(update) {
            Ok(update) => readable.push(update),
            Err(error) => warnings.push(format!("a hook's `updatedPermissions` is ignored: {error}")),
        }
    }
    readable
}

/// Fires PermissionRequest, if hooks may answer for the person.
async fn hooks_say(
    at: &CallContext<'_>,
    prompt: &Prompt,
    cancel: &CancellationToken,
    log: &mut HookLog,
) -> Hooks {
    if !prompt.hooks_may_answer {
        return Hooks::Nothing { asked: None };
    }
    let suggestions = suggestions(at, prompt);
    let event = at.event(
        PermissionRequest::new(at.call.name.clone(), prompt.written.clone())
            .permission_suggestions(suggestions.iter().filter_map(object).collect::<Vec<_>>()),
    );
    let outcome = log.fire(&at.calls.engine, &event, cancel).await;
    let denied = |because: &str, by| Hooks::Deny(CallEnd::Denied { by, because: because.to_owned() });
    match &outcome.settlement {
        Some(Settlement::Denied { because }) => {
            log.interrupt |= interrupts(&outcome.verdict.ruling);
            denied(because, by(&outcome))
        }
        Some(Settlement::Stopped { because }) => Hooks::Deny(CallEnd::Stopped { because: because.clone() }),
        Some(Settlement::Deferred) => denied("a prompt can't be deferred", DeniedBy::Hook),
        // An allow rule does not answer a prompt that was raised despite it.
        Some(Settlement::Allowed { .. }) if !at.tool.requires_user() => allowed(at, &event, &outcome),
        Some(Settlement::Asked { because }) if outcome.verdict.fields.proposed_input.is_some() => {
            let input = gate::judged(at, &event, &outcome.judged);
            Hooks::Propose(Proposal { input, because: because.clone() })
        }
        Some(Settlement::Asked { because }) => {
            Hooks::Nothing { asked: rewrites(&outcome.verdict.ruling).then(|| because.clone()) }
        }
        Some(Settlement::Allowed { .. } | Settlement::Undecided) | None => Hooks::Nothing { asked: None },
    }
}

/// Returns the decision of a settlement that allows the call, which may be one of a rule alone.
fn allowed(at: &CallContext<'_>, event: &Event, outcome: &Outcome) -> Hooks {
    match &outcome.verdict.ruling {
        Ruling::RequestAllow { updated_input, updated_permissions } => Hooks::Allow {
            instead: updated_input.as_ref().map(|_| gate::judged(at, event, &outcome.judged)),
            updates: updated_permissions.iter().map(|said| said.what.clone()).collect(),
        },
        Ruling::None
        | Ruling::Permission { .. }
        | Ruling::Block(_)
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => Hooks::Nothing { asked: None },
    }
}

/// Returns the file that the call touches, unless it is in a working directory.
fn outside(at: &CallContext<'_>, prompt: &Prompt) -> Option<PathBuf> {
    let file = at.tool.touches(&prompt.input)?;
    let directories = at.calls.engine.host().directories();
    let is_inside =
        file.starts_with(&at.session.cwd) || directories.iter().any(|directory| file.starts_with(directory));
    (!is_inside).then_some(file)
}

/// Returns the rules that a person may want to add, without those that exist (P13).
fn suggestions(at: &CallContext<'_>, prompt: &Prompt) -> Vec<PermissionUpdate> {
    if at.calls.engine.host().critical_removal(&at.pre_tool_use_of(&prompt.input)).is_some() {
        // No rule and no mode would save the person the next prompt.
        return Vec::new();
    }
    let mode = at.session.permission_mode.as_ref().unwrap_or(&PermissionMode::Default);
    at.calls.engine.host().worth_suggesting(mode, at.tool.suggestions(at.session, &prompt.input))
}

fn object(update: &PermissionUpdate) -> Option<Map<String, Value>> {
    match update.to_json() {
        Value::Object(fields) => Some(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

fn by(outcome: &Outcome) -> DeniedBy {
    if outcome.verdict.ruling.holds_back() { DeniedBy::Hook } else { DeniedBy::Rule }
}

/// Returns whether hooks allow a rewrite of the call.
fn rewrites(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::RequestAllow { updated_input: Some(_), .. })
}

fn interrupts(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::RequestDeny { interrupt: true, .. })
}

/// Asks the person, once it is this call's turn.
async fn person_says(at: &CallContext<'_>, prompt: &Prompt) -> Person {
    let Some(person) = &at.calls.person else {
        return Person::Nobody("there is no user to ask".to_owned());
    };
    let cancel = at.cancel.child_token();
    let _cancel_on_drop = cancel.clone().drop_guard();
    let shown = PermissionPrompt {
        tool: at.call.name.clone(),
        tool_use_id: at.call.id.clone(),
        agent_id: at.session.agent.as_ref().and_then(|agent| agent.id.as_ref()).map(ToString::to_string),
        input: prompt.input.clone(),
        because: prompt.because.clone(),
        outside: outside(at, prompt),
        suggestions: suggestions(at, prompt),
    };
    let asking = async {
        let _turn = at.calls.asking.lock().await;
        catch_panic(async { person.ask(&shown, &cancel).await }).await
    };
    let answer = tokio::select! {
        biased;
        () = cancel.cancelled() => return Person::Nobody("the call was cancelled".to_owned()),
        answer = asking => answer,
    };
    match answer {
        Ok(PermissionAnswer::Allow { updates }) => Person::Allow(updates),
        Ok(PermissionAnswer::Rewritten { input, updates }) => Person::Rewritten(input, updates),
        Ok(PermissionAnswer::Answered { answers }) => Person::Answered(answers),
        Ok(PermissionAnswer::Deny { message, interrupt }) => {
            let because = message.filter(|text| !text.trim().is_empty());
            Person::Deny { because: because.unwrap_or_else(|| "the user said no".to_owned()), interrupt }
        }
        Err(panic) => Person::Nobody(format!("the host's code for asking panicked: {panic}")),
    }
}

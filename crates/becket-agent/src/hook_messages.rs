//! Messages of hooks, worded for the model and the user. Pure.
//!
//! INVARIANT: a hook that gave no usable answer, or whose refusal was not read, is always in the notices (O10).

use crate::update::{Level, Notice};
use becket_model::table::Audience;
use becket_model::{
    Attributed, ContextText, DecidedBy, EventBody, EventKind, Failure, Notice as HookNotice, Reason, Ruling,
    Stop, Verdict,
};

/// Returns the name of an event's hooks in texts for the model or the user: `PreToolUse:Bash`, `SessionStart:startup`,
/// `Stop`.
#[must_use]
pub(crate) fn hook_name(body: &EventBody) -> String {
    let kind = body.kind();
    let subject = match kind {
        // The name of a typed command is the user's text, and that of a subagent is in the event.
        EventKind::UserPromptExpansion | EventKind::SubagentStop => None,
        EventKind::Setup
        | EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::UserPromptSubmit
        | EventKind::Stop
        | EventKind::StopFailure
        | EventKind::PreToolUse
        | EventKind::PostToolUse
        | EventKind::PostToolUseFailure
        | EventKind::PostToolBatch
        | EventKind::PermissionRequest
        | EventKind::PermissionDenied
        | EventKind::Notification
        | EventKind::SubagentStart
        | EventKind::TaskCreated
        | EventKind::TaskCompleted
        | EventKind::TeammateIdle
        | EventKind::InstructionsLoaded
        | EventKind::PreCompact
        | EventKind::PostCompact
        | EventKind::MessageDisplay
        | EventKind::PreModelSwitch
        | EventKind::PostModelSwitch
        | EventKind::ConfigChange
        | EventKind::CwdChanged
        | EventKind::DirectoryAdded
        | EventKind::FileChanged
        | EventKind::WorktreeCreate
        | EventKind::WorktreeRemove
        | EventKind::Elicitation
        | EventKind::ElicitationResult => body.subject(),
    };
    hook_name_for(kind, subject)
}

/// Returns the name of hooks by event kind and the subject that their matchers are tested against.
pub(crate) fn hook_name_for(kind: EventKind, subject: Option<&str>) -> String {
    match subject {
        Some(subject) if !subject.is_empty() => format!("{kind}:{subject}"),
        Some(_) | None => kind.to_string(),
    }
}

/// Returns a verdict's texts for the model: reasons of a block, context.
#[must_use]
pub(crate) fn for_model(hook: &str, verdict: &Verdict) -> Vec<String> {
    let blocks = blocks(verdict).iter().map(|entry| blocking_error(hook, entry));
    blocks.chain(contexts(hook, verdict)).collect()
}

/// Returns the reasons of a block.
pub(crate) fn blocks(verdict: &Verdict) -> &[Attributed<Reason>] {
    match &verdict.ruling {
        Ruling::Block(reasons) => reasons,
        Ruling::None
        | Ruling::Permission { .. }
        | Ruling::RequestAllow { .. }
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => &[],
    }
}

fn blocking_error(hook: &str, entry: &Attributed<Reason>) -> String {
    format!("{hook} hook blocking error from command: \"{}\": {}", entry.label, reason(entry))
}

/// Returns a reason as the model reads it; for an exit code 2 it says whose stderr it is.
pub(crate) fn reason(entry: &Attributed<Reason>) -> String {
    match entry.what.by {
        DecidedBy::Exit2 => format!("[{}]: {}", entry.label, entry.what.text),
        DecidedBy::Answer | DecidedBy::Failure => entry.what.text.clone(),
    }
}

/// Returns the reason of a hook that stops the host, for the user: `stopReason`, or the hook's name (D6).
pub(crate) fn stop_reason(entry: &Attributed<Stop>) -> String {
    let reason = entry.what.reason.clone().filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| format!("the hook `{}` ({}) stopped the session", entry.label, entry.source))
}

/// Returns the hook that stops the host, for the user.
pub(crate) fn stopped_by<T>(event: EventKind, entry: &Attributed<T>) -> String {
    format!("{event} hook `{}` ({})", entry.label, entry.source)
}

/// Returns only the context: the context fields of all hooks in one text, each plain stdout in a text of its own.
pub(crate) fn contexts(hook: &str, verdict: &Verdict) -> Vec<String> {
    let (plain, fields): (Vec<&ContextText>, Vec<&ContextText>) =
        verdict.context.iter().map(|entry| &entry.what).partition(|text| text.plain);
    let fields: Vec<&str> = fields.into_iter().map(|text| text.text.as_str()).collect();
    let fields =
        (!fields.is_empty()).then(|| format!("{hook} hook additional context: {}", fields.join("\n")));
    let plain = plain
        .into_iter()
        .map(|text| text.text.trim_end_matches(['\n', '\r']))
        .filter(|text| !text.is_empty())
        .map(|text| format!("{hook} hook success: {text}"));
    fields.into_iter().chain(plain).collect()
}

/// Returns a verdict's notices for the user. `cancelled` is true if the host has ended its hooks itself, which is not
/// reported.
#[must_use]
pub(crate) fn for_user(hook: &str, verdict: &Verdict, cancelled: bool) -> Vec<Notice> {
    let mut notices = messages(hook, verdict);
    let shown = |failure: &Failure| !(cancelled && matches!(failure, Failure::Cancelled));
    let failures = verdict.failures.iter().filter(|entry| shown(&entry.what));
    notices.extend(failures.map(|entry| failure(hook, entry)));
    notices
}

/// Returns the notices without failures, for callers that report these in another way.
pub(crate) fn messages(hook: &str, verdict: &Verdict) -> Vec<Notice> {
    let of = |level, text: String| Notice { level, hook: Some(hook.to_owned()), text, unchecked: false };
    let says = verdict.messages.iter().map(|entry| of(Level::Notice, entry.what.clone()));
    let shown = verdict.notices.iter().filter(|entry| match entry.what.to {
        Audience::User | Audience::Both => true,
        Audience::None | Audience::Model | Audience::Log => false,
    });
    let shown = shown.map(|entry| match entry.what.unchecked {
        true => lost_refusal(hook, entry),
        false => of(Level::Notice, entry.what.text.clone()),
    });
    let warned = verdict.warnings.iter().map(|text| of(Level::Warning, text.clone()));
    says.chain(shown).chain(warned).collect()
}

/// Returns the notice of a refusal that was not read.
fn lost_refusal(hook: &str, entry: &Attributed<HookNotice>) -> Notice {
    let Attributed { source, label, what } = entry;
    let text = format!(
        "the hook `{label}` ({source}) may have refused this action, and its answer did not count: {}",
        what.text
    );
    Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked: true }
}

fn failure(hook: &str, entry: &Attributed<Failure>) -> Notice {
    let unchecked = entry.what.is_unchecked();
    let text = match unchecked {
        true => format!(
            "the hook `{}` ({}) {}, so it did not check this action",
            entry.label, entry.source, entry.what
        ),
        false => format!("the hook `{}` ({}) {}", entry.label, entry.source, entry.what),
    };
    Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::Source;
    use becket_model::event::lifecycle::{SessionStart, UserPromptExpansion};

    fn attributed<T>(label: &str, what: T) -> Attributed<T> {
        Attributed { source: Source::Project, label: label.into(), what }
    }

    fn context(text: &str, plain: bool) -> Attributed<ContextText> {
        attributed("h", ContextText { text: text.into(), plain })
    }

    #[test]
    fn hooks_are_called_by_event_and_subject() {
        let start = SessionStart::new("startup".into());
        assert_eq!(hook_name(&start.into()), "SessionStart:startup");
        let typed =
            UserPromptExpansion::new("slash_command".into(), "fix".into(), String::new(), "/fix".into());
        assert_eq!(hook_name(&typed.into()), "UserPromptExpansion");
    }

    // rules: D5, D11, O2
    #[test]
    fn the_model_reads_each_block_then_context_in_one_and_each_stdout() {
        let mut verdict = Verdict::silent(EventKind::PostToolUse);
        verdict.context =
            vec![context("a", false), context("out\n", true), context("b", false), context("\n", true)];
        let by = |text: &str, by| attributed("lint", Reason { text: text.into(), by });
        verdict.ruling = Ruling::Block(vec![by("wrong", DecidedBy::Answer), by("worse", DecidedBy::Exit2)]);
        let texts = for_model("PostToolUse:Bash", &verdict);
        assert_eq!(
            texts,
            [
                "PostToolUse:Bash hook blocking error from command: \"lint\": wrong",
                "PostToolUse:Bash hook blocking error from command: \"lint\": [lint]: worse",
                "PostToolUse:Bash hook additional context: a\nb",
                "PostToolUse:Bash hook success: out",
            ]
        );
    }

    // rules: O4, O10
    #[test]
    fn the_user_reads_of_every_hook_that_did_not_answer() {
        let mut verdict = Verdict::silent(EventKind::PreToolUse);
        verdict.failures = vec![
            attributed("slow", Failure::TimedOut { limit: std::time::Duration::from_secs(1) }),
            attributed("plain", Failure::PlainError { code: 3, stderr_line: Some("oops".into()) }),
            attributed("ended", Failure::Cancelled),
        ];
        let texts = for_user("PreToolUse:Bash", &verdict, false);
        assert_eq!(texts.iter().map(|notice| notice.unchecked).collect::<Vec<_>>(), [true, false, true]);
        assert!(texts[0].text.contains("`slow` (project)") && texts[1].text.contains("oops"), "{texts:?}");
        assert_eq!(for_user("PreToolUse:Bash", &verdict, true).len(), 2);
    }

    // rules: O1, O10
    #[test]
    fn the_user_reads_of_every_refusal_that_was_not_read() {
        let mut verdict = Verdict::silent(EventKind::PreToolUse);
        let of = |unchecked| HookNotice { unchecked, ..HookNotice::new(Audience::User, "was said") };
        verdict.notices = vec![attributed("guard", of(true)), attributed("other", of(false))];
        let told = for_user("PreToolUse:Bash", &verdict, false);
        assert_eq!(told.iter().map(|notice| notice.unchecked).collect::<Vec<_>>(), [true, false]);
        assert!(told[0].text.contains("`guard` (project)") && told[0].text.contains("was said"), "{told:?}");
        assert_eq!((told[0].level, told[1].text.as_str()), (Level::Warning, "was said"));
    }
}

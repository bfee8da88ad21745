//! Accessors of a [`Verdict`] for hosts.

use super::{Attributed, Reason, Ruling, Verdict, VerdictFields};
use crate::failure::Failure;
use crate::reply::{ElicitationAction, PermissionDecision};
use crate::source::Source;
use crate::table::DecisionModel;

impl Verdict {
    /// Returns whether the action of the event does not happen: a call that is denied, or stopped by `continue: false`
    /// before it ran (D6); a prompt, a task, a change or a turn's end that is held back; a refused permission; a
    /// question that is declined or cancelled; a worktree that was not made.
    pub fn blocks(&self) -> bool {
        self.ruling.holds_back() || (self.stop.is_some() && self.is_about_a_pending_call())
    }

    /// Returns whether a tool call waits: for a person, or for another process that resumes it (D10).
    pub fn asks_or_defers(&self) -> bool {
        matches!(
            self.ruling,
            Ruling::Permission { decision: PermissionDecision::Ask | PermissionDecision::Defer, .. }
        )
    }

    /// Returns the reason as text: one reason as it is, several each with its source in front; an ask with its source
    /// even when alone; a block by a plugin ends with the plugin's name (D2). Reasons of a block are separate
    /// paragraphs (D11). After a label every further line of its reason is indented, and a reason that contains a line
    /// like a label is labelled even when alone: no reason can forge the label of another.
    pub fn joined_reason(&self) -> Option<String> {
        let reasons: Vec<&Attributed<Reason>> =
            self.ruling.reasons().iter().filter(|attributed| !attributed.what.text.is_empty()).collect();
        let forges = reasons.iter().any(|attributed| has_label(&attributed.what.text));
        let labelled = reasons.len() > 1 || self.asks_or_defers() || forges;
        let paragraphs = matches!(self.ruling, Ruling::Block(_) | Ruling::WorktreeFailed(_));
        let lines: Vec<String> =
            reasons.iter().map(|attributed| worded(attributed, labelled, self.ruling.holds_back())).collect();
        (!lines.is_empty()).then(|| lines.join(if paragraphs { "\n\n" } else { "\n" }))
    }

    /// Returns all context for the model, with a line break between the texts of two handlers.
    pub fn joined_context(&self) -> Option<String> {
        let texts: Vec<&str> = self.context.iter().map(|attributed| attributed.what.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns the failures by which something went unchecked; each is to be shown to the user (O10).
    pub fn unchecked(&self) -> impl Iterator<Item = &Attributed<Failure>> {
        self.failures.iter().filter(|attributed| attributed.what.is_unchecked())
    }

    fn is_about_a_pending_call(&self) -> bool {
        matches!(self.event.spec().decision, DecisionModel::Permission | DecisionModel::PermissionRequest)
    }
}

fn worded(attributed: &Attributed<Reason>, labelled: bool, holds_back: bool) -> String {
    let mut text = attributed.what.text.clone();
    if labelled {
        text = format!("[{}] {}", attributed.source, continued(&text));
    }
    match &attributed.source {
        Source::Plugin(plugin) if holds_back => {
            text.push_str(&format!(" (from plugin `{}`)", plugin.name));
        }
        Source::Plugin(_)
        | Source::Policy
        | Source::User
        | Source::Project
        | Source::Local
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function
        | Source::Flag => {}
    }
    text
}

/// Returns whether a line of a text begins like the label of a source.
fn has_label(text: &str) -> bool {
    const SOURCES: [&str; 10] =
        ["policy", "user", "project", "local", "plugin:", "skill:", "agent:", "callback", "function", "flag"];
    let line_ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.split(line_ends).any(|line| {
        let inner = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        inner.is_some_and(|(inner, _)| {
            SOURCES.iter().any(|source| {
                if source.ends_with(':') { inner.starts_with(source) } else { inner == *source }
            })
        })
    })
}

/// Returns a text with all lines but the first indented, whatever line ends it uses.
pub fn continued(text: &str) -> String {
    let mut indented = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let ends_line = matches!(
            character,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if !ends_line {
            indented.push(character);
        } else if character != '\r' || characters.peek() != Some(&'\n') {
            indented.push_str("\n  ");
        }
    }
    indented
}

impl Ruling {
    /// Returns whether the ruling alone holds back the action of the event.
    pub fn holds_back(&self) -> bool {
        match self {
            Ruling::Permission { decision, .. } => *decision == PermissionDecision::Deny,
            Ruling::Block(_) | Ruling::RequestDeny { .. } | Ruling::WorktreeFailed(_) => true,
            Ruling::Elicitation { action, .. } => *action != ElicitationAction::Accept,
            Ruling::None | Ruling::RequestAllow { .. } | Ruling::Worktree(_) => false,
        }
    }

    /// Returns the reasons, in the order in which they are shown.
    pub fn reasons(&self) -> &[Attributed<Reason>] {
        match self {
            Ruling::Permission { reasons, .. }
            | Ruling::Block(reasons)
            | Ruling::RequestDeny { reasons, .. }
            | Ruling::WorktreeFailed(reasons) => reasons,
            Ruling::None | Ruling::RequestAllow { .. } | Ruling::Elicitation { .. } | Ruling::Worktree(_) => {
                &[]
            }
        }
    }

    /// Returns the ruling in one word: `none`, `allow`, `ask`, `defer`, `deny`, `block`, `accept`, `cancel`, `decline`,
    /// `created` or `failed`.
    pub fn word(&self) -> &'static str {
        match self {
            Ruling::None => "none",
            Ruling::Permission { decision, .. } => decision.as_str(),
            Ruling::Block(_) => "block",
            Ruling::RequestAllow { .. } => "allow",
            Ruling::RequestDeny { .. } => "deny",
            Ruling::Elicitation { action, .. } => action.as_str(),
            Ruling::Worktree(_) => "created",
            Ruling::WorktreeFailed(_) => "failed",
        }
    }

    /// Returns the strictness of the ruling. Among the rulings of one event it is a total order, in which an allow is
    /// below no decision.
    pub(crate) fn strictness(&self) -> u8 {
        match self {
            Ruling::RequestAllow { .. } | Ruling::Worktree(_) => 0,
            Ruling::Permission { decision: PermissionDecision::Allow, .. } => 0,
            Ruling::Elicitation { action: ElicitationAction::Accept, .. } => 0,
            Ruling::None => 1,
            Ruling::Permission { decision: PermissionDecision::Ask, .. } => 2,
            Ruling::Elicitation { action: ElicitationAction::Cancel, .. } => 2,
            Ruling::Permission { decision: PermissionDecision::Defer, .. } => 3,
            Ruling::Permission { decision: PermissionDecision::Deny, .. } => 4,
            Ruling::Elicitation { action: ElicitationAction::Decline, .. } => 4,
            Ruling::Block(_) | Ruling::RequestDeny { .. } | Ruling::WorktreeFailed(_) => 4,
        }
    }
}

impl VerdictFields {
    /// Removes a rewrite of a tool's output that does not have the tool's shape, and the notes on it (D11).
    pub fn refuse_tool_output(&mut self) {
        self.updated_tool_output = None;
        self.updated_mcp_tool_output = None;
        self.classifier_context = self.classifier_context_without_output.clone();
    }
}

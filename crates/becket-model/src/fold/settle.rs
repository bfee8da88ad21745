//! Resolution of fields that several handlers gave (D4, D11).

use super::HandlerReply;
use crate::reply::Reply;
use crate::sandbox_answer::SandboxAnswer;
use crate::table::EventSpec;
use crate::verdict::{Attributed, VerdictFields};
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::path::PathBuf;

/// The maximum length of the notes for the classifier, all handlers together, in characters.
const CLASSIFIER_LIMIT: usize = 2000;

/// Returns the value of the most trusted source, and within it the last in C6 order; a warning names each handler whose
/// different value is not used.
pub(super) fn most_trusted<T: Clone + PartialEq>(
    replies: &[HandlerReply],
    name: &str,
    pick: impl Fn(&Reply) -> Option<&T>,
    warnings: &mut Vec<String>,
) -> Option<Attributed<T>> {
    let (winner, value) = winner(replies, &pick)?;
    for loser in replies {
        if pick(&loser.reply).is_some_and(|other| other != value) {
            warnings.push(format!(
                "`{name}` of `{}` ({}) is not used: that of `{}` ({}) counts",
                loser.place.label, loser.place.source, winner.place.label, winner.place.source
            ));
        }
    }
    Some(Attributed::by(&winner.place, value.clone()))
}

fn winner<'a, T>(
    replies: &'a [HandlerReply],
    pick: impl Fn(&'a Reply) -> Option<&'a T>,
) -> Option<(&'a HandlerReply, &'a T)> {
    replies
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, one, pick(&one.reply)?)))
        .min_by_key(|(at, one, _)| (one.place.source.trust_rank(), Reverse(*at)))
        .map(|(_, one, value)| (one, value))
}

/// Returns the rewrite of the most trusted hook among those that may only propose one (D4, G3).
fn proposed(replies: &[HandlerReply]) -> Option<Attributed<Map<String, Value>>> {
    let proposals = replies.iter().enumerate().filter_map(|(at, one)| Some((at, one, one.proposal.clone()?)));
    let (_, one, input) =
        proposals.min_by_key(|(at, one, _)| (one.place.source.trust_rank(), Reverse(*at)))?;
    Some(Attributed::by(&one.place, input))
}

/// Returns all fields of the event; those that it does not have stay empty, even if an in-process handler sets them.
pub(super) fn fields(
    spec: &EventSpec,
    replies: &[HandlerReply],
    warnings: &mut Vec<String>,
) -> VerdictFields {
    let has = |name: &str| spec.has_output(name);
    let mut settle = FieldFold { spec, replies, warnings };
    let any = |name: &str, pick: fn(&Reply) -> bool| has(name) && replies.iter().any(|one| pick(&one.reply));
    VerdictFields {
        updated_input: settle.one("updatedInput", |reply| reply.fields.updated_input.as_ref()),
        sandbox: if has("sandbox") { sandboxes(replies) } else { Vec::new() },
        proposed_input: proposed(replies),
        updated_tool_output: settle.one("updatedToolOutput", tool_output),
        updated_mcp_tool_output: settle.one("updatedMCPToolOutput", mcp_tool_output),
        display_content: settle.one("displayContent", |reply| reply.fields.display_content.as_ref()),
        session_title: settle.one("sessionTitle", |reply| reply.fields.session_title.as_ref()),
        initial_user_message: settle
            .one("initialUserMessage", |reply| reply.fields.initial_user_message.as_ref()),
        watch_paths: watch_paths(replies).filter(|_| has("watchPaths")),
        retry: any("retry", |reply| reply.fields.retry),
        reload_skills: any("reloadSkills", |reply| reply.fields.reload_skills),
        suppress_original_prompt: any("suppressOriginalPrompt", |reply| {
            reply.fields.suppress_original_prompt
        }),
        classifier_context: notes(replies, lost_output).filter(|_| has("classifierContext")),
        classifier_context_without_output: notes(replies, |_, one| rewrites_output(one))
            .filter(|_| has("classifierContext")),
    }
}

/// Returns the rights that handlers leave to a call, separately: only a system gives their paths a meaning (E5).
fn sandboxes(replies: &[HandlerReply]) -> Vec<Attributed<SandboxAnswer>> {
    let sandbox_of = |one: &HandlerReply| Some(Attributed::by(&one.place, one.reply.fields.sandbox.clone()?));
    replies.iter().filter_map(sandbox_of).collect()
}

struct FieldFold<'a> {
    spec: &'a EventSpec,
    replies: &'a [HandlerReply],
    warnings: &'a mut Vec<String>,
}

impl FieldFold<'_> {
    fn one<T: Clone + PartialEq>(
        &mut self,
        name: &str,
        pick: impl Fn(&Reply) -> Option<&T>,
    ) -> Option<Attributed<T>> {
        self.spec.has_output(name).then(|| most_trusted(self.replies, name, pick, self.warnings)).flatten()
    }
}

/// Returns the union of the lists, in C6 order; `None` if no handler gave one.
fn watch_paths(replies: &[HandlerReply]) -> Option<Vec<PathBuf>> {
    let mut lists = replies.iter().filter_map(|one| one.reply.fields.watch_paths.as_ref()).peekable();
    lists.peek()?;
    let mut union = Vec::new();
    for path in lists.flatten() {
        if !union.contains(path) {
            union.push(path.clone());
        }
    }
    Some(union)
}

/// Returns the notes joined and cut, without those of handlers that `drops` selects.
fn notes(replies: &[HandlerReply], drops: impl Fn(&[HandlerReply], &HandlerReply) -> bool) -> Option<String> {
    let kept: Vec<&str> = replies
        .iter()
        .filter(|one| !drops(replies, one))
        .filter_map(|one| one.reply.fields.classifier_context.as_deref())
        .collect();
    (!kept.is_empty()).then(|| kept.join("\n").chars().take(CLASSIFIER_LIMIT).collect())
}

fn rewrites_output(one: &HandlerReply) -> bool {
    tool_output(&one.reply).is_some() || mcp_tool_output(&one.reply).is_some()
}

/// Returns whether a handler's rewrite of the output lost to another's (D11).
fn lost_output(replies: &[HandlerReply], one: &HandlerReply) -> bool {
    let lost = |pick: fn(&Reply) -> Option<&Value>| {
        let mine = pick(&one.reply);
        mine.is_some() && winner(replies, pick).map(|(_, value)| value) != mine
    };
    lost(tool_output) || lost(mcp_tool_output)
}

fn tool_output(reply: &Reply) -> Option<&Value> {
    reply.fields.updated_tool_output.as_ref()
}

fn mcp_tool_output(reply: &Reply) -> Option<&Value> {
    reply.fields.updated_mcp_tool_output.as_ref()
}

//! Programs that a shell line executes: the rules in force, and the answer for a program that is held (`protocol.md` E1,
//! E4).
//!
//! A held program is judged like a call of Bash with the program's own command line: by the PreToolUse hooks whose `if`
//! matches it, then the rules, and if one of them asks, PermissionRequest hooks and the person. It is too late for
//! rewrites.

use super::batch_abort::BatchAbort;
use super::calls::{CallContext, ToolCalls};
use super::decide::Hook;
use super::gate;
use super::hook_log::HookLog;
use super::nested::NestedCalls;
use super::prompt::{self, Prompt, Yes};
use super::report::CallEnd;
use crate::update::{Notice, Origin, Update, UpdateKind, Watch};
use becket_engine::{CancellationToken, Settlement, ToolCall};
use becket_exec::line::{DeniedProgram, HeldProgram, LineRules, Refusal};
use becket_model::event::PermissionMode;
use becket_model::event::tool::{ExecutedProgram, PreToolUse};
use becket_rules::shell::quoted_word;
use becket_tools::shell::{LineCall, ProgramGuard, line_rules};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The tool whose command lines execute programs.
const BASH: &str = "Bash";

/// The maximum number of cached answers.
const MOST_ANSWERS: usize = 1024;

/// Judges the programs that a session's command lines execute. Cheap to clone; clones share the answers.
#[derive(Clone)]
pub struct ProgramJudge {
    calls: ToolCalls,
    watch: Arc<dyn Watch>,
    /// The cached answers: a program with the same arguments, file and directory is judged once in a call.
    answers: Arc<Mutex<HashMap<AnswerKey, Result<(), String>>>>,
    has_warned: Arc<AtomicBool>,
}

/// A program in a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct AnswerKey {
    tool_use_id: String,
    file: String,
    argv: Vec<String>,
    cwd: String,
}

impl ProgramJudge {
    /// Returns the judge of the lines that the Bash of these calls runs. Denied programs are reported to `watch`.
    #[must_use]
    pub fn new(calls: ToolCalls, watch: impl Watch + 'static) -> Self {
        Self { calls, watch: Arc::new(watch), answers: Arc::default(), has_warned: Arc::default() }
    }

    async fn judge(self, line: LineCall, held: HeldProgram) -> Result<(), String> {
        let key = AnswerKey::of(&line, &held.program);
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        let answer = self.ask(&line, &held).await;
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST_ANSWERS {
            answers.clear();
        }
        answers.insert(key, answer.clone());
        answer
    }

    async fn ask(&self, line: &LineCall, held: &HeldProgram) -> Result<(), String> {
        let tool = self.calls.tool_named(BASH).ok_or("there is no tool `Bash` any more")?;
        let input = Map::from_iter([("command".to_owned(), json!(command_line(held)))]);
        let call = ToolCall { id: line.tool_use_id.clone(), name: BASH.to_owned(), input: input.clone() };
        // The command line ends with the call, and the question with the command line.
        let (cancel, abort, nested) =
            (CancellationToken::new(), BatchAbort::default(), NestedCalls::default());
        let at = CallContext {
            calls: &self.calls,
            session: &line.session,
            facts: None,
            call: &call,
            tool: &*tool,
            cancel: &cancel,
            abort: &abort,
            nested: &nested,
        };
        approve(&at, input, held).await
    }
}

/// Fires the hooks, and asks the person if a hook or a rule says so.
async fn approve(at: &CallContext<'_>, input: Map<String, Value>, held: &HeldProgram) -> Result<(), String> {
    let mut log = HookLog::default();
    let event = at.event(
        PreToolUse::new(BASH.to_owned(), input.clone(), at.call.id.clone()).executed(held.program.clone()),
    );
    let outcome = log.fire(&at.calls.engine, &event, at.cancel).await;
    if let Some(rewrite) = &outcome.verdict.fields.updated_input {
        return Err(format!(
            "the hook `{}` ({}) rewrites the command, which is too late for a program that is being executed",
            rewrite.label, rewrite.source
        ));
    }
    let hook = gate::hook(&outcome.verdict);
    let because = match (outcome.settlement, &held.rule) {
        (Some(Settlement::Denied { because } | Settlement::Stopped { because }), _) => return Err(because),
        (Some(Settlement::Deferred), _) => {
            return Err("a hook defers the call, which is too late for a program".to_owned());
        }
        (Some(Settlement::Asked { because }), None) => because,
        (Some(Settlement::Asked { .. } | Settlement::Undecided) | None, Some(rule)) => {
            format!("{rule} asks first")
        }
        (Some(Settlement::Allowed { .. }), Some(rule)) if hook != Hook::Allows => {
            format!("{rule} asks first")
        }
        (Some(Settlement::Allowed { .. } | Settlement::Undecided), _) => return Ok(()),
        (None, None) => return Err("nobody has judged this program".to_owned()),
    };
    let because = format!("{because}; run by {}", held.program.chain.join(" → "));
    if at.session.permission_mode == Some(PermissionMode::DontAsk) {
        return Err(format!("the mode `dontAsk` asks nobody, and {because}"));
    }
    let hooks_may_answer = hook != Hook::Asks;
    let prompt = Prompt { written: input.clone(), input, because, hooks_may_answer };
    match prompt::ask(at, prompt, &mut log).await {
        Ok(Yes::OfPerson(_) | Yes::OfHooks { is_rewritten: false, .. }) => {
            let engine = at.calls.engine.clone();
            // Waits for the disk, and for other processes that write the same settings.
            let applied = tokio::task::spawn_blocking(move || drop(engine.host().apply(&log.updates)));
            applied.await.map_err(|lost| format!("permissions could not be changed: {lost}"))
        }
        Ok(Yes::Rewritten { .. } | Yes::Proposed(_) | Yes::OfHooks { is_rewritten: true, .. }) => {
            Err("the answer rewrites the command, which is too late for a program".to_owned())
        }
        Err(ended) => Err(reason(ended)),
    }
}

/// Returns the reason why a call ended without an approval.
fn reason(ended: CallEnd) -> String {
    match ended {
        CallEnd::Denied { because, .. } | CallEnd::Stopped { because } => because,
        CallEnd::Failed { error, .. } | CallEnd::Invalid { error } => error,
        CallEnd::Deferred => "a hook defers the call".to_owned(),
        CallEnd::Cancelled { .. } => "the call was cancelled".to_owned(),
        CallEnd::Done { .. } => "the question was not answered".to_owned(),
    }
}

impl AnswerKey {
    fn of(line: &LineCall, program: &ExecutedProgram) -> Self {
        let ExecutedProgram { file, argv, cwd, .. } = program.clone();
        Self { tool_use_id: line.tool_use_id.clone(), file, argv, cwd }
    }
}

/// Returns the command line of a held program for hooks and rules: the interpretation that was matched, with its words
/// quoted for a shell.
fn command_line(held: &HeldProgram) -> String {
    let argv = &held.program.argv;
    let tail = (0..argv.len()).find_map(|at| {
        let head = held.command.strip_suffix(&argv[at..].join(" "))?;
        (head.is_empty() || head.ends_with(' ')).then(|| (head.trim_end(), &argv[at..]))
    });
    let (head, tail) = tail.unwrap_or((&held.command, &[]));
    let words = head.split(' ').filter(|word| !word.is_empty()).chain(tail.iter().map(String::as_str));
    words.map(quoted_word).collect::<Vec<_>>().join(" ")
}

impl ProgramGuard for ProgramJudge {
    fn rules(&self, call: &LineCall) -> LineRules {
        line_rules(&self.calls.engine, &call.session.cwd, &call.rights)
    }

    fn approve(&self, call: &LineCall, held: HeldProgram) -> BoxFuture<'static, Result<(), String>> {
        Box::pin(self.clone().judge(call.clone(), held))
    }

    fn denied(&self, call: &LineCall, program: &DeniedProgram) {
        let DeniedProgram { command, chain, reason } = program.clone();
        let tool_use_id = call.tool_use_id.clone();
        let what = UpdateKind::ProgramDenied { tool_use_id, command, reason, chain };
        self.watch.on(&Update { of: Origin::Main, what });
    }

    fn refused(&self, call: &LineCall, refusal: &Refusal) {
        let (tool_use_id, refusal) = (call.tool_use_id.clone(), refusal.clone());
        self.watch.on(&Update { of: Origin::Main, what: UpdateKind::AccessRefused { tool_use_id, refusal } });
    }

    fn weakened(&self, what: &str) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            let what = UpdateKind::Notice(Notice::warning(what));
            self.watch.on(&Update { of: Origin::Main, what });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(command: &str, argv: &[&str]) -> HeldProgram {
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        HeldProgram {
            question: 0,
            command: command.to_owned(),
            program: ExecutedProgram { argv, ..ExecutedProgram::default() },
            rule: None,
            is_for_hooks: true,
        }
    }

    // rule: E4
    #[test]
    fn hooks_see_the_command_that_was_matched_with_its_words() {
        for (command, argv, expected) in [
            ("git push origin", &["git", "push", "origin"][..], "git push origin"),
            ("git push a b", &["/usr/bin/git", "push", "a b"], "git push 'a b'"),
            ("git push x;y", &["git", "-C", "dir", "push", "x;y"], "git push 'x;y'"),
            ("git push it's", &["git-push", "it's"], r"git push 'it'\''s'"),
            ("tool", &["x"], "tool"),
            ("tool ", &["x", ""], "tool ''"),
        ] {
            assert_eq!(command_line(&held(command, argv)), expected);
        }
    }
}

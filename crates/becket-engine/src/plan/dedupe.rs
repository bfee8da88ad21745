//! Merges handlers that would do the same, so that they run once; the merged one is never weaker than any copy (H1).

use crate::config::handler::{Action, Background, Handler, If};
use crate::config::placeholders::{FilledCommand, Places};
use crate::config::text_shell::PathStyle;
use crate::plan::PlannedRun;
use crate::plan::skip::{SkipReason, SkippedHandler};
use becket_model::{AgentId, OnFailure, Source};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Merges duplicates; each that is replaced by another is added to `skipped`.
pub(crate) fn merge(
    handlers: Vec<Arc<Handler>>,
    places: &Places,
    skipped: &mut Vec<SkippedHandler>,
) -> Vec<Arc<Handler>> {
    let mut kept: Vec<Arc<Handler>> = Vec::with_capacity(handlers.len());
    let mut seen: HashMap<Key, usize> = HashMap::with_capacity(handlers.len());
    for handler in handlers {
        let Some(key) = Key::of(&handler, places) else {
            kept.push(handler);
            continue;
        };
        match seen.get(&key) {
            Some(&at) => unite(&mut kept[at], handler, skipped),
            None => {
                seen.insert(key, kept.len());
                kept.push(handler);
            }
        }
    }
    kept.sort_by_key(|handler| handler.place.position);
    kept
}

/// Merges the runs of several sets; a run keeps the note of the leading handler.
pub(crate) fn merge_runs(
    runs: Vec<PlannedRun>,
    places: &Places,
    skipped: &mut Vec<SkippedHandler>,
) -> Vec<PlannedRun> {
    let notes: HashMap<u64, (Option<String>, Option<&'static str>)> =
        runs.iter().map(|run| (run.handler.place.position, (run.note.clone(), run.fails))).collect();
    let merged = merge(runs.into_iter().map(|run| run.handler).collect(), places, skipped);
    let planned = |handler: Arc<Handler>| {
        let (note, fails) = notes.get(&handler.place.position).cloned().unwrap_or_default();
        PlannedRun { handler, note, fails }
    };
    merged.into_iter().map(planned).collect()
}

/// Keeps the copy whose source is trusted more, and skips the other.
fn unite(first: &mut Arc<Handler>, copy: Arc<Handler>, skipped: &mut Vec<SkippedHandler>) {
    let copy_leads = copy.place.source.trust_rank() < first.place.source.trust_rank();
    let (leads, yields) = if copy_leads { (copy, first.clone()) } else { (first.clone(), copy) };
    let why = SkipReason::Duplicate { source: leads.place.source.clone(), label: leads.place.label.clone() };
    *first = Arc::new(strictest(&leads, &yields));
    skipped.push(SkippedHandler { handler: yields, why });
}

/// Returns the leading copy with everything that makes the other one stricter.
fn strictest(leads: &Handler, yields: &Handler) -> Handler {
    let mut merged = leads.clone();
    if yields.timeout.limit > merged.timeout.limit {
        merged.timeout = yields.timeout;
    }
    merged.background = match (leads.background, yields.background) {
        (Background::No, _) | (_, Background::No) => Background::No,
        (Background::AsyncRewake, _) | (_, Background::AsyncRewake) => Background::AsyncRewake,
        (Background::Async, Background::Async) => Background::Async,
    };
    if yields.place.on_failure == OnFailure::Block {
        merged.place.on_failure = OnFailure::Block;
    }
    merged.rollout = leads.rollout.stricter(yields.rollout);
    if yields.once.is_none() {
        merged.once = None;
    }
    if let (Action::Prompt(prompt), Action::Prompt(other)) = (&mut merged.action, &yields.action) {
        prompt.continue_on_block &= other.continue_on_block;
    }
    merged
}

/// The parts that must be equal for two handlers to do the same.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    namespace: Namespace,
    agent: Option<AgentId>,
    condition: Option<(String, Option<PathBuf>)>,
    deed: HandlerEffect,
}

/// The namespace of a handler: settings of one project share one; each plugin and each root of a skill or an agent has
/// its own.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Namespace {
    Settings(PathBuf),
    Root(Source, Option<PathBuf>),
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum HandlerEffect {
    Command(FilledCommand),
    Http(String),
    McpTool { server: String, tool: String, input: String },
    Prompt { agent: bool, prompt: String, model: Option<String> },
}

impl Key {
    /// Returns the key, or `None` if the handler is never compared: it is registered by the host, or can't be filled.
    fn of(handler: &Handler, places: &Places) -> Option<Key> {
        let namespace = match &handler.place.source {
            Source::Callback | Source::Function => return None,
            Source::Policy | Source::User | Source::Project | Source::Local | Source::Flag => {
                Namespace::Settings(places.project_of(handler).to_owned())
            }
            source @ (Source::Plugin(_) | Source::Skill(_) | Source::Agent(_)) => {
                Namespace::Root(source.clone(), handler.root.as_ref().map(|root| root.root.clone()))
            }
        };
        let deed = match &handler.action {
            Action::Command(command) => {
                HandlerEffect::Command(places.fill(handler, command, PathStyle::of(command)).ok()?)
            }
            Action::Http(http) => HandlerEffect::Http(http.url.clone()),
            Action::McpTool(call) => HandlerEffect::McpTool {
                server: call.server.clone(),
                tool: call.tool.clone(),
                input: serde_json::Value::Object(call.input.clone()).to_string(),
            },
            Action::Prompt(prompt) => prompt_deed(prompt, false),
            Action::Agent(prompt) => prompt_deed(prompt, true),
            Action::Callback(_) => return None,
        };
        Some(Key { namespace, agent: handler.agent_scope.clone(), condition: condition(handler), deed })
    }
}

fn prompt_deed(prompt: &crate::config::handler::Prompt, agent: bool) -> HandlerEffect {
    HandlerEffect::Prompt { agent, prompt: prompt.prompt.clone(), model: prompt.model.clone() }
}

/// Returns the text of the `if`, with the settings' own directory if a path in it starts there.
fn condition(handler: &Handler) -> Option<(String, Option<PathBuf>)> {
    match &handler.condition {
        If::Absent => None,
        If::NeverRuns(text) => Some((text.to_string(), None)),
        If::Rule(condition) => {
            let text = condition.to_string();
            let anchor = text.contains("(/").then(|| handler.anchor.clone());
            Some((text, anchor))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rollout;
    use crate::config::handler::{Once, Prompt};
    use crate::host::profile::Profile;
    use crate::testing;
    use becket_model::Enforcement;
    use std::time::Duration;

    fn places() -> Places {
        Places { profile: Profile::claude(), project_dir: "/w".into() }
    }

    fn merged(handlers: Vec<Handler>) -> (Vec<Arc<Handler>>, Vec<SkippedHandler>) {
        let mut skipped = Vec::new();
        let numbered = handlers.into_iter().enumerate().map(|(position, mut handler)| {
            handler.place.position = position as u64;
            Arc::new(handler)
        });
        (merge(numbered.collect(), &places(), &mut skipped), skipped)
    }

    fn exec(program: &str) -> Handler {
        let mut handler = testing::command("x");
        handler.action = Action::Command(crate::config::handler::Command::Exec {
            program: program.into(),
            args: [].into(),
        });
        handler
    }

    #[test]
    fn the_same_command_runs_once_from_the_most_trusted_source() {
        // rule: H1
        let (kept, skipped) = merged(vec![
            testing::from(Source::Project, "guard"),
            testing::from(Source::User, "guard"),
            testing::from(Source::User, "other"),
        ]);
        assert_eq!(
            kept.iter().map(|h| h.place.source.clone()).collect::<Vec<_>>(),
            [Source::User, Source::User]
        );
        assert_eq!(skipped.len(), 1);
        assert_eq!(skipped[0].handler.place.source, Source::Project);
        assert_eq!(skipped[0].why, SkipReason::Duplicate { source: Source::User, label: "guard".into() });
    }

    #[test]
    fn what_runs_is_never_weaker_than_a_copy() {
        // rule: H1
        let mut weak = testing::from(Source::User, "guard");
        weak.background = Background::Async;
        weak.once = Some(Once::default());
        weak.timeout.limit = Duration::from_secs(1);
        let mut strict = testing::from(Source::Project, "guard");
        strict.place.on_failure = OnFailure::Block;
        strict.timeout.limit = Duration::from_secs(9);
        weak.rollout = Rollout::new(Enforcement::Observe, None);
        for pair in [vec![weak.clone(), strict.clone()], vec![strict, weak]] {
            let (kept, _) = merged(pair);
            assert_eq!(kept.len(), 1);
            let run = &kept[0];
            assert_eq!(run.place.source, Source::User);
            assert_eq!(run.place.on_failure, OnFailure::Block);
            assert_eq!(run.timeout.limit, Duration::from_secs(9));
            assert_eq!(run.background, Background::No);
            assert!(run.once.is_none());
            assert_eq!(run.rollout, Rollout::default());
        }
    }

    #[test]
    fn once_stays_where_all_copies_have_it() {
        // rule: H1
        let mut handler = testing::command("x");
        handler.once = Some(Once::default());
        assert!(merged(vec![handler.clone(), handler]).0[0].once.is_some());
    }

    #[test]
    fn placeholders_are_filled_before_comparing() {
        // rule: H1
        assert_eq!(merged(vec![exec("/w/run"), exec("${CLAUDE_PROJECT_DIR}/run")]).0.len(), 1);
        assert_eq!(merged(vec![exec("run"), testing::command("run")]).0.len(), 2);
    }

    #[test]
    fn each_plugin_and_skill_is_its_own_namespace_and_callbacks_are_never_compared() {
        // rule: H1
        let from = |source| testing::from(source, "x");
        let two_roots =
            vec![from(Source::Plugin("a".into())), from(Source::Plugin("b".into())), from(Source::User)];
        assert_eq!(merged(two_roots).0.len(), 3);
        assert_eq!(merged(vec![from(Source::Skill("a".into())), from(Source::Skill("a".into()))]).0.len(), 1);
        assert_eq!(merged(vec![from(Source::Callback), from(Source::Callback)]).0.len(), 2);
    }

    #[test]
    fn a_prompt_that_ends_the_turn_is_not_softened_by_a_copy() {
        // rule: H1
        let prompt = |source, continue_on_block| {
            let mut handler = testing::from(source, "x");
            handler.action = Action::Prompt(Prompt { prompt: "ok?".into(), model: None, continue_on_block });
            handler
        };
        for (first, second) in [(true, false), (false, true)] {
            let (kept, _) = merged(vec![prompt(Source::User, first), prompt(Source::Project, second)]);
            assert!(matches!(&kept[0].action, Action::Prompt(prompt) if !prompt.continue_on_block));
        }
    }

    #[test]
    fn prompts_are_the_same_by_kind_text_and_model() {
        // rule: H1
        let prompt = |agent: bool, model: Option<&str>| {
            let mut handler = testing::command("x");
            let prompt =
                Prompt { prompt: "ok?".into(), model: model.map(str::to_owned), continue_on_block: agent };
            handler.action = if agent { Action::Agent(prompt) } else { Action::Prompt(prompt) };
            handler
        };
        assert_eq!(merged(vec![prompt(false, None), prompt(false, None)]).0.len(), 1);
        assert_eq!(
            merged(vec![prompt(false, None), prompt(true, None), prompt(false, Some("m"))]).0.len(),
            3
        );
    }
}

//! Subagents in whole sessions, with real hooks (`protocol.md` C10, D6, G3, L0, N4, P10).

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::session::{At, LONG, never, settings, within};
use becket_agent::agents::{AgentTool, Agents};
use becket_agent::definitions::{Dialect, Homes};
use becket_agent::session::Prompt;
use becket_agent::transcript::Store;
use becket_agent::turn::EndReason;
use becket_agent::{Agent, AgentBuilder};
use becket_engine::config::{Request, Trust};
use becket_engine::{Engine, Environment, Profile, RunningCall, Tool, ToolFailure, ToolOutput};
use becket_llm::{Model, ModelError, Models, Script, ScriptedModel, ToolSpec};
use becket_model::event::tool::PreToolUse;
use becket_model::event::{Agent as AgentFacts, PermissionMode};
use becket_model::{Event, EventKind, Session};
use becket_tools::tasks::Tasks;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::fs;
use std::sync::Arc;
use std::time::Instant;

/// A single model for all names; `other` does not exist.
struct OneModel(Arc<dyn Model>);

impl Models for OneModel {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        match name {
            Some("other") => Err(ModelError::UnknownModel { name: "other".into(), message: String::new() }),
            Some(_) | None => Ok(Arc::clone(&self.0)),
        }
    }
}

/// A tool that panics.
struct Panics;

impl Tool for Panics {
    fn name(&self) -> &str {
        "Panics"
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Panics".into(),
            description: String::new(),
            input_schema: json!({"type": "object"}),
        }
    }

    fn effect(&self, _: &Session, _: &Map<String, Value>) -> becket_engine::Effect {
        becket_engine::Effect::Reads
    }

    fn run<'a>(&'a self, _: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        panic!("the tool broke")
    }
}

/// A session with agents.
struct World {
    at: At,
    tool: AgentTool,
    tasks: Tasks,
    store: Store,
}

impl World {
    fn new(settings: &Value, agents: &Value, turns: &Value) -> Self {
        Self::of(At::new(settings, turns), &Agents::load(&Homes::default(), Some(&agents.to_string())).agents)
    }

    fn of(at: At, agents: &Agents) -> Self {
        let request = Request::new(Profile::claude(), Environment::empty(), &at.dir);
        let others: Vec<Arc<dyn Tool>> =
            at.toolbox.all().iter().cloned().chain([Arc::new(Panics) as Arc<dyn Tool>]).collect();
        let lent = others.clone();
        let tools = Arc::new(move |_: &becket_agent::session::Facts| lent.clone());
        let models = Arc::new(OneModel(at.model.clone()));
        let tasks = Tasks::new(at.dir.join("tasks"));
        let tool = AgentTool::new(agents.clone(), Dialect::of(&request), models, tools);
        let tool = tool.with_tasks(tasks.clone());
        at.toolbox.replace(others.into_iter().chain([Arc::new(tool.clone()) as Arc<dyn Tool>]));
        let store = Store::new(at.dir.join("store"));
        Self { at, tool, tasks, store }
    }

    fn builder(&self) -> AgentBuilder {
        let builder = self.at.builder().subagents(self.tool.clone()).tasks(self.tasks.clone());
        builder.store(self.store.clone())
    }

    /// Creates a world with a model that answers each request with the first turn that fits.
    fn fitting(settings: &Value, agents: &Value, turns: &Value) -> Self {
        let mut at = At::new(settings, &json!([{"text": "unused"}]));
        let script = json!({"name": "scripted", "pick": "fitting", "turns": turns}).to_string();
        at.model = Arc::new(ScriptedModel::new(Script::from_text(&script, "script").unwrap()));
        Self::of(at, &Agents::load(&Homes::default(), Some(&agents.to_string())).agents)
    }

    async fn open(&self) -> Agent {
        self.builder().open().await.unwrap()
    }

    /// Opens a session, sends one prompt, and closes it.
    async fn run(&self) -> EndReason {
        let agent = self.open().await;
        let end = within(agent.prompt(Prompt::text("MAIN"), &never())).await;
        within(agent.close("other")).await;
        end.reason
    }

    /// Returns the inputs of this event's hooks.
    fn noted(&self, event: &str) -> Vec<Value> {
        self.at.noted().into_iter().filter(|input| input["hook_event_name"] == event).collect()
    }

    /// Returns the tools that a request offered.
    fn offered(&self, request: usize) -> Vec<String> {
        let requests = self.at.model.requests();
        requests[request].request.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// Returns the number of handlers that would see a call of `Probe` by this agent.
    fn handlers(&self, agent: Option<&str>) -> usize {
        let mut session = Session::new("s", "", &self.at.dir);
        session.agent =
            agent.map(|id| AgentFacts::new(becket_model::AgentId::from(id), Arc::<str>::from("worker")));
        let body = PreToolUse::new("Probe".into(), Map::new(), "t".into());
        self.at.engine.plan(&Event::new(session, body)).runs().len()
    }
}

fn worker(more: &Value) -> Value {
    let mut worker = json!({"description": "works", "prompt": "You work."});
    for (key, value) in more.as_object().unwrap() {
        worker[key] = value.clone();
    }
    json!({"worker": worker})
}

fn start(more: &Value) -> Value {
    let mut input = json!({"description": "a task", "prompt": "TASK", "subagent_type": "worker"});
    for (key, value) in more.as_object().unwrap() {
        input[key] = value.clone();
    }
    json!({"tool_uses": [{"id": "toolu_agent", "name": "Agent", "input": input}]})
}

fn probe(input: Value) -> Value {
    json!({"tool_uses": [{"name": "Probe", "input": input}]})
}

fn command_hook(command: &str) -> Value {
    json!([{"hooks": [{"type": "command", "command": command}]}])
}

// rules: L0, N4
#[tokio::test]
async fn an_agent_goes_the_way_of_the_protocol() {
    let seen = ["PreToolUse", "PostToolUse", "PostToolBatch", "SubagentStart", "SubagentStop", "Stop"];
    let mut hooks: Map<String, Value> =
        seen.iter().map(|event| ((*event).to_owned(), json!(["true"]))).collect();
    let context =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"be kind"}}'"#;
    hooks["SubagentStart"] = json!([context]);
    let turns =
        json!([start(&json!({})), probe(json!({"n": 1})), {"text": "found it"}, {"text": "all done"}]);
    let world = World::new(&settings(&json!(hooks), &json!({})), &worker(&json!({})), &turns);
    assert_eq!(world.run().await, EndReason::Completed);
    assert_eq!(
        world.at.events(),
        [
            "PreToolUse",
            "SubagentStart",
            "PreToolUse",
            "PostToolUse",
            "PostToolBatch",
            "SubagentStop",
            "PostToolUse",
            "PostToolBatch",
            "Stop"
        ]
    );
    let id = world.noted("SubagentStart")[0]["agent_id"].as_str().unwrap().to_owned();
    for (index, input) in world.at.noted().iter().enumerate() {
        let inside = (1..6).contains(&index);
        assert_eq!(input["agent_id"].as_str(), inside.then_some(id.as_str()), "{input}");
        assert_eq!(input["agent_type"].as_str(), inside.then_some("worker"), "{input}");
    }
    let stop = &world.noted("SubagentStop")[0];
    assert_eq!(stop["last_assistant_message"], "found it");
    let transcript = stop["agent_transcript_path"].as_str().unwrap();
    assert!(transcript.ends_with(&format!("/subagents/agent-{id}.jsonl")), "{transcript}");
    let stored = fs::read_to_string(transcript).unwrap();
    assert!(stored.lines().all(|line| line.contains("\"isSidechain\":true")), "{stored}");
    let response = &world.noted("PostToolUse")[1]["tool_response"];
    assert_eq!((&response["status"], &response["agentId"]), (&json!("completed"), &json!(id)));
    assert_eq!(response["toolStats"], json!({"Probe": 1}));
    let requests = world.at.requests();
    assert!(
        requests[1].contains("task")
            && requests[1].contains("subagentstart:worker hook additional context: be kind")
    );
    assert!(!requests[1].contains("main"), "an agent sees nothing of its caller: {}", requests[1]);
    assert!(requests[3].contains("result toolu_agent: found it"), "{}", requests[3]);
    let system = world.at.model.requests()[1].request.system.clone().unwrap();
    assert!(system.starts_with("You work."), "{system}");
}

// rules: L4, D6
#[tokio::test]
async fn hooks_send_an_agent_back_or_stop_it_and_it_alone() {
    let back = r#"[ -e "$HERE/once" ] || { touch "$HERE/once"; echo 'look again' >&2; exit 2; }"#;
    let turns = json!([start(&json!({})), {"text": "first"}, {"text": "second"}, {"text": "all done"}]);
    let world =
        World::new(&settings(&json!({"SubagentStop": [back]}), &json!({})), &worker(&json!({})), &turns);
    assert_eq!(world.run().await, EndReason::Completed);
    let requests = world.at.requests();
    assert!(requests[2].contains("look again") && requests[3].contains("result toolu_agent: second"));
    assert_eq!(world.noted("SubagentStop")[1]["stop_hook_active"], true);

    let stop = r#"case "$in" in *'"Probe"'*) echo '{"continue": false, "stopReason": "not you"}';; esac"#;
    let turns = json!([start(&json!({})), probe(json!({"n": 1})), {"text": "all done"}]);
    let world = World::new(
        &settings(&json!({"PreToolUse": [stop], "Stop": ["true"]}), &json!({})),
        &worker(&json!({})),
        &turns,
    );
    assert_eq!(world.run().await, EndReason::Completed);
    assert!(world.at.done.ran.lock().unwrap().is_empty());
    let last = world.at.requests().pop().unwrap();
    assert!(last.contains("result toolu_agent: a hook stopped the agent: not you"), "{last}");
    assert_eq!(world.noted("Stop").len(), 1);
}

// rule: C10
#[tokio::test]
async fn hooks_of_a_frontmatter_hold_for_their_agent_and_while_it_runs() {
    let hooks = json!({"hooks": {
        "PreToolUse": command_hook("cat >> \"$HERE/own\""),
        "Stop": command_hook("cat >> \"$HERE/stops\""),
    }});
    let mut agents = worker(&hooks);
    agents["bystander"] = json!({"description": "d", "prompt": "p"});
    let both = json!({"tool_uses": [
        {"name": "Agent", "input": {"description": "d", "prompt": "TASK", "subagent_type": "worker"}},
        {"name": "Probe", "input": {"n": 7}}]});
    let turns = json!([both, probe(json!({"n": 1})), {"text": "a"}, start(&json!({"subagent_type": "bystander"})),
                       probe(json!({"n": 2})), {"text": "b"}, {"text": "all done"}]);
    let world = World::new(&settings(&json!({}), &json!({})), &agents, &turns);
    assert_eq!(world.run().await, EndReason::Completed);
    let own = fs::read_to_string(world.at.dir.join("own")).unwrap();
    assert!(own.contains("\"n\":1") && !own.contains("\"n\":2") && !own.contains("\"n\":7"), "{own}");
    let stops = fs::read_to_string(world.at.dir.join("stops")).unwrap();
    assert_eq!(
        (stops.matches("\"SubagentStop\"").count(), stops.matches("\"Stop\"").count()),
        (1, 0),
        "{stops}"
    );
    assert!(
        !world.at.engine.host().has_any(EventKind::PreToolUse)
            && !world.at.engine.host().has_any(EventKind::SubagentStop)
    );
}

// rules: C10, H4
#[tokio::test]
async fn hooks_of_a_frontmatter_are_gone_whatever_ends_their_agent() {
    let agents = worker(&json!({"hooks": {"PreToolUse": command_hook("true")}}));
    let gone = |world: &World| !world.at.engine.host().has_any(EventKind::PreToolUse);
    // An error of the model.
    let failing =
        json!([start(&json!({})), {"error": {"kind": "bad_request", "message": "no"}}, {"text": "x"}]);
    let failing = World::new(&settings(&json!({}), &json!({})), &agents, &failing);
    failing.run().await;
    assert!(gone(&failing));
    // A tool that panics.
    let panics = json!({"tool_uses": [{"name": "Panics", "input": {}}]});
    let world = World::new(
        &settings(&json!({}), &json!({})),
        &agents,
        &json!([start(&json!({})), panics, {"text": "a"}, {"text": "b"}]),
    );
    assert_eq!(world.run().await, EndReason::Completed);
    assert!(gone(&world) && world.at.requests()[2].contains("the tool broke"));
    // A cancelled agent, and a dropped one.
    for drops in [false, true] {
        let turns = json!([start(&json!({})), probe(json!({"n": 1, "hangs": true})), {"text": "x"}]);
        let world = World::new(&settings(&json!({}), &json!({})), &agents, &turns);
        let agent = world.open().await;
        let cancel = never();
        let prompted = {
            let (agent, cancel) = (agent.clone(), cancel.clone());
            tokio::spawn(async move { agent.prompt(Prompt::text("MAIN"), &cancel).await })
        };
        world.at.wait_for("hangs").await;
        assert!(!gone(&world));
        if drops {
            prompted.abort();
            assert!(within(prompted).await.is_err());
        } else {
            cancel.cancel();
            assert_eq!(within(prompted).await.unwrap().reason, EndReason::Interrupted);
        }
        assert!(gone(&world), "dropped: {drops}");
        within(agent.close("other")).await;
    }
}

// rules: C10, P10
#[tokio::test]
async fn sixty_four_agents_lose_no_hook_and_leave_none() {
    let agents = worker(&json!({"hooks": {"PreToolUse": command_hook("echo x >> \"$HERE/own\"")}}));
    let calls: Vec<Value> = (0..64)
        .map(|n| {
            json!({"id": format!("t{n}"), "name": "Agent",
                        "input": {"description": "d", "prompt": "TASK", "subagent_type": "worker"}})
        })
        .collect();
    let turns = json!([
        {"expect": ["answer of a worker"], "text": "all done"},
        {"expect": ["did 1"], "text": "answer of a worker"},
        {"expect": ["TASK"], "tool_uses": [{"name": "Probe", "input": {"n": 1}}]},
        {"expect": ["MAIN"], "tool_uses": calls}]);
    let world = World::fitting(&settings(&json!({}), &json!({})), &agents, &turns);
    let agent = world.open().await;
    let prompted =
        tokio::time::timeout(LONG * 3, agent.prompt(Prompt::text("MAIN"), &never())).await.unwrap();
    within(agent.close("other")).await;
    let own = fs::read_to_string(world.at.dir.join("own")).unwrap();
    assert_eq!(own.lines().count(), 64, "{prompted:?}");
    assert_eq!(world.handlers(None), 0);
    assert!(!world.at.engine.host().has_any(EventKind::PreToolUse));
}

// rules: P10, M7, L0
#[tokio::test]
async fn an_agent_has_the_tools_of_its_definition_and_none_that_starts_agents() {
    let turns = |kind: &str| json!([start(&json!({"subagent_type": kind})), {"text": "a"}, {"text": "b"}]);
    let agents = json!({
        "all": {"description": "d", "prompt": "p"},
        "listed": {"description": "d", "prompt": "p", "tools": "Probe, Task, Rread"},
        "without": {"description": "d", "prompt": "p", "disallowedTools": ["Bash", "Side"]},
    });
    for (kind, expected) in [
        ("all", vec!["Probe", "Side", "Bash", "Panics"]),
        ("listed", vec!["Probe"]),
        ("without", vec!["Probe", "Panics"]),
    ] {
        let world = World::new(&settings(&json!({}), &json!({})), &agents, &turns(kind));
        assert_eq!(world.run().await, EndReason::Completed);
        assert_eq!(world.offered(1), expected, "{kind}");
        assert!(world.offered(0).contains(&"Agent".to_owned()));
        let told = world.at.notices().join("\n");
        assert_eq!(
            told.contains("the agent `listed` names a tool that is not here: `Rread`"),
            kind == "listed"
        );
    }
}

// rules: P10, P1
#[tokio::test]
async fn an_agent_that_is_unknown_or_denied_is_not_started() {
    let mut agents = worker(&json!({}));
    agents["secret"] = json!({"description": "hidden away", "prompt": "p"});
    let more = json!({"permissions": {"deny": ["Agent(secret)"]}});
    let hooks = json!({"SubagentStart": ["true"]});
    let turns = json!([start(&json!({"subagent_type": "wroker"})), start(&json!({"subagent_type": "secret"})),
                       start(&json!({"model": "other"})), start(&json!({"prompt": " "})), {"text": "x"}]);
    let world = World::new(&settings(&hooks, &more), &agents, &turns);
    assert_eq!(world.run().await, EndReason::Completed);
    let requests = world.at.requests();
    assert!(requests[1].contains("there is no agent `wroker`: did you mean `worker`?"), "{}", requests[1]);
    assert!(!requests[1].contains("`secret`"), "{}", requests[1]);
    assert!(requests[2].contains("error: denied"), "{}", requests[2]);
    assert!(requests[3].contains("can't have the model `other`"), "{}", requests[3]);
    assert!(requests[4].contains("`prompt` has to say"), "{}", requests[4]);
    assert!(world.noted("SubagentStart").is_empty());
    let spec = world.at.model.requests()[0].request.tools.last().unwrap().description.clone();
    assert!(spec.contains("- worker: works") && !spec.contains("hidden away"), "{spec}");
}

// rules: G3, C7b, P14
#[tokio::test]
async fn a_definition_opens_nothing_that_it_may_not() {
    let loud = "permissionMode: bypassPermissions\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: touch \"$HERE/hooked\"\n";
    let broken = "permissionMode: acceptEdits\nhooks:\n  PreToolUse:\n    - matcher: '['\n      hooks:\n        - type: command\n          command: exit 2\n";
    for (frontmatter, trusted, mode, ran, hooked) in [
        // The folder is not trusted: neither mode nor hooks apply.
        (loud, false, None, false, false),
        // Trusted, but the session may not bypass.
        (loud, true, None, false, true),
        // The session may, and keeps its own mode.
        (loud, true, Some("plan"), false, true),
        (loud, true, Some("dontAsk"), false, true),
        // A broken guard.
        (broken, true, None, false, false),
        // The session itself has chosen a permissive mode.
        (loud, false, Some("bypassPermissions"), true, false),
    ] {
        let turns =
            json!([start(&json!({})), probe(json!({"n": 1, "acts": true})), {"text": "a"}, {"text": "b"}]);
        let mut at = At::new(&json!({}), &turns);
        let dir = at.dir.clone();
        fs::create_dir_all(dir.join(".claude/agents")).unwrap();
        let text = format!("---\nname: worker\ndescription: d\n{frontmatter}---\np");
        fs::write(dir.join(".claude/agents/worker.md"), text).unwrap();
        let mut request = None;
        let mut builder = Engine::builder()
            .environment(Environment::empty().with_var("PATH", "/usr/bin:/bin").with_var("HERE", &dir))
            .start_dir(&dir)
            .tools(at.toolbox.clone())
            .request(|asked| {
                asked.managed = Some(dir.join("managed"));
                asked.trust = Trust::default().this_folder_trusted(trusted);
                if mode == Some("bypassPermissions") {
                    asked.permissions.start_in("bypassPermissions").unwrap();
                }
                request = Some(asked.clone());
            });
        builder = builder.settings_text("{}");
        at.engine = builder.build().unwrap();
        let agents = Agents::load(&Homes::of(&request.unwrap(), &[]), None);
        assert!(agents.diagnostics.is_empty(), "{:?}", agents.diagnostics);
        let world = World::of(at, &agents.agents);
        let opening = world.builder();
        let opening = match mode {
            Some(mode) => opening.mode(PermissionMode::from_name(mode)),
            None => opening,
        };
        let agent = opening.open().await.unwrap();
        within(agent.prompt(Prompt::text("MAIN"), &never())).await;
        within(agent.close("other")).await;
        let case = format!("{frontmatter} {trusted} {mode:?}");
        assert_eq!(!world.at.done.ran.lock().unwrap().is_empty(), ran, "{case}");
        assert_eq!(dir.join("hooked").exists(), hooked, "{case}");
        let told = world.at.notices().join("\n");
        assert_eq!(told.contains("held back until this folder is trusted"), !trusted, "{case}: {told}");
    }
}

// rule: L1
#[tokio::test]
async fn agents_of_one_answer_run_side_by_side() {
    let call = |id: &str| json!({"id": id, "name": "Agent", "input": {"description": "d", "prompt": "TASK", "subagent_type": "worker"}});
    let turns = json!([
        {"expect": ["half"], "text": "all done"},
        {"expect": ["did 1"], "text": "half"},
        {"expect": ["TASK"], "tool_uses": [{"name": "Side", "input": {"n": 1, "sleep_ms": 700}}]},
        {"expect": ["MAIN"], "tool_uses": [call("a"), call("b")]}]);
    let world = World::fitting(&settings(&json!({}), &json!({})), &worker(&json!({})), &turns);
    let agent = world.open().await;
    let end = within(agent.prompt(Prompt::text("MAIN"), &never())).await;
    within(agent.close("other")).await;
    assert_eq!((end.reason, end.text.as_str()), (EndReason::Completed, "all done"));
    assert_eq!(world.at.done.most.load(std::sync::atomic::Ordering::SeqCst), 2);
}

// rules: L0, L3
#[tokio::test]
async fn an_agent_in_the_background_is_answered_at_once_and_told_of_later() {
    let turns = json!([
        {"expect": ["SECOND"], "text": "end"},
        {"expect": ["works in the background"], "text": "it runs"},
        {"expect": ["did 1"], "text": "the answer"},
        {"expect": ["TASK"], "tool_uses": [{"name": "Side", "input": {"n": 1, "sleep_ms": 300}}]},
        {"expect": ["MAIN"], "tool_uses": [{"id": "bg", "name": "Agent", "input": {"description": "look", "prompt": "TASK",
                                           "subagent_type": "worker", "run_in_background": true}}]}]);
    let world = World::fitting(
        &settings(&json!({"SubagentStop": ["true"], "PostToolUse": ["true"]}), &json!({})),
        &worker(&json!({})),
        &turns,
    );
    let agent = world.open().await;
    let end = within(agent.prompt(Prompt::text("MAIN"), &never())).await;
    assert_eq!(end.text, "it runs");
    let launched = &world.noted("PostToolUse").iter().find(|noted| noted["tool_name"] == "Agent").unwrap()["tool_response"].clone();
    assert_eq!((&launched["isAsync"], &launched["status"]), (&json!(true), &json!("async_launched")));
    let id = launched["agentId"].as_str().unwrap().to_owned();
    let _begun = Instant::now();
    becket_testkit::wait::until("the agent ends", || {
        !world.tasks.background_tasks().iter().any(|task| task["status"] == "running")
    })
    .await;
    assert_eq!(world.tasks.output(&id).as_deref(), Some("the answer"));
    assert_eq!(world.noted("SubagentStop").len(), 1);
    let end = within(agent.prompt(Prompt::text("SECOND"), &never())).await;
    assert_eq!(end.text, "end");
    let last = world.at.requests().pop().unwrap();
    assert!(last.contains(&format!("background agent `{id}` (look) completed")), "{last}");
    within(agent.close("other")).await;
}

// rules: H4, C10
#[tokio::test]
async fn an_agent_in_the_background_ends_with_its_session() {
    let agents = worker(&json!({"background": true, "hooks": {"PreToolUse": command_hook("true")}}));
    let turns = json!([
        {"expect": ["works in the background"], "text": "it runs"},
        {"expect": ["TASK"], "tool_uses": [{"name": "Side", "input": {"n": 1, "hangs": true}}]},
        {"expect": ["MAIN"], "tool_uses": [{"id": "bg", "name": "Agent", "input": {"description": "look", "prompt": "TASK", "subagent_type": "worker"}}]}]);
    let world = World::fitting(&settings(&json!({}), &json!({})), &agents, &turns);
    let agent = world.open().await;
    assert_eq!(within(agent.prompt(Prompt::text("MAIN"), &never())).await.text, "it runs");
    world.at.wait_for("hangs").await;
    assert!(world.at.engine.host().has_any(EventKind::PreToolUse));
    within(agent.close("other")).await;
    assert!(!world.at.engine.host().has_any(EventKind::PreToolUse));
    assert!(world.tasks.background_tasks().iter().all(|task| task["status"] != "running"));
}

// rules: C10, N4
#[tokio::test]
async fn a_session_works_as_an_agent_from_its_beginning_to_its_end() {
    let agents = worker(&json!({
        "tools": "Probe, Agent", "maxTurns": 5,
        "hooks": {"PreToolUse": command_hook("cat >> \"$HERE/own\""), "Stop": command_hook("cat >> \"$HERE/stops\"")}}));
    let turns = json!([probe(json!({"n": 1})), {"text": "a"}, probe(json!({"n": 2})), {"text": "b"}]);
    let world = World::new(&settings(&json!({"PreToolUse": ["true"]}), &json!({})), &agents, &turns);
    let request = Request::new(Profile::claude(), Environment::empty(), &world.at.dir);
    let tool = world.tool.agents();
    let definition = tool.get("worker").unwrap();
    let agent = world.builder().as_agent(definition, &Dialect::of(&request)).open().await.unwrap();
    for prompt in ["ONE", "TWO"] {
        assert_eq!(within(agent.prompt(Prompt::text(prompt), &never())).await.reason, EndReason::Completed);
    }
    let own = fs::read_to_string(world.at.dir.join("own")).unwrap();
    assert!(own.contains("\"n\":1") && own.contains("\"n\":2"), "{own}");
    let stops = fs::read_to_string(world.at.dir.join("stops")).unwrap();
    assert_eq!((stops.matches("\"Stop\"").count(), stops.matches("SubagentStop").count()), (2, 0), "{stops}");
    let noted = &world.noted("PreToolUse")[0];
    assert_eq!((&noted["agent_type"], noted.get("agent_id")), (&json!("worker"), None));
    assert_eq!(world.offered(0), ["Probe", "Agent"]);
    assert_eq!(world.at.model.requests()[0].request.system.as_deref(), Some("You work."));
    within(agent.close("other")).await;
    assert!(!world.at.engine.host().has_any(EventKind::Stop));
}

//! State with the lifetime of a session: the snapshot, registered handlers, `once`, cached matches (C8, C10, C11, M9).

use crate::common::{Project, bash, block_on, call, command, fire, hooks, says, stop};
use becket_engine::{Engine, Settlement, Stage};
use becket_model::{AgentId, Event, EventKind, Source};
use serde_json::json;
use std::sync::Arc;

fn deny() -> serde_json::Value {
    command("echo no >&2; exit 2")
}

#[test]
fn an_edit_changes_nothing_until_a_reload() {
    // rule: C8
    let project = Project::with(json!({}));
    let engine = project.engine();
    let settings = project.path("work/.claude/settings.json");
    std::fs::write(&settings, hooks("PreToolUse", "", json!([deny()])).to_string()).unwrap();
    let event = project.event(bash("ls"));
    assert!(!fire(&engine, &event).verdict.blocks());
    engine.host().reload().unwrap();
    assert!(fire(&engine, &event).verdict.blocks());
    std::fs::write(&settings, "{ not json").unwrap();
    assert!(engine.host().reload().unwrap_err().to_string().contains("settings.json"));
    assert!(
        fire(&engine, &event).verdict.blocks(),
        "a change that leaves a file unreadable keeps the old one"
    );
}

#[test]
fn a_change_that_would_stop_a_start_keeps_the_old_configuration() {
    // rules: C7b, C8
    let project = Project::with(json!({}));
    let managed = hooks("PreToolUse", "", json!([deny()])).to_string();
    project.write("managed/managed-settings.json", &managed);
    let engine = project.engine();
    project
        .write("managed/managed-settings.json", &managed.replace("exit 2", "exit 2\", \"timeout\": \"soon"));
    assert!(engine.host().reload().unwrap_err().to_string().contains("managed-settings.json"));
    assert!(fire(&engine, &project.event(bash("ls"))).verdict.blocks());
}

#[test]
fn the_old_snapshots_hooks_judge_a_change() {
    // rule: C8
    use becket_engine::ConfigChanged;
    let change = |source: &str, hook: &str| {
        let project = Project::with(hooks("ConfigChange", "", json!([command(hook)])));
        let engine = project.engine();
        let file = if source == "policy_settings" {
            "managed/managed-settings.json"
        } else {
            "work/.claude/settings.json"
        };
        project.write(file, &hooks("PreToolUse", "", json!([deny()])).to_string());
        let body = serde_json::from_value::<becket_model::event::environment::ConfigChange>(
            json!({"source": source}),
        );
        let changed = block_on(engine.host().config_changed(&project.event(body.unwrap())));
        let now = fire(&engine, &project.event(bash("ls"))).verdict.blocks();
        assert_eq!(matches!(changed, ConfigChanged::Accepted(_)), now, "{changed:?}");
        now
    };
    assert!(change("project_settings", "true"));
    assert!(!change("project_settings", "exit 2"));
    assert!(change("policy_settings", "exit 2"), "a policy change always passes");
}

#[test]
fn a_blocked_change_does_not_come_in_with_another() {
    // rule: C8
    use becket_model::event::environment::ConfigChange;
    let changed = |engine: &Engine, project: &Project, source: &str| {
        let body = serde_json::from_value::<ConfigChange>(json!({"source": source})).unwrap();
        let _ = block_on(engine.host().config_changed(&project.event(body)));
    };
    let guarded = json!({"hooks": {
        "PreToolUse": [{"hooks": [deny()]}],
        "ConfigChange": [{"matcher": "project_settings", "hooks": [command("exit 2")]}]}});
    let project = Project::with(guarded);
    let engine = project.engine();
    let event = project.event(bash("ls"));
    project.write("work/.claude/settings.json", "{}");
    changed(&engine, &project, "project_settings");
    assert!(fire(&engine, &event).verdict.blocks());
    let prompt_guard = hooks("UserPromptSubmit", "", json!([deny()])).to_string();
    project.write("home/.claude/settings.json", &prompt_guard);
    changed(&engine, &project, "user_settings");
    assert!(
        fire(&engine, &project.event(crate::common::prompt("x"))).verdict.blocks(),
        "the accepted change is in"
    );
    assert!(fire(&engine, &event).verdict.blocks(), "the blocked one is not");
}

fn change_of(source: &str) -> becket_model::event::environment::ConfigChange {
    becket_model::event::environment::ConfigChange::new(source.to_owned())
}

#[test]
fn only_the_texts_that_hooks_have_judged_take_effect() {
    // rule: C8
    use becket_engine::ConfigChanged;
    let judge =
        "grep -q evil .claude/settings.json && exit 2; echo x >>judged; touch started; sleep 0.4; exit 0";
    for (again, evil) in [("{\"evil\": 1}", true), ("{\"good\": 1}", false), ("{}", false)] {
        let guarded = json!({"hooks": {
            "PreToolUse": [{"hooks": [deny()]}],
            "ConfigChange": [{"matcher": "project_settings", "hooks": [command(judge)]}]}});
        let project = Project::new();
        project.write("home/.claude/settings.json", &guarded.to_string());
        project
            .write("work/.claude/settings.json", &hooks("UserPromptSubmit", "", json!([deny()])).to_string());
        let engine = project.engine();
        project.write("work/.claude/settings.json", "{}");
        let event = project.event(change_of("project_settings"));
        let changed = block_on(async {
            let host = engine.host();
            let (changed, ()) = tokio::join!(host.config_changed(&event), async {
                becket_testkit::wait::until("the hook starts", || project.path("work/started").exists())
                    .await;
                project.write("work/.claude/settings.json", again);
            });
            changed
        });
        let old_counts = fire(&engine, &project.event(crate::common::prompt("x"))).verdict.blocks();
        assert_eq!(matches!(changed, ConfigChanged::Blocked(_)), evil, "{again}: {changed:?}");
        assert_eq!(old_counts, evil, "{again}");
        let judged = project.read("work/judged").lines().count();
        assert_eq!(
            judged,
            if evil { 1 } else { 2 },
            "{again}: the same text, written again, is judged again"
        );
    }
}

#[test]
fn files_that_are_written_each_time_they_are_judged_stay_out() {
    // rule: C8
    use becket_engine::ConfigChanged;
    let project = Project::with(hooks("UserPromptSubmit", "", json!([deny()])));
    let meddler = hooks(
        "ConfigChange",
        "",
        json!([command("date +%N >.claude/x; mv .claude/x .claude/settings.json")]),
    );
    project.write("home/.claude/settings.json", &meddler.to_string());
    let engine = project.engine();
    project.write("work/.claude/settings.json", "{}");
    let changed = block_on(engine.host().config_changed(&project.event(change_of("project_settings"))));
    assert!(matches!(changed, ConfigChanged::Superseded), "{changed:?}");
    assert!(fire(&engine, &project.event(crate::common::prompt("x"))).verdict.blocks());
}

#[test]
fn a_change_of_settings_brings_in_no_change_of_a_plugin() {
    // rules: C8, C9
    let hooks_file = "home/.claude/plugins/cache/m/kit/1/hooks/hooks.json";
    let guard = hooks("PreToolUse", "", json!([deny()])).to_string();
    let on = json!({"enabledPlugins": {"kit@m": true}});
    for deed in ["empty", "no hooks", "gone", "no records"] {
        let project = Project::with(json!({}));
        project.write(hooks_file, &guard);
        let manifest = "home/.claude/plugins/cache/m/kit/1/.claude-plugin/plugin.json";
        let options = json!({"name": "kit", "userConfig": {"size": {"default": 3}}});
        project.write(manifest, &options.to_string());
        project.write("home/.claude/settings.json", &on.to_string());
        let engine = project.engine();
        match deed {
            "empty" => drop(project.write(hooks_file, "{\"hooks\": {}}")),
            "no hooks" => std::fs::remove_file(project.path(hooks_file)).unwrap(),
            "gone" => std::fs::remove_dir_all(project.path("home/.claude/plugins/cache")).unwrap(),
            other => {
                assert_eq!(other, "no records");
                std::fs::rename(project.path("home/.claude/plugins"), project.path("home/away")).unwrap();
            }
        }
        let changed = |source: &str| {
            drop(block_on(engine.host().config_changed(&project.event(change_of(source)))));
            fire(&engine, &project.event(bash("ls"))).verdict.blocks()
        };
        project.write("work/.claude/settings.json", "{\"env\": {}}");
        assert!(changed("project_settings"), "{deed}");
        let mut set = on.clone();
        set["pluginConfigs"] = json!({"kit@m": {"options": {"size": 4}}});
        project.write("home/.claude/settings.json", &set.to_string());
        assert!(changed("user_settings"), "{deed}: again");
        let plugin = engine.config().plugins[0].clone();
        assert_eq!((&*plugin.name, &*plugin.options[0].value), ("kit", "4"), "{deed}: options are settings");
        project.write("home/.claude/settings.json", "{}");
        assert!(!changed("user_settings"), "{deed}: the user has turned it off");
    }
}

#[test]
fn work_in_flight_keeps_the_snapshot_that_it_started_with() {
    // rule: C8
    let project =
        Project::with(hooks("PreToolUse", "", json!([command("touch started; sleep 0.5; exit 2")])));
    let engine = project.engine();
    let event = project.event(bash("ls"));
    let outcome = block_on(async {
        let (outcome, ()) = tokio::join!(engine.fire(&event), async {
            becket_testkit::wait::until("the hook starts", || project.path("work/started").exists()).await;
            std::fs::write(project.path("work/.claude/settings.json"), "{}").unwrap();
            engine.host().reload().unwrap();
        });
        outcome
    });
    assert!(outcome.verdict.blocks());
    assert!(!fire(&engine, &event).verdict.blocks());
}

#[test]
fn a_value_is_matched_once_per_snapshot() {
    // rule: M9
    let groups: Vec<_> =
        (0..50).map(|n| json!({"matcher": format!("^Tool{n}$"), "hooks": [command("true")]})).collect();
    let project = Project::with(json!({"hooks": {"PreToolUse": groups}}));
    let engine = project.engine();
    let asked = |tool: &str| {
        let before = engine.host().matchers_evaluated();
        assert_eq!(engine.plan(&project.event(call(tool, json!({})))).skipped().count(), 49);
        engine.host().matchers_evaluated() - before
    };
    assert_eq!((asked("Tool7"), asked("Tool7"), asked("Tool8"), asked("Tool7")), (50, 0, 50, 0));
    engine.host().reload().unwrap();
    assert_eq!(asked("Tool7"), 50);
}

#[test]
fn a_call_is_guarded_under_each_name_of_its_tool() {
    // rules: M9, P6, X5
    let project = Project::with(json!({"hooks": {"PreToolUse": [
        {"matcher": "mcp__notes__del_ete", "hooks": [command("echo by name")]},
        {"matcher": "^mcp__my__srv$", "hooks": [command("echo by expression")]},
        {"hooks": [{"type": "command", "command": "echo by condition", "if": "mcp__my__srv"}]},
    ]}}));
    let engine = project.engine();
    let cut = || project.event(call("mcp__cut_3787c6ca", json!({})));
    let runs = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let plan = engine.plan(&cut().with_other_names(names));
        plan.runs().iter().map(|run| run.handler.place.label.to_string()).collect::<Vec<_>>()
    };
    let (name, server) = ("mcp__notes__del_ete", "mcp__my__srv");
    let of_server = ["echo by expression", "echo by condition"];
    // The cache tells the same tool with other names apart.
    for _ in 0..2 {
        assert_eq!(runs(&[]), Vec::<String>::new());
        assert_eq!(runs(&[name]), ["echo by name"]);
        assert_eq!(runs(&[server]), of_server);
        assert_eq!(runs(&[name, server]), ["echo by name", of_server[0], of_server[1]]);
        assert_eq!(runs(&["mcp__notes__del_ete\0"]), Vec::<String>::new());
    }
    let joined = project.event(call("mcp__cut_3787c6ca\0mcp__my__srv", json!({})));
    assert_eq!(engine.plan(&joined).runs().len(), 0, "a name with a NUL is one name");
    let before = engine.host().matchers_evaluated();
    runs(&[name, server]);
    assert_eq!(engine.host().matchers_evaluated(), before);
    let wire = becket_model::wire::input::to_bytes(&cut().with_other_names(vec![name.to_owned()]));
    assert_eq!(wire, becket_model::wire::input::to_bytes(&cut()), "hooks read the tool's own name");
}

#[test]
fn deny_and_ask_rules_count_under_each_name_of_a_tool() {
    // rules: X5, P10, P11
    let (offered, full) = ("mcp__cut_3787c6ca", "mcp__notes__del_ete");
    let settled = |permissions: serde_json::Value, hook: Option<serde_json::Value>| {
        let groups: Vec<_> = hook.into_iter().map(|hook| json!({"hooks": [says(hook)]})).collect();
        let project = Project::with(json!({"permissions": permissions, "hooks": {"PreToolUse": groups}}));
        let event = project.event(call(offered, json!({"n": 1}))).with_other_names(vec![full.to_owned()]);
        let engine = project.engine();
        let restriction = engine.host().rule_restriction(&event);
        (fire(&engine, &event).settlement.unwrap(), restriction)
    };
    let allow = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"n": 2}}});
    for (permissions, hook, expected, restriction) in [
        (json!({"allow": [offered], "deny": [full]}), None, "denied", Some("denied")),
        (json!({"allow": [offered], "ask": [full]}), None, "asked", Some("asked")),
        (json!({"ask": [offered], "deny": [full]}), None, "denied", Some("denied")),
        (json!({"allow": [offered]}), None, "allowed", None),
        (json!({"allow": [full]}), None, "open", None),
        (json!({"ask": [offered], "allow": [full]}), None, "asked", Some("asked")),
        (json!({"deny": [full]}), Some(&allow), "denied", Some("denied")),
        // Parameters are compared with the model's input and with a rewrite.
        (json!({"deny": [format!("{full}(n:1)")]}), Some(&allow), "denied", Some("denied")),
        (json!({"deny": [format!("{full}(n:2)")]}), Some(&allow), "denied", None),
        (json!({"ask": [format!("{full}(n:2)")]}), Some(&allow), "asked", None),
        (json!({"deny": [format!("{full}(n:3)")]}), Some(&allow), "allowed", None),
    ] {
        let (settlement, restricted) = settled(permissions.clone(), hook.cloned());
        assert_eq!(settlement.as_str(), expected, "{permissions} {settlement:?}");
        assert_eq!(restricted.as_ref().map(Settlement::as_str), restriction, "{permissions}");
    }
}

fn frontmatter(
    engine: &Engine,
    project: &Project,
    source: Source,
    text: &str,
    agent: Option<AgentId>,
) -> becket_engine::RegistrationId {
    let read = crate::common::frontmatter(project, source, text, agent);
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    engine.register(read.handlers)
}

#[test]
fn a_skills_hooks_run_from_their_registration_to_their_removal() {
    // rule: C10
    let project = Project::with(json!({}));
    let engine = project.engine();
    let event = project.event(bash("ls"));
    assert!(!engine.host().has_any(EventKind::PreToolUse));
    let text = "---\nname: s\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: 'echo \"$CLAUDE_PLUGIN_ROOT\" >&2; exit 2'\n---\n";
    let id = frontmatter(&engine, &project, Source::Skill("s".into()), text, None);
    let outcome = fire(&engine, &event);
    assert!(outcome.verdict.blocks());
    assert_eq!(outcome.verdict.joined_reason().unwrap(), project.path("work/skill").display().to_string());
    assert!(engine.unregister(id) && !engine.unregister(id));
    assert!(!fire(&engine, &event).verdict.blocks() && !engine.host().has_any(EventKind::PreToolUse));
}

#[test]
fn registered_hooks_meet_the_gates_of_a_reload() {
    // rules: G1, C8
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text =
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: exit 2\n---\n";
    frontmatter(&engine, &project, Source::Skill("s".into()), text, None);
    let event = project.event(bash("ls"));
    assert!(fire(&engine, &event).verdict.blocks());
    project.write("managed/managed-settings.json", r#"{"disableAllHooks": true}"#);
    engine.host().reload().unwrap();
    assert!(!fire(&engine, &event).verdict.blocks());
    assert_eq!(engine.plan(&event).skipped().next().unwrap().why.stage(), Stage::Disabled);
}

#[test]
fn a_skill_registered_twice_runs_once() {
    // rule: H1
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text =
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: 'true'\n---\n";
    for name in ["s", "s", "t"] {
        frontmatter(&engine, &project, Source::Skill(name.into()), text, None);
    }
    let plan = engine.plan(&project.event(bash("ls")));
    assert_eq!(plan.runs().len(), 2);
    assert_eq!(plan.skipped().next().unwrap().why.stage(), Stage::Duplicate);
}

#[test]
fn an_agents_stop_becomes_its_own_subagent_stop() {
    // rule: C10
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text = "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: 'exit 2'\n---\n";
    frontmatter(&engine, &project, Source::Agent("a".into()), text, Some("agent-7".into()));
    let subagent_stop = |id: &str| -> Event {
        let body: becket_model::event::agents::SubagentStop = serde_json::from_value(json!({
            "stop_hook_active": false, "agent_id": id, "agent_type": "a", "agent_transcript_path": "/t"}))
        .unwrap();
        project.event(body)
    };
    assert!(fire(&engine, &subagent_stop("agent-7")).verdict.blocks());
    let other = fire(&engine, &subagent_stop("agent-8"));
    assert!(!other.verdict.blocks());
    assert_eq!(other.plan.skipped().next().unwrap().why.stage(), Stage::Scope);
    assert!(!fire(&engine, &project.event(stop())).verdict.blocks());
}

#[test]
fn sixty_four_tasks_that_register_at_once_lose_nothing() {
    // rule: C10
    let project = Project::with(json!({}));
    let engine = project.engine();
    let template = crate::common::frontmatter(
        &project,
        Source::Skill("s".into()),
        "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: 'true'\n---\n",
        None,
    )
    .handlers;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let ids = runtime.block_on(async {
        let gate = Arc::new(tokio::sync::Barrier::new(64));
        let tasks: Vec<_> = (0..64)
            .map(|n| {
                let (engine, gate) = (engine.clone(), gate.clone());
                let mut handler = template[0].clone();
                handler.place.source = Source::Skill(format!("skill-{n}").into());
                tokio::spawn(async move {
                    gate.wait().await;
                    engine.register([handler])
                })
            })
            .collect();
        let mut ids = Vec::new();
        for task in tasks {
            ids.push(task.await.unwrap());
        }
        ids
    });
    let event = project.event(bash("ls"));
    let plan = engine.plan(&event);
    assert_eq!(plan.runs().len(), 64);
    let mut sources: Vec<String> =
        plan.runs().iter().map(|run| run.handler.place.source.to_string()).collect();
    sources.sort();
    sources.dedup();
    assert_eq!(sources.len(), 64);
    for id in &ids[..63] {
        assert!(engine.unregister(*id));
    }
    assert_eq!(engine.plan(&event).runs().len(), 1);
    assert_eq!(plan.runs().len(), 64, "a plan that is made stays as it is");
}

#[test]
fn once_counts_successful_runs_only() {
    // rule: C11
    let project = Project::with(json!({}));
    let engine = project.engine();
    let text = "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          once: true\n          command: 'test -e ok || exit 1'\n---\n";
    frontmatter(&engine, &project, Source::Skill("s".into()), text, None);
    let event = project.event(bash("ls"));
    assert!(fire(&engine, &event).runs[0].failure.is_some());
    assert_eq!(engine.plan(&event).runs().len(), 1, "a run that fails keeps it");
    project.write("work/ok", "");
    assert!(fire(&engine, &event).runs[0].failure.is_none());
    let plan = engine.plan(&event);
    assert_eq!(plan.runs().len(), 0);
    assert_eq!(plan.skipped().next().unwrap().why.stage(), Stage::Once);
}

#[test]
fn the_input_is_serialised_once_for_all_handlers() {
    // rule: N2
    let witness = |n: u32| command(&format!("cat > seen{n}"));
    let project = Project::with(hooks("PreToolUse", "", json!([witness(1), witness(2), says(json!({}))])));
    drop(fire(&project.engine(), &project.event(bash("ls"))));
    assert_eq!(project.read("work/seen1"), project.read("work/seen2"));
}

#[test]
fn a_subscriber_hears_a_firing_to_its_end() {
    // rule: H13
    let project = Project::with(hooks("PreToolUse", "", json!([command("true")])));
    let engine = project.engine();
    let mut events = engine.subscribe();
    let words = block_on(async {
        drop(engine.fire(&project.event(bash("ls"))).await);
        drop(engine);
        let mut words = Vec::new();
        while let Some(becket_engine::StreamItem::Event(event)) = events.next().await {
            words.push(format!("{:?}", event.what).split([' ', '{', '(']).next().unwrap().to_owned());
        }
        words
    });
    assert_eq!(words, ["Fired", "Started", "Finished", "Decided"]);
}

//! Permissions that change while a session runs, as data: files, arguments and steps in, settlements and files out.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, call, fire};
use becket_engine::config::{FlagPermissions, Sources, Trust};
use becket_engine::{AppliedUpdates, Engine, Settlement};
use becket_model::event::PermissionMode;
use becket_rules::PermissionUpdate;
use serde_json::{Value, json};

const FILES: [(&str, &str); 4] = [
    ("user", "home/.claude/settings.json"),
    ("project", "work/.claude/settings.json"),
    ("local", "work/.claude/settings.local.json"),
    ("managed", "managed/managed-settings.json"),
];

fn file(source: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == source).unwrap().1
}

fn write(project: &Project, files: &Value) {
    for (source, content) in files.as_object().into_iter().flatten() {
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        project.write(file(source), &text);
    }
}

fn flags(case: &Value, project: &Project) -> FlagPermissions {
    let (mut flags, said) = (FlagPermissions::default(), &case["flags"]);
    if let Some(text) = said["allow"].as_str() {
        flags.allow_tools(text).unwrap();
    }
    if let Some(text) = said["deny"].as_str() {
        flags.disallow_tools(text).unwrap();
    }
    if let Some(directory) = said["add_dir"].as_str() {
        std::fs::create_dir_all(project.work().join(directory)).unwrap();
        flags.add_directory(directory.as_ref(), &project.work()).unwrap();
    }
    if let Some(mode) = said["mode"].as_str() {
        flags.start_in(mode).unwrap();
    }
    if said["skip"] == true {
        flags.skip_permissions();
    }
    flags
}

fn engine(case: &Value, project: &Project) -> Engine {
    let flags = flags(case, project);
    let builder = project.builder().request(|request| {
        request.permissions = flags;
        if case["untrusted"] == true {
            request.trust = Trust::default().this_folder_trusted(false);
        }
        if let Some(read) = case["sources"].as_array() {
            let has = |name: &str| read.iter().any(|source| source == name);
            request.sources = Sources::none().user(has("user")).project(has("project")).local(has("local"));
        }
    });
    builder.build().unwrap()
}

/// Returns how `Tool:input` is settled without a hook, or `taken away`.
fn settled(engine: &Engine, project: &Project, wish: &str) -> &'static str {
    let (tool, input) = wish.split_once(':').unwrap();
    if engine.host().deny_rule_for_tool(tool).is_some() {
        return "taken away";
    }
    let body = match tool {
        "Bash" => bash(input),
        "Read" | "Edit" => call(tool, json!({"file_path": project.work().join(input)})),
        _ => call(tool, json!({})),
    };
    match fire(engine, &project.event(body)).settlement.unwrap() {
        Settlement::Allowed { .. } => "allowed",
        Settlement::Denied { .. } => "denied",
        Settlement::Asked { .. } => "asked",
        Settlement::Undecided => "open",
        Settlement::Deferred | Settlement::Stopped { .. } => "neither",
    }
}

fn apply(engine: &Engine, updates: &Value) -> AppliedUpdates {
    let updates: Vec<_> =
        updates.as_array().unwrap().iter().map(|update| PermissionUpdate::parse(update).unwrap()).collect();
    engine.host().apply(&updates)
}

/// Performs a step; returns the result of its updates.
fn act(engine: &Engine, project: &Project, step: &Value) -> AppliedUpdates {
    write(project, &step["edit"]);
    if step["reload"] == true {
        engine.host().reload().unwrap();
    }
    if let Some(source) = step["changed"].as_str() {
        let body: becket_model::event::environment::ConfigChange =
            serde_json::from_value(json!({"source": source, "file_path": "x"})).unwrap();
        crate::common::block_on(engine.host().config_changed(&project.event(body)));
    }
    if step["apply"].is_array() { apply(engine, &step["apply"]) } else { AppliedUpdates::default() }
}

fn expect(engine: &Engine, project: &Project, step: &Value, applied: &AppliedUpdates) -> Result<(), String> {
    let same = |what: &str, got: Value, wanted: &Value| {
        if got == *wanted { Ok(()) } else { Err(format!("{what}: {got}, not {wanted}; {applied:?}")) }
    };
    for (wish, wanted) in step["calls"].as_object().into_iter().flatten() {
        same(wish, json!(settled(engine, project, wish)), wanted)?;
    }
    same("mode", json!(applied.mode.as_ref().map(PermissionMode::as_str)), &step["mode"])?;
    let warns: Vec<&str> = step["warns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    same("warnings", json!(applied.warnings.len()), &json!(warns.len()))?;
    for (said, wanted) in applied.warnings.iter().zip(&warns) {
        same(said, json!(said.contains(wanted)), &json!(true))?;
    }
    for (source, wanted) in step["files"].as_object().into_iter().flatten() {
        let text = std::fs::read_to_string(project.path(file(source))).unwrap_or_default();
        let parsed = serde_json::from_str(&text).unwrap_or(Value::String(text));
        same(source, parsed, wanted)?;
    }
    if let Some(wanted) = step.get("written") {
        let written: Vec<bool> = applied.changes.iter().map(|change| change.written.is_some()).collect();
        same("written", json!(written), wanted)?;
    }
    if let Some(wanted) = step.get("directories") {
        let work = project.work();
        let all = engine.host().directories();
        let names = all.iter().map(|path| path.strip_prefix(&work).unwrap_or(path).display().to_string());
        same("directories", json!(names.collect::<Vec<_>>()), wanted)?;
    }
    if let Some(wanted) = step.get("added") {
        same("added", json!([applied.added.len(), applied.removed.len()]), wanted)?;
    }
    Ok(())
}

fn check(case: &Value) -> Result<(), String> {
    let project = Project::new();
    write(&project, &case["files"]);
    let engine = engine(case, &project);
    if let Some(wanted) = case["starts"].as_str() {
        let start = engine.host().start_mode();
        if start.mode.as_str() != wanted || start.warning.is_some() != (case["start_warns"] == true) {
            return Err(format!("starts in {start:?}, not `{wanted}`"));
        }
    }
    if let Some(wanted) = case["may_bypass"].as_bool()
        && engine.host().may_bypass().is_ok() != wanted
    {
        return Err(format!("{:?}", engine.host().may_bypass()));
    }
    for (number, step) in case["steps"].as_array().into_iter().flatten().enumerate() {
        let applied = act(&engine, &project, step);
        expect(&engine, &project, step, &applied).map_err(|why| format!("step {number}: {why}"))?;
    }
    Ok(())
}

// The rules are in the cases.
#[test]
fn updates_do_what_the_cases_say() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/updates.json")).unwrap();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|why| format!("{}: {why}", case["name"])))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

// rule: P13
#[test]
fn a_file_keeps_its_order_its_indentation_and_its_line_ends() {
    let project = Project::new();
    let before = "{\r\n\t\"z\": 1,\r\n\t\"permissions\": {\r\n\t\t\"allow\": [\r\n\t\t\t\"Read\"\r\n\t\t]\r\n\t},\r\n\t\"a\": 2\r\n}\r\n";
    project.write(file("local"), before);
    let engine = project.engine();
    let update = json!([{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls"}],
        "behavior": "allow", "destination": "localSettings"}]);
    let applied = apply(&engine, &update);
    assert_eq!(applied.changes[0].written, Some(project.path(file("local"))));
    let after = before.replace("\"Read\"\r\n", "\"Read\",\r\n\t\t\t\"Bash(ls)\"\r\n");
    assert_eq!(project.read(file("local")), after);
}

// rules: P13, C8
#[test]
fn updates_and_reloads_from_many_threads_lose_none() {
    let project = Project::new();
    let engine = project.engine();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                for number in 0..10 {
                    let rule = format!("Bash(job {thread} {number})");
                    apply(engine, &json!([{"tool": rule, "behavior": "allow"}]));
                    engine.host().reload().unwrap();
                }
            });
        }
    });
    for (thread, number) in (0..4).flat_map(|thread| (0..10).map(move |number| (thread, number))) {
        let wish = format!("Bash:job {thread} {number}");
        assert_eq!(settled(&engine, &project, &wish), "allowed", "{wish}");
    }
}

// rule: P13
#[test]
fn only_what_would_change_something_is_worth_suggesting() {
    let project = Project::with(json!({"permissions": {"allow": ["Read"]}}));
    let engine = project.engine();
    apply(
        &engine,
        &json!([{"tool": "Bash(ls)", "behavior": "allow"},
        {"type": "addDirectories", "directories": ["/srv"], "destination": "session"}]),
    );
    let offered = |update: Value| {
        let update = PermissionUpdate::parse(&update).unwrap();
        !engine.host().worth_suggesting(&PermissionMode::Plan, vec![update]).is_empty()
    };
    for (update, wanted) in [
        (json!({"tool": "Bash(ls)", "behavior": "allow"}), false),
        (json!({"tool": "Bash(ls)", "behavior": "deny"}), true),
        (json!({"tool": "Read", "behavior": "allow"}), false),
        (json!({"tool": "Bash(cat)", "behavior": "allow"}), true),
        (json!({"type": "addDirectories", "directories": ["/srv"]}), false),
        (json!({"type": "addDirectories", "directories": ["/srv", "/opt"]}), true),
        (json!({"type": "setMode", "mode": "plan"}), false),
        (json!({"type": "setMode", "mode": "acceptEdits"}), true),
        (json!({"type": "setMode", "mode": "bypassPermissions"}), false),
    ] {
        assert_eq!(offered(update.clone()), wanted, "{update}");
    }
}

// rules: P7, P8, P13
#[test]
fn a_deny_that_was_added_keeps_files_from_being_read() {
    let project = Project::new();
    let engine = project.engine();
    let session = project.event(bash("ls")).session;
    let secret = project.write("work/secret/key", "");
    let link = project.path("work/link");
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    assert_eq!(engine.host().denies_read(&session, &secret), None);
    apply(&engine, &json!([{"tool": "Read(/secret/**)", "behavior": "deny"}]));
    for path in [&secret, &link] {
        let why = engine.host().denies_read(&session, path).unwrap();
        assert!(why.contains("`Read(/secret/**)` of this session"), "{why}");
    }
    assert_eq!(engine.host().denies_read(&session, &project.path("work/open")), None);
}

// rules: P1, P14
#[test]
fn arguments_are_held_to_what_they_say_and_named_in_errors() {
    let read = |text: &str| -> Result<Vec<String>, String> {
        let mut flags = FlagPermissions::default();
        flags.allow_tools(text).map_err(|error| error.to_string())?;
        let project = Project::new();
        let engine = project.builder().request(|request| request.permissions = flags).build().unwrap();
        Ok(engine.config().permissions.iter().map(|rule| rule.text.to_string()).collect())
    };
    for (text, rules) in [
        ("Read", Ok(vec!["Read"])),
        ("Read,Edit", Ok(vec!["Read", "Edit"])),
        (" Read ,, Edit\tBash ", Ok(vec!["Read", "Edit", "Bash"])),
        ("Bash(git log, x *),Read", Ok(vec!["Bash(git log, x *)", "Read"])),
        ("Bash(echo (a, b) c) Read", Ok(vec!["Bash(echo (a, b) c)", "Read"])),
        ("mcp__srv__*", Ok(vec!["mcp__srv__*"])),
        ("", Ok(vec![])),
        ("Bash(git log", Err("`--allowedTools`: `Bash(git log` is not a rule")),
        ("Read Bash(git log Edit", Err("`Bash(git log Edit`")),
        ("Read:x", Err("`Read:x` is not a rule")),
        ("Bash(a)) b", Ok(vec!["Bash(a))", "b"])),
        ("Bash(a)b", Err("is not a rule")),
    ] {
        match (read(text), rules) {
            (Ok(got), Ok(wanted)) => assert_eq!(got, wanted, "{text}"),
            (Err(got), Err(wanted)) => assert!(got.contains(wanted), "{text}: {got}"),
            (got, wanted) => panic!("{text}: {got:?}, not {wanted:?}"),
        }
    }
    let mut flags = FlagPermissions::default();
    let error = flags.start_in("acceptedits").unwrap_err().to_string();
    assert!(
        error.contains("`--permission-mode`") && error.contains("did you mean `acceptEdits`?"),
        "{error}"
    );
    let error = flags.add_directory("nowhere".as_ref(), "/".as_ref()).unwrap_err().to_string();
    assert_eq!(error, "`--add-dir`: `nowhere` is not a directory");
    assert_eq!(flags, FlagPermissions::default(), "what is wrong leaves nothing behind");
}

//! `fire --dialect`: the hooks of a project hold under every agent, whose recorded payloads come from the fixtures of
//! `becket-dialects`.

use crate::{env, env_with, workspace};
use becket_dialects::{ALL, Answer, AskForm, Dialect, Effect, dialect};
use becket_model::EventKind;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};

/// Returns the text of a recorded payload, with another project and another command.
pub(crate) fn payload(dialect: &Dialect, name: &str, env: &TestEnv, command: &str) -> Option<String> {
    let file =
        workspace().join("crates/becket-dialects/tests/fixtures").join(dialect.name).join("payloads.json");
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(file).expect("fixtures")).expect("JSON");
    let case = cases.into_iter().find(|case| case["name"] == name)?;
    let text = case["payload"].to_string().replace("/work/p", &env.project().display().to_string());
    Some(text.replace("git push --force", command))
}

fn fired(env: &TestEnv, dialect: &Dialect, payload: &str, more: &[&str]) -> ProgramOutput {
    let arguments = ["fire", "--dialect", dialect.name].into_iter().chain(more.iter().copied());
    env.becket(arguments).stdin(payload).run()
}

pub(crate) fn effect(dialect: &Dialect, ended: &ProgramOutput) -> Effect {
    let exit = u8::try_from(ended.code.expect("an exit code")).expect("a small one");
    dialect.effect_of(&Answer { stdout: ended.stdout.clone(), stderr: ended.stderr.clone(), exit })
}

pub(crate) fn is_refused(effect: Effect) -> bool {
    matches!(effect, Effect::Held | Effect::Ends)
}

/// Returns everything that the agent reads.
fn said(ended: &ProgramOutput) -> String {
    format!("{}{}", ended.stdout, ended.stderr)
}

/// Creates the guarded example, with two additional guards.
fn guarded() -> TestEnv {
    let env = env();
    env.copy(&workspace().join("examples/guarded-repo"), "project");
    let more = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [
            {"type": "command", "if": "Bash(touch *)", "command": "echo 'no touching' >&2; exit 2"}
        ]},
        {"matcher": "Write|Edit", "hooks": [
            {"type": "command", "command": "grep -q vendor/ && { echo 'vendor is generated' >&2; exit 2; }; exit 0"}
        ]}
    ]}});
    env.write("project/.claude/settings.local.json", more.to_string());
    env
}

// rules: D1, O3, D3
#[test]
fn the_guards_of_an_untouched_project_hold_in_every_agent() {
    let env = guarded();
    for dialect in ALL {
        let call = |command: &str| {
            let payload = payload(dialect, "shell", &env, command).expect("every agent runs commands");
            fired(&env, dialect, &payload, &[])
        };
        for (command, reason) in [
            ("git push --force origin main", "force-push"),
            ("touch x", "no touching"),
            ("git status; touch x", "no touching"),
        ] {
            let ended = call(command);
            assert!(is_refused(effect(dialect, &ended)), "{}: {command}: {ended:?}", dialect.name);
            assert!(said(&ended).contains(reason), "{}: {command}: {ended:?}", dialect.name);
        }
        let asked = call("git reset --hard");
        let row = dialect.row_of(EventKind::PreToolUse).expect("every agent has it");
        let expected = match row.supports.ask {
            AskForm::Kept | AskForm::KeptWithRewrite => Effect::Asks,
            AskForm::EndsRun | AskForm::None => Effect::Held,
        };
        assert_eq!(effect(dialect, &asked), expected, "{}: {asked:?}", dialect.name);
        let harmless = call("git status");
        assert_eq!(harmless.code, Some(0), "{}: {harmless:?}", dialect.name);
        assert!(!said(&harmless).contains("den") && !said(&harmless).contains("block"), "{harmless:?}");
    }
}

// rules: D1, N3
#[test]
fn the_guard_of_writes_holds_in_every_agent() {
    let env = guarded();
    for dialect in ALL.into_iter().filter(|dialect| dialect.name != "claude") {
        let write = ["write", "patch", "tool"].iter().find_map(|name| payload(dialect, name, &env, ""));
        let ended = fired(&env, dialect, &write.expect("every agent writes files"), &[]);
        assert!(is_refused(effect(dialect, &ended)), "{}: {ended:?}", dialect.name);
        assert!(said(&ended).contains("vendor is generated"), "{}: {ended:?}", dialect.name);
    }
}

// rules: D4, D9
#[test]
fn a_rewrite_is_taken_or_denied_with_the_corrected_call() {
    let env = guarded();
    for dialect in ALL {
        let payload = payload(dialect, "shell", &env, "python3 -m unittest tests").expect("commands");
        let ended = fired(&env, dialect, &payload, &[]);
        assert!(said(&ended).contains("python3 -m unittest -q tests"), "{}: {ended:?}", dialect.name);
        let takes = dialect.row_of(EventKind::PreToolUse).expect("every agent has it").supports.rewrite;
        assert_eq!(is_refused(effect(dialect, &ended)), !takes, "{}: {ended:?}", dialect.name);
    }
}

/// Creates a project whose hooks answer every event.
fn talkative() -> TestEnv {
    let context = |event: &str, text: &str| {
        let own = json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}});
        json!([{"hooks": [{"type": "command", "command": format!("echo '{own}'")}]}])
    };
    env_with(
        &json!({"hooks": {
            "SessionStart": context("SessionStart", "CTX-SESSION"),
            "UserPromptSubmit": context("UserPromptSubmit", "CTX-PROMPT"),
            "PreToolUse": context("PreToolUse", "CTX-PRE"),
            "PostToolUse": context("PostToolUse", "CTX-POST"),
        }})
        .to_string(),
    )
}

// rule: D5
#[test]
fn contexts_reach_the_model_where_the_agent_takes_any() {
    let env = talkative();
    for dialect in ALL {
        for (name, text) in [("start", "CTX-SESSION"), ("prompt", "CTX-PROMPT"), ("result", "CTX-POST")] {
            let Some(payload) = payload(dialect, name, &env, "ls") else { continue };
            let kind = match name {
                "start" => EventKind::SessionStart,
                "prompt" => EventKind::UserPromptSubmit,
                _ => EventKind::PostToolUse,
            };
            let takes = dialect.row_of(kind).is_some_and(|row| row.supports.context);
            let ended = fired(&env, dialect, &payload, &[]);
            assert_eq!(ended.stdout.contains(text), takes, "{} {name}: {ended:?}", dialect.name);
        }
    }
}

// rules: D5, H12
#[test]
fn context_before_a_call_is_carried_to_its_result() {
    use std::os::unix::fs::PermissionsExt;
    let env = talkative();
    let kept = env.root().join("home/.claude/becket/carried");
    let files = || std::fs::read_dir(&kept).map_or(0, Iterator::count);
    let gemini = dialect("gemini").expect("a dialect");
    let text = |name: &str, command: &str| payload(gemini, name, &env, command).expect("a payload");
    let before = fired(&env, gemini, &text("shell", "ls"), &[]);
    assert_eq!((before.code, before.stdout.as_str()), (Some(0), ""), "{before:?}");
    for file in std::fs::read_dir(&kept).expect("it is kept").flatten() {
        assert_eq!(file.metadata().expect("metadata").permissions().mode() & 0o777, 0o600, "{file:?}");
    }
    // The context for another call is kept.
    assert_eq!(fired(&env, gemini, &text("shell", "pwd"), &[]).code, Some(0));
    let after = fired(&env, gemini, &text("result", "ls"), &[]);
    assert!(after.stdout.contains("CTX-PRE\\nCTX-POST"), "{after:?}");
    let again = fired(&env, gemini, &text("result", "ls"), &[]);
    assert!(!again.stdout.contains("CTX-PRE"), "{again:?}");
    assert!(files() > 0);
    assert_eq!(fired(&env, gemini, &text("end", ""), &[]).code, Some(0));
    assert_eq!(files(), 0);
}

// rule: D5
#[test]
fn context_before_a_call_is_carried_to_its_failure() {
    let env = talkative();
    let qwen = dialect("qwen").expect("a dialect");
    let text = |name: &str| payload(qwen, name, &env, "ls").expect("a payload");
    let before = fired(&env, qwen, &text("shell"), &[]);
    assert_eq!((before.code, before.stdout.as_str()), (Some(0), ""), "{before:?}");
    let after = fired(&env, qwen, &text("failure"), &[]);
    assert!(after.stdout.contains("CTX-PRE"), "{after:?}");
}

// rules: D11, L4
#[test]
fn blocks_are_said_once_and_in_the_form_of_the_agent() {
    let block =
        |why: &str| json!([{"hooks": [{"type": "command", "command": format!("echo '{why}' >&2; exit 2")}]}]);
    let env = env_with(
        &json!({"hooks": {
            "UserPromptSubmit": block("BLOCK-PROMPT"),
            "PostToolUse": block("BLOCK-POST"),
            "Stop": block("BLOCK-STOP"),
        }})
        .to_string(),
    );
    for dialect in ALL {
        for (name, kind, text) in [
            ("prompt", EventKind::UserPromptSubmit, "BLOCK-PROMPT"),
            ("result", EventKind::PostToolUse, "BLOCK-POST"),
            ("stop", EventKind::Stop, "BLOCK-STOP"),
        ] {
            let Some(payload) = payload(dialect, name, &env, "ls") else { continue };
            let row = dialect.row_of(kind).expect("it has a payload");
            let ended = fired(&env, dialect, &payload, &[]);
            let reaches = row.supports.refusal || row.supports.context;
            assert_eq!(said(&ended).contains(text), reaches, "{} {name}: {ended:?}", dialect.name);
            if kind == EventKind::Stop {
                assert!(said(&ended).matches(text).count() <= 1, "{}: {ended:?}", dialect.name);
            }
        }
    }
    let stop = payload(ALL[0], "stop", &env, "").expect("a payload");
    let ended = env.becket(["fire", "--stdin-event"]).stdin(stop).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    assert!(ended.stdout.contains("BLOCK-STOP"), "{ended:?}");
}

// rules: O10, C7b
#[test]
fn whatever_fails_refuses_in_the_form_of_the_agent() {
    let env = env();
    env.write("managed/managed-settings.json", "{broken");
    for dialect in ALL {
        let payload = payload(dialect, "shell", &env, "ls").expect("commands");
        for (arguments, text) in [
            (vec!["fire", "--dialect", dialect.name], payload.as_str()),
            (vec!["fire", "--dialect", dialect.name], "not JSON"),
            (vec!["fire", "--dialect", dialect.name], ""),
            (vec!["fire", "--dialect", dialect.name, "--no-such-flag"], payload.as_str()),
            (vec!["fire", "--dialect=nobody"], payload.as_str()),
            (vec!["fire", "--dialekt", dialect.name], payload.as_str()),
            (vec!["fire", "-dialect", dialect.name], payload.as_str()),
            (vec!["fire", "--dialect", dialect.name, "--help"], payload.as_str()),
            (vec!["fire", "--dialect", "auto"], payload.as_str()),
        ] {
            let ended = env.becket(arguments.iter().copied()).stdin(text).run();
            assert!(is_refused(effect(dialect, &ended)), "{} {arguments:?} {ended:?}", dialect.name);
        }
    }
    let ended = env.becket(["fire", "--dialect", "auto"]).stdin("{}").run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
}

// rule: O10
#[test]
fn the_payload_of_another_agent_is_refused_in_the_form_of_that_agent() {
    let env = guarded();
    for sender in ALL {
        let payload = payload(sender, "shell", &env, "ls").expect("a payload");
        for entry in ALL.iter().filter(|entry| entry.name != sender.name) {
            let ended = fired(&env, entry, &payload, &[]);
            let name = (sender.name, entry.name);
            assert!(is_refused(effect(sender, &ended)), "{name:?} {ended:?}");
            assert!(said(&ended).contains(&format!("--dialect {}", sender.name)), "{name:?} {ended:?}");
        }
        let own = fired(&env, sender, &payload, &[]);
        assert!(!is_refused(effect(sender, &own)), "{} {own:?}", sender.name);
    }
}

// rule: O10
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_stdout_does_not_take_is_a_refusal_with_its_reason() {
    let env = guarded();
    for dialect in ALL {
        let payload = payload(dialect, "shell", &env, "git push --force origin main").expect("a payload");
        let file = env.write("payload.json", payload);
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        for to in [std::process::Stdio::null(), full.into()] {
            let mut command = env.becket(["fire", "--dialect", dialect.name]).into_command();
            command.stdin(std::fs::File::open(&file).expect("it is there")).stdout(to);
            command.stderr(std::process::Stdio::piped());
            let ended =
                command.spawn().and_then(std::process::Child::wait_with_output).expect("becket starts");
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(2), "{} {said}", dialect.name);
            assert!(said.contains("force-push"), "{} {said}", dialect.name);
        }
    }
}

// rule: H4
#[test]
fn a_call_that_stands_for_too_many_is_refused() {
    let env = env_with(&json!({"permissions": {"deny": ["Read(./secret/**)"]}}).to_string());
    let codex = dialect("codex").expect("a dialect");
    let call = |files: usize| {
        let parts: String = (0..files).map(|at| format!("*** Add File: f{at}\n+x\n")).collect();
        let patch = format!("*** Begin Patch\n{parts}*** End Patch\n");
        let mut call: Value =
            serde_json::from_str(&payload(codex, "shell", &env, "ls").expect("a payload")).expect("JSON");
        (call["tool_name"], call["tool_input"]) = (json!("apply_patch"), json!({"command": patch}));
        fired(&env, codex, &call.to_string(), &[])
    };
    let many = call(1001);
    assert!(effect(codex, &many) == Effect::Held && said(&many).contains("1001 calls"), "{many:?}");
    assert_eq!(said(&call(3)), "");
}

// rules: C7, O1
#[test]
fn a_byte_order_mark_is_fine_and_an_event_that_informs_is_answered_with_nothing() {
    let env = guarded();
    let gemini = dialect("gemini").expect("a dialect");
    let text = |name: &str| payload(gemini, name, &env, "git push --force origin main").expect("a payload");
    let marked = fired(&env, gemini, &format!("\u{feff}{}", text("shell")), &[]);
    assert!(marked.stdout.contains("force-push"), "{marked:?}");
    let model = fired(&env, gemini, &text("model"), &[]);
    assert_eq!((model.code, said(&model).as_str()), (Some(0), ""));
    let asks = payload(gemini, "shell", &env, "git reset --hard").expect("a payload");
    let passed = fired(&env, gemini, &asks, &["--asks", "pass"]);
    assert_eq!(effect(gemini, &passed), Effect::Ends, "{passed:?}");
    assert!(passed.stdout.contains(r#""decision":"ask""#), "{passed:?}");
}

// rule: H4
#[test]
fn hooks_that_take_too_long_are_ended_and_the_call_is_refused() {
    let hook = json!([{"hooks": [{"type": "command", "command": "sleep 60"}]}]);
    let env = env_with(&json!({"hooks": {"PreToolUse": hook}}).to_string());
    let codex = dialect("codex").expect("a dialect");
    let payload = payload(codex, "shell", &env, "ls").expect("a payload");
    let ended = fired(&env, codex, &payload, &["--within", "1"]);
    assert!(is_refused(effect(codex, &ended)) && ended.stdout.contains("longer than 1 s"), "{ended:?}");
}

// rule: M7
#[test]
fn an_unknown_tool_is_denied_where_a_guard_would_not_see_it() {
    let guard = |matcher: &str| {
        let hook = json!([{"matcher": matcher, "hooks": [{"type": "command", "command": "echo guarded >&2; exit 2"}]}]);
        json!({"hooks": {"PreToolUse": hook}}).to_string()
    };
    let codex = dialect("codex").expect("a dialect");
    let fire = |project: &str, user: &str, own: &str| {
        let env = env_with(project);
        env.write("home/.claude/settings.json", user);
        env.write("project/.claude/settings.local.json", own);
        fired(&env, codex, &payload(codex, "unknown tool", &env, "").expect("a payload"), &[])
    };
    for (project, user, own, reason) in [
        (guard("Bash"), "{}", "{}", Some("`teleport` is a tool that becket does not know")),
        (guard("Bash"), r#"{"unknownTools": "allow"}"#, "{}", None),
        // A file of the project grants nothing.
        (guard("Bash"), "{}", r#"{"unknownTools": "allow"}"#, Some("`teleport`")),
        (guard("Bash"), r#"{"toolAliases": {"teleport": "Bash"}}"#, "{}", Some("guarded")),
        (guard("teleport"), "{}", "{}", Some("guarded")),
        (guard("WebFetch"), "{}", "{}", None),
        (guard("*"), "{}", "{}", Some("guarded")),
        (r#"{"permissions": {"deny": ["Bash(rm *)"]}}"#.to_owned(), "{}", "{}", Some("`teleport`")),
    ] {
        let ended = fire(&project, user, own);
        let is_held = effect(codex, &ended) == Effect::Held;
        assert_eq!(is_held, reason.is_some(), "{project} {user} {ended:?}");
        assert!(reason.is_none_or(|reason| ended.stdout.contains(reason)), "{project} {user} {ended:?}");
    }
}

// rule: G3
#[test]
fn a_hook_of_the_users_own_runs_the_hooks_of_trusted_projects_alone() {
    let hook =
        |text: &str| json!([{"hooks": [{"type": "command", "command": format!("echo ran > {text}")}]}]);
    let settings = |text: &str| json!({"hooks": {"PreToolUse": hook(text)}, "permissions": {"deny": ["Bash(rm *)"], "ask": ["Bash(mv *)"]}});
    let codex = dialect("codex").expect("a dialect");
    for is_trusted in [true, false] {
        let env = env_with(&settings("project-ran").to_string());
        env.write(
            "home/.claude/settings.json",
            json!({"hooks": {"PreToolUse": hook("user-ran")}}).to_string(),
        );
        if !is_trusted {
            env.write("home/.claude.json", "{}");
        }
        let call = |command: &str| {
            fired(&env, codex, &payload(codex, "shell", &env, command).expect("a payload"), &["--user-scope"])
        };
        let ended = call("ls");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let ran = |name: &str| env.project().join(name).exists();
        assert_eq!((ran("user-ran"), ran("project-ran")), (true, is_trusted), "{ended:?}");
        assert_eq!(said(&ended).contains("does not trust its folder"), !is_trusted, "{ended:?}");
        for command in ["rm -r x", "mv a b"] {
            assert_eq!(effect(codex, &call(command)), Effect::Held, "{command}");
        }
    }
}

// rules: C4, G3
#[test]
fn a_clone_inside_of_a_trusted_project_runs_no_hooks_of_its_own() {
    let hook = |text: &str| json!([{"hooks": [{"type": "command", "command": format!("echo ran > $CLAUDE_PROJECT_DIR/{text}")}]}]);
    let settings =
        |text: &str| json!({"hooks": {"PreToolUse": hook(text)}, "permissions": {"deny": ["Bash(rm *)"]}});
    let codex = dialect("codex").expect("a dialect");
    let env = env_with(&json!({"hooks": {"PreToolUse": hook("outer")}}).to_string());
    env.write("project/clone/.git/HEAD", "ref: refs/heads/main\n");
    env.write("project/clone/.git/objects/x", "");
    env.write("project/clone/.git/refs/x", "");
    env.write("project/clone/.claude/settings.json", settings("inner").to_string());
    let call = |command: &str| {
        let mut call: Value =
            serde_json::from_str(&payload(codex, "shell", &env, command).expect("a payload")).expect("JSON");
        call["cwd"] = json!(env.project().join("clone"));
        fired(&env, codex, &call.to_string(), &["--user-scope"])
    };
    let ended = call("ls");
    let ran = |name: &str| env.project().join(name).exists();
    assert_eq!((ran("outer"), ran("inner")), (true, false), "{ended:?}");
    assert!(said(&ended).contains("does not trust its folder"), "{ended:?}");
    assert_eq!(effect(codex, &call("rm x")), Effect::Held, "its rules count");
}

// rule: C4
#[test]
fn the_project_is_the_one_that_the_agent_names() {
    let env = guarded();
    let elsewhere = env.write("elsewhere/file", "");
    let gemini = dialect("gemini").expect("a dialect");
    let payload = payload(gemini, "shell", &env, "touch x").expect("a payload");
    let away = elsewhere.parent().expect("a folder").display().to_string();
    let payload = payload.replace(&env.project().display().to_string(), &away);
    let run = |variable: Option<&str>| {
        let run = env
            .becket(["fire", "--dialect", "gemini"])
            .stdin(payload.clone())
            .dir(elsewhere.parent().expect("it"));
        match variable {
            Some(name) => run.env(name, &env.project().display().to_string()).run(),
            None => run.run(),
        }
    };
    assert!(is_refused(effect(gemini, &run(Some("GEMINI_PROJECT_DIR")))));
    // The project of an outer Claude Code is not that of Gemini CLI.
    assert_eq!(effect(gemini, &run(Some("CLAUDE_PROJECT_DIR"))), Effect::Runs);
    assert_eq!(effect(gemini, &run(None)), Effect::Runs);
}

// rule: H12
#[test]
fn variables_of_hooks_reach_the_environment_file_of_the_agent() {
    let hook =
        json!([{"hooks": [{"type": "command", "command": "echo 'export A=1' > \"$CLAUDE_ENV_FILE\""}]}]);
    let env = env_with(&json!({"hooks": {"SessionStart": hook}}).to_string());
    let file = env.write("env", "export B=2\n");
    for arguments in [&["fire", "--stdin-event"][..], &["fire", "--dialect", "droid"]] {
        let name = if arguments.len() == 2 { "claude" } else { "droid" };
        let start = payload(dialect(name).expect("a dialect"), "start", &env, "").expect("a payload");
        let run = env.becket(arguments.iter().copied()).stdin(start);
        let ended = run.env("CLAUDE_ENV_FILE", &file.display().to_string()).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert_eq!(text.matches("export A=1").count(), 2, "{text}");
    assert!(text.starts_with("export B=2\n"), "{text}");
}

// rule: O2
#[test]
fn the_path_of_a_worktree_is_plain_text() {
    let hook = json!([{"hooks": [{"type": "command", "command": "echo /work/tree"}]}]);
    let env = env_with(&json!({"hooks": {"WorktreeCreate": hook}}).to_string());
    let payload = json!({
        "session_id": "s", "transcript_path": "/t", "cwd": env.project(), "hook_event_name": "WorktreeCreate", "name": "feat",
    });
    let ended = fired(&env, ALL[0], &payload.to_string(), &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "/work/tree\n"), "{ended:?}");
}

// rules: A1, A3
#[test]
fn an_answer_does_not_wait_for_hooks_in_the_background_and_a_later_one_has_what_they_say() {
    let context =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "LATE-NEWS"}});
    let script = format!("touch started; while [ ! -e go ]; do sleep 0.02; done; echo '{context}'");
    let background = json!({"type": "command", "command": script, "async": true, "timeout": 60});
    let guard = json!({"type": "command", "command": "grep -q forbidden && exit 2; exit 0"});
    let hooks = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [background, guard]}]});
    let env = env_with(&json!({ "hooks": hooks }).to_string());
    let is_there = |name: &str| env.project().join(name).exists();
    for dialect in ["claude", "codex", "gemini"].map(|name| dialect(name).expect("it is one of them")) {
        let text = |name: &str, command: &str| payload(dialect, name, &env, command).expect("a payload");
        let ended = fired(&env, dialect, &text("shell", "ls"), &[]);
        assert!(!is_refused(effect(dialect, &ended)), "{}: {ended:?}", dialect.name);
        // The hook is still running, and its output is not reported yet.
        assert!(wait_until(|| is_there("started")), "{}", dialect.name);
        let result = || fired(&env, dialect, &text("result", "ls"), &[]).stdout;
        assert!(!result().contains("LATE-NEWS"), "{}", dialect.name);
        env.write("project/go", "");
        assert!(wait_until(|| result().contains("LATE-NEWS")), "{}", dialect.name);
        assert!(!result().contains("LATE-NEWS"), "{}: once", dialect.name);
        // The other hooks decide as usual.
        let held = fired(&env, dialect, &text("shell", "touch forbidden"), &[]);
        assert!(is_refused(effect(dialect, &held)), "{}: {held:?}", dialect.name);
        // The hook may have ended before the answer, which then contains its output.
        let is_told = held.stdout.contains("LATE-NEWS");
        assert!(is_told || wait_until(|| result().contains("LATE-NEWS")), "{}", dialect.name);
        for name in ["go", "started"] {
            std::fs::remove_file(env.project().join(name)).expect("it was made");
        }
    }
}

// rules: A1, A4
#[test]
fn a_wake_holds_no_call_up_and_is_a_part_of_a_later_answer() {
    let script = "while [ ! -e go ]; do sleep 0.02; done; echo WAKE-UP >&2; exit 2";
    let waking = json!({"type": "command", "command": script, "asyncRewake": true, "timeout": 60});
    let env = env_with(&json!({"hooks": {"PreToolUse": [{"hooks": [waking]}]}}).to_string());
    let gemini = dialect("gemini").expect("it is one of them");
    let text = |name: &str| payload(gemini, name, &env, "ls").expect("a payload");
    let call = fired(&env, gemini, &text("shell"), &[]);
    assert!(!is_refused(effect(gemini, &call)) && !said(&call).contains("WAKE-UP"), "{call:?}");
    env.write("project/go", "");
    assert!(wait_until(|| fired(&env, gemini, &text("result"), &[]).stdout.contains("WAKE-UP")));
}

// rules: A1, H4
#[test]
fn a_hook_in_the_background_ends_at_its_own_limit() {
    let endless = json!({"type": "command", "command": "touch started; sleep 600 & sleep 600", "async": true, "timeout": 1});
    let env = env_with(&json!({"hooks": {"PreToolUse": [{"hooks": [endless]}]}}).to_string());
    let codex = dialect("codex").expect("it is one of them");
    let marker = Marker::new();
    let (name, value) = marker.env();
    let input = payload(codex, "shell", &env, "ls").expect("a payload");
    let ended = env.becket(["fire", "--dialect", "codex"]).env(&name, &value).stdin(input).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{ended:?}");
    assert!(wait_until(|| env.project().join("started").exists()));
    marker.wait_for(0);
}

// rule: D1
#[test]
fn a_tool_of_another_agent_is_not_taken_for_one_of_claude_code() {
    let env = guarded();
    let claude = dialect("claude").expect("it is one of them");
    let call = |tool: &str| {
        let payload = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "prompt_id": "p",
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_use_id": "t", "tool_name": tool,
            "tool_input": {"command": "git push --force origin main", "file_path": "vendor/x"}});
        fired(&env, claude, &payload.to_string(), &[])
    };
    for tool in ["run_shell_command", "terminal", "bash", "exec_command", "write_file", "Execute"] {
        let ended = call(tool);
        assert!(is_refused(effect(claude, &ended)) && said(&ended).contains(tool), "{tool}: {ended:?}");
    }
    for tool in ["teleport", "MultiEdit"] {
        assert!(!said(&call(tool)).contains("unknown"), "{tool}");
    }
}

// rules: O3, D1
#[test]
fn claude_code_is_refused_by_json_or_by_the_exit_code_and_never_by_both() {
    let hook = json!([{"hooks": [{"type": "command", "command": "echo '{\"systemMessage\": \"mind\"}'; echo no >&2; exit 2"}]}]);
    let events = [
        ("PreToolUse", true),
        ("UserPromptSubmit", true),
        ("PostToolUse", true),
        ("Stop", true),
        ("TaskCompleted", false),
    ];
    let hooks: Value = events.iter().map(|(event, _)| ((*event).to_owned(), hook.clone())).collect();
    let env = env_with(&json!({ "hooks": hooks }).to_string());
    let claude = dialect("claude").expect("it is one of them");
    for (event, is_json) in events {
        let payload = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "hook_event_name": event,
            "permission_mode": "default", "prompt": "p", "tool_name": "Bash", "tool_input": {"command": "ls"},
            "tool_use_id": "t", "tool_response": {}, "stop_hook_active": false, "task_id": "1", "task_subject": "x"});
        let ended = fired(&env, claude, &payload.to_string(), &[]);
        assert!(said(&ended).contains("no"), "{event}: {ended:?}");
        if is_json {
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{event}: {ended:?}");
            assert!(ended.stdout.contains("mind"), "{event}: {ended:?}");
        } else {
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{event}: {ended:?}");
        }
    }
}

// rules: C7b, D1
#[test]
fn an_event_that_hermes_has_since_is_refused_in_its_own_form() {
    let env = env();
    let hermes = dialect("hermes").expect("it is one of them");
    let input = payload(hermes, "unknown event", &env, "").expect("a payload");
    for name in ["auto", "hermes", "hermess"] {
        let ended = env.becket(["fire", "--dialect", name]).stdin(input.clone()).run();
        assert_eq!(effect(hermes, &ended), Effect::Held, "{name}: {ended:?}");
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{name}: {ended:?}");
    }
}

// rule: C7
#[test]
fn check_for_an_agent_names_what_each_hook_loses_there() {
    let env = env_with(
        r#"{"hooks": {
  "PreToolUse": [{"matcher": "NotebookEdit", "hooks": [
    {"type": "command", "command": "guard"}
  ]}],
  "TeammateIdle": [{"hooks": [
    {"type": "command", "command": "idle", "async": true}
  ]}],
  "SessionStart": [{"hooks": [{"type": "command", "command": "start"}]}],
  "PostToolUse": [
    {"matcher": "^Notebook", "hooks": [{"type": "command", "command": "one"}]},
    {"hooks": [{"type": "command", "if": "NotebookEdit(x)", "command": "two"}]},
    {"matcher": "^Ed|mcp__x", "hooks": [{"type": "command", "if": "Write|mcp__x", "command": "three"}]},
    {"hooks": [{"type": "command", "if": "Task(x)", "command": "four", "asyncRewake": true}]}
  ]
}}"#,
    );
    let check = |more: &[&str]| {
        env.becket(["check", "--for", "gemini"].into_iter().chain(more.iter().copied())).run()
    };
    let found: Value = serde_json::from_str(&check(&["--format", "json"]).stdout).expect("JSON");
    let findings = found["check"]["findings"].as_array().or(found["findings"].as_array()).expect("findings");
    let of = |line: u64| findings.iter().find(|finding| finding["at"]["line"] == line).expect("a finding");
    let message = |line| of(line)["message"].as_str().expect("a message").to_owned();
    for part in [
        "PreToolUse under Gemini CLI 0.61.0: kept: deny, rewrite",
        "ask (a denial with the reason, unless `--asks pass`)",
        "context (text beside the result of the call)",
        "lost: `NotebookEdit`",
    ] {
        assert!(message(3).contains(part), "{part}: {}", message(3));
    }
    assert_eq!(
        (of(3)["code"].as_str(), of(3)["severity"].as_str()),
        (Some("lost-in-agent"), Some("warning"))
    );
    assert!(message(6).contains("lost: event (the agent has no such event)"), "{}", message(6));
    assert_eq!(of(8)["code"].as_str(), Some("kept-in-agent"));
    assert_eq!((check(&[]).code, check(&["--deny", "warnings"]).code), (Some(0), Some(1)));
    assert!(check(&[]).stdout.contains("PreToolUse under Gemini CLI"), "{:?}", check(&[]));
    let sarif: Value = serde_json::from_str(&check(&["--format", "sarif"]).stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(7));
    for (line, lost) in [(10, Some("`^Notebook`")), (11, Some("`NotebookEdit(x)`")), (12, None), (13, None)] {
        let tool = "(no tool of the agent has this name)";
        assert_eq!(message(line).contains(tool), lost.is_some(), "{}", message(line));
        let named = lost.is_none_or(|lost| message(line).contains(&format!("{lost} {tool}")));
        assert!(named && message(line).contains("rewritten output"), "{}", message(line));
    }
    assert!(message(13).contains("`asyncRewake` (its text is a part of a later answer)"), "{}", message(13));
    let unknown = env.becket(["check", "--for", "gemnii"]).run();
    assert!(unknown.stderr.contains("did you mean `gemini`"), "{unknown:?}");
}

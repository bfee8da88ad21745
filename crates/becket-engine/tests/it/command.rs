//! Command handlers, fired for real: their inputs, and the meaning of their ends (H2–H4, H11–H13, N2, O10).
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common::{Project, bash, block_on, command, end, fire, hooks, prompt, says, start, stop};
use becket_engine::{OutputStream, RunEvent, RunEventKind, Status};
use becket_model::{EventKind, Failure};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Returns the stdout of a hook of this project for an event, taken from its run.
fn printed(settings: Value) -> String {
    let project = Project::with(settings);
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(outcome.runs.len(), 1, "{:?}", project.engine().config().diagnostics);
    String::from_utf8(outcome.runs[0].stdout.to_vec()).unwrap()
}

fn pre(handler: Value) -> Value {
    hooks("PreToolUse", "Bash", json!([handler]))
}

#[test]
fn shell_form_goes_to_sh_and_exec_form_is_not_tokenised() {
    // rule: H2
    assert_eq!(printed(pre(command("printf %s \"$0 $((1+1))\""))), "/bin/sh 2");
    let exec = json!({"type": "command", "command": "printf", "args": ["%s|", "a b", "$HOME", "*", "${CLAUDE_PROJECT_DIR}"]});
    let out = printed(pre(exec));
    assert!(out.starts_with("a b|$HOME|*|/") && out.ends_with("/work|"), "{out}");
    let empty = json!({"type": "command", "command": "pwd", "args": []});
    assert!(printed(pre(empty)).ends_with("/work\n"));
}

#[test]
fn a_missing_power_shell_is_a_clear_failure() {
    // rule: H2
    let project = Project::with(pre(json!({"type": "command", "command": "1", "shell": "powershell"})));
    let environment = project.environment().with_var("PATH", "/nowhere");
    let engine = project.builder().environment(environment).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    let failure = outcome.runs[0].failure.as_ref().unwrap().to_string();
    assert!(failure.contains("`pwsh` or `powershell`"), "{failure}");
    assert_eq!(outcome.verdict.unchecked().count(), 1);
}

#[test]
fn a_hook_gets_the_input_a_newline_and_the_end_of_stdin() {
    // rules: H3, N1
    let out = printed(pre(command("cat; printf END")));
    let line = out.strip_suffix("\nEND").unwrap();
    assert!(!line.contains('\n'));
    let input: Value = serde_json::from_str(line).unwrap();
    assert_eq!(input["hook_event_name"], "PreToolUse");
    assert_eq!(input["tool_input"], json!({"command": "ls"}));
}

#[test]
fn a_hook_runs_in_its_own_session_without_a_terminal() {
    // rule: H3
    let script = "cut -d' ' -f1,5,6,7 /proc/self/stat; echo $$";
    let out = printed(pre(command(script)));
    let mut lines = out.lines();
    let stat: Vec<i64> = lines.next().unwrap().split(' ').map(|field| field.parse().unwrap()).collect();
    let shell: i64 = lines.next().unwrap().parse().unwrap();
    assert_eq!(&stat[1..], [shell, shell, 0], "process group, session, terminal");
}

#[test]
fn the_environment_is_the_hosts_the_settings_and_the_profiles() {
    // rule: H3
    let mut settings = pre(command("env"));
    settings["env"] = json!({"FROM_SETTINGS": "yes", "HOST": "replaced"});
    let project = Project::with(settings);
    let environment = project
        .environment()
        .with_var("HOST", "host")
        .with_var("KEPT", "kept")
        .with_var("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector")
        .with_var("OTEL_METRICS_EXPORTER", "otlp")
        .with_var("OTEL_SERVICE_NAME", "svc")
        .with_var("CLAUDE_ENV_FILE", "/stale")
        .with_var("CLAUDE_PLUGIN_OPTION_KEY", "another plugin's")
        .with_var("CLAUDE_EFFORT", "stale");
    let engine = project.builder().environment(environment).build().unwrap();
    let mut event = project.event(bash("ls"));
    event.session.effort = Some(becket_model::event::Effort("high".into()));
    let outcome = fire(&engine, &event);
    let env = String::from_utf8(outcome.runs[0].stdout.to_vec()).unwrap();
    let has = |line: &str| env.lines().any(|known| known == line);
    for line in [
        "HOST=replaced",
        "KEPT=kept",
        "FROM_SETTINGS=yes",
        "OTEL_SERVICE_NAME=svc",
        "CLAUDE_CODE_SESSION_ID=session-1",
        "CLAUDE_PID=4242",
        "CLAUDECODE=1",
        "CLAUDE_CODE_CHILD_SESSION=1",
        "CLAUDE_EFFORT=high",
        &format!("CLAUDE_PROJECT_DIR={}", project.work().display()),
    ] {
        assert!(has(line), "{line} in {env}");
    }
    for gone in ["OTEL_EXPORTER", "OTEL_METRICS", "CLAUDE_ENV_FILE", "CLAUDE_PLUGIN"] {
        assert!(!env.contains(gone), "{gone} in {env}");
    }
}

#[test]
fn a_projects_variables_steer_no_program_of_a_hook_that_is_trusted_more() {
    // rule: H3
    let guard = |name: &str| {
        let settings =
            hooks("PreToolUse", "Bash", json!([command(&format!("grep -q push && exit 2; : {name}"))]));
        settings.to_string()
    };
    for source in ["managed/managed-settings.json", "home/.claude/settings.json", "flag"] {
        let mut project = json!({"env": {"PATH": "[WORK]/bin:/usr/bin:/bin", "BASH_ENV": "[WORK]/env",
            "ENV": "[WORK]/env", "LD_PRELOAD": "[WORK]/no.so", "GREP_OPTIONS": "-v"}});
        let place = Project::new();
        let work = place.work().display().to_string();
        project = serde_json::from_str(&project.to_string().replace("[WORK]", &work)).unwrap();
        place.write("work/.claude/settings.json", &project.to_string());
        place.write("work/.claude/settings.local.json", &project.to_string());
        let grep = place.write("work/bin/grep", "#!/bin/sh\nexit 1\n");
        std::fs::set_permissions(grep, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let builder = match source {
            "flag" => place.builder().settings_text(guard(source)),
            file => {
                place.write(file, &guard(source));
                place.builder()
            }
        };
        let outcome = fire(&builder.build().unwrap(), &place.event(bash("git push")));
        assert!(outcome.verdict.blocks(), "{source}: {:?}", outcome.verdict);
        assert!(outcome.runs[0].stderr.is_empty(), "{source}: the loader was told of no library");
    }
}

#[test]
fn the_cwd_is_the_sessions_and_the_projects_where_that_is_gone() {
    // rule: H3
    let project = Project::with(pre(command("pwd; echo $CLAUDE_PROJECT_DIR")));
    let engine = project.engine();
    let below = project.path("work/below");
    std::fs::create_dir(&below).unwrap();
    let work = project.work().display().to_string();
    let event = crate::common::event_in(&below, bash("ls"));
    let said = |outcome: becket_engine::Outcome| String::from_utf8(outcome.runs[0].stdout.to_vec()).unwrap();
    assert_eq!(said(fire(&engine, &event)), format!("{}\n{work}\n", below.display()));
    std::fs::remove_dir(&below).unwrap();
    assert_eq!(said(fire(&engine, &event)), format!("{work}\n{work}\n"));
}

#[test]
fn a_guard_runs_also_where_its_directory_goes_away_under_it() {
    // rules: H3, D7
    let settings = pre(command("exit 2"));
    let project = Project::with(settings);
    let engine = project.engine();
    let below = project.path("work/below");
    let event = crate::common::event_in(&below, bash("ls"));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                drop(std::fs::create_dir(&below));
                drop(std::fs::remove_dir(&below));
            }
        });
        let fired = (0..1500).map(|_| fire(&engine, &event));
        let open: Vec<_> = fired.filter(|outcome| !outcome.verdict.blocks()).collect();
        over.store(true, Ordering::Relaxed);
        assert!(
            open.is_empty(),
            "{} of 1500: {:?}",
            open.len(),
            open.first().map(|one| one.runs[0].failure.clone())
        );
    });
}

#[test]
fn what_is_printed_past_the_cap_is_counted_and_dropped() {
    // rule: H3
    let project = Project::with(pre(command("head -c 3000000 /dev/zero | tr '\\0' x")));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let run = &outcome.runs[0];
    assert_eq!((run.stdout.len(), run.printed.stdout), (1 << 20, 3_000_000));
    assert_eq!(run.status, Status::Success);
}

#[test]
fn a_hook_that_runs_out_of_time_decides_nothing_and_is_gone() {
    // rules: H4, O10, H11
    let mark = format!("becket-timeout-{}", std::process::id());
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let script = format!("echo '{deny}'; exec -a {mark} sleep 600 || sleep 600 {mark}");
    let project = Project::with(pre(
        json!({"type": "command", "command": format!("bash -c \"{}\"", script.replace('"', "\\\"")), "timeout": 0.3}),
    ));
    let engine = project.engine();
    let started = Instant::now();
    let outcome = block_on(async {
        let outcome = engine.fire(&project.event(bash("ls"))).await;
        assert!(started.elapsed() < Duration::from_secs(30));
        engine.close().await;
        outcome
    });
    assert_eq!(outcome.runs[0].failure, Some(Failure::TimedOut { limit: Duration::from_millis(300) }));
    assert_eq!(outcome.runs[0].status, Status::Cancelled);
    assert!(!outcome.verdict.blocks());
    assert_eq!(outcome.verdict.ruling, becket_model::Ruling::None, "what it printed decides nothing");
    assert_eq!(outcome.verdict.unchecked().count(), 1);
    assert!(!running(&mark));
}

fn running(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .map(|entry| entry.path().join("cmdline"))
        .any(|path| std::fs::read(path).is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark)))
}

#[test]
fn a_cancelled_firing_ends_its_hooks() {
    // rule: H4
    let mark = format!("600.{}", std::process::id());
    let project = Project::with(pre(command(&format!("sleep {mark}"))));
    let engine = project.engine();
    let outcome = block_on(async {
        let cancel = becket_engine::CancellationToken::new();
        let event = project.event(bash("ls"));
        let canceller = cancel.clone();
        let (outcome, ()) = tokio::join!(engine.fire_until(&event, &cancel), async {
            becket_testkit::wait::until("the hook runs", || running(&mark)).await;
            canceller.cancel();
        });
        engine.close().await;
        outcome
    });
    assert_eq!(outcome.runs[0].failure, Some(Failure::Cancelled));
    assert!(!running(&mark));
}

#[test]
fn handlers_of_an_event_run_in_parallel() {
    // rule: D7
    let project = Project::with(hooks(
        "PreToolUse",
        "Bash",
        json!([command("mkfifo a 2>/dev/null; echo x > a"), command("mkfifo a 2>/dev/null; cat a; exit 2"),]),
    ));
    // Each needs the other: if they ran one after the other, the first would never end.
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(outcome.runs.len(), 2);
    assert!(outcome.verdict.blocks());
}

#[test]
fn one_failure_hides_nobody_elses_decision() {
    // rules: D7, O10
    let project = Project::with(hooks(
        "PreToolUse",
        "Bash",
        json!([
            command("exit 127"),
            command("/no/such/program"),
            command("kill -9 $$"),
            command("echo 'no' >&2; exit 2"),
        ]),
    ));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert!(outcome.verdict.blocks());
    assert_eq!(outcome.verdict.joined_reason().as_deref(), Some("no"));
    assert_eq!(outcome.verdict.unchecked().count(), 3);
}

#[test]
fn a_failing_guard_blocks_where_it_says_so() {
    // rule: O10
    for (script, words) in [
        ("exit 127", "127"),
        ("kill -9 $$", "signal 9"),
        ("printf '{\"decision\": nope}'", "invalid JSON"),
        ("echo oops >&2; exit 1", "oops"),
        ("sleep 9", "out of time"),
    ] {
        let guard = |extra: Value| {
            let mut handler = json!({"type": "command", "command": script, "timeout": 0.5});
            handler.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap());
            let project = Project::with(pre(handler));
            fire(&project.engine(), &project.event(bash("ls"))).verdict
        };
        assert!(!guard(json!({})).blocks(), "{script}");
        let closed = guard(json!({"onFailure": "block"}));
        assert!(closed.blocks(), "{script}");
        assert!(closed.joined_reason().unwrap().contains(words), "{script}: {:?}", closed.joined_reason());
    }
}

#[test]
fn other_kinds_are_planned_and_fail_by_name() {
    // rule: H10
    let project = Project::with(pre(json!({"type": "http", "url": "http://127.0.0.1:9/x"})));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    assert_eq!(outcome.plan.runs().len(), 1);
    let failure = outcome.runs[0].failure.as_ref().unwrap().to_string();
    assert!(failure.starts_with("its request failed: nothing listens at `127.0.0.1:9`"), "{failure}");
    assert_eq!(outcome.verdict.unchecked().count(), 1);
}

#[test]
fn an_environment_file_is_private_empty_at_first_and_the_same_later() {
    // rule: H12
    let script = "cat \"$CLAUDE_ENV_FILE\"; stat -c %a \"$CLAUDE_ENV_FILE\"; echo \"export N=$((N+1))\" >> \"$CLAUDE_ENV_FILE\"; echo \"$CLAUDE_ENV_FILE\"";
    let project = Project::with(json!({"hooks": {
        "SessionStart": [{"hooks": [command(script)]}],
        "Setup": [{"hooks": [command("echo export FIRST=setup > \"$CLAUDE_ENV_FILE\"")]}],
        "Stop": [{"hooks": [command("echo \"[$CLAUDE_ENV_FILE]\"")]}],
    }}));
    let engine = project.engine();
    let out = |outcome: becket_engine::Outcome| String::from_utf8(outcome.runs[0].stdout.to_vec()).unwrap();
    let first = out(fire(&engine, &project.event(start("startup"))));
    let mut lines = first.lines();
    assert_eq!(lines.next(), Some("600"));
    let path = lines.next().unwrap().to_owned();
    let second = out(fire(&engine, &project.event(start("resume"))));
    assert_eq!(second, format!("export N=1\n600\n{path}\n"));
    drop(fire(&engine, &project.event(becket_model::event::lifecycle::Setup::new("init".into()))));
    let files = engine.host().env_files(&"session-1".into());
    assert_eq!(files.len(), 2);
    assert!(std::fs::read_to_string(&files[0]).unwrap().contains("FIRST"), "Setup comes before SessionStart");
    assert_eq!(out(fire(&engine, &project.event(stop()))), "[]\n");
    let mut other = project.event(start("startup"));
    other.session.id = "session-2".into();
    assert!(!out(fire(&engine, &other)).contains("export"), "another session starts with none");
    engine.host().forget_session(&"session-1".into());
    assert!(engine.host().env_files(&"session-1".into()).is_empty());
    drop(engine);
    assert_eq!(std::fs::read_dir(project.path("temp")).unwrap().count(), 0);
}

#[test]
fn session_end_handlers_share_one_budget() {
    // rule: H11
    let limit = |handlers: Value, variable: Option<&str>| {
        let project = Project::with(json!({"hooks": {"SessionEnd": [{"hooks": handlers}]}}));
        let mut environment = project.environment();
        if let Some(value) = variable {
            environment = environment.with_var("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", value);
        }
        let engine = project.builder().environment(environment).build().unwrap();
        let outcome = block_on(async {
            let outcome = engine.fire(&project.event(end())).await;
            engine.close().await;
            outcome
        });
        let limits = outcome.runs.iter().map(|run| match run.failure {
            Some(Failure::TimedOut { limit }) => Some(limit.as_millis()),
            _ => None,
        });
        limits.collect::<Vec<_>>()
    };
    let slow = |more: Value| {
        let mut handler = command("sleep 30");
        handler.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        handler
    };
    assert_eq!(limit(json!([slow(json!({}))]), None), [Some(1500)]);
    let two = json!([slow(json!({})), slow(json!({"timeout": 2, "command": "sleep 31"}))]);
    assert_eq!(limit(two.clone(), None), [Some(2000), Some(2000)], "raised to the largest configured one");
    assert_eq!(limit(two, Some("200")), [Some(200), Some(200)]);
}

#[test]
fn each_run_is_told_of_as_it_happens() {
    // rule: H13
    let mut handler = command("echo out; echo err >&2; exit 2");
    handler["statusMessage"] = json!("checking the command");
    let project = Project::with(hooks("PreToolUse", "Bash", json!([handler, says(json!({}))])));
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let ears = heard.clone();
    let observer = move |event: &RunEvent| {
        let word = match &event.what {
            RunEventKind::Fired { event } => format!("fired {}", event.kind()),
            RunEventKind::Skipped(_) => "skipped".into(),
            RunEventKind::Started { handler } => format!("started {:?}", handler.status_message),
            RunEventKind::Output { stream: OutputStream::Stdout, bytes, .. } => {
                format!("stdout {}", bytes.len())
            }
            RunEventKind::Output { stream: OutputStream::Stderr, bytes, .. } => {
                format!("stderr {}", bytes.len())
            }
            RunEventKind::Finished { run } => format!("finished {}", run.status.as_str()),
            RunEventKind::Backgrounded { .. } => "goes on in the background".into(),
            RunEventKind::BackgroundFinished { .. } => "finished in the background".into(),
            RunEventKind::Decided { verdict, .. } => format!("decided {}", verdict.blocks()),
        };
        ears.lock().unwrap().push(word);
    };
    let engine = project.builder().observe(observer).build().unwrap();
    drop(fire(&engine, &project.event(bash("ls"))));
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard[0], "fired PreToolUse");
    assert_eq!(heard.last().unwrap(), "decided true");
    for word in [
        "started Some(\"checking the command\")",
        "stdout 4",
        "stderr 4",
        "finished blocked",
        "finished success",
    ] {
        assert!(heard.iter().any(|known| known == word), "{word} in {heard:?}");
    }
}

#[test]
fn an_event_without_handlers_builds_no_input_and_starts_nothing() {
    // rule: G4
    let project = Project::with(pre(command("exit 2")));
    let engine = project.engine();
    assert!(!engine.host().has_any(EventKind::Stop) && engine.host().has_any(EventKind::PreToolUse));
    let outcome = fire(&engine, &project.event(stop()));
    assert!(outcome.runs.is_empty() && outcome.plan.skipped().next().is_none());
    assert!(!fire(&engine, &project.event(prompt("x"))).verdict.blocks());
}

#[test]
fn output_that_is_not_utf_8_is_read_with_replacement_characters() {
    // rule: O11
    let project =
        Project::with(json!({"hooks": {"UserPromptSubmit": [{"hooks": [command("printf 'a\\377b'")]}]}}));
    let outcome = fire(&project.engine(), &project.event(prompt("x")));
    assert_eq!(outcome.verdict.context[0].what.text, "a\u{fffd}b");
}

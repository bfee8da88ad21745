//! Files that are not files, texts that are not texts: each is a clear error, quickly, and nothing else is lost.

use crate::config::support::{Machine, codes, labels, one};
use becket_engine::config::{FlagSettings, MAX_FILE, lint_files, load, resolve};
use becket_model::EventKind;

/// Returns the message of the only finding, after a check that the rest works.
fn only_error(machine: &Machine) -> String {
    machine.settings("user", one("Stop", "good"));
    let config = machine.config();
    assert_eq!(labels(&config, EventKind::Stop), ["good"]);
    assert_eq!(config.diagnostics.len(), 1, "{:?}", config.diagnostics);
    assert!(config.diagnostics[0].is_error());
    config.diagnostics[0].message.clone()
}

// rule: C7
#[test]
fn a_directory_a_pipe_a_socket_and_a_device_are_refused() {
    let machine = Machine::new();
    let file = machine.path("project/.claude/settings.json");
    std::fs::create_dir(&file).unwrap();
    assert!(only_error(&machine).contains("a directory"));
    std::fs::remove_dir(&file).unwrap();
    let status = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(status.success());
    assert!(only_error(&machine).contains("a pipe"), "and nobody waits for a writer");
    std::fs::remove_file(&file).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(&file).unwrap();
    assert!(only_error(&machine).contains("a socket"));
    drop(socket);
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    assert!(only_error(&machine).contains("a device"));
}

// rule: C7
#[test]
fn links_may_lead_to_files_but_not_in_circles() {
    let machine = Machine::new();
    let file = machine.path("project/.claude/settings.json");
    std::os::unix::fs::symlink("settings.json", &file).unwrap();
    assert!(only_error(&machine).contains("circle"));
    std::fs::remove_file(&file).unwrap();
    machine.write("elsewhere.json", one("Stop", "linked"));
    std::os::unix::fs::symlink(machine.path("elsewhere.json"), &file).unwrap();
    assert_eq!(labels(&machine.config(), EventKind::Stop), ["good", "linked"]);
    std::fs::remove_file(machine.path("elsewhere.json")).unwrap();
    assert!(only_error(&machine).contains("that does not exist"), "its guards are missing");
    std::fs::remove_dir_all(machine.path("project/.claude")).unwrap();
    std::os::unix::fs::symlink("nowhere", machine.path("project/.claude")).unwrap();
    let found: Vec<_> = machine.config().diagnostics.iter().map(ToString::to_string).collect();
    assert!(!found.is_empty() && found.iter().all(|one| one.contains("that does not exist")), "{found:?}");
}

// rule: C7
#[test]
fn a_huge_file_is_an_error_and_not_read() {
    let machine = Machine::new();
    let file = std::fs::File::create(machine.path("project/.claude/settings.json")).unwrap();
    file.set_len(50 * 1024 * 1024).unwrap();
    assert!(only_error(&machine).contains("16 MiB"));
    let mut request = machine.request();
    request.flag = Some(FlagSettings::Text(" ".repeat(MAX_FILE as usize + 1)));
    assert_eq!(codes(&resolve(&load(&request)).diagnostics), ["unreadable-file"; 2]);
}

// rule: C7
#[test]
fn of_very_many_unknown_keys_only_some_are_compared_with_the_known_ones() {
    let machine = Machine::new();
    let with_keys = |count: usize| {
        let keys: String = (0..count).map(|n| format!("\"_{n}\": 1, ")).collect();
        let handler = format!("{{{keys}\"timout\": 5, \"type\": \"command\", \"command\": \"a\"}}");
        let settings = format!(
            "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"a\"}}, {handler}]}}]}}}}"
        );
        let mut request = machine.request();
        request.flag = Some(FlagSettings::File(machine.write("project/.codex/hooks.json", settings)));
        resolve(&load(&request))
    };
    for (count, expected) in [(900, &["other-dialect", "unknown-field"][..]), (1100, &["other-dialect"])] {
        let config = with_keys(count);
        assert_eq!(codes(&config.diagnostics), expected);
        assert_eq!(labels(&config, EventKind::Stop).len(), 2, "its hooks are loaded");
    }
}

// rule: C7
#[test]
fn a_text_that_is_no_utf_8_and_a_flag_file_that_is_not_there_are_errors() {
    let machine = Machine::new();
    machine.settings("project", b"{\"a\": \"\xff\"}");
    assert!(only_error(&machine).contains("not UTF-8 from byte 7"));
    let mut request = machine.request();
    request.sources.project = false;
    request.flag = Some(FlagSettings::File(machine.path("gone.json")));
    let config = resolve(&load(&request));
    assert!(config.diagnostics[0].message.contains("no such file"), "{}", config.diagnostics[0]);
}

// rule: C7
#[test]
fn nesting_without_end_is_an_error_and_no_overflow() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"hooks\":[", "]}")] {
        let machine = Machine::new();
        machine.settings("project", open.repeat(100_000) + &close.repeat(100_000));
        assert!(only_error(&machine).contains("nested deeper than 128"), "{open}");
    }
    let machine = Machine::new();
    machine.settings("project", "{\"hooks\":".to_owned() + &"[".repeat(100) + &"]".repeat(100) + "}");
    assert!(only_error(&machine).contains("must be an object"));
}

// rules: C7, H2
#[test]
fn scripts_are_looked_at_where_they_can_be_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::new();
    let script = machine.write("project/.claude/ok.sh", "#!/bin/sh\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    machine.write("project/.claude/plain.sh", "#!/bin/sh\n");
    machine.write("home/stop.py", "import sys\nsys.exit(2)\n");
    machine.write("home/kind.py", "if not stop_hook_active: sys.exit(2)\n");
    let commands = [
        r#"\"$CLAUDE_PROJECT_DIR\"/.claude/ok.sh"#,
        r#"\"${CLAUDE_PROJECT_DIR}\"/.claude/plain.sh"#,
        r#"sh \"$CLAUDE_PROJECT_DIR\"/.claude/plain.sh"#,
        r#"\"$CLAUDE_PROJECT_DIR\"/.claude/gone.sh --x"#,
        "python3 ~/stop.py",
        "python3 $HOME/kind.py",
        "$CLAUDE_PROJECT_DIRECTORY/gone.sh",
        "$UNKNOWN/gone.sh",
    ];
    let handlers = commands.map(|c| format!(r#"{{"type": "command", "command": "{c}"}}"#)).join(",\n");
    machine.settings("user", format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [\n{handlers}]}}]}}}}"));
    let found: Vec<_> = lint_files(&machine.loaded()).iter().map(|d| (d.line, d.code)).collect();
    assert_eq!(found, [(3, "not-executable"), (5, "missing-script"), (6, "endless-stop")]);
}

// rule: H2
#[test]
fn a_program_that_is_on_no_path_is_named() {
    let commands = [
        ("ruff-of-nobody format .", true),
        ("ruff-of-nobody check; exit 0", true),
        ("sh -c true", false),
        ("echo ok && exit 2", false),
        ("command -v ruff-of-nobody && ruff-of-nobody format .", false),
        ("ruff-of-nobody format . || true", false),
        ("if type ruff-of-nobody; then ruff-of-nobody; fi", false),
        ("PATH=/opt/x ruff-of-nobody", false),
        ("$TOOL check", false),
        ("guard() { exit 2; }; guard", false),
    ];
    for (command, is_named) in commands {
        for (kind, path, expected) in [
            ("PATH", Some("/usr/bin:/bin"), is_named),
            ("env", Some("/usr/bin:/bin"), false),
            ("none", None, false),
        ] {
            let machine = Machine::new();
            let mut request = machine.request();
            if let Some(path) = path {
                request.environment = request.environment.with_var("PATH", path);
            }
            let env = if kind == "env" { r#""env": {"PATH": "/opt/bin"}, "# } else { "" };
            let hook = format!(r#"{{"type": "command", "command": "{command}"}}"#);
            machine
                .settings("user", format!(r#"{{{env}"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}]}}}}"#));
            let found: Vec<_> = lint_files(&load(&request)).iter().map(|found| found.code).collect();
            assert_eq!(found.contains(&"missing-program"), expected, "{command} ({kind}): {found:?}");
        }
    }
}

// rule: H2
#[test]
fn a_first_line_that_names_no_interpreter_is_found() {
    use becket_engine::config::Severity;
    use std::os::unix::fs::PermissionsExt as _;
    let (error, warning) = (Some(Severity::Error), Some(Severity::Warning));
    for (line, expected) in [
        ("#!/bin/sh\n", None),
        ("#!/bin/sh -e\n", None),
        ("#!/usr/bin/env sh\n", None),
        ("echo a\r\n", None),
        ("#!/bin/sh\r\n", error),
        ("#!/usr/bin/env sh\r\n", error),
        // The CR becomes a part of an argument.
        ("#!/bin/sh -e\r\n", warning),
        ("#!/usr/bin/env -S sh -e\r\n", None),
        ("#!/nowhere/sh\n", warning),
        ("#!sh\n", warning),
        ("#!/usr/bin/env interpreter-of-nobody\n", warning),
        ("#!/usr/bin/env A=b interpreter-of-nobody\n", None),
    ] {
        for has_env in [false, true] {
            let machine = Machine::new();
            let script = machine.write("project/.claude/guard.sh", line);
            std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
            let command = r#"\"$CLAUDE_PROJECT_DIR\"/.claude/guard.sh"#;
            let env = if has_env { r#""env": {"PATH": "/opt/bin"}, "# } else { "" };
            let hook = format!(r#"{{"type": "command", "command": "{command}"}}"#);
            machine
                .settings("user", format!(r#"{{{env}"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}]}}}}"#));
            let mut request = machine.request();
            request.environment = request.environment.with_var("PATH", "/usr/bin:/bin");
            let found = lint_files(&load(&request)).into_iter().find(|found| found.code == "no-interpreter");
            // What `env` looks for may be on the `PATH` of the settings.
            let is_left = has_env && line.contains("interpreter-of-nobody");
            let expected = expected.filter(|_| !is_left);
            assert_eq!(found.map(|found| found.severity), expected, "{line:?} {has_env}");
        }
    }
}

// rule: C7
#[test]
fn a_file_full_of_faults_in_one_line_is_read_in_time_and_loses_nothing() {
    let machine = Machine::new();
    let junk = "7,".repeat(200_000);
    let strangers: String = (0..20_000).map(|n| format!("\"Strange{n}\": [],")).collect();
    let good = one("Stop", "good");
    let hooks = good.trim_start_matches("{\"hooks\":{").trim_end_matches("}}");
    machine.settings("user", format!("{{\"hooks\": {{{strangers} \"PostToolUse\": [{junk} 7], {hooks}}}}}"));
    let started = std::time::Instant::now();
    let config = machine.config();
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    assert_eq!(labels(&config, EventKind::Stop), ["good"]);
    assert_eq!(config.diagnostics.len(), 1001);
    let last = config.diagnostics.last().unwrap();
    assert!(
        last.code == "too-many-findings" && last.is_error() && last.message.starts_with("219001"),
        "{last}"
    );
}

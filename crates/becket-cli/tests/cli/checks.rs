//! `check`.

use crate::{env, env_with};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const FAULTY: &str = r#"{
  "hooks": {
    "PreTolUse": [{"hooks": [{"type": "command", "command": "true"}]}],
    "PostToolUse": [
      {"matcher": "Bash(git *)", "hooks": [{"type": "command", "command": "true", "timeout": 5000}]}
    ]
  }
}
"#;

const WARNED: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 5000}]}]}}"#;

// rules: C7, M4
#[test]
fn findings_are_shown_with_their_lines() {
    let env = env_with(FAULTY);
    let ended = env.becket(["check"]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_data_eq!(env.redacted(&ended.stdout), file!["snapshots/check.txt"].raw());
    let github = env.becket(["check", "--format", "github"]).run();
    assert_data_eq!(env.redacted(&github.stdout), file!["snapshots/check.github.txt"].raw());
}

// rule: H3
#[test]
fn every_variable_that_nobody_sets_is_named() {
    let text = r#"{"hooks": {"PostToolUse": [{"hooks": [
        {"type": "command", "command": "fmt \"$FILE\" \"$TOOL_INPUT\" \"$CLAUDE_TOOL_NAME\" \"$FILE\" \"$HOME\""}]}]}}"#;
    let json: Value =
        serde_json::from_str(&env_with(text).becket(["check", "--json"]).run().stdout).expect("JSON");
    let said: Vec<&str> = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["message"].as_str())
        .collect();
    let of = |name: &str| format!("nothing sets `${name}`, so it is empty here");
    assert_eq!(said, ["FILE", "TOOL_INPUT", "CLAUDE_TOOL_NAME"].map(of), "{json}");
}

#[test]
fn warnings_fail_only_where_they_are_denied() {
    let env = env_with(WARNED);
    assert_eq!(env.becket(["check"]).run().code, Some(0));
    assert_eq!(env.becket(["check", "--deny", "warnings"]).run().code, Some(1));
    assert_eq!(crate::env_with("{}").becket(["check", "--deny", "warnings"]).run().code, Some(0));
}

// rule: H2
#[test]
fn a_program_that_is_missing_is_a_warning() {
    let hook = json!({"type": "command", "command": "ruff-of-nobody format ."});
    let env =
        env_with(&json!({"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [hook]}]}}).to_string());
    let ended = env.becket(["check"]).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("the program `ruff-of-nobody` is not on `PATH` here"), "{ended:?}");
}

// rules: P1, P11
#[test]
fn rules_are_listed_and_explained_without_hooks() {
    let rules = json!({"permissions": {"allow": ["Bash(ls)"], "ask": ["Bash(make *)"], "deny": ["Edit(migrations/**)"]}});
    let env = env_with(&rules.to_string());
    let listed = env.becket(["list"]).run();
    let order = ["no hooks are configured", "permission rules", "deny", "ask", "allow"];
    let places: Vec<_> = order.iter().map(|word| listed.stdout.find(word)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{listed:?}");
    assert!(!env.becket(["list", "Stop"]).run().stdout.contains("permission rules"));
    let edit = ["explain", "PreToolUse", "--tool", "Write", "--set", "tool_input.file_path=migrations/1.sql"];
    let explained = env.becket(edit).run();
    assert!(
        explained.stdout.contains("\nwithout hooks: denied\n  the rule `Edit(migrations/**)`"),
        "{explained:?}"
    );
    let json: Value =
        serde_json::from_str(&env.becket(edit.into_iter().chain(["--json"])).run().stdout).expect("JSON");
    assert_eq!(json["rules"]["settlement"], "denied");
    let free = ["explain", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=touch x"];
    assert!(!env.becket(free).run().stdout.contains("without hooks"));
}

// rule: H5
#[test]
fn list_and_explain_agree_on_a_url_that_is_not_allowed() {
    let hook = json!([{"hooks": [{"type": "http", "url": "https://other.example/hook"}]}]);
    let settings = json!({"allowedHttpHookUrls": ["https://one.example/*"], "hooks": {"PreToolUse": hook, "Notification": hook}});
    let env = env_with(&settings.to_string());
    let why = "its URL matches no pattern of `allowedHttpHookUrls`";
    for (event, guards) in [("PreToolUse", true), ("Notification", false)] {
        let json = |arguments: &[&str]| -> Value {
            let ended = env.becket(arguments).run();
            serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("JSON: {ended:?}"))
        };
        let listed = json(&["list", event, "--json"])["events"][0]["hooks"][0].clone();
        let mut explain = vec!["explain", event, "--json"];
        explain.extend(["--tool", "Bash"].iter().filter(|_| guards));
        let explained = json(&explain);
        let text = env.becket(["list", event]).run();
        if guards {
            assert_eq!((&listed["fails"], &listed["held_back"]), (&json!(why), &Value::Null));
            assert_eq!(explained["runs"][0]["fails"], json!(why));
            assert!(text.stdout.contains(&format!("fails: {why}")), "{text:?}");
        } else {
            assert_eq!(listed["fails"], Value::Null);
            assert!(listed["held_back"].as_str().is_some_and(|told| told.contains(why)), "{listed}");
            assert_eq!(explained["runs"], json!([]));
            assert!(text.stdout.contains("never runs: "), "{text:?}");
        }
    }
}

// rule: X5
#[test]
fn a_name_that_may_be_shortened_is_explained_with_a_note() {
    let env = env_with("{}");
    let explained = |tool: &str| {
        let tool = format!("tool_name={tool}");
        env.becket(["explain", "PreToolUse", "--set", &tool]).run()
    };
    let cut = explained("mcp__files__read_all_0f1e2d3c");
    let note = "note: `mcp__files__read_all_0f1e2d3c` may be a shortened name: matchers, `if` and deny rules for the \
                full name apply to it as well; `becket mcp tools SERVER` shows the full name";
    assert_eq!(cut.stderr.split_whitespace().collect::<Vec<_>>().join(" "), note, "{cut:?}");
    assert_eq!(cut.code, Some(0), "{cut:?}");
    let plain = explained("mcp__files__read_all");
    assert!(plain.code == Some(0) && plain.stderr.is_empty(), "{plain:?}");
}

#[test]
fn all_formats_tell_the_same() {
    let env = env_with(FAULTY);
    let json: Value = serde_json::from_str(&env.becket(["check", "--json"]).run().stdout).expect("JSON");
    let sarif = env.becket(["check", "--format", "sarif"]).run();
    assert_eq!(sarif.code, Some(1));
    let sarif: Value = serde_json::from_str(&sarif.stdout).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let findings = json["findings"].as_array().expect("findings");
    assert!(findings.len() >= 3, "{json}");
    assert_eq!(results.len(), findings.len());
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["code"]);
        assert_eq!(result["level"], finding["severity"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], ".claude/settings.json");
        assert_eq!(place["region"]["startLine"], finding["at"]["line"]);
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let lines = env.becket(["check", "--format", "github"]).run().stdout;
    assert_eq!(lines.lines().count(), findings.len());
}

// rules: C9, C10
#[test]
fn a_path_is_checked_as_what_it_is_and_nothing_beside_it() {
    let env = env_with(FAULTY);
    let good = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    env.write("plugin/hooks/hooks.json", good);
    env.write("bad plugin/hooks/hooks.json", r#"{"Stop": []}"#);
    env.write("bad plugin/.claude-plugin/plugin.json", r#"{"name": "bad"}"#);
    env.write("other/settings.json", good);
    env.write("other/broken.json", "{");
    env.write(
        "skill/SKILL.md",
        "---\nname: s\nhooks:\n  Stpo:\n    - hooks: [{type: command, command: 'true'}]\n---\n",
    );
    env.write(
        "agents/a.md",
        "---\nname: a\nhooks:\n  Stop:\n    - hooks: [{type: command, command: 'true'}]\n---\n",
    );
    env.write("managed/managed-settings.json", "{broken");
    for (path, code, said) in [
        ("../plugin", 0, "nothing wrong in 1 file"),
        ("../plugin/hooks/hooks.json", 0, "nothing wrong in 1 file"),
        ("../bad plugin", 1, "missing-hooks-wrapper"),
        ("../other/settings.json", 0, "nothing wrong in 1 file"),
        ("../other/broken.json", 1, "1 error in 1 file"),
        ("../skill/SKILL.md", 1, "did you mean `Stop`?"),
        ("../skill", 1, "did you mean `Stop`?"),
        ("../agents/a.md", 0, "nothing wrong in 1 file"),
        (".", 1, "PreTolUse"),
        (".claude/settings.json", 1, "PreTolUse"),
    ] {
        let ended = env.becket(["check", path]).run();
        assert_eq!(ended.code, Some(code), "{path}: {ended:?}");
        assert!(ended.stdout.contains(said), "{path}: {ended:?}");
        assert!(!ended.stdout.contains("managed-settings"), "{path}: {ended:?}");
    }
    let both = env.becket(["check", "../other/settings.json", "../other/broken.json"]).run();
    assert!(both.stdout.contains("1 error in 2 files"), "{both:?}");
}

// rule: C4
#[test]
fn a_file_of_hooks_that_nothing_reads_is_one_error() {
    let env = env();
    let text = r#"{"hooks": [{"event": "Stop", "hooks": [{"type": "command", "command": "true", "timeout": 5000}]}]}"#;
    for place in [".claude/hooks/hooks.json", ".claude/hooks.json"] {
        env.write(&format!("project/{place}"), text);
        let ended = env.becket(["check", "--json", place]).run();
        let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let findings = report["findings"].as_array().expect("a list");
        assert_eq!(findings.len(), 1, "{ended:?}");
        assert_eq!(findings[0]["code"], "file-not-read");
        assert_eq!((findings[0]["severity"].as_str(), ended.code), (Some("error"), Some(1)), "{ended:?}");
    }
    env.write("project/.claude/.claude-plugin/plugin.json", r#"{"name": "own"}"#);
    let of_plugin = env.becket(["check", ".claude/hooks/hooks.json"]).run();
    assert!(!of_plugin.stdout.contains("file-not-read"), "{of_plugin:?}");
}

// rule: C10
#[test]
fn hooks_of_a_skill_and_of_an_agent_are_checked_like_those_of_settings() {
    let env = env();
    let hooks = r#"{"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "timeout": 60000, "command": "grep -q x && exit 1"}]}]}"#;
    let codes = |path: &Path| -> Vec<String> {
        let ended = env.becket([OsStr::new("--json"), OsStr::new("check"), path.as_os_str()]).run();
        let report: Value =
            serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let findings = report["findings"].as_array().into_iter().flatten();
        findings.map(|finding| finding["code"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let of_settings = codes(&env.write("other/settings.json", format!("{{\"hooks\": {hooks}}}")));
    assert!(of_settings.len() > 2, "{of_settings:?}");
    for path in ["skill/SKILL.md", "agents/a.md"] {
        let file = env.write(path, format!("---\nname: a\nhooks: {hooks}\n---\n"));
        assert_eq!(codes(&file), of_settings, "{path}");
    }
}

#[test]
fn the_settings_of_the_user_are_checked_by_their_path() {
    let env = env();
    let file = env.write("home/.claude/settings.json", r#"{"hooks": {"Stpo": []}}"#);
    for path in [file.to_str().unwrap_or_default(), "../home/.claude/settings.json"] {
        let ended = env.becket(["check", path]).run();
        assert!(ended.code == Some(1) && ended.stdout.contains("Stpo"), "{path}: {ended:?}");
    }
}

// rule: C7b
#[test]
fn broken_managed_settings_are_an_error() {
    let env = env();
    env.write("managed/managed-settings.json", "{broken");
    assert_eq!(env.becket(["check"]).run().code, Some(1));
    let fired = env.becket(["fire", "Stop"]).run();
    assert_eq!(fired.code, Some(1));
    assert!(fired.stderr.contains("managed settings in"), "{fired:?}");
}

// rule: H11
#[test]
fn equal_findings_are_shown_once() {
    let hook = r#"{"type": "command", "command": "true", "timeout": 5000}"#;
    let text = format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [\n{hook},\n{hook},\n{hook}]}}]}}}}");
    let shown = env_with(&text).becket(["check"]).run().stdout;
    assert_eq!(shown.matches("timeout-in-milliseconds").count(), 1, "{shown}");
    assert!(shown.contains("and 2 more: lines 3, 4"), "{shown}");
    assert!(shown.contains("3 warnings in 1 file"), "{shown}");
}

#[test]
fn a_rule_is_reported_as_the_arguments_say() {
    let env = env_with(WARNED);
    let severity = |level: &str| {
        let value = format!("timeout-in-milliseconds={level}");
        env.becket(["check", "--json", "--severity", &value]).run()
    };
    assert_eq!(severity("error").code, Some(1));
    let off = severity("off");
    assert_eq!(off.code, Some(0), "{off:?}");
    assert!(off.stdout.contains("\"findings\": []"), "{off:?}");
    let unknown = env.becket(["check", "--severity", "timeout-in-milisecond=off"]).run();
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("did you mean `timeout-in-milliseconds`?"), "{unknown:?}");
}

#[test]
fn a_baseline_hides_known_findings_and_no_new_ones() {
    let env = env_with(FAULTY);
    let written = env.becket(["check", "--write-baseline", "known.json"]).run();
    assert_eq!(written.code, Some(0), "{written:?}");
    let known = env.becket(["check", "--baseline", "known.json"]).run();
    assert_eq!(known.code, Some(0), "{known:?}");
    let more = FAULTY.replace("PreTolUse", "PreTolUze");
    env.write("project/.claude/settings.json", &more);
    let new = env.becket(["check", "--baseline", "known.json"]).run();
    assert_eq!(new.code, Some(1), "{new:?}");
    assert!(new.stdout.contains("PreTolUze") && !new.stdout.contains("rule-in-matcher"), "{new:?}");
    env.write("project/known.json", "[]");
    let broken = env.becket(["check", "--baseline", "known.json"]).run();
    assert_eq!(broken.code, Some(2), "{broken:?}");
    assert!(broken.stderr.contains("known.json"), "{broken:?}");
}

// rule: C9
#[test]
fn every_plugin_below_a_directory_is_checked() {
    let env = env_with("{}");
    let hooks = r#"{"hooks": {"PreTolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    for name in ["one", "two"] {
        env.write(&format!("project/market/plugins/{name}/hooks/hooks.json"), hooks);
    }
    env.write("project/market/node_modules/x/hooks/hooks.json", hooks);
    let ended = env.becket(["check", "market"]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("2 errors in 2 files"), "{ended:?}");
    env.write("project/nothing/readme.txt", "");
    assert_eq!(env.becket(["check", "nothing"]).run().code, Some(2));
}

#[test]
fn settings_are_checked_from_stdin() {
    let ended = env_with("{}").becket(["check", "-"]).stdin(FAULTY).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("unknown-event"), "{ended:?}");
}

#[test]
fn a_rule_is_explained() {
    let env = env_with("{}");
    let one = env.becket(["rule", "unknown-event"]).run();
    assert!(one.stdout.starts_with("unknown-event\n") && one.stdout.contains("case-sensitive"), "{one:?}");
    let all: Value = serde_json::from_str(&env.becket(["rule", "--json"]).run().stdout).expect("JSON");
    assert!(all["rules"].as_array().is_some_and(|rules| rules.len() > 80), "{all}");
    let near = env.becket(["rule", "unknown-evnt"]).run();
    assert_eq!(near.code, Some(2), "{near:?}");
    assert!(near.stderr.contains("did you mean `unknown-event`?"), "{near:?}");
}

const MENDABLE: &str = r#"{
  "hooks": {
    "PreTolUse": [
      {"matcher": "Bash(rm *)", "hooks": [{"command": "$CLAUDE_PROJECT_DIR/guard.sh", "timeout": 5000}]}
    ],
    "Stop": [
      {"matcher": "x", "hooks": [{"type": "command", "command": "true", "once": true}]}
    ]
  }
}
"#;

#[test]
fn safe_fixes_leave_what_runs_and_unsafe_ones_are_asked_for() {
    let env = env_with(MENDABLE);
    let guard = env.write("project/guard.sh", "#!/bin/sh\nexit 2\n");
    std::fs::set_permissions(guard, std::fs::Permissions::from_mode(0o755))
        .expect("it can be made a program");
    let file = env.root().join("project/.claude/settings.json");
    let read = || std::fs::read_to_string(&file).expect("a text");
    let diff = env.becket(["check", "--diff"]).run();
    assert_eq!(diff.code, Some(1), "{diff:?}");
    assert!(diff.stdout.contains("-      {\"matcher\": \"x\", \"hooks\""), "{diff:?}");
    assert_eq!(read(), MENDABLE, "a diff changes nothing");
    let safe = env.becket(["check", "--fix"]).run();
    assert_eq!(safe.code, Some(1), "{safe:?}");
    let expected = MENDABLE
        .replace("{\"matcher\": \"x\", \"hooks\"", "{\"hooks\"")
        .replace("\"true\", \"once\": true", "\"true\"");
    assert_eq!(read(), expected);
    assert!(safe.stderr.contains("remove `once` [once-without-effect]"), "{safe:?}");
    assert!(safe.stdout.contains("`--fix --unsafe-fixes`"), "{safe:?}");
    let all = env.becket(["check", "--fix", "--unsafe-fixes"]).run();
    assert_eq!(all.code, Some(0), "{all:?}");
    let guard = r#"{"matcher": "Bash", "hooks": [{"if": "Bash(rm *)", "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh", "timeout": 5}]}"#;
    let fixed = read();
    assert!(fixed.contains("\"PreToolUse\": [") && fixed.contains(guard), "{fixed}");
    assert!(all.stderr.contains("+    \"PreToolUse\": ["), "it is shown first: {all:?}");
    assert_eq!(env.becket(["check", "--fix", "--unsafe-fixes"]).run().code, Some(0));
    assert_eq!(read(), fixed, "twice is once");
    let fired =
        env.becket(["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=rm x"]).run();
    assert_eq!(fired.code, Some(2), "the guard works now: {fired:?}");
}

#[test]
fn a_read_only_file_is_not_fixed() {
    let env = env_with(MENDABLE);
    let file = env.root().join("project/.claude/settings.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).expect("a mode");
    let ended = env.becket(["check", "--fix"]).run();
    assert!(ended.code == Some(2) && ended.stderr.contains("was not fixed: it is read-only"), "{ended:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("a text"), MENDABLE);
}

#[test]
fn only_files_below_the_given_paths_are_fixed() {
    let env = env_with(MENDABLE);
    env.write("home/.claude/settings.json", MENDABLE);
    env.write("elsewhere/settings.json", MENDABLE);
    env.write("project/kit/hooks/hooks.json", MENDABLE);
    let elsewhere = env.root().join("elsewhere/settings.json");
    let link = env.root().join("project/.claude/settings.local.json");
    std::os::unix::fs::symlink(&elsewhere, link).expect("a link");
    let read = |path: &str| std::fs::read_to_string(env.root().join(path)).expect("a text");
    let own = env.becket(["check", "--fix"]).run();
    assert_eq!(own.code, Some(1), "{own:?}");
    assert_ne!(read("project/.claude/settings.json"), MENDABLE);
    for untouched in ["home/.claude/settings.json", "elsewhere/settings.json", "project/kit/hooks/hooks.json"]
    {
        assert_eq!(read(untouched), MENDABLE, "{untouched}");
    }
    let before = read("project/.claude/settings.json");
    let kit = env.becket(["check", "--fix", "--unsafe-fixes", "kit"]).run();
    assert!(kit.stdout.contains("missing-script"), "it is found once the event has its name: {kit:?}");
    assert_ne!(read("project/kit/hooks/hooks.json"), MENDABLE);
    assert_eq!(read("project/.claude/settings.json"), before);
    let stdin = env.becket(["check", "--fix", "-"]).run();
    assert_eq!(stdin.code, Some(2), "{stdin:?}");
}

#[test]
fn a_file_that_cannot_be_read_ends_with_2_and_stdin_has_its_name() {
    let env = env_with("{}");
    env.write("project/latin.json", b"{\"a\": \"\xff\"}");
    for path in ["latin.json", "/dev/null"] {
        let ended = env.becket(["check", path]).run();
        assert_eq!(ended.code, Some(2), "{path}: {ended:?}");
        assert!(ended.stdout.contains("unreadable-file"), "{path}: {ended:?}");
    }
    let ended = env.becket(["check", "-"]).stdin("{\n  \"a\"").run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("[<stdin>:2:"), "{ended:?}");
    let json: Value = serde_json::from_str(&env.becket(["check", "--json", "-"]).run().stdout).expect("JSON");
    assert_eq!(json["findings"][0]["at"]["file"], "<stdin>", "{json}");
}

#[test]
fn no_line_of_a_report_is_wider_than_the_terminal() {
    let env = env_with(FAULTY);
    env.write("project/.claude/tests/slip.toml", "[[case]]\nnmae = \"x\"\n");
    env.write("home/.gemini/settings.json", r#"{"hooksConfig": {"enabled": false}}"#);
    let installed =
        env.becket(["install", "gemini", "--user", "--program", env!("CARGO_BIN_EXE_becket")]).run();
    for arguments in [&["check"][..], &["add", "--list"], &["doctor", "gemini"], &["test"]] {
        for columns in [40, 60, 80, 120] {
            let ended = env.becket(arguments).env("COLUMNS", &columns.to_string()).run();
            for line in ended.stdout.lines() {
                assert!(line.chars().count() <= columns, "{columns} {arguments:?}: {line} {installed:?}");
            }
        }
    }
}

#[test]
fn nothing_in_a_file_reaches_the_terminal_as_a_command_or_hides_other_text() {
    let hostile = "\\u001b]0;t\\u0007\u{9b}2J\u{202e}\u{2028}\u{7f}\u{e0041}";
    let settings = r#"{
  "hooks": {"PreToolUse": [{"matcher": "bash|HOSTILE", "hooks": [
    {"type": "command", "command": "echo HOSTILE", "timout": 5, "HOSTILE": 6}
  ]}], "PreTolUse": []},
  "permissions": {"deny": ["Bash(echo HOSTILE*)", "HOSTILE", "Bash(echo x)"], "ask": ["Bash(*HOSTILE"]}
}"#;
    let env = env_with(&settings.replace("HOSTILE", hostile));
    let raw = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2028}\u{e0041}".contains(c);
    for arguments in [
        &["check"] as &[&str],
        &["check", "--format", "github"],
        &["check", "--format", "sarif"],
        &["check", "--json"],
        &["check", "--diff", "--unsafe-fixes"],
        &["list"],
        &["list", "--json"],
        &["explain", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=echo x"],
        &["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=echo x"],
        &[
            "exec",
            "--deny",
            "Bash(printf a\u{9b}2J\u{202e}*)",
            "--",
            "sh",
            "-c",
            "exec printf a\u{9b}2J\u{202e}",
        ],
    ] {
        let ended = env.becket(arguments).run();
        assert!(!ended.stdout.contains(raw) && !ended.stderr.contains(raw), "{arguments:?}: {ended:?}");
        assert!(!ended.stdout.is_empty() || !ended.stderr.is_empty(), "{arguments:?}");
    }
    let excerpt = env.becket(["check"]).run().stdout;
    assert!(excerpt.contains("·2J��"), "each character keeps its bytes: {excerpt}");
}

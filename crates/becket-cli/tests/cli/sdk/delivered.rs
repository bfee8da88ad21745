//! Settings, denied tools and plugins that `initialize` delivers, and options about prompts and styles.

use super::host::Host;
use super::{bash, place};
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");
const FIELDS: &str = "--initialize-fields=settings,disallowedTools";

/// Creates a place whose model makes these calls of Bash, one for each prompt.
fn calls(commands: &[&str]) -> TestEnv {
    let call = |(n, command): (usize, &&str)| {
        [json!({"tool_uses": [bash(&format!("t{n}"), command)]}), json!({"text": "Done."})]
    };
    let turns: Vec<Value> = commands.iter().enumerate().flat_map(call).collect();
    place(BECKET, &json!({}), &json!(turns))
}

fn run(host: &mut Host, prompts: usize) {
    for _ in 0..prompts {
        host.prompt("go");
        host.result();
    }
}

// rules: C5, C9
#[test]
fn settings_denied_tools_and_plugins_arrive_with_the_first_line() {
    let files = ["allowed", "denied", "hooked"];
    let env = calls(&files.map(|file| format!("touch {file}")).each_ref().map(String::as_str));
    let hook = json!({"type": "command", "command": "grep -q hooked && exit 2; exit 0"});
    env.write("plugin/hooks/hooks.json", json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string());
    let plugin = env.root().join("plugin").display().to_string();
    let wants = json!({
        "settings": {"permissions": {"allow": ["Bash(touch *)"]}},
        "disallowedTools": ["Bash(touch denied)"],
        "plugins": [{"type": "local", "path": plugin}],
    });
    let mut host = Host::start(&env, &[FIELDS]);
    let answer = host.asks("initialize", wants);
    assert_eq!(answer["response"]["plugins_applied"], true, "{answer}");
    run(&mut host, 3);
    let made = files.map(|file| env.project().join(file).exists());
    assert_eq!(made, [true, false, false]);
    let plugins = &host.seen.iter().find(|line| line["subtype"] == "init").expect("there is one")["plugins"];
    assert_eq!(plugins[0]["path"], plugin, "{plugins}");
}

// rule: C7
#[test]
fn no_session_starts_without_what_was_announced_or_with_what_is_broken() {
    let settings = json!({"permissions": {"deny": ["Bash"]}});
    for (arguments, wants, said) in [
        (&[FIELDS][..], json!({"settings": settings}), "`disallowedTools`"),
        (&["--settings", "{}"], json!({"settings": settings}), "exclude each other"),
        (&[], json!({"settings": {"permissions": 7}}), "permissions"),
        (&[], json!({"disallowedTools": ["Bash("]}), "Bash("),
    ] {
        let env = calls(&[]);
        let mut host = Host::start(&env, arguments);
        let answer = host.asks("initialize", wants.clone());
        assert!(answer["error"].as_str().is_some_and(|why| why.contains(said)), "{wants}: {answer}");
        assert_ne!(host.ends().0, Some(0), "{wants}");
    }
    let env = calls(&["touch made"]);
    let mut host = Host::start(&env, &[FIELDS]);
    host.prompt("go");
    let (code, stderr) = host.ends();
    assert!(code != Some(0) && stderr.contains("--initialize-fields"), "{code:?} {stderr}");
}

// rule: P11
#[test]
fn nobody_is_asked_if_nobody_answers_prompts() {
    for (who, made) in [("host", true), ("none", false)] {
        let env = calls(&["touch made"]);
        let arguments = ["--permission-prompt-tool", "stdio", "--permission-prompts", who];
        let mut host = Host::initialized(&env, &arguments, json!({}));
        host.prompt("go");
        if made {
            let asked = host.asked("can_use_tool");
            let input = asked["request"]["input"].clone();
            host.answers(&asked, json!({"behavior": "allow", "updatedInput": input}));
        }
        let result = host.result();
        assert_eq!(env.project().join("made").exists(), made, "{who}: {result}");
        let is_question = |line: &Value| line["request"]["subtype"] == "can_use_tool";
        assert_eq!(host.seen.iter().any(is_question), made, "{who}");
    }
}

#[test]
fn output_styles_are_read_again() {
    let env = calls(&[]);
    let mut host = Host::initialized(&env, &[], json!({}));
    env.write("project/.claude/output-styles/terse.md", "---\nname: terse\n---\nBe short.");
    let answer = host.asks("reload_output_styles", json!({}));
    let names = json!(["default", "terse", "Explanatory", "Learning"]);
    assert_eq!(answer["response"]["available_output_styles"], names, "{answer}");
}

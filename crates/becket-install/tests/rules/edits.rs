//! Entries in texts of every format.

use crate::{entries, with_entries};
use becket_install::{ConfigForm, ConfigText, DocumentError, agent};
use serde_json::{Value, json};

fn form(name: &str) -> ConfigForm {
    agent(name).expect("an agent").form
}

fn added(name: &str, text: &str) -> becket_install::EditedText {
    ConfigText::new(form(name), text)
        .add(&entries(name))
        .unwrap_or_else(|error| panic!("{name} {text:?}: {error}"))
}

fn removed(name: &str, text: &str, created: &[Vec<String>]) -> String {
    let edited = ConfigText::new(form(name), text).remove(created);
    edited.unwrap_or_else(|error| panic!("{name} {text:?}: {error}")).text
}

#[test]
fn an_empty_file_gets_the_form_that_the_agent_reads() {
    let json = |name: &str| serde_json::from_str::<Value>(&added(name, "").text).expect("JSON");
    let gemini = json("gemini");
    let group = &gemini["hooks"]["BeforeTool"][0];
    assert_eq!(group["matcher"], "*");
    let handler = &group["hooks"][0];
    assert_eq!((&handler["type"], &handler["name"]), (&json!("command"), &json!("becket")));
    assert_eq!(handler["timeout"], 60_000);
    assert!(handler["command"].as_str().expect("a text").contains("fire --dialect gemini"));
    let cursor = json("cursor");
    assert_eq!(cursor["version"], 1);
    assert_eq!(cursor["hooks"]["preToolUse"][0]["failClosed"], true);
    assert_eq!(json("copilot")["hooks"]["PreToolUse"][0]["timeoutSec"], 30);
    assert_eq!(json("codex")["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
    let kimi: toml_edit::DocumentMut = added("kimi", "").text.parse().expect("TOML");
    assert_eq!(kimi["hooks"][0]["timeout"].as_integer(), Some(30));
    let hermes: Value = serde_saphyr::from_str(&added("hermes", "").text).expect("YAML");
    assert_eq!(hermes["hooks"]["pre_tool_call"][0]["timeout"], 60);
}

#[test]
fn everything_else_stays_and_comes_back_byte_for_byte() {
    let json = [
        "{}",
        "{ }",
        "{\n}\n",
        "{\"a\":1}",
        "{\"a\": 1, \"b\": [1, 2]}\n",
        "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n",
        "{\n    \"a\": 0.10000000000000000001,\n    \"a\\u0062\": \"\\/\"\n}",
        "{\"hooks\": {}}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        "{\"hooks\": {\"PreToolUse\": [], \"BeforeTool\": [{\"hooks\": [{\"command\": \"mine\"}]}], \"preToolUse\": [{\"command\": \"mine\"}]}}",
        "{\n  \"hooks\": {\"BeforeTool\": [\n    {\"matcher\": \"x\", \"hooks\": []}\n  ]},\n  \"z\": null\n}\n",
    ];
    let comments = [
        "// mine\n",
        "{ // mine\n}",
        "{ /* mine */ }",
        "{\n  \"a\": 1, // one\n  // two\n}\n",
        "{\n  \"a\": 1 // one\n  // two\n}\n",
        "{\"a\": 1 /* one */ }",
        "{\n  \"hooks\": { // mine\n    \"BeforeTool\": [ /* none */ ], // end\n  },\n}",
        "{ \"hooks\": {}, // mine\n}",
    ];
    let toml = [
        "a = 1",
        "a = 1\r\n[b]\r\nc = 2\r\n",
        "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n\n[z]\nx = 1 # mine\n",
        "# only\n",
    ];
    let yaml = [
        "a: 1",
        "a: 1\r\nb:\r\n  - 2\r\n",
        "hooks:\n  pre_tool_call:\n    - command: mine\n      timeout: 5\n# end\n",
        "hooks:\n",
        "a: |\n  text\n   - command\nhooks:\n    pre_tool_call:\n    - command: >-\n        mine\n        too\n    other:\n    - command: x\nz: 1\n",
        "# only a comment\n",
    ];
    for (name, form) in with_entries() {
        let texts: Vec<&str> = match form {
            ConfigForm::Tables => toml.to_vec(),
            ConfigForm::Sequences => yaml.to_vec(),
            ConfigForm::Groups { comments: true, .. } => [&json[..], &comments[..]].concat(),
            ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Scripts | ConfigForm::Plugin(_) => {
                json.to_vec()
            }
        };
        for text in texts {
            let edited = added(name, text);
            let mut original = edited.text.clone();
            for range in edited.inserted.iter().rev() {
                original.replace_range(range.clone(), "");
            }
            assert_eq!(original, text, "{name}: only insertions");
            let own = ConfigText::new(form, &edited.text).own_entries().expect("it can be read");
            assert_eq!(own.len(), entries(name).len(), "{name}: {}", edited.text);
            // Without the record only blanks differ.
            let left = removed(name, &edited.text, &edited.created);
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            let found = squeezed(&left);
            // A file without a value becomes one with an empty value.
            let found = if text.contains('{') { &found } else { found.strip_suffix("{}").unwrap_or(&found) };
            assert_eq!(found, squeezed(text), "{name}: {}", edited.text);
            // A second time there is nothing to do.
            assert_eq!(removed(name, &left, &[]), left, "{name}");
        }
    }
}

#[test]
fn a_new_part_has_the_layout_of_the_file() {
    let text = added("gemini", "{\r\n\t\"ui\": {\r\n\t\t\"theme\": \"x\" // mine\r\n\t}\r\n}\r\n").text;
    assert!(text.contains("\t},\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n\t\t\t{\r\n"), "{text}");
    assert!(!text.replace("\r\n", "").contains('\n'), "{text}");
    let text = added("gemini", "{\n  \"a\": 1 // mine\n}\n").text;
    assert!(text.starts_with("{\n  \"a\": 1, // mine\n  \"hooks\": {\n"), "{text}");
    let text = added("gemini", "{\n  \"a\": 1, // mine\n}\n").text;
    assert!(
        text.starts_with("{\n  \"a\": 1, // mine\n  \"hooks\": {\n") && text.ends_with("},\n}\n"),
        "{text}"
    );
}

#[test]
fn hooks_of_others_beside_ours_stay() {
    let before = "{\"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"command\": \"mine\"}]}]}}";
    let edited = added("gemini", before);
    // A person puts a hook into our group.
    let ours = edited.text.find("{\"matcher\":\"*\"").expect("it is inline");
    let mut text = edited.text.clone();
    let inside = ours + text[ours..].find("\"hooks\":[").expect("a list") + "\"hooks\":[".len();
    text.insert_str(inside, "{\"command\": \"too\"}, ");
    let left: Value = serde_json::from_str(&removed("gemini", &text, &edited.created)).expect("JSON");
    assert_eq!(
        left,
        json!({"hooks": {"BeforeTool": [
            {"hooks": [{"command": "mine"}]},
            {"matcher": "*", "hooks": [{"command": "too"}]},
        ]}})
    );
}

#[test]
fn a_doubtful_text_is_left_alone() {
    for (name, text, part) in [
        ("gemini", "{", "it is not JSON"),
        ("gemini", "[]", "the top level is not an object"),
        ("gemini", "{\"hooks\": []}", "`hooks` is not an object"),
        ("gemini", "{\"hooks\": {\"BeforeTool\": {}}}", "`hooks.BeforeTool` is not a list"),
        ("gemini", "{\"hooks\": {}, \"hooks\": {}}", "`hooks` occurs twice"),
        ("gemini", "{\"hooks\": {\"BeforeTool\": [], \"BeforeTool\": []}}", "`BeforeTool` occurs twice"),
        ("gemini", "{} trailing", "it is not JSON"),
        // A file without comments is rejected if the agent does not read comments.
        ("codex", "{} // mine", "it is not JSON"),
        ("codex", "{\"a\": 1,}", "it is not JSON"),
        ("kimi", "a = ", "it is not TOML"),
        ("kimi", "hooks = []", "`hooks` is not written as tables"),
        ("hermes", "a: [", "it is not YAML"),
        ("hermes", "hooks: {pre_tool_call: []}", "`hooks` is not a block"),
        ("hermes", "hooks:\n  pre_tool_call: []\n", "by hand"),
        ("hermes", "- a\n", "by hand"),
        ("hermes", "a: 1\n...\n", "by hand"),
    ] {
        let error = ConfigText::new(form(name), text).add(&entries(name)).expect_err(text).to_string();
        assert!(error.contains(part), "{name} {text:?}: {error}");
    }
    let kimi = added("kimi", "").text;
    for (addition, part) in [("mine = 1\n", "the key `mine`"), ("# mine\n", "")] {
        let result = ConfigText::new(form("kimi"), &format!("{kimi}{addition}")).remove(&[]);
        match result {
            Ok(left) => assert_eq!(left.text, addition),
            Err(error) => assert!(!part.is_empty() && error.to_string().contains(part), "{error}"),
        }
    }
    assert!(matches!(ConfigText::new(form("pi"), "").own_entries(), Err(DocumentError::Form(_))));
}

/// Returns a text in which this command is a hook of the first event of an agent.
fn with_hook(name: &str, command: &str) -> String {
    let event = entries(name)[0].event.clone();
    let quoted = json!(command);
    match form(name) {
        ConfigForm::Groups { .. } => {
            json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
        }
        ConfigForm::List(_) => json!({"hooks": {event: [{"command": command, "bash": command}]}}).to_string(),
        ConfigForm::Tables => format!("[[hooks]]\nevent = \"{event}\"\ncommand = {quoted}\n"),
        ConfigForm::Sequences => format!("hooks:\n  {event}:\n    - command: {quoted}\n      timeout: 5\n"),
        ConfigForm::Scripts | ConfigForm::Plugin(_) => panic!("{name} has no entries"),
    }
}

#[test]
fn a_hook_that_only_mentions_becket_is_the_users_and_stays() {
    for (name, _) in with_entries() {
        let entry = entries(name)[0].command.clone();
        for command in [
            "apt list --installed 2>/dev/null | grep -q becket",
            "becket fire --dialect x --installed 0",
            &format!("mine && {entry}"),
            &format!("{entry} | tee log"),
        ] {
            let original = with_hook(name, command);
            let own = ConfigText::new(form(name), &original).own_entries().expect("it is parsed");
            assert_eq!(own, [], "{name}: {command}");
            assert_eq!(removed(name, &original, &[]), original, "{name}: {command}");
            let now = added(name, &original);
            assert_eq!(removed(name, &now.text, &now.created), original, "{name}: {command}");
        }
    }
}

#[test]
fn an_entry_of_another_version_of_the_script_is_found() {
    for (name, _) in with_entries() {
        let script = "sh -c 'exec \"$0\" \"$@\"' /opt/becket '{\"a\": 1}' \"it's gone\" 2";
        let entry = &format!("{script} fire --dialect x --within 5 --new 1 --installed 9");
        let own = ConfigText::new(form(name), &with_hook(name, entry)).own_entries().expect("it is parsed");
        assert_eq!(own.len(), 1, "{name}");
    }
}

#[test]
fn errors_of_parsers_are_plain_sentences_with_a_place() {
    let error = |name: &str, text: &str| {
        ConfigText::new(form(name), text).add(&entries(name)).expect_err(text).to_string()
    };
    assert_eq!(error("hermes", "hooks: {}\nhooks: {}\n"), "`hooks` occurs twice; join the two first");
    let documents = error("hermes", "a: 1\n---\nb: 2\n");
    assert!(documents.starts_with("it has several documents, separated by `---`"), "{documents}");
    let broken = error("hermes", "a: [\n");
    assert!(broken.starts_with("it is not YAML: ") && !broken.contains("Options"), "{broken}");
    let twice = error("kimi", "a = 1\na = 2\n");
    assert_eq!(twice, "it is not TOML: line 2, column 1: duplicate key; correct it first");
    for (name, text) in [("hermes", "a: .inf\nb: .nan\n"), ("kimi", "a = inf\n")] {
        let now = added(name, text);
        assert_eq!(removed(name, &now.text, &now.created), text, "{name}");
    }
}

#[test]
fn a_comment_inside_of_an_entry_keeps_it() {
    let kimi = added("kimi", "").text;
    let hermes = added("hermes", "").text;
    let gemini = added("gemini", "").text;
    for (name, text, from, to) in [
        ("kimi", &kimi, "[[hooks]]", "[[hooks]] # mine"),
        ("kimi", &kimi, "event = \"SessionStart\"", "event = \"SessionStart\" # mine"),
        ("kimi", &kimi, "--installed 0'''", "--installed 0''' # mine"),
        ("kimi", &kimi, "timeout = 30", "timeout = 30 # mine"),
        ("hermes", &hermes, "--installed 0\"", "--installed 0\" # mine"),
        ("hermes", &hermes, "timeout: 60", "timeout: 60 # mine"),
        ("gemini", &gemini, "\"type\":", "// mine\n\"type\":"),
        ("gemini", &gemini, "\"timeout\":", "\"timeout\": /* mine */"),
        ("gemini", &gemini, "\"matcher\": \"*\",", "\"matcher\": \"*\", // mine\n"),
    ] {
        let edited = text.replacen(from, to, 1);
        assert!(edited != *text, "{name}: {from}");
        let error = ConfigText::new(form(name), &edited).remove(&[]).expect_err(to).to_string();
        assert!(error.contains("a comment is inside") || error.contains("by hand"), "{name}: {error}");
    }
    let created = added("hermes", "").created;
    let kept = hermes.replacen("pre_tool_call:", "pre_tool_call: # mine", 1);
    assert_eq!(removed("hermes", &kept, &created), "hooks:\n  pre_tool_call: # mine\n");
}

/// Returns the text that is left of an installed and edited one.
fn left(name: &str, installed: &becket_install::EditedText, edited: &str) -> String {
    let text = ConfigText::new(form(name), edited);
    let left = text.remove_inserted(&installed.created, &installed.insertions());
    left.unwrap_or_else(|error| panic!("{name} {edited:?}: {error}")).text
}

#[test]
fn a_missing_line_break_at_the_end_is_missing_again_after_edits() {
    for (name, text) in [
        ("kimi", "a = \"UU\" # mine"),
        ("kimi", "a = 1\r\n[b]\r\nc = \"UU\""),
        ("kimi", "[[hooks]]\nevent = \"Stop\"\ncommand = \"UU\""),
        ("hermes", "a: UU"),
        ("hermes", "hooks:\n  pre_tool_call:\n    - command: UU"),
        ("hermes", "hooks:\r\n  mine:\r\n    - command: UU"),
    ] {
        let installed = added(name, text);
        for new in ["", "changed", "# of a comment"] {
            let (edited, expected) = (installed.text.replace("UU", new), text.replace("UU", new));
            assert_eq!(left(name, &installed, &edited), expected, "{name} {text:?}");
        }
        // Of entries that were edited themselves, the others stay.
        let limit = if name == "kimi" { "timeout = 30" } else { "timeout: 60" };
        let edited = installed.text.replacen(limit, &limit.replace('0', "1"), 1);
        assert_ne!(edited, installed.text);
        assert_eq!(left(name, &installed, &edited).trim_end(), text, "{name} {text:?}");
    }
}

#[test]
fn a_comment_between_a_comma_and_an_entry_may_be_edited() {
    let text = "{\n  \"hooks\": {\n    \"BeforeTool\": [\n      {\"hooks\": [{\"command\": \"mine\"}]} // UU\n    ]\n  }\n}\n";
    let installed = added("gemini", text);
    for new in ["", "changed", "a, b // c, d", "/* x */", "mine\n      // and, more"] {
        let (edited, expected) = (installed.text.replace("UU", new), text.replace("UU", new));
        assert_eq!(left("gemini", &installed, &edited), expected, "{new}");
    }
}

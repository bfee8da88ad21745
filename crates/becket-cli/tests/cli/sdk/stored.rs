//! Stored sessions in the place where SDKs read them, their mirror, and the files that a session has edited.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");
const ONE: &str = "11111111-1111-4111-8111-111111111111";

fn prompt(host: &mut Host, uuid: &str, text: &str) {
    let message = json!({"role": "user", "content": text});
    host.line(&json!({"type": "user", "uuid": uuid, "message": message}).to_string());
}

/// Returns the transcripts below a directory.
fn transcripts(projects: PathBuf) -> Vec<PathBuf> {
    let projects = fs::read_dir(projects).into_iter().flatten().flatten();
    let files = projects.flat_map(|project| fs::read_dir(project.path()).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect()
}

fn lines(file: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("a transcript");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_session_is_stored_where_sdks_look_and_each_line_is_mirrored() {
    let env = place(BECKET, &json!({}), &json!([{"text": "Hello."}]));
    let other = env.root().join("other");
    let variables = [("CLAUDE_CONFIG_DIR", other.to_str().expect("UTF-8"))];
    let mut host = Host::with_env(&env, &["--session-mirror"], &variables);
    host.asks("initialize", json!({}));
    prompt(&mut host, ONE, "hi");
    host.result();
    let answer = host.seen.iter().find(|line| line["type"] == "assistant").expect("an answer").clone();
    let mirrored: Vec<Value> =
        host.seen.iter().filter(|line| line["type"] == "transcript_mirror").cloned().collect();
    assert_eq!(host.ends().0, Some(0));
    let stored = transcripts(other.join("projects"));
    let [file] = &stored[..] else { panic!("{stored:?}") };
    let stored = lines(file);
    assert!(mirrored.len() >= 3 && mirrored.iter().all(|line| line["filePath"] == json!(file)));
    for (line, mirrored) in stored.iter().zip(&mirrored) {
        assert_eq!(mirrored["entries"], json!([line]));
    }
    let named = |name: &Value| stored.iter().any(|line| line["uuid"] == *name);
    assert!(
        named(&json!(ONE)) && named(&answer["uuid"]),
        "prompts and answers have the names that the host knows"
    );
}

#[test]
fn a_subagent_names_the_call_that_started_it_in_its_file_and_to_the_mirror() {
    let agent = json!({"description": "look around", "prompt": "look", "run_in_background": false});
    let call = json!({"tool_uses": [{"id": "toolu_7", "name": "Agent", "input": agent}]});
    let turns = json!([call, {"text": "Nothing there."}, {"text": "Done."}]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["Agent"]}}), &turns);
    let mut host = Host::initialized(&env, &["--session-mirror"], json!({}));
    host.prompt("go");
    host.result();
    let seen = std::mem::take(&mut host.seen);
    host.ends();
    let described =
        json!({"agentType": "general-purpose", "description": "look around", "toolUseId": "toolu_7"});
    let stored = transcripts(env.root().join("home/.claude/projects"));
    let subagents = stored[0].with_extension("").join("subagents");
    let files = fs::read_dir(&subagents).expect("a subagent is stored").flatten().map(|file| file.path());
    let (metadata, transcripts): (Vec<PathBuf>, Vec<PathBuf>) =
        files.partition(|file| file.to_string_lossy().ends_with(".meta.json"));
    let [transcript] = &transcripts[..] else { panic!("{transcripts:?}") };
    assert_eq!(metadata, [transcript.with_extension("meta.json")]);
    assert_eq!(lines(&metadata[0]), std::slice::from_ref(&described));
    let mut mirrored = described;
    mirrored["type"] = json!("agent_metadata");
    let is_it = |line: &&Value| line["type"] == "transcript_mirror" && line["entries"] == json!([mirrored]);
    let shown = seen.iter().find(is_it).expect("it is mirrored");
    assert_eq!(shown["filePath"], json!(transcript));
}

#[test]
fn a_session_goes_on_at_an_earlier_message() {
    let turns = json!([{"text": "First."}, {"text": "Second."}]);
    let env = place(BECKET, &json!({}), &turns);
    let mut host = Host::initialized(&env, &[], json!({}));
    host.prompt("one");
    let id = host.result()["session_id"].as_str().expect("an id").to_owned();
    let first = host.seen.iter().find(|line| line["type"] == "assistant").expect("an answer")["uuid"].clone();
    host.prompt("two");
    host.result();
    host.ends();
    env.write(
        "project/script.json",
        json!({"turns": [{"text": "Third.", "expect": ["First."]}]}).to_string(),
    );
    let point = format!("--resume-session-at={}", first.as_str().expect("a name"));
    let refused = Host::start(&env, &["--resume", &id, &point, &format!("--resume-drops-turn={ONE}")]);
    let (code, stderr) = refused.ends();
    assert!(
        code == Some(1) && stderr.contains("Resume rejected by --resume-drops-turn:"),
        "{code:?} {stderr}"
    );
    // An SDK gets a result instead of the answer to its first request, and raises the error of the exit code.
    let mut refused = Host::start(&env, &["--resume", &id, &point, &format!("--resume-drops-turn={ONE}")]);
    refused.request("initialize", json!({}));
    let result = refused.result();
    assert_eq!((&result["subtype"], &result["is_error"]), (&json!("error_during_execution"), &json!(true)));
    assert!(result["errors"][0].as_str().is_some_and(|why| why.contains("Resume rejected by")), "{result}");
    assert!(!refused.seen.iter().any(|line| line["type"] == "control_response"), "{:?}", refused.seen);
    assert_eq!(refused.ends().0, Some(1));
    let mut host = Host::start(&env, &["--resume", &id, &point]);
    host.prompt("three");
    assert_eq!((&host.result()["result"], &host.seen[0]["session_id"]), (&json!("Third."), &json!(id)));
    host.ends();
    let stored = transcripts(env.root().join("home/.claude/projects"));
    let text = fs::read_to_string(&stored[0]).expect("a transcript");
    assert!(text.contains("Second."), "nothing is removed");
}

#[test]
fn edited_files_are_restored_and_a_restore_is_taken_back() {
    let write = |id: &str, text: &str| json!({"tool_uses": [{"id": id, "name": "Write", "input": {"file_path": "a.txt", "content": text}}]});
    let read = json!({"tool_uses": [{"id": "r", "name": "Read", "input": {"file_path": "a.txt"}}]});
    let env: TestEnv = place(BECKET, &json!({}), &json!([read, write("t1", "NEW\nTWO\n"), {"text": "ok"}]));
    env.write("project/a.txt", "OLD");
    let text = || fs::read_to_string(env.root().join("project/a.txt")).expect("a file");
    let variables = [("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true")];
    let mut host = Host::with_env(&env, &["--permission-mode", "acceptEdits"], &variables);
    host.asks("initialize", json!({}));
    prompt(&mut host, ONE, "write");
    host.result();
    assert_eq!(text(), "NEW\nTWO\n");
    let dry = host.asks("rewind_files", json!({"user_message_id": ONE, "dry_run": true}));
    let counts = |answer: &Value| {
        let answer = &answer["response"];
        let files = answer["filesChanged"].as_array().map(Vec::len);
        (files, answer["insertions"].clone(), answer["deletions"].clone())
    };
    assert_eq!((counts(&dry), text().as_str()), ((Some(1), json!(1), json!(2)), "NEW\nTWO\n"));
    let done = host.asks("rewind_files", json!({"user_message_id": ONE}));
    assert_eq!((&done["response"]["canRewind"], text().as_str()), (&json!(true), "OLD"));
    assert_eq!(counts(&done), (Some(1), json!(1), json!(2)));
    let undo = done["response"]["undoMessageId"].clone();
    let undone = host.asks("rewind_files", json!({"user_message_id": undo}));
    assert_eq!(counts(&undone), (Some(1), json!(2), json!(1)));
    assert_eq!(text(), "NEW\nTWO\n");
    let unknown = host.asks("rewind_files", json!({"user_message_id": "never"}));
    assert!(unknown["error"].as_str().is_some_and(|why| why.contains("no file checkpoint")), "{unknown}");
    host.ends();
}

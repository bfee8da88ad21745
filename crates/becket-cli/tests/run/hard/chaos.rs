//! Sessions with misbehaving hooks, one after the other as long as there is time: hooks that hang, crash, flood, fork,
//! close what they were given, write half an answer, or delete their directory, while three agents work concurrently.
//! Whatever they do, actions that a guard forbids are not done, each transcript is complete, and no process is left.

use crate::hard::checker;
use crate::hard::place::{Place, bash, call, hook, id};
use becket_agent::conversation::{Conversation, StoredConversation};
use becket_agent::transcript::Store;
use becket_testkit::messages_api::Turn;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The duration in the normal suite.
const NORMAL: Duration = Duration::from_secs(30);
/// The duration unless `BECKET_CHAOS_SECONDS` sets one.
const LONG: Duration = Duration::from_secs(600);
/// The number of concurrent agents, and of the batches of calls that each makes.
const AGENTS: usize = 3;
const BATCHES: usize = 3;
/// The limit on the descriptors that a session may have open at its end.
const DESCRIPTORS: usize = 64;

/// A randomly chosen misbehaving hook. A process that it hides from its host soon ends.
const WRONGS: &str = r#"#!/bin/bash
case $(( (RANDOM % 17) )) in
  0) sleep 300 ;;
  1) kill -KILL $$ ;;
  2) kill -SEGV $$ ;;
  3) head -c 50000000 /dev/zero ;;
  4) head -c 50000000 /dev/zero >&2; exit 1 ;;
  5) setsid sleep 300 & sleep 300 ;;
  6) (setsid sleep 4 &); exit 0 ;;
  7) (sleep 300 & sleep 300 &); sleep 300 ;;
  8) exec <&-; sleep 0.1; exit 0 ;;
  9) printf '{"hookSpecificOutput": {"hookEventName": "PreTool' ;;
  10) printf '{"decision": "approve"}' ; printf '\n{"decision": 7}' ;;
  11) exec >&- 2>&-; exit 3 ;;
  12) trap '' TERM; sleep 300 ;;
  13) case "$PWD" in */gone-*) rm -rf "$PWD" ;; esac ;;
  14) exit 255 ;;
  15) cat >/dev/null; echo '{"continue": "maybe", "hookSpecificOutput": []}' ;;
  16) cat >/dev/null ;;
esac
"#;

/// The only correct hook: it denies calls with forbidden names.
const GUARD: &str = r#"case "$(cat)" in *forbidden*) echo "not this one" >&2; exit 2;; esac"#;

#[expect(clippy::disallowed_methods, reason = "how much work a test is worth, is said from outside")]
fn seconds() -> Option<Duration> {
    std::env::var("BECKET_CHAOS_SECONDS").ok()?.parse().ok().map(Duration::from_secs)
}

/// Returns the next turn of a model whose agents alternate between allowed and forbidden calls.
fn works(body: &Value) -> Turn {
    let messages = body["messages"].as_array().map_or(0, Vec::len);
    let first = body["messages"][0].to_string();
    let agent = (0..AGENTS).find(|n| first.contains(&format!("You are helper {n}.")));
    let batch = messages / 2;
    match agent {
        None if messages == 1 => Turn::calls((0..AGENTS).map(|n| {
            let input = json!({"description": "works", "prompt": format!("You are helper {n}.")});
            call(format!("agent_{n}"), "Agent", input)
        })),
        None => Turn::text("All have worked."),
        Some(n) if batch < BATCHES => {
            let name = format!("{n}-{batch}");
            Turn::calls([
                bash(format!("a_{name}"), &format!("mkdir -p gone-{name}; cd gone-{name}; touch allowed")),
                bash(format!("b_{name}"), &format!("touch forbidden-{name}")),
                call(
                    format!("c_{name}"),
                    "Write",
                    json!({"file_path": format!("forbidden/{name}"), "content": "x"}),
                ),
                bash(format!("d_{name}"), "pwd"),
            ])
        }
        Some(n) => Turn::text(format!("Helper {n} has worked.")),
    }
}

fn settings(place: &Path) -> Value {
    let wrong = || json!({"type": "command", "command": place.join("wrongs"), "timeout": 0.4});
    let groups = |handlers: Vec<Value>| json!([{"hooks": handlers}]);
    let mut hooks = serde_json::Map::new();
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "CwdChanged",
        "MessageDisplay",
        "SessionEnd",
    ];
    for event in events {
        hooks.insert(event.to_owned(), groups(vec![wrong()]));
    }
    hooks.insert("PreToolUse".to_owned(), groups(vec![wrong(), hook(GUARD)]));
    hooks.insert("PermissionRequest".to_owned(), groups(vec![wrong()]));
    let count = hook("ls \"/proc/$PPID/fd\" | wc -l >>\"$CLAUDE_PROJECT_DIR/descriptors\"");
    hooks.insert("SessionEnd".to_owned(), groups(vec![wrong(), count]));
    json!({ "hooks": hooks })
}

fn place() -> Place {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(&json!({}), works);
    let script = place.env.write("project/wrongs", WRONGS);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it was just written");
    place.env.write("project/.claude/settings.json", settings(&place.env.project()).to_string());
    place
}

/// Runs one session, and checks the conditions that must hold after it.
fn session(place: &Place, n: u64) {
    let id = id(n);
    let ended = place.run(&["--session-id", &id, "Work."]).run();
    let context = format!("session {n}: {:.3000}", ended.stderr);
    assert!(matches!(ended.code, Some(0 | 1)), "{:?} {context}", ended.code);
    assert_eq!(place.server.wrongs(), Vec::<String>::new(), "{context}");
    assert_eq!(undone(&place.env.project()), Vec::<PathBuf>::new(), "{context}");
    place.whole(&id, &context);
    let of_agents = agents_whole(place, &id, &context);
    assert!(of_agents <= AGENTS, "{of_agents} {context}");
    place.soon_nobody_is_left(&context);
    let temporary: Vec<_> =
        fs::read_dir(place.env.root().join("tmp")).expect("it is there").flatten().collect();
    assert!(temporary.is_empty(), "{temporary:?} {context}");
}

/// Returns the effects of calls that a guard had denied.
fn undone(project: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(project).expect("it is there").flatten().map(|entry| entry.path());
    let (mut left, mut found): (Vec<PathBuf>, Vec<PathBuf>) = (entries.collect(), Vec::new());
    while let Some(path) = left.pop() {
        if path.file_name().is_some_and(|name| name.to_string_lossy().contains("forbidden")) {
            found.push(path);
        } else if path.is_dir() {
            left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    found
}

/// Reads the transcripts of a session's agents as resuming them would; returns their number.
fn agents_whole(place: &Place, session: &str, context: &str) -> usize {
    let transcript = place.transcript(session).expect("there is a transcript");
    let root = transcript.ancestors().nth(3).expect("it lies below a root");
    let entries =
        fs::read_dir(transcript.with_extension("").join("subagents")).into_iter().flatten().flatten();
    let mut count = 0;
    // The facts of an agent are beside its transcript.
    let is_transcript =
        |entry: &fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "jsonl");
    for entry in entries.filter(is_transcript) {
        let name =
            entry.path().file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let agent = name.strip_prefix("agent-").expect("it is called so");
        let (_, restored) = Store::new(root)
            .subagent(&transcript, session, agent)
            .unwrap_or_else(|error| panic!("{agent}: {error} {context}"));
        assert!(restored.damage.is_empty(), "{agent}: {:?} {context}", restored.damage);
        let conversation: Conversation = match restored.stored {
            StoredConversation::Whole(conversation) => conversation,
            StoredConversation::Deferred(deferred) => deferred.cancelled(),
        };
        assert_eq!(checker::refusal(&conversation.messages()), None, "{agent} {context}");
        count += 1;
    }
    count
}

fn chaos(time: Duration) {
    let place = place();
    let (begun, mut sessions) = (Instant::now(), 0);
    while begun.elapsed() < time {
        sessions += 1;
        session(&place, sessions);
    }
    let descriptors = place.lines("descriptors");
    let most = descriptors.iter().filter_map(|line| line.trim().parse::<usize>().ok()).max();
    assert!(most.is_some_and(|most| most <= DESCRIPTORS), "{descriptors:?}");
    let requests = place.server.requests().len();
    println!("{sessions} sessions, {requests} requests, at most {most:?} descriptors, {:?}", begun.elapsed());
    // It has done something, including a part of the allowed calls.
    assert!(requests > AGENTS, "{requests}");
    let entries = fs::read_dir(place.env.project()).expect("it is there").flatten();
    assert!(entries.map(|entry| entry.path()).any(|path| path.join("allowed").exists()));
}

// rules: H3, H4, O10, L2, D1, D7
#[test]
fn hooks_that_do_everything_wrong_neither_let_through_nor_leave_anything() {
    chaos(NORMAL);
}

// rules: H3, H4, O10, L2, D1, D7
#[test]
#[ignore = "it takes ten minutes, or as long as BECKET_CHAOS_SECONDS says"]
fn hooks_that_do_everything_wrong_for_long() {
    chaos(seconds().unwrap_or(LONG));
}

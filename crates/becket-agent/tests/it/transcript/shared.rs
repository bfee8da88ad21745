//! A root that another program also uses: its sessions are read and never changed.

use crate::transcript::fixture::{CWD, ID, a_session, counted, cwd, text, whole};
use becket_agent::conversation::{Conversation, Next};
use becket_agent::transcript::{Mirror, RewindPoint, Store, StoreError};
use becket_llm::Block;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const FOREIGN: &str = "2b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11";

struct Shared {
    dir: TempDir,
    store: Store,
}

impl Shared {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::shared(dir.path().join("claude"), dir.path().join("becket")).with(counted());
        Self { dir, store }
    }

    fn path(&self, root: &str, id: &str) -> PathBuf {
        self.dir.path().join(format!("{root}/projects/-work-my-app/{id}.jsonl"))
    }

    /// Creates a session as Claude Code writes it: one line for each block of an answer, and lines of kinds that only
    /// it knows.
    fn foreign(&self) -> (PathBuf, String) {
        let line = |uuid: &str, parent: Option<&str>, own: Value| {
            let mut line = json!({"uuid": uuid, "parentUuid": parent, "sessionId": FOREIGN, "cwd": CWD,
                                  "version": "2.9.0", "isSidechain": false});
            line.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
            format!("{line}\n")
        };
        let part = |block: Value| json!({"type": "assistant", "message": {"id": "msg_1", "role": "assistant", "model": "m", "content": [block]}});
        let call = |id: &str| part(json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}}));
        let result = |id: &str| {
            json!({"type": "user", "message": {"role": "user", "content":
                [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}})
        };
        let lines = [
            format!("{}\n", json!({"type": "kind-of-the-future", "payload": {"a": [1]}})),
            line("u1", None, json!({"type": "user", "message": {"role": "user", "content": "look"}})),
            line("u2", Some("u1"), part(json!({"type": "text", "text": "I look."}))),
            line("u3", Some("u2"), call("a")),
            line("u4", Some("u3"), result("a")),
            line("u5", Some("u3"), call("b")),
            line("u6", Some("u5"), result("b")),
            line(
                "u7",
                Some("u6"),
                json!({"type": "assistant", "message":
                {"id": "msg_2", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Done."}]}}),
            ),
        ];
        let path = self.path("claude", FOREIGN);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, lines.concat()).unwrap();
        (path, lines.concat())
    }
}

/// Adds a turn with an answer.
fn turn(conversation: &mut Conversation, prompt: &str, said: &str) {
    conversation.say(text(prompt)).unwrap();
    let answer = crate::conversation::moves::answer(text(said), 1);
    let Next::Done(done) = std::mem::take(conversation).answered(answer) else { panic!("no calls") };
    *conversation = done;
}

fn lines(path: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_of_another_program_is_copied_and_stays_as_it_is() {
    let home = Shared::new();
    let (path, bytes) = home.foreign();
    let (mut log, restored) = home.store.resume(cwd(), FOREIGN).unwrap();
    assert_eq!(restored.copy_of.as_ref(), Some(&path));
    assert_eq!(restored.damage, [], "answers in parts are whole");
    let mut conversation = whole(restored);
    let messages = conversation.messages();
    let calls = messages[1].content.iter().filter(|block| matches!(block, Block::ToolUse { .. }));
    assert_eq!(calls.count(), 2);
    turn(&mut conversation, "and now?", "Nothing.");
    log.append(conversation.take_entries(), cwd()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), bytes, "nothing of it has changed");
    let copy = log.path().to_owned();
    assert!(copy != path && copy.starts_with(home.dir.path().join("claude")));
    drop(log);
    let copied = lines(&copy);
    assert!(copied.iter().any(|line| line["payload"] == json!({"a": [1]})), "unknown lines survive");
    // The copy belongs to Becket, and is continued in place.
    let id = copy.file_stem().unwrap().to_str().unwrap();
    let (_, again) = home.store.resume(cwd(), id).unwrap();
    assert_eq!((again.copy_of.as_ref(), again.prompts), (None, 2));
    assert_eq!(
        home.store.latest(cwd()).unwrap().as_deref(),
        Some(id),
        "the newest of another program is not continued"
    );
}

#[test]
fn sessions_of_earlier_versions_stay_where_they_are_and_readable() {
    let home = Shared::new();
    let own = Store::new(home.dir.path().join("becket"));
    drop(a_session(&mut own.create(cwd(), Some(ID)).unwrap()));
    let old = home.path("becket", ID);
    // The format of earlier versions: without a version, and with another kind of title.
    let text = fs::read_to_string(&old).unwrap();
    let text: String = text
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("version");
            if let Some(title) = line["customTitle"].as_str().map(str::to_owned) {
                line["type"] = "title".into();
                line["title"] = title.into();
            }
            format!("{line}\n")
        })
        .collect();
    fs::write(&old, text).unwrap();
    let listed = home.store.list(cwd()).unwrap();
    assert_eq!((listed.len(), listed[0].title.as_deref()), (1, Some("Tidy \"up\"")));
    let (log, restored) = home.store.resume(cwd(), ID).unwrap();
    assert_eq!(
        (log.path(), restored.copy_of, restored.title.as_deref()),
        (old.as_path(), None, Some("Tidy \"up\""))
    );
    assert!(matches!(home.store.create(cwd(), Some(ID)), Err(StoreError::Exists { .. })));
}

#[test]
fn the_chain_of_messages_has_no_gap_that_readers_see() {
    let home = Shared::new();
    let mut log = home.store.create(cwd(), Some(ID)).unwrap();
    drop(a_session(&mut log));
    let path = log.path().to_owned();
    assert!(path.starts_with(home.dir.path().join("claude/projects")));
    let known = ["user", "assistant", "system"];
    let mut last = Value::Null;
    for line in lines(&path) {
        assert!(line["version"].as_str().unwrap().starts_with("becket "), "{line}");
        assert_eq!(line["parentUuid"], last, "{line}");
        if known.contains(&line["type"].as_str().unwrap()) {
            last = line["uuid"].clone();
        }
    }
}

#[test]
fn a_session_is_set_back_to_a_message_and_keeps_its_lines() {
    let home = Shared::new();
    let mut log = home.store.create(cwd(), Some(ID)).unwrap();
    let mut conversation = Conversation::default();
    for number in ["one", "two", "three"] {
        turn(&mut conversation, number, "yes");
    }
    log.append(conversation.take_entries(), cwd()).unwrap();
    let path = log.path().to_owned();
    drop(log);
    let names: Vec<String> =
        lines(&path).iter().map(|line| line["uuid"].as_str().unwrap().to_owned()).collect();
    let point = |message: &str, drops: Option<&str>| RewindPoint {
        message: message.to_owned(),
        drops: drops.map(str::to_owned),
    };
    let rewound = |point: RewindPoint| {
        let (mut log, _) = home.store.resume(cwd(), ID).unwrap();
        home.store.rewind(&mut log, &point, cwd())
    };
    // Two turns follow the first one.
    let refused = rewound(point(&names[1], Some(&names[2]))).unwrap_err();
    assert!(refused.to_string().starts_with("Resume rejected by --resume-drops-turn:"), "{refused}");
    let refused = rewound(point(&names[3], Some(&names[2]))).unwrap_err();
    assert!(matches!(refused, StoreError::OtherTurns { found: 1, .. }), "{refused}");
    assert!(matches!(rewound(point(FOREIGN, None)), Err(StoreError::NoMessage { .. })));
    assert_eq!(lines(&path).len(), 6, "a refusal writes nothing");

    assert_eq!(whole(rewound(point(&names[3], Some(&names[4]))).unwrap()).messages().len(), 4);
    let (mut log, restored) = home.store.resume(cwd(), ID).unwrap();
    let mut conversation = whole(restored);
    assert_eq!(conversation.messages().len(), 4);
    turn(&mut conversation, "four", "yes");
    log.append(conversation.take_entries(), cwd()).unwrap();
    drop(log);
    let written = lines(&path);
    assert_eq!((written.len(), &written[7]["parentUuid"]), (9, &Value::from(names[3].as_str())));
    let (_, again) = home.store.resume(cwd(), ID).unwrap();
    assert_eq!(again.damage, []);
    let messages = whole(again).messages();
    assert!(
        messages.len() == 6
            && format!("{messages:?}").contains("four")
            && !format!("{messages:?}").contains("three")
    );
}

#[test]
fn a_mirror_sees_each_line_once_it_is_stored() {
    let seen: Arc<Mutex<Vec<(PathBuf, String)>>> = Arc::default();
    let keep = Arc::clone(&seen);
    let home = Shared::new();
    let store = home.store.clone().mirrored(Mirror::new(move |file, line| {
        keep.lock().unwrap().push((file.to_owned(), line.to_owned()));
    }));
    let mut log = store.create(cwd(), Some(ID)).unwrap();
    drop(a_session(&mut log));
    let path = log.path().to_owned();
    let text: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    let mirrored = std::mem::take(&mut *seen.lock().unwrap());
    assert!(mirrored.iter().all(|(file, _)| *file == path));
    assert_eq!(mirrored.into_iter().map(|(_, line)| line).collect::<Vec<_>>(), text);
    let (fork, _) = store.fork(cwd(), ID, None).unwrap();
    let copied = seen.lock().unwrap().len();
    assert_eq!(copied, fs::read_to_string(fork.path()).unwrap().lines().count(), "a copy is mirrored, too");
}

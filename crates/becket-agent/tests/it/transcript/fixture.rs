//! A store in a directory of its own, and a session that has a bit of everything.

use crate::conversation::checker::refusal;
use crate::conversation::moves::answer;
use becket_agent::conversation::{Conversation, Next, StoredConversation};
use becket_agent::transcript::{ClockAndIds, Log, Note, Store, StoredSession};
use becket_llm::{Block, Object};
use becket_model::event::PermissionMode;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

pub(crate) const ID: &str = "0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11";

/// Working directory of the sessions of these tests, which is never accessed.
pub(crate) const CWD: &str = "/work/my app";

pub(crate) struct Home {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path()).with(counted());
        Self { dir, store }
    }

    pub(crate) fn create(&self) -> Log {
        self.store.create(cwd(), Some(ID)).unwrap()
    }

    pub(crate) fn resume(&self) -> (Log, StoredSession) {
        self.store.resume(cwd(), ID).unwrap()
    }

    /// The transcript of the session.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join(format!("projects/-work-my-app/{ID}.jsonl"))
    }

    /// Replaces the transcript by these bytes.
    pub(crate) fn put(&self, bytes: &[u8]) {
        std::fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        std::fs::write(self.path(), bytes).unwrap();
    }
}

pub(crate) fn cwd() -> &'static Path {
    Path::new(CWD)
}

/// A clock that advances by a second at each look, and names in a row.
pub(crate) fn counted() -> ClockAndIds {
    let (seconds, ids) = (AtomicU64::new(0), AtomicU64::new(0));
    let now = move || {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds.fetch_add(1, Ordering::Relaxed))
    };
    let id = move || format!("00000000-0000-4000-8000-{:012x}", ids.fetch_add(1, Ordering::Relaxed));
    ClockAndIds { now: Arc::new(now), id: Arc::new(id) }
}

pub(crate) fn text(text: &str) -> Vec<Block> {
    vec![Block::Text(text.to_owned())]
}

pub(crate) fn call(id: &str) -> Block {
    let mut input = Object::new();
    input.insert("command".into(), "ls \"ä\"\n".into());
    Block::ToolUse { id: id.into(), name: "Bash".into(), input }
}

pub(crate) fn whole(restored: StoredSession) -> Conversation {
    match restored.stored {
        StoredConversation::Whole(conversation) => conversation,
        StoredConversation::Deferred(_) => panic!("calls wait"),
    }
}

/// A turn with two calls, hooks' texts, feedback, a summary, and facts of the session; all of it is written.
pub(crate) fn a_session(log: &mut Log) -> Conversation {
    for note in [
        Note::Title("Tidy \"up\"".into()),
        Note::Mode(PermissionMode::AcceptEdits),
        Note::Remark("a remark".into()),
    ] {
        log.note(&note, cwd()).unwrap();
    }
    let mut conversation = Conversation::default();
    conversation.beside("SessionStart:startup hook success: hello");
    conversation.say(text("tidy up")).unwrap();
    conversation.beside("UserPromptSubmit hook additional context: </system-reminder>\nand more");
    log.append(conversation.take_entries(), cwd()).unwrap();
    let thought = Block::Thinking { text: "hm".into(), signature: "sig".into() };
    let content = vec![thought, Block::Text("I look.".into()), call("a"), call("b")];
    let Next::Calls(mut calls) = conversation.answered(answer(content, 1_000)) else { panic!("calls") };
    log.append(calls.take_entries(), cwd()).unwrap();
    calls.answer("b", text("two\u{2028}lines"), false).unwrap();
    log.append(calls.take_entries(), cwd()).unwrap();
    calls.beside_call("b", "PostToolUse:Bash hook additional context: b").unwrap();
    calls
        .answer("a", vec![Block::Image { media_type: "image/png".into(), data: "AAAA".into() }], false)
        .unwrap();
    calls.beside("PostToolBatch hook additional context: batch");
    let mut conversation = calls.close("interrupted");
    log.append(conversation.take_entries(), cwd()).unwrap();
    let Next::Done(mut conversation) = conversation.answered(answer(text("done"), 2_000)) else {
        panic!("no calls")
    };
    conversation.feedback("Stop hook feedback:\nrun the tests");
    log.append(conversation.take_entries(), cwd()).unwrap();
    conversation
}

/// The API takes what was loaded, or it is calls that wait.
pub(crate) fn refused(stored: &StoredConversation) -> Option<String> {
    match stored {
        StoredConversation::Whole(conversation) if conversation.is_empty() => None,
        StoredConversation::Whole(conversation) => refusal(&conversation.messages()),
        StoredConversation::Deferred(deferred) => {
            deferred.calls().is_empty().then(|| "nothing waits".to_owned())
        }
    }
}

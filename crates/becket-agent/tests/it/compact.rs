//! Summaries of conversations, with real hooks and a scripted model.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use becket_agent::compact::{Compaction, CompactionSummary, NotCompacted, Trigger, Window};
use becket_engine::{CancellationToken, Engine, Environment};
use becket_llm::{Message, RecordedRequest, Script, ScriptedModel, Turn};
use becket_model::Session;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

struct At {
    dir: TempDir,
    engine: Engine,
    model: ScriptedModel,
    cancel: CancellationToken,
}

impl At {
    /// Creates hooks that record their input, and run this command on PreCompact.
    fn new(pre_compact: &str, turns: Vec<Turn>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let noted =
            |then: &str| json!([{"hooks": [{"type": "command", "command": format!("cat >> log; {then}")}]}]);
        let settings = json!({"hooks": {"PreCompact": noted(pre_compact), "PostCompact": noted("true")}});
        let engine = Engine::builder()
            .environment(Environment::empty().with_var("PATH", PATH))
            .start_dir(dir.path())
            .settings_text(settings.to_string())
            .build()
            .unwrap();
        Self {
            dir,
            engine,
            model: ScriptedModel::new(Script::new("m", turns)),
            cancel: CancellationToken::new(),
        }
    }

    async fn summary(
        &self,
        messages: &[Message],
        instructions: Option<&str>,
    ) -> Result<CompactionSummary, NotCompacted> {
        let session = Session::new("s", self.dir.path().join("t.jsonl"), self.dir.path());
        let at = Compaction {
            engine: &self.engine,
            session: &session,
            model: &self.model,
            window: Window::default(),
            system: Some("be brief"),
            tools: &[],
            trigger: if instructions.is_some() { Trigger::Manual } else { Trigger::Auto },
            instructions,
            cancel: &self.cancel,
        };
        let (_, summary) = at.summary(messages).await;
        if let Ok(compacted) = &summary {
            drop(at.fire_post_compact(compacted).await);
        }
        summary
    }

    fn log(&self) -> Vec<Value> {
        log(self.dir.path())
    }

    fn asked(&self) -> Vec<RecordedRequest> {
        self.model.requests()
    }
}

fn log(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("log")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn talk() -> Vec<Message> {
    vec![
        Message::user("first"),
        Message::assistant("one"),
        Message::user("second"),
        Message::assistant("two"),
        Message::user("third"),
    ]
}

// rule: L0
#[tokio::test]
async fn hooks_see_a_compaction_before_and_after() {
    let at = At::new("true", vec![Turn::text("<summary>short</summary>").expecting("mind the tests")]);
    let compacted = at.summary(&talk(), Some("mind the tests")).await.unwrap();
    assert!(compacted.text.contains("\n\nshort\n\n") && !compacted.text.contains("<summary>"));
    assert_eq!(compacted.keep, 1, "a prompt that nobody has answered stays");
    let log = at.log();
    let named: Vec<_> = log.iter().map(|input| input["hook_event_name"].as_str().unwrap()).collect();
    assert_eq!(named, ["PreCompact", "PostCompact"]);
    assert_eq!(log[0]["trigger"], "manual");
    assert_eq!(log[0]["custom_instructions"], "mind the tests");
    assert_eq!(log[1]["compact_summary"], "<summary>short</summary>");
}

// rule: L5
#[tokio::test]
async fn a_hook_forbids_it_before_the_model_is_asked() {
    let at = At::new("echo 'keep it whole' >&2; exit 2", vec![Turn::text("never")]);
    let forbidden = at.summary(&talk(), None).await;
    assert_eq!(forbidden, Err(NotCompacted::Blocked { because: "keep it whole".into() }));
    assert!(at.asked().is_empty());
    assert_eq!(at.log()[0]["custom_instructions"], Value::Null);
}

#[tokio::test]
async fn a_summary_that_does_not_fit_is_asked_of_the_newer_half() {
    let refusal =
        r#"{"error": {"kind": "bad_request", "message": "prompt is too long: 9 tokens > 8 maximum"}}"#;
    let too_long: Turn = serde_json::from_str(refusal).unwrap();
    let at = At::new("true", vec![too_long.clone(), Turn::text("half")]);
    at.summary(&talk(), None).await.unwrap();
    let sizes: Vec<_> = at.asked().iter().map(|asked| asked.request.messages.len()).collect();
    assert_eq!(sizes, [5, 3]);
    let at = At::new("true", vec![too_long.clone(), too_long.clone(), too_long]);
    let failed = at.summary(&talk(), None).await;
    assert!(matches!(failed, Err(NotCompacted::Model(error)) if error.is_too_long()));
    assert_eq!(at.log().len(), 1, "nothing was compacted");
}

#[tokio::test]
async fn no_summary_leaves_everything_as_it_was() {
    let at = At::new("true", vec![Turn::text("<summary> </summary>")]);
    assert_eq!(at.summary(&talk(), None).await, Err(NotCompacted::Empty));
    assert_eq!(at.summary(&[], None).await, Err(NotCompacted::Nothing));
    assert_eq!(at.log().len(), 1, "of nothing no hook is told");
    let at = At::new("true", vec![Turn::silence()]);
    let talk = talk();
    let (summary, ()) = tokio::join!(at.summary(&talk, None), async {
        tokio::task::yield_now().await;
        at.cancel.cancel();
    });
    assert_eq!(summary, Err(NotCompacted::Cancelled));
}

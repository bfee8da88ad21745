//! Tools that do what a test says and note it.

use becket_engine::{AgentTools, CancellationToken, ToolAnswer};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A call that came through.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolRun {
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) session: Session,
}

/// `Read` runs unasked, `Bash` does not. What they do is in the input: `print` (text), `fail` (text), `hang`, `panic`.
#[derive(Clone, Default)]
pub(crate) struct FakeTools {
    pub(crate) ran: Arc<Mutex<Vec<ToolRun>>>,
    /// Set when a hanging call is cancelled.
    pub(crate) told_to_end: Arc<AtomicBool>,
    /// Set when the future of a call that hangs is gone.
    pub(crate) dropped: Arc<AtomicBool>,
    /// Set when a call that hangs has begun.
    pub(crate) hangs: Arc<AtomicBool>,
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl FakeTools {
    pub(crate) fn inputs(&self) -> Vec<Value> {
        self.ran.lock().unwrap().iter().map(|ran| ran.input.clone()).collect()
    }

    async fn answer(&self, input: &Map<String, Value>, cancel: &CancellationToken) -> ToolAnswer {
        let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
        assert!(!input.contains_key("panic"), "broken tool");
        if input.contains_key("hang") {
            let _dropped = SetOnDrop(self.dropped.clone());
            self.hangs.store(true, Ordering::SeqCst);
            cancel.cancelled().await;
            self.told_to_end.store(true, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        let text_or = text("fail").or_else(|| text("print")).unwrap_or_else(|| "done".to_owned());
        let response = json!({"stdout": text_or, "stderr": ""});
        ToolAnswer { text: text_or, response, is_error: input.contains_key("fail") }
    }
}

impl AgentTools for FakeTools {
    fn tools(&self) -> Vec<ToolSpec> {
        let tool = |name: &str| ToolSpec {
            name: name.to_owned(),
            description: format!("{name} of the test"),
            input_schema: json!({"type": "object"}),
        };
        ["Bash", "Read", "Agent", "Task", "StructuredOutput"].map(tool).into()
    }

    fn runs_unasked(&self, _session: &Session, tool: &str, _input: &Map<String, Value>) -> bool {
        tool == "Read"
    }

    fn run<'a>(
        &'a self,
        session: &'a Session,
        tool: &'a str,
        input: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ToolAnswer> {
        let ran =
            ToolRun { tool: tool.to_owned(), input: Value::Object(input.clone()), session: session.clone() };
        self.ran.lock().unwrap().push(ran);
        self.answer(input, cancel).boxed()
    }

    fn text_of(&self, _tool: &str, response: &Value) -> Option<String> {
        response.get("stdout").and_then(Value::as_str).map(str::to_owned)
    }
}

//! Tools that do what a test specifies, and record it.

use becket_engine::config::Config;
use becket_engine::{Effect, RunningCall, Tool, ToolFailure, ToolOutput, ToolSet};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A call that reached a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolRun {
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) session: Session,
}

/// `Read` runs unasked, `Bash` does not. Their input determines the result: `print` (text), `fail` (text), `hang`,
/// `panic`.
#[derive(Clone, Default)]
pub(crate) struct FakeTools {
    pub(crate) ran: Arc<Mutex<Vec<ToolRun>>>,
    /// Set when a hanging call is cancelled.
    pub(crate) told_to_end: Arc<AtomicBool>,
    /// Set when the future of a hanging call has been dropped.
    pub(crate) dropped: Arc<AtomicBool>,
    /// Set when a hanging call has started.
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

    /// Returns the tools of agents under any configuration.
    pub(crate) fn for_agents(&self) -> impl Fn(&Arc<Config>) -> ToolSet + Send + Sync + 'static {
        let of = |name: &'static str| Arc::new(FakeTool { name, shared: self.clone() }) as Arc<dyn Tool>;
        let tools: ToolSet =
            ["Bash", "Read", "Agent", "Task", "StructuredOutput"].into_iter().map(of).collect();
        move |_| tools.clone()
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let text = |name: &str| running.input.get(name).and_then(Value::as_str).map(str::to_owned);
        assert!(!running.input.contains_key("panic"), "broken tool");
        if running.input.contains_key("hang") {
            let _dropped = SetOnDrop(self.dropped.clone());
            self.hangs.store(true, Ordering::SeqCst);
            running.cancel.cancelled().await;
            self.told_to_end.store(true, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        if let Some(error) = text("fail") {
            return Err(ToolFailure::new(error));
        }
        let printed = text("print").unwrap_or_else(|| "done".to_owned());
        let response = json!({"stdout": printed, "stderr": ""});
        Ok(ToolOutput::text(printed, response))
    }
}

/// One of the tools.
struct FakeTool {
    name: &'static str,
    shared: FakeTools,
}

impl Tool for FakeTool {
    fn name(&self) -> &str {
        self.name
    }

    fn spec(&self) -> ToolSpec {
        let (name, description) = (self.name.to_owned(), format!("{} of the test", self.name));
        ToolSpec { name, description, input_schema: json!({"type": "object"}) }
    }

    fn effect(&self, _: &Session, _: &Map<String, Value>) -> Effect {
        if self.name == "Read" { Effect::Reads } else { Effect::Acts }
    }

    fn replaced(&self, value: &Value) -> Result<ToolOutput, String> {
        let text = value.get("stdout").and_then(Value::as_str).ok_or("it has no `stdout`")?;
        Ok(ToolOutput::text(text, value.clone()))
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        let (input, session) = (Value::Object(running.input.clone()), running.session.clone());
        self.shared.ran.lock().unwrap().push(ToolRun { tool: self.name.to_owned(), input, session });
        self.shared.answer(running).boxed()
    }
}

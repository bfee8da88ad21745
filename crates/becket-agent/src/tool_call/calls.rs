//! The public interface: calls of a host's tools, run one by one or together.

use super::after;
use super::batch_abort::BatchAbort;
use super::gate;
use super::hook_log::HookLog;
use super::nested::NestedCalls;
use super::person::AskPermission;
use super::report::{CallEnd, Report};
use crate::checkpoints::Checkpoints;
use crate::facts::Facts;
use crate::permission::AutoMode;
use becket_engine::{CancellationToken, Engine, Tool, ToolCall, ToolServer, ToolSet, catch_panic};
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, EventBody, Session};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The default time limit of a tool.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// Runs the calls of a session's model. Cheap to clone; clones share the person, and show one prompt at a time.
#[derive(Clone)]
pub struct ToolCalls {
    pub(super) engine: Engine,
    tools: ToolSet,
    pub(super) person: Option<Arc<dyn AskPermission>>,
    pub(super) auto: Option<AutoMode>,
    pub(super) checkpoints: Option<Checkpoints>,
    /// The lock for prompting the person.
    pub(super) asking: Arc<Mutex<()>>,
    pub(super) limit: Duration,
}

impl ToolCalls {
    /// Creates calls of these tools, under the hooks and rules of an engine and without a person. The engine should
    /// have the same tools: pass the [`ToolSet`] to [`becket_engine::Builder::tools`].
    #[must_use]
    pub fn new(engine: Engine, tools: ToolSet) -> Self {
        Self {
            engine,
            tools,
            person: None,
            auto: None,
            checkpoints: None,
            asking: Arc::default(),
            limit: LIMIT,
        }
    }

    /// Sets the person who is asked. Without one, a call that needs a permission is denied (P11). The engine must be
    /// built as interactive, too.
    #[must_use]
    pub fn with_person(mut self, person: impl AskPermission + 'static) -> Self {
        self.person = Some(Arc::new(person));
        self
    }

    /// Sets the classifier for the mode `auto`. Without one, that mode asks (P14).
    #[must_use]
    pub fn with_auto_mode(mut self, auto: AutoMode) -> Self {
        self.auto = Some(auto);
        self
    }

    /// Sets the checkpoints that files are copied to before they are edited. Default: none.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: Checkpoints) -> Self {
        self.checkpoints = Some(checkpoints);
        self
    }

    /// Returns calls of other tools. The person is shared, and is still asked one thing at a time.
    #[must_use]
    pub fn with_tools(&self, tools: ToolSet) -> Self {
        Self { tools, ..self.clone() }
    }

    /// Sets the time limit of a tool; 600 s by default.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs one call to its end (L1). Never fails: errors are in the report.
    ///
    /// If cancelled, the call ends soon, and a tool that has not been started is not started any more. Dropping the
    /// future has the same effect, without a report. Several calls at once are several futures, for tools that
    /// [`becket_engine::Hints`] allow to run together.
    pub async fn run(&self, session: &Session, call: ToolCall, cancel: &CancellationToken) -> Report {
        self.run_held(CallSession { session, facts: None }, call, cancel, &BatchAbort::default()).await
    }

    /// Runs one call with the abort flag of its batch: once it is set, none of the batch's tools is started (D6).
    pub(crate) async fn run_held(
        &self,
        of: CallSession<'_>,
        call: ToolCall,
        cancel: &CancellationToken,
        abort: &BatchAbort,
    ) -> Report {
        let CallSession { session, facts } = of;
        let (mut log, nested) = (HookLog::default(), NestedCalls::default());
        let ended = match self.tool(&call) {
            Ok(tool) => {
                let at = CallContext {
                    calls: self,
                    session,
                    facts,
                    call: &call,
                    tool: &*tool,
                    cancel,
                    abort,
                    nested: &nested,
                };
                // A panic in the host's code ends only this call.
                catch_panic(at.end(&mut log)).await.unwrap_or_else(|said| CallEnd::Failed {
                    error: format!("the host's own part panicked: {said}"),
                    interrupted: false,
                })
            }
            Err(error) => CallEnd::Invalid { error },
        };
        if let (Some(auto), Some(note)) = (&self.auto, &log.classifier_context) {
            auto.noted(note);
        }
        Report::new(call, ended, log).with(&nested)
    }

    /// Returns the current tool with this name, if any.
    pub(super) fn tool_named(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.find(name)
    }

    /// Returns the tool of a call, which is used to the end even if the tool set changes.
    fn tool(&self, call: &ToolCall) -> Result<Arc<dyn Tool>, String> {
        let tool = self.tools.find(&call.name).ok_or_else(|| self.unknown(&call.name))?;
        match self.engine.host().deny_rule_for(&*tool) {
            Some(rule) => Err(format!("there is no tool `{}` here: {rule}", call.name)),
            None => Ok(tool),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let tools = self.tools.all();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let name = becket_tools::schema::brief(name);
        match becket_base::suggest(&name, &names) {
            Some(near) => format!("there is no tool `{name}`: did you mean `{near}`?"),
            None => format!("there is no tool `{name}`"),
        }
    }
}

impl fmt::Debug for ToolCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCalls")
            .field("tools", &self.tools)
            .field("has_person", &self.person.is_some())
            .field("auto", &self.auto)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// The session of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallSession<'a> {
    /// The session as it was when the call began.
    pub(crate) session: &'a Session,
    /// The session as it is, if it may change while hooks or a person decide.
    pub(crate) facts: Option<&'a Facts>,
}

/// A call in progress.
#[derive(Clone, Copy)]
pub(super) struct CallContext<'a> {
    pub(super) calls: &'a ToolCalls,
    pub(super) session: &'a Session,
    /// The current facts of the session.
    pub(super) facts: Option<&'a Facts>,
    pub(super) call: &'a ToolCall,
    pub(super) tool: &'a dyn Tool,
    pub(super) cancel: &'a CancellationToken,
    pub(super) abort: &'a BatchAbort,
    pub(super) nested: &'a NestedCalls,
}

impl CallContext<'_> {
    async fn end(&self, log: &mut HookLog) -> CallEnd {
        if let Err(wrong) = self.tool.check(&self.call.input) {
            return CallEnd::Invalid { error: format!("the input does not fit: {wrong}") };
        }
        match gate::pass(self, log).await {
            Ok(approved) => after::carry_out(self, approved, log).await,
            Err(ended) => ended,
        }
    }

    /// Returns the session of the call, in the mode that is in force now: a person may have changed it while hooks ran.
    pub(super) fn current_session(&self) -> Session {
        let session = self.session.clone();
        match self.facts {
            Some(facts) => session.with_permission_mode(facts.mode()),
            None => session,
        }
    }

    pub(super) fn event(&self, body: impl Into<EventBody>) -> Event {
        Event::new(self.session.clone(), body).with_other_names(self.tool.restricting_names())
    }

    /// Returns the event that asks whether the model's call may run.
    pub(super) fn pre_tool_use(&self) -> Event {
        self.pre_tool_use_of(&self.call.input)
    }

    /// Returns the event for an input that a hook has rewritten.
    pub(super) fn pre_tool_use_of(&self, input: &Map<String, Value>) -> Event {
        self.event(
            PreToolUse::new(self.call.name.clone(), input.clone(), self.call.id.clone())
                .mcp_server(self.mcp_server()),
        )
    }

    pub(super) fn mcp_server(&self) -> Option<Map<String, Value>> {
        self.tool.server().map(ToolServer::on_the_wire)
    }
}

//! The face: a host's tools, as the engine asks for them.

use crate::surroundings::Surroundings;
use crate::tools::{self, Call, Input, Tool, failed};
use becket_engine::{AgentTools, CancellationToken, ToolAnswer, Tools};
use becket_llm::ToolSpec;
use becket_model::Session;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Read, Grep, Glob and Bash (`protocol.md` H8). Cheap to clone; hand it to both [`becket_engine::Builder::agent_tools`]
/// and [`becket_engine::Builder::tools`].
#[derive(Debug, Clone)]
pub struct HostTools {
    host: Arc<Surroundings>,
}

impl HostTools {
    /// The tools of a host.
    #[must_use]
    pub fn new(surroundings: Surroundings) -> Self {
        Self { host: Arc::new(surroundings) }
    }

    async fn answer(
        &self,
        session: &Session,
        tool: &str,
        input: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> ToolAnswer {
        match checked(tool, input) {
            Ok(found) => {
                let input = Input(input);
                found
                    .run(Call { host: &self.host, session, input, cancel, ledger: None, written: None })
                    .await
            }
            Err(error) => failed(error),
        }
    }
}

impl Tools for HostTools {
    /// Accepts an unknown tool, which belongs to another host.
    fn validate(&self, tool: &str, input: &Map<String, Value>) -> Result<(), String> {
        if tools::find(tool).is_none() { Ok(()) } else { checked(tool, input).map(drop) }
    }

    fn defaults(&self, tool: &str) -> Map<String, Value> {
        tools::find(tool).map(|tool| tool.spec().defaults()).unwrap_or_default()
    }
}

/// The tool, if the input is one that it takes.
fn checked(tool: &str, input: &Map<String, Value>) -> Result<&'static dyn Tool, String> {
    let Some(found) = tools::find(tool) else {
        let names: Vec<&str> = tools::all().map(|tool| tool.spec().name).collect();
        let tool = crate::schema::brief(tool);
        return Err(format!("there is no tool `{tool}`: use one of `{}`", names.join("`, `")));
    };
    found.spec().validate(input).map_err(|error| error.to_string())?;
    found.check(Input(input))?;
    Ok(found)
}

impl AgentTools for HostTools {
    fn tools(&self) -> Vec<ToolSpec> {
        tools::all().map(|tool| tool.spec().for_model()).collect()
    }

    fn runs_unasked(&self, session: &Session, tool: &str, input: &Map<String, Value>) -> bool {
        checked(tool, input).is_ok_and(|tool| tool.runs_unasked(&self.host, session, Input(input)))
    }

    fn run<'a>(
        &'a self,
        session: &'a Session,
        tool: &'a str,
        input: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(self.answer(session, tool, input, cancel))
    }

    fn text_of(&self, tool: &str, response: &Value) -> Option<String> {
        tools::find(tool)?.text_of(response)
    }
}

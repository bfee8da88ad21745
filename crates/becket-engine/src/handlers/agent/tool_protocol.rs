//! The way in which an agent requests tools and gives its verdict: by tool calls, or in JSON if its model can't call
//! tools (H8).

use crate::handlers::prompt::Question;
use crate::handlers::prompt::answer;
use crate::handlers::prompt::answer::AnswerError;
use crate::handlers::prompt::system;
use crate::host::tool::ToolCall;
use becket_llm::judge::{self, ToolRequest, tool_request_schema, verdict_schema};
use becket_llm::{
    Block, Message, Model, Output, PromptCaching, Request, Response, Role, StopReason, Thinking, ToolSpec,
};
use becket_model::interpret::ModelAnswer;
use serde_json::{Value, json};

/// The tool by which an agent gives its verdict.
pub(crate) const ANSWER: &str = "StructuredOutput";

/// The largest number of tokens of one turn.
pub(crate) const MOST_TOKENS: u32 = 4_096;

/// The way in which a model requests tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolProtocol {
    /// By tool calls.
    Tools,
    /// As JSON: one call, or the verdict, in each turn.
    Json,
}

/// The result of a call, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallAnswer {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// The model's next step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// The agent is done: its verdict, and its text.
    Verdict(ModelAnswer, String),
    /// The agent requests these calls.
    Calls(Vec<ToolCall>),
    /// The agent ended without a usable verdict.
    NoVerdict {
        /// The problem, for the model and the user.
        because: String,
        /// The call of [`ANSWER`] that needs a result.
        unanswered: Option<String>,
    },
    /// The agent continues when it is asked again.
    Pause,
}

impl ToolProtocol {
    /// Returns the protocol for a model.
    pub(crate) fn of(model: &dyn Model) -> Self {
        if model.capabilities().tools { ToolProtocol::Tools } else { ToolProtocol::Json }
    }

    /// Returns the first request.
    pub(crate) fn request(self, question: &Question, tools: &[ToolSpec], model: &dyn Model) -> Request {
        let (how, tools, output) = match self {
            ToolProtocol::Tools => (BY_TOOL.to_owned(), with_answer(tools), Output::Text),
            ToolProtocol::Json => (in_json(tools), Vec::new(), json_output(tools, model)),
        };
        Request {
            system: Some(system::of_agent(question.event, question.shown, &how)),
            messages: vec![question.message.clone()],
            tools,
            output,
            max_tokens: MOST_TOKENS,
            thinking: Thinking::Off,
            caching: PromptCaching::Conversation,
            ..Request::default()
        }
    }

    /// Reads the model's next step.
    pub(crate) fn read(self, response: &Response) -> Result<Step, AnswerError> {
        if response.stop == StopReason::PauseTurn {
            return Ok(Step::Pause);
        }
        answer::whole(response, MOST_TOKENS)?;
        Ok(match self {
            ToolProtocol::Tools => tool_calls(response),
            ToolProtocol::Json => json_request(&response.text()),
        })
    }

    /// Returns the results of a turn's calls, followed by the texts of hooks about them.
    pub(crate) fn results(self, answered: Vec<(ToolCall, CallAnswer)>, beside: Vec<String>) -> Message {
        let results = answered.into_iter().map(|(call, answered)| match self {
            ToolProtocol::Tools => Block::ToolResult {
                tool_use_id: call.id,
                content: vec![Block::Text(answered.text)],
                is_error: answered.is_error,
            },
            ToolProtocol::Json => {
                let line = json!({"tool": call.name, "is_error": answered.is_error, "output": answered.text});
                Block::Text(line.to_string())
            }
        });
        let reminders = beside
            .into_iter()
            .map(|text| Block::Text(format!("<system-reminder>\n{text}\n</system-reminder>")));
        Message { role: Role::User, content: results.chain(reminders).collect() }
    }

    /// Returns the message that a verdict is missing.
    pub(crate) fn reminder(self, because: &str, unanswered: Option<String>) -> Message {
        let how = match self {
            ToolProtocol::Tools => "Call `StructuredOutput` alone, with \"reason\" and \"ok\".",
            ToolProtocol::Json => "Answer with {\"reason\": …, \"ok\": …} and nothing else.",
        };
        let text = format!("This is not a verdict: {because}. {how}");
        match unanswered {
            Some(id) => Message {
                role: Role::User,
                content: vec![Block::ToolResult {
                    tool_use_id: id,
                    content: vec![Block::Text(text)],
                    is_error: true,
                }],
            },
            None => Message::user(text),
        }
    }
}

const BY_TOOL: &str = "When you know enough, call the tool `StructuredOutput` alone: that ends your work.";

fn in_json(tools: &[ToolSpec]) -> String {
    let mut text = String::from(
        "Each of your answers is one JSON object and nothing else: either {\"tool\": name, \"input\": {…}} to have a tool \
         run, one at a time, and its output comes as the next message; or, when you know enough, {\"reason\": …, \
         \"ok\": …}, which ends your work. The tools:\n",
    );
    for tool in tools {
        text.push_str(&format!("- {}: {} Input: {}\n", tool.name, tool.description, tool.input_schema));
    }
    text
}

fn json_output(tools: &[ToolSpec], model: &dyn Model) -> Output {
    if model.capabilities().json_schema {
        Output::Json { name: "turn".to_owned(), schema: tool_request_schema(tools) }
    } else {
        Output::Text
    }
}

fn with_answer(tools: &[ToolSpec]) -> Vec<ToolSpec> {
    let answer = ToolSpec {
        name: ANSWER.to_owned(),
        description: "Gives your verdict and ends your work. Call it alone, once you know enough.".to_owned(),
        input_schema: verdict_schema(false),
    };
    tools.iter().cloned().chain([answer]).collect()
}

fn tool_calls(response: &Response) -> Step {
    let calls: Vec<ToolCall> = response
        .tool_uses()
        .map(|(id, name, input)| ToolCall { id: id.to_owned(), name: name.to_owned(), input: input.clone() })
        .collect();
    match calls.as_slice() {
        [] => verdict(response.text(), None),
        // An answer beside other calls is too early: their results are not known yet.
        [only] if only.name == ANSWER => {
            let step = verdict(Value::Object(only.input.clone()).to_string(), Some(only.id.clone()));
            unless_words_say_no(step, &response.text(), &only.id)
        }
        _ => Step::Calls(calls),
    }
}

/// Rejects `ok: true` beside words that mean no, since it is ambiguous.
fn unless_words_say_no(step: Step, words: &str, call: &str) -> Step {
    let is_yes = matches!(&step, Step::Verdict(answer, _) if answer.ok);
    if !(is_yes && judge::says_no(words)) {
        return step;
    }
    let because = "the call says `ok: true`, and the words beside it say no".to_owned();
    Step::NoVerdict { because, unanswered: Some(call.to_owned()) }
}

fn verdict(text: String, unanswered: Option<String>) -> Step {
    match answer::verdict(&text) {
        Ok(answer) => Step::Verdict(for_an_agent(answer), text),
        Err(error) => Step::NoVerdict { because: error.to_string(), unanswered },
    }
}

fn json_request(text: &str) -> Step {
    match judge::read_tool_request(text) {
        Ok(ToolRequest::Call { tool, input }) => {
            let id = format!("toolu_{}", uuid::Uuid::new_v4().simple());
            Step::Calls(vec![ToolCall { id, name: tool, input }])
        }
        Ok(ToolRequest::Verdict(_)) => verdict(text.to_owned(), None),
        Err(error) => Step::NoVerdict { because: error.to_string(), unanswered: None },
    }
}

/// Clears `impossible`, which an agent does not have.
fn for_an_agent(answer: ModelAnswer) -> ModelAnswer {
    ModelAnswer { impossible: false, ..answer }
}

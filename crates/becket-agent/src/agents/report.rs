//! The report on an agent's end, for its caller. Pure.

use crate::turn::{EndReason, TurnEnd};
use crate::worktree::WorktreeOutcome;
use becket_engine::{ToolFailure, ToolOutput};
use becket_llm::{Block, Message, Usage};
use becket_model::AgentId;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The facts about a run besides its end.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) id: AgentId,
    pub(crate) kind: String,
    pub(crate) prompt: String,
    pub(crate) model: String,
    /// The tools that the agent called, with the number of calls.
    pub(crate) tools: BTreeMap<String, u64>,
    /// The outcome of the agent's own worktree.
    pub(crate) left: Option<WorktreeOutcome>,
}

/// Returns the tools that a conversation called, with the number of calls.
pub(crate) fn tools_called(messages: &[Message]) -> BTreeMap<String, u64> {
    let mut tools = BTreeMap::new();
    for block in messages.iter().flat_map(|message| &message.content) {
        match block {
            Block::ToolUse { name, .. } => *tools.entry(name.clone()).or_default() += 1,
            Block::Text(_)
            | Block::Image { .. }
            | Block::ToolResult { .. }
            | Block::Thinking { .. }
            | Block::RedactedThinking { .. }
            | Block::Other(_) => {}
        }
    }
    tools
}

/// Returns the result of the call that started the agent.
pub(crate) fn answer(end: &TurnEnd, facts: &Facts) -> Result<ToolOutput, ToolFailure> {
    let text = text(end, facts)
        .map_err(|error| ToolFailure::new(error).interrupted(matches!(end.reason, EndReason::Interrupted)))?;
    Ok(ToolOutput::text(text.clone(), response(end, facts, &text)))
}

/// Returns the agent's last text, or the reason why there is none, and the location of its work.
pub(crate) fn text(end: &TurnEnd, facts: &Facts) -> Result<String, String> {
    let kept =
        facts.left.as_ref().and_then(WorktreeOutcome::message).map(|message| format!("\n\n[{message}]"));
    let with_kept = |text: String| format!("{text}{}", kept.as_deref().unwrap_or_default());
    outcome_text(end).map(with_kept).map_err(with_kept)
}

fn outcome_text(end: &TurnEnd) -> Result<String, String> {
    let last_text = end.text.trim();
    let noted = |note: String| match last_text {
        "" => note,
        last_text => format!("{last_text}\n\n[{note}]"),
    };
    let failed = |why: String| match last_text {
        "" => Err(why),
        last_text => Err(format!("{why}\n\nIt had said: {last_text}")),
    };
    match &end.reason {
        EndReason::Completed => Ok(noted_empty(last_text)),
        EndReason::Capped { cap } => Ok(noted(format!(
            "hooks wanted the agent to go on, which it had done {cap} times in a row; this is its last answer"
        ))),
        EndReason::HookStopped { because, .. } => Ok(noted(format!("a hook stopped the agent: {because}"))),
        EndReason::MaxTurns { limit } => {
            failed(format!("the agent was not done after {limit} answers, which is its limit"))
        }
        EndReason::BudgetSpent { .. } => {
            failed("the agent was ended: the session may spend no more money".to_owned())
        }
        EndReason::PromptRejected { because, .. } => failed(format!("the agent was not started: {because}")),
        EndReason::Interrupted => failed("the agent was interrupted".to_owned()),
        EndReason::Deferred { calls } => {
            let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
            let names = names.join("`, `");
            failed(format!(
                "a hook put off a call of the agent (`{names}`) until the session is resumed, and agents are not resumed"
            ))
        }
        EndReason::DeferredUnavailable { tool_name } => failed(format!(
            "a deferred call of the agent needs the tool `{tool_name}`, which no longer exists"
        )),
        EndReason::DeniedTooOften { times } => {
            failed(format!("the agent was ended after {times} calls that were denied"))
        }
        EndReason::NoStructuredOutput { .. } => failed("the agent gave no answer of its schema".to_owned()),
        EndReason::ApiError { class, message, .. } => {
            failed(format!("the agent's model gave no answer ({class}): {message}"))
        }
        EndReason::TooLong { message } => {
            failed(format!("the agent's conversation grew too long: {message}"))
        }
    }
}

fn noted_empty(last_text: &str) -> String {
    if last_text.is_empty() {
        "(the agent is done and said nothing)".to_owned()
    } else {
        last_text.to_owned()
    }
}

/// Returns the tool response that hooks see for an agent that has ended.
fn response(end: &TurnEnd, facts: &Facts, text: &str) -> Value {
    let calls: u64 = facts.tools.values().sum();
    let mut response = object([
        ("status", json!("completed")),
        ("prompt", json!(facts.prompt)),
        ("agentId", json!(facts.id.as_str())),
        ("agentType", json!(facts.kind)),
        ("toolsUsed", json!(facts.tools.keys().collect::<Vec<_>>())),
        ("content", json!([{"type": "text", "text": text}])),
        ("resolvedModel", json!(facts.model)),
        ("totalDurationMs", json!(u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX))),
        ("totalTokens", json!(total(&end.usage))),
        ("totalToolUseCount", json!(calls)),
        ("usage", usage(&end.usage)),
        ("toolStats", json!(facts.tools)),
        ("canContinueAgent", json!(false)),
    ]);
    if let Some(WorktreeOutcome::Kept { path, branch, .. }) = &facts.left {
        response["worktreePath"] = json!(path);
        if let Some(branch) = branch {
            response["worktreeBranch"] = json!(branch);
        }
    }
    response
}

/// Returns the tool response that hooks see for an agent that has become a teammate.
pub(crate) fn joined(facts: &Facts, name: &str, team: &str) -> Value {
    object([
        ("status", json!("teammate_spawned")),
        ("prompt", json!(facts.prompt)),
        ("teammate_id", json!(format!("{name}@{team}"))),
        ("agent_id", json!(facts.id.as_str())),
        ("agent_type", json!(facts.kind)),
        ("model", json!(facts.model)),
        ("name", json!(name)),
        ("team_name", json!(team)),
    ])
}

/// Returns the tool response that hooks see for an agent that runs in the background.
pub(crate) fn launched(facts: &Facts, description: &str, output_file: &str) -> Value {
    object([
        ("isAsync", json!(true)),
        ("status", json!("async_launched")),
        ("agentId", json!(facts.id.as_str())),
        ("description", json!(description)),
        ("resolvedModel", json!(facts.model)),
        ("prompt", json!(facts.prompt)),
        ("outputFile", json!(output_file)),
    ])
}

fn total(usage: &Usage) -> u64 {
    let Usage { input_tokens, output_tokens, cache_read, cache_write } = *usage;
    [input_tokens, output_tokens, cache_read, cache_write]
        .iter()
        .fold(0, |sum, more| sum.saturating_add(*more))
}

fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output_tokens,
    })
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn end(reason: EndReason, text: &str) -> TurnEnd {
        TurnEnd {
            reason,
            text: text.to_owned(),
            answers: 1,
            usage: Usage { input_tokens: 1, output_tokens: 2, cache_read: 3, cache_write: 4 },
            took: Duration::from_millis(5),
            took_model: Duration::ZERO,
            cost_usd: None,
            denials: Vec::new(),
            structured_output: None,
            in_calls: false,
        }
    }

    // rule: D6
    #[test]
    fn a_hook_that_stops_an_agent_fails_no_call_and_an_error_does() {
        let because = || "enough".to_owned();
        let text = |end: &TurnEnd| outcome_text(end);
        assert_eq!(text(&end(EndReason::Completed, "done")), Ok("done".into()));
        assert_eq!(
            text(&end(EndReason::HookStopped { because: because(), by: None }, "half")),
            Ok("half\n\n[a hook stopped the agent: enough]".into())
        );
        let failed = text(&end(EndReason::MaxTurns { limit: 3 }, "half")).unwrap_err();
        assert!(failed.contains("after 3 answers") && failed.ends_with("It had said: half"), "{failed}");
        assert!(text(&end(EndReason::Interrupted, "")).is_err());
        assert!(text(&end(EndReason::Completed, " ")).is_ok_and(|text| !text.is_empty()));
    }

    #[test]
    fn a_response_has_the_fields_of_the_protocol_in_their_order() {
        let tools = BTreeMap::from([("Read".to_owned(), 2), ("Bash".to_owned(), 1)]);
        let facts = Facts {
            id: "a1".into(),
            kind: "Explore".into(),
            prompt: "look".into(),
            model: "m".into(),
            tools,
            left: None,
        };
        let output = answer(&end(EndReason::Completed, "found"), &facts).unwrap();
        assert_eq!(
            output.response.to_string(),
            r#"{"status":"completed","prompt":"look","agentId":"a1","agentType":"Explore","toolsUsed":["Bash","Read"],"#
                .to_owned()
                + r#""content":[{"type":"text","text":"found"}],"resolvedModel":"m","totalDurationMs":5,"totalTokens":10,"#
                + r#""totalToolUseCount":3,"usage":{"input_tokens":1,"cache_creation_input_tokens":4,"#
                + r#""cache_read_input_tokens":3,"output_tokens":2},"toolStats":{"Bash":1,"Read":2},"canContinueAgent":false}"#
        );
    }
}

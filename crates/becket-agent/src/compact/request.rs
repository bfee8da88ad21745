//! The request for a summary, and how it is made to fit if it is too long.

use becket_llm::{Block, Message, Request, Role, ToolChoice, ToolSpec};

/// The maximum length of a summary, in tokens.
const LONGEST: u32 = 8_192;

/// The request to the model.
const ASK: &str = "\
The conversation above grows too long. Write down what somebody needs who goes on with the work from your words alone:

1. What the user asked for, each request and each correction, in the user's own words where they matter.
2. What was decided and found out, with the reasons.
3. Files that were read, written or are about to be, with the parts that matter: names, signatures, snippets.
4. What went wrong, and what mended it.
5. What is still to be done, and what was being done at this very moment.

Don't call any tool. Put the text between <summary> and </summary>.";

/// Creates the request for a summary of these messages. The tools are included because the API requires them if there
/// are calls.
pub(super) fn request(
    system: Option<&str>,
    mut messages: Vec<Message>,
    tools: &[ToolSpec],
    instructions: Option<&str>,
) -> Request {
    let own = instructions.map(str::trim).filter(|text| !text.is_empty());
    let ask = own.map_or_else(|| ASK.to_owned(), |own| format!("{ASK}\n\nThe user adds: {own}"));
    match messages.last_mut() {
        Some(last) if last.role == Role::User => last.content.push(Block::Text(ask)),
        Some(_) | None => messages.push(Message::user(ask)),
    }
    Request {
        system: system.map(str::to_owned),
        messages,
        tools: tools.to_vec(),
        tool_choice: ToolChoice::None,
        max_tokens: LONGEST,
        ..Request::default()
    }
}

/// Returns the messages without their older half, cut so that no result loses its call; `None` if nothing can be cut.
pub(super) fn newer_half(messages: &[Message]) -> Option<Vec<Message>> {
    let middle = messages.len() / 2;
    let begins = |message: &Message| {
        let result = |block: &Block| matches!(block, Block::ToolResult { .. });
        message.role == Role::User && !message.content.iter().any(result)
    };
    let from = |start: usize| (start..messages.len()).find(|at| begins(&messages[*at]));
    let cut = from(middle.max(1))?;
    Some(messages[cut..].to_vec())
}

/// Returns the last messages that are kept as they are: a prompt without an answer, or the results of the last calls
/// with their calls, if they are small.
pub(super) fn kept(messages: &[Message]) -> &[Message] {
    let holds_results =
        |message: &Message| message.content.iter().any(|block| matches!(block, Block::ToolResult { .. }));
    match messages {
        [.., last] if last.role == Role::Assistant => &[],
        [.., _, last] if holds_results(last) => &messages[messages.len() - 2..],
        [_, .., _] => &messages[messages.len() - 1..],
        // A summary of only the prompt would save nothing.
        [_] | [] => &[],
    }
}

/// Estimates the tokens of messages: a quarter of their bytes.
pub(super) fn tokens(messages: &[Message]) -> u64 {
    let bytes: usize = messages.iter().flat_map(|message| &message.content).map(weight).sum();
    u64::try_from(bytes / 4).unwrap_or(u64::MAX)
}

fn weight(block: &Block) -> usize {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => text.len(),
        // The cost of an image has little to do with its bytes.
        Block::Image { .. } => 6_000,
        Block::ToolUse { input, .. } => {
            input.iter().map(|(key, value)| key.len() + value.to_string().len()).sum()
        }
        Block::ToolResult { content, .. } => content.iter().map(weight).sum(),
        Block::RedactedThinking { data } => data.len(),
        Block::Other(value) => value.to_string().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Message {
        let block = Block::ToolUse { id: id.into(), name: "Bash".into(), input: serde_json::Map::new() };
        Message { role: Role::Assistant, content: vec![block] }
    }

    fn result(id: &str) -> Message {
        let block = Block::ToolResult { tool_use_id: id.into(), content: Vec::new(), is_error: false };
        Message { role: Role::User, content: vec![block] }
    }

    // rule: L2
    #[test]
    fn no_cut_parts_a_result_from_its_call() {
        let (user, model) = (Message::user("u"), Message::assistant("a"));
        let long = [user.clone(), call("1"), result("1"), call("2"), result("2"), model.clone()];
        assert_eq!(newer_half(&long), None, "one prompt with all its calls is one piece");
        let two = [user.clone(), call("1"), result("1"), model.clone(), user.clone(), call("2"), result("2")];
        assert_eq!(newer_half(&two).map(|left| left.len()), Some(3));
        assert_eq!(newer_half(std::slice::from_ref(&user)), None);
        assert_eq!(newer_half(&[]), None);
        for messages in [&long[..], &two[..], &[user][..], &[model][..], &[]] {
            let kept = kept(messages);
            let first_is_result =
                kept.first().is_some_and(|first| matches!(first.content[0], Block::ToolResult { .. }));
            assert!(!first_is_result && messages.ends_with(kept));
        }
        assert_eq!(kept(&two).len(), 2);
    }

    #[test]
    fn the_question_joins_the_last_message_of_the_user() {
        let of = |messages| request(None, messages, &[], Some(" mind the tests ")).messages;
        let alone = of(vec![Message::assistant("a")]);
        let joined = of(vec![Message::user("u")]);
        assert_eq!((alone.len(), joined.len(), joined[0].content.len()), (2, 1, 2));
        assert!(joined[0].content[1].as_text().is_some_and(|text| text.ends_with("adds: mind the tests")));
    }
}

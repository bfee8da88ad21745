//! Everything that may happen to a conversation, in any order, including crashes.

use becket_agent::conversation::{
    Conversation, DeferredCalls, Entry, Next, OpenCalls, Replay, StoredConversation,
};
use becket_llm::{Block, Object, Response, StopReason, Usage};
use proptest::prelude::*;
use serde_json::json;

/// An action on a conversation. If it does not fit the state, it is skipped.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    Say(Vec<Block>),
    Beside(String),
    Feedback(String),
    Summary(usize),
    Model(Vec<Block>, u64),
    Result {
        of: usize,
        content: Vec<Block>,
        is_error: bool,
    },
    BesideCall {
        of: usize,
        text: String,
    },
    Close,
    Defer {
        from: usize,
    },
    Resume,
    /// Stores all entries so far.
    Store,
    /// The process crashes: entries that were not stored are lost, and possibly the last stored ones.
    Crash {
        lost: usize,
    },
}

pub(crate) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => blocks().prop_map(Move::Say),
        3 => text().prop_map(Move::Beside),
        2 => text().prop_map(Move::Feedback),
        1 => (0..5_usize).prop_map(Move::Summary),
        8 => (blocks(), prop_oneof![Just(0), 1..9_000_u64]).prop_map(|(content, told)| Move::Model(content, told)),
        8 => (0..4_usize, blocks(), any::<bool>())
            .prop_map(|(of, content, is_error)| Move::Result { of, content, is_error }),
        3 => (0..4_usize, text()).prop_map(|(of, text)| Move::BesideCall { of, text }),
        4 => Just(Move::Close),
        1 => (0..3_usize).prop_map(|from| Move::Defer { from }),
        1 => Just(Move::Resume),
        4 => Just(Move::Store),
        1 => (0..4_usize).prop_map(|lost| Move::Crash { lost }),
    ];
    prop::collection::vec(one, 0..40)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z]{1,8} ?", 1 => Just(String::new()), 1 => Just(" \n".to_owned())]
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "toolu_[a-d]",
        1 => Just(String::new()),
        1 => Just("functions.Bash:0".to_owned()),
        1 => Just("toolu_a_2".to_owned()),
    ]
}

/// Generates any block of any role: models and tools may break the API's rules.
fn block() -> impl Strategy<Value = Block> {
    let name = prop_oneof![4 => Just("Bash".to_owned()), 1 => Just("no such\ntool".to_owned()), 1 => Just("x".repeat(300))];
    let media = prop_oneof![Just("image/png"), Just("image/svg+xml")];
    let other = prop_oneof![
        Just(json!({"type": "document", "source": {}})),
        Just(json!({"type": "tool_use", "name": "Bash", "input": {}})),
        Just(json!({"type": "tool_use", "id": "toolu_a"})),
        Just(json!({"type": "tool_result"})),
        Just(json!({"type": "of_the_future"})),
        Just(json!({"type": ""})),
        Just(json!("no object")),
    ];
    prop_oneof![
        6 => text().prop_map(Block::Text),
        6 => (id(), name).prop_map(|(id, name)| Block::ToolUse { id, name, input: Object::new() }),
        1 => (media, "[A-Z]{0,3}").prop_map(|(media, data)| Block::Image { media_type: media.into(), data }),
        2 => (text(), "s?").prop_map(|(text, signature)| Block::Thinking { text, signature }),
        1 => "d?".prop_map(|data| Block::RedactedThinking { data }),
        1 => id().prop_map(|id| Block::ToolResult { tool_use_id: id, content: Vec::new(), is_error: true }),
        1 => other.prop_map(Block::Other),
    ]
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    prop::collection::vec(block(), 0..5)
}

pub(crate) fn answer(content: Vec<Block>, told: u64) -> Response {
    let usage = Usage { input_tokens: told, output_tokens: told / 2, ..Usage::default() };
    Response { id: "msg_1".into(), model: "m".into(), content, stop: StopReason::EndTurn, usage }
}

/// A conversation in any state.
#[derive(Debug)]
pub(crate) enum State {
    Whole(Conversation),
    Open(OpenCalls),
    Deferred(DeferredCalls),
}

impl From<StoredConversation> for State {
    fn from(stored: StoredConversation) -> Self {
        match stored {
            StoredConversation::Whole(conversation) => Self::Whole(conversation),
            StoredConversation::Deferred(deferred) => Self::Deferred(deferred),
        }
    }
}

impl State {
    pub(crate) fn take_entries(&mut self) -> Vec<Entry> {
        match self {
            Self::Whole(conversation) => conversation.take_entries(),
            Self::Open(calls) => calls.take_entries(),
            Self::Deferred(deferred) => deferred.take_entries(),
        }
    }

    /// Applies an action to any state.
    pub(crate) fn after(self, what: &Move) -> Self {
        match self {
            Self::Whole(conversation) => Self::of_whole(conversation, what),
            Self::Open(calls) => Self::of_open(calls, what),
            Self::Deferred(deferred) => match what {
                Move::Say(_) => Self::of_whole(deferred.cancelled(), what),
                Move::Resume => Self::Open(deferred.resume()),
                _ => Self::Deferred(deferred),
            },
        }
    }

    fn of_whole(mut conversation: Conversation, what: &Move) -> Self {
        match what {
            Move::Say(content) => drop(conversation.say(content.clone())),
            Move::Beside(text) => conversation.beside(text),
            Move::Feedback(text) => conversation.feedback(text),
            Move::Summary(keep) => conversation.replace_by_summary("the summary", *keep).unwrap(),
            Move::Model(content, told) => {
                return match conversation.answered(answer(content.clone(), *told)) {
                    Next::Done(conversation) => Self::Whole(conversation),
                    Next::Calls(calls) => Self::Open(calls),
                };
            }
            _ => {}
        }
        Self::Whole(conversation)
    }

    fn of_open(mut calls: OpenCalls, what: &Move) -> Self {
        let open = calls.calls();
        let id = |of: &usize| open.get(*of % open.len().max(1)).map_or("none", |call| call.id.as_str());
        match what {
            Move::Result { of, content, is_error } => drop(calls.answer(id(of), content.clone(), *is_error)),
            Move::BesideCall { of, text } => drop(calls.beside_call(id(of), text)),
            Move::Beside(text) => calls.beside(text),
            Move::Close => return Self::Whole(calls.close("stopped")),
            Move::Defer { from } => {
                let ids: Vec<&str> = open.iter().skip(*from).map(|call| call.id.as_str()).collect();
                return match calls.defer(&ids, "stopped") {
                    Ok(deferred) => Self::Deferred(deferred),
                    Err(error) => Self::Open(*error.calls),
                };
            }
            _ => {}
        }
        Self::Open(calls)
    }
}

/// Restores the state from its entries.
pub(crate) fn replayed(entries: &[Entry]) -> (State, usize) {
    let mut replay = Replay::default();
    let misfits = entries.iter().filter(|entry| replay.take((*entry).clone()).is_err()).count();
    (replay.finish().into(), misfits)
}

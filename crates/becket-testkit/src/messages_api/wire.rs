//! An answer as bytes.

use super::turn::{Call, ErrorReply, Trouble, Turn};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::time::Duration;

/// The fate of the connection after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Next,
    Close,
    /// The connection stays open, and silent.
    Hang,
}

/// Writes the answer to a request with this body; `nth` distinguishes answers.
pub(super) fn answer(to: &mut impl Write, turn: &Turn, body: &Value, nth: usize) -> io::Result<Then> {
    std::thread::sleep(Duration::from_millis(turn.delay_ms));
    if let Some(refused) = &turn.refused {
        return refuse(to, refused);
    }
    match turn.trouble {
        Some(Trouble::Closed) => return Ok(Then::Close),
        Some(Trouble::Silence) => return Ok(Then::Hang),
        Some(Trouble::Page) => {
            whole(to, "200 OK", "content-type: text/html\r\n", "<html><h1>Welcome to our proxy</h1></html>")?;
            return Ok(Then::Next);
        }
        Some(Trouble::CutInBlock | Trouble::CutBeforeEnd | Trouble::Garbage | Trouble::ErrorEvent) | None => {
        }
    }
    let message = Message { turn, body, nth };
    if body["stream"] == true {
        return message.stream(to);
    }
    let text = message.in_one_piece().to_string();
    whole(to, "200 OK", "content-type: application/json\r\n", &text)?;
    Ok(Then::Next)
}

fn refuse(to: &mut impl Write, refused: &ErrorReply) -> io::Result<Then> {
    let ErrorReply { status, kind, message, headers } = refused;
    let mut head = "content-type: application/json\r\n".to_owned();
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let body =
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"});
    whole(to, &format!("{status} Refused"), &head, &body.to_string())?;
    Ok(Then::Next)
}

fn whole(to: &mut impl Write, status: &str, headers: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    to.write_all(format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").as_bytes())?;
    to.flush()
}

/// A message of the model.
struct Message<'a> {
    turn: &'a Turn,
    body: &'a Value,
    nth: usize,
}

impl Message<'_> {
    fn stream(&self, to: &mut impl Write) -> io::Result<Then> {
        to.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n")?;
        to.write_all(b"transfer-encoding: chunked\r\n\r\n")?;
        let mut message = self.head();
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        self.event(to, "message_start", json!({"message": message}))?;
        for (index, block) in self.blocks().into_iter().enumerate() {
            self.event(to, "content_block_start", json!({"index": index, "content_block": block.start}))?;
            for (place, delta) in block.deltas.iter().enumerate() {
                if place > 0 && self.turn.trouble == Some(Trouble::CutInBlock) {
                    return Ok(Then::Close);
                }
                self.event(to, "content_block_delta", json!({"index": index, "delta": delta}))?;
            }
            match self.turn.trouble {
                Some(Trouble::CutInBlock) => return Ok(Then::Close),
                Some(Trouble::Garbage) => {
                    self.chunk(to, "data: {\"type\": \"content_blo\u{fffd}, <<<]\n\n")?;
                    return Ok(Then::Close);
                }
                Some(Trouble::ErrorEvent) => {
                    let error = json!({"type": "overloaded_error", "message": "Overloaded"});
                    self.event(to, "error", json!({"error": error}))?;
                    return Ok(Then::Close);
                }
                Some(Trouble::Closed | Trouble::CutBeforeEnd | Trouble::Page | Trouble::Silence) | None => {}
            }
            self.event(to, "content_block_stop", json!({"index": index}))?;
        }
        if self.turn.trouble == Some(Trouble::CutBeforeEnd) {
            to.write_all(b"0\r\n\r\n")?;
            return Ok(Then::Close);
        }
        let stop = json!({"stop_reason": self.turn.stop(), "stop_sequence": null});
        self.event(to, "message_delta", json!({"delta": stop, "usage": self.usage()}))?;
        self.event(to, "message_stop", json!({}))?;
        to.write_all(b"0\r\n\r\n")?;
        to.flush()?;
        Ok(Then::Next)
    }

    fn in_one_piece(&self) -> Value {
        let mut message = self.head();
        let whole = self.blocks().into_iter().map(Block::whole).collect();
        message["content"] = Value::Array(whole);
        message["stop_reason"] = self.turn.stop().into();
        message
    }

    fn head(&self) -> Value {
        json!({"id": format!("msg_{:04}", self.nth), "type": "message", "role": "assistant",
            "model": self.body["model"], "stop_sequence": null, "usage": self.usage()})
    }

    fn usage(&self) -> Value {
        let mut usage = Map::from_iter([
            ("input_tokens".to_owned(), json!(20)),
            ("output_tokens".to_owned(), json!(10)),
            ("cache_creation_input_tokens".to_owned(), json!(0)),
            ("cache_read_input_tokens".to_owned(), json!(0)),
        ]);
        usage.extend(self.turn.usage.clone());
        Value::Object(usage)
    }

    fn blocks(&self) -> Vec<Block> {
        let turn = self.turn;
        let mut blocks = Vec::new();
        blocks.extend(turn.thinking.as_deref().map(Block::thinking));
        blocks.extend(turn.text.as_deref().map(Block::text));
        if let Some(value) = &turn.json {
            let forced = self.body["tool_choice"]["name"].as_str();
            let call = |name: &str| Call { name: name.to_owned(), input: value.clone(), ..Call::default() };
            blocks.push(match forced {
                Some(name) => self.call(&call(name), 0),
                None => Block::text(&value.to_string()),
            });
        }
        blocks.extend(turn.tool_uses.iter().enumerate().map(|(place, call)| self.call(call, place)));
        blocks
    }

    fn call(&self, call: &Call, place: usize) -> Block {
        let id = match call.id.as_str() {
            "" => format!("toolu_{:04}_{place}", self.nth),
            id => id.to_owned(),
        };
        let nothing = call.input.is_null();
        let written = || if nothing { "{}".to_owned() } else { call.input.to_string() };
        let input = call.raw.clone().unwrap_or_else(written);
        let start = json!({"type": "tool_use", "id": id, "name": call.name, "input": {}});
        let delta = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
        Block { start, deltas: halves(&input).into_iter().map(delta).collect() }
    }

    fn event(&self, to: &mut impl Write, kind: &str, mut data: Value) -> io::Result<()> {
        data["type"] = kind.into();
        self.chunk(to, &format!("event: {kind}\ndata: {data}\n\n"))
    }

    fn chunk(&self, to: &mut impl Write, text: &str) -> io::Result<()> {
        std::thread::sleep(Duration::from_millis(self.turn.drip_ms));
        to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())?;
        to.flush()
    }
}

/// A block in its pieces.
struct Block {
    start: Value,
    deltas: Vec<Value>,
}

impl Block {
    fn text(text: &str) -> Self {
        let delta = |text: &str| json!({"type": "text_delta", "text": text});
        Self {
            start: json!({"type": "text", "text": ""}),
            deltas: halves(text).into_iter().map(delta).collect(),
        }
    }

    fn thinking(text: &str) -> Self {
        let start = json!({"type": "thinking", "thinking": "", "signature": ""});
        let deltas = vec![
            json!({"type": "thinking_delta", "thinking": text}),
            json!({"type": "signature_delta", "signature": "c2lnbmVk"}),
        ];
        Self { start, deltas }
    }

    /// Returns the whole block, as in an answer without a stream.
    fn whole(self) -> Value {
        let mut block = self.start;
        let mut json_text = String::new();
        for delta in &self.deltas {
            json_text.push_str(delta["partial_json"].as_str().unwrap_or_default());
            for key in ["text", "thinking", "signature"] {
                if let Some(more) = delta[key].as_str() {
                    block[key] = format!("{}{more}", block[key].as_str().unwrap_or_default()).into();
                }
            }
        }
        if block["type"] == "tool_use" {
            block["input"] = serde_json::from_str(&json_text).unwrap_or(Value::String(json_text));
        }
        block
    }
}

/// Splits a text in two, if it has enough characters.
fn halves(text: &str) -> Vec<&str> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|half| !half.is_empty()).collect()
}

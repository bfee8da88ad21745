use super::*;
use crate::delta::Collector;
use becket_base::secret::Redactor;
use proptest::prelude::*;
use serde_json::json;

fn decoder(forced: Option<&str>) -> Decoder {
    let limits = Limits {
        from: "h".into(),
        model: "m".into(),
        redactor: Redactor::new(["sk-1"]),
        idle: std::time::Duration::ZERO,
        size: 0,
    };
    Decoder::new(&limits, forced)
}

// rule: S3
#[test]
fn an_error_inside_a_stream_does_not_repeat_the_key() {
    let error = json!({"type": "error", "error": {"type": "sk-1", "message": "bad key sk-1"}});
    let error = decoder(None).event(&error.to_string()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("sk-1"), "{error:?}");
}

#[test]
fn a_forced_tool_in_one_piece_is_text() {
    let block = json!({"type": "tool_use", "id": "t", "name": "verdict", "input": {"ok": false}});
    let message = json!({"content": [block], "stop_reason": "tool_use"});
    let deltas = decoder(Some("verdict")).whole(message).unwrap();
    assert_eq!(deltas[1], Delta::BlockStart { index: 0, block: Block::Text(r#"{"ok":false}"#.into()) });
    assert_eq!(deltas.last(), Some(&Delta::Stop(StopReason::EndTurn)));
}

/// Keys and words of events, separated by spaces.
const KEYS: &str = "type index delta content_block message usage text partial_json input name id stop_reason error \
                    content thinking signature output_tokens";
const WORDS: &str = "message_start content_block_start content_block_delta content_block_stop message_delta \
                     message_stop error text tool_use thinking redacted_thinking text_delta input_json_delta \
                     signature_delta max_tokens verdict {";

fn one_of(words: &'static str) -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(words.split_whitespace().collect::<Vec<_>>())
}

/// Generates JSON that resembles events.
fn near_events() -> impl Strategy<Value = Value> {
    let odd =
        prop::sample::select(vec![json!(0), json!(1), json!(-1), json!(1e300), Value::Null, json!(true)]);
    let leaf = prop_oneof![one_of(WORDS).prop_map(Value::from), odd];
    leaf.prop_recursive(4, 24, 6, move |inner| {
        let object = prop::collection::vec((one_of(KEYS), inner.clone()), 0..6).prop_map(|pairs| {
            Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        });
        prop_oneof![prop::collection::vec(inner, 0..3).prop_map(Value::from), object]
    })
}

proptest! {
    #[test]
    fn no_event_makes_it_panic(events in prop::collection::vec(near_events(), 0..8), forced: bool) {
        let forced = forced.then_some("verdict");
        let mut streamed = decoder(forced);
        let mut collector = Collector::new("h");
        for event in events {
            for delta in streamed.event(&event.to_string()).unwrap_or_default() {
                let _ = collector.push(delta);
            }
            let _ = decoder(forced).whole(event);
        }
        let _ = collector.finish();
    }
}

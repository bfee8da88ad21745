//! The answer to a tool call, parsed in one pass.
//!
//! The library parses any message by trying every type in turn, which is most of the cost of a call. Nearly all
//! answers are results of tools.
//!
//! INVARIANT: the result equals that of the library; anything ambiguous is left to the library.

use rmcp::RoleClient;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonRpcMessage, JsonRpcVersion2_0, MetaObject, RequestId, ServerResult,
};
use rmcp::service::RxJsonRpcMessage;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    result: OfTool,
}

/// A result without `resultType`, and without members of other kinds of results.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OfTool {
    content: Vec<ContentBlock>,
    #[serde(default, deserialize_with = "present")]
    structured_content: Option<Value>,
    is_error: Option<bool>,
    #[serde(rename = "_meta")]
    meta: Option<MetaObject>,
}

/// Deserializes a member so that an explicit null counts as a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Parses a text, if it is certainly the result of a tool call.
pub(super) fn read(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    let Answer { id, result: OfTool { content, structured_content, is_error, meta }, .. } =
        serde_json::from_slice(text).ok()?;
    let mut result = CallToolResult::default();
    result.result_type = None;
    result.content = content;
    result.structured_content = structured_content;
    result.is_error = is_error;
    result.meta = meta;
    Some(JsonRpcMessage::response(ServerResult::CallToolResult(result), id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_the_library_reads() {
        for (is_read, result) in [
            (true, r#"{"content":[]}"#),
            (true, r#"{"content":[{"type":"text","text":"a\u00e9\n"}],"isError":true}"#),
            (true, r#"{"isError":false,"structuredContent":null,"content":[{"type":"text","text":""}]}"#),
            (true, r#"{"content":[],"structuredContent":{"a":[1,2.5,"x"]},"_meta":{"k":1}}"#),
            (true, r#"{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}],"isError":null}"#),
            (true, r#"{"content":[{"type":"text","text":"a","annotations":{"priority":0.5},"new":1}]}"#),
            (
                true,
                r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}},
                {"type":"resource_link","uri":"a:b","name":"n"}]}"#,
            ),
            (false, r#"{"content":[{"type":"hologram","depth":3}]}"#),
            (false, r#"{"content":[],"resultType":"complete"}"#),
            (false, r#"{"content":[],"resultType":"input_required"}"#),
            (false, r#"{"content":{"a":1},"action":"accept"}"#),
            (false, r#"{"content":[],"messages":[]}"#),
            (false, r#"{"content":[],"tools":[]}"#),
            (false, r#"{"content":[],"unknown":1}"#),
            (false, r#"{"content":null}"#),
            (false, r#"{"structuredContent":{}}"#),
            (false, r#"{"tools":[]}"#),
            (false, "{}"),
            (false, "null"),
        ] {
            for id in ["7", r#""seven""#] {
                let text = format!(r#"{{"result":{result},"id":{id},"jsonrpc":"2.0"}}"#);
                let read = read(text.as_bytes());
                assert_eq!(read.is_some(), is_read, "{text}");
                let known = serde_json::from_str::<RxJsonRpcMessage<RoleClient>>(&text);
                if let Some(read) = read {
                    assert_eq!(format!("{read:?}"), format!("{:?}", known.unwrap()), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_plain_answer_is_left_to_the_library() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"result":{"content":[]}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","result":{"content":[]}}"#,
            r#"{"id":1,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}} x"#,
            "{",
        ] {
            assert!(read(text.as_bytes()).is_none(), "{text}");
        }
    }
}

//! Error replies in place of an answer that will not come, so that a waiting request does not wait for its deadline.
//!
//! `rmcp` delivers only replies once a request was sent. So the fault travels in one, and is extracted at the other
//! end. A server that forges such a reply gains nothing: the call has failed either way.
//!
//! INVARIANT: no fault that allows a retry travels here. A request with such a reply was sent.

use rmcp::RoleClient;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Value, json};

use crate::fault::Fault;

const MARK: &str = "becket: instead of an answer";

/// Builds an error response that represents a transport failure of this request.
pub(in crate::connection) fn reply(id: RequestId, fault: &Fault) -> RxJsonRpcMessage<RoleClient> {
    let text = fault.to_string();
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what else breaks an answer off is named by its words alone"
    )]
    let what = match fault {
        Fault::TooLarge(cap) => json!({"too large": cap}),
        Fault::BrokenOff(how) => json!({"broken off": how}),
        Fault::NotMcp(how) => json!({"not mcp": how}),
        _ => json!({"broken off": text}),
    };
    JsonRpcMessage::error(ErrorData::internal_error(text, Some(json!({MARK: what}))), Some(id))
}

/// Extracts the fault, if the error represents one.
pub(in crate::connection) fn fault(error: &ErrorData) -> Option<Fault> {
    let what = error.data.as_ref()?.get(MARK)?;
    let text = |name: &str| what.get(name).and_then(Value::as_str).map(str::to_owned);
    let too_large = || what.get("too large")?.as_u64()?.try_into().ok().map(Fault::TooLarge);
    let fault = text("broken off").map(Fault::BrokenOff).or_else(|| text("not mcp").map(Fault::NotMcp));
    fault.or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenge::Challenge;

    // rule: X1
    #[test]
    fn a_fault_is_found_again() {
        for sent in [
            Fault::TooLarge(7),
            Fault::BrokenOff("so".into()),
            Fault::NotMcp("html".into()),
            Fault::SessionExpired,
            Fault::Unreachable("gone".into()),
            Fault::AuthNeeded(Challenge::default()),
        ] {
            let text = serde_json::to_string(&reply(RequestId::Number(3), &sent)).unwrap();
            let JsonRpcMessage::Error(error) =
                serde_json::from_str::<RxJsonRpcMessage<RoleClient>>(&text).unwrap()
            else {
                panic!("{text} is no error")
            };
            assert_eq!(error.id, Some(RequestId::Number(3)));
            let found = fault(&error.error).unwrap();
            assert!(found.to_string().ends_with(&sent.to_string()), "{found}");
            assert!(!matches!(found, Fault::SessionExpired | Fault::AuthNeeded(_)), "{found}");
        }
        assert!(fault(&ErrorData::internal_error("no", Some(json!("becket: unreadable")))).is_none());
        assert!(fault(&ErrorData::internal_error("no", None)).is_none());
    }
}

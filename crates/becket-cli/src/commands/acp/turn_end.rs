//! The end of a turn: Stop, and turns that hooks continue.

use super::messages::line_of;
use super::proxy::Proxy;
use super::session::AcpSession;
use super::turn::Turn;
use serde_json::{Value, json};
use std::sync::Arc;

/// The number of times that hooks may continue one turn.
const MOST: usize = 25;

/// A turn that the agent has ended.
pub(super) struct TurnEnd {
    pub(super) session: Arc<AcpSession>,
    pub(super) turn: Arc<Turn>,
    /// The agent's answer to the prompt, as a line.
    pub(super) line: Vec<u8>,
    pub(super) result: Value,
    /// The id of the prompt.
    pub(super) id: Value,
}

/// Holds the answer until the hooks let the turn end.
pub(super) fn hold(proxy: &Arc<Proxy>, end: TurnEnd) {
    let own = Arc::clone(proxy);
    proxy.spawn(async move { end.run(&own).await });
}

impl TurnEnd {
    async fn run(self, proxy: &Proxy) {
        let TurnEnd { session, turn, line, mut result, id } = self;
        let mut has_continued = false;
        for _ in 0..MOST {
            // Other ends are not a Stop: a cancelled turn, a limit, an error.
            if result["stopReason"] != "end_turn" {
                break;
            }
            let Some(reason) = session.stop(has_continued, &turn).await else { break };
            let prompt = json!([{"type": "text", "text": reason}]);
            let params = json!({"sessionId": session.id, "prompt": prompt});
            let Some(next) = proxy.ask_agent(&turn, "session/prompt", &params).await else { break };
            has_continued = true;
            if next.is_null() {
                session.show_notice("the agent did not continue as a Stop hook requires");
                break;
            }
            result = next;
        }
        // The editor cancelled while the hooks ran.
        let is_cancelled = turn.is_cancelled() && result["stopReason"] == "end_turn";
        if is_cancelled {
            result["stopReason"] = json!("cancelled");
        }
        session.forget_grants();
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        proxy.pass_to_editor(if has_continued || is_cancelled { line_of(&answer) } else { line });
    }
}

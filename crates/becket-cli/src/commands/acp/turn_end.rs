//! The end of a turn: Stop, and turns that hooks continue.

use super::messages::line_of;
use super::proxy::Proxy;
use super::session::AcpSession;
use serde_json::{Value, json};
use std::sync::Arc;

/// The number of times that hooks may continue one turn.
const MOST: usize = 25;

/// A turn that the agent has ended.
pub(super) struct TurnEnd {
    pub(super) session: Arc<AcpSession>,
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
        let TurnEnd { session, line, mut result, id } = self;
        let mut has_continued = false;
        for _ in 0..MOST {
            // Other ends are not a Stop: a cancelled turn, a limit, an error.
            if result["stopReason"] != "end_turn" {
                break;
            }
            let Some(reason) = session.stop(has_continued, &proxy.cancel).await else { break };
            has_continued = true;
            let prompt = json!([{"type": "text", "text": reason}]);
            let next =
                proxy.ask_agent("session/prompt", &json!({"sessionId": session.id, "prompt": prompt})).await;
            if next.is_null() {
                session.show_notice("the agent did not continue as a Stop hook requires");
                break;
            }
            result = next;
        }
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        proxy.pass_to_editor(if has_continued { line_of(&answer) } else { line });
    }
}

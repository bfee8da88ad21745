//! The host as the responder to MCP servers: `elicitation` (`protocol.md` X6).
//!
//! INVARIANT: only a fully valid answer accepts. No answer, an error and a disconnected host cancel.

use super::host::{Host, PendingNotice};
use crate::peer::Answer;
use becket_agent::elicit::{ElicitUser, ElicitationRequest, UserQuestion};
use becket_engine::CancellationToken;
use becket_mcp::{Elicitation, ElicitationAnswer};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

/// Asks the user of the host.
pub(crate) struct HostUser(Host);

impl HostUser {
    /// Creates the user of this host.
    pub(crate) fn new(host: Host) -> Self {
        HostUser(host)
    }
}

impl ElicitUser for HostUser {
    fn answer<'a>(
        &'a self,
        question: &'a UserQuestion,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        // The question is dropped, and so cancelled, if its answer is no longer needed.
        let kind = match question.wanted {
            ElicitationRequest::Form(_) => "elicitation_dialog",
            ElicitationRequest::Visit(_) => "elicitation_url_dialog",
        };
        let notice =
            PendingNotice { kind, message: format!("The server {} asks something", question.server) };
        Box::pin(async move { read(self.0.ask_person(request(question), notice).await) })
    }
}

fn request(question: &UserQuestion) -> Value {
    let mut request = json!({
        "subtype": "elicitation",
        "mcp_server_name": question.server,
        "message": message(question),
    });
    match (&question.asked, &question.wanted) {
        (Elicitation::Form { schema, .. }, wanted) => {
            request["mode"] = json!("form");
            request["requested_schema"] = json!(schema);
            if let ElicitationRequest::Form(form) = wanted {
                request["property_order"] = form.fields.iter().map(|field| json!(field.name)).collect();
            }
        }
        (Elicitation::Url { url, id, .. }, wanted) => {
            request["mode"] = json!("url");
            // The address is the one that hooks have checked.
            request["url"] = match wanted {
                ElicitationRequest::Visit(address) => json!(address.url()),
                ElicitationRequest::Form(_) => json!(url),
            };
            if !id.is_empty() {
                request["elicitation_id"] = json!(id);
            }
        }
    }
    request
}

/// Returns the server's message, with the error of the previous answer after it.
fn message(question: &UserQuestion) -> String {
    let wrong: Vec<String> = question.wrong.iter().map(ToString::to_string).collect();
    match wrong.is_empty() {
        true => question.message.clone(),
        false => format!("{}\n\n(The answer before does not fit: {})", question.message, wrong.join("; ")),
    }
}

/// Reads the host's answer.
fn read(answer: Answer) -> ElicitationAnswer {
    let Ok(Value::Object(mut fields)) = answer else { return ElicitationAnswer::Cancel };
    let content = fields.remove("content").filter(|content| !content.is_null());
    match (fields.get("action").and_then(Value::as_str), content) {
        (Some("accept"), None) => ElicitationAnswer::Accept(Map::new()),
        (Some("accept"), Some(Value::Object(content))) => ElicitationAnswer::Accept(content),
        (Some("decline"), _) => ElicitationAnswer::Decline,
        (_, _) => ElicitationAnswer::Cancel,
    }
}

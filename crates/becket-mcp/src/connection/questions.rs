//! Questions of a server to the host, converted between the protocol and [`crate::Host`].

#![expect(deprecated, reason = "the protocol means to drop what servers still use")]

use rmcp::ErrorData;
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, CustomNotification, ElicitRequestParams, ElicitResult,
    ElicitationAction, ListRootsResult, Root,
};
use serde::Serialize;
use serde_json::{Map, Value};

use becket_process::CancellationToken;

use super::host_handle::{HostFailure, HostHandle};
use crate::host::{Elicitation, ElicitationAnswer};

/// The limit on the id of a question, in bytes.
const LONGEST_ID: usize = 1024;

/// Asks the user a question.
pub(super) async fn elicit(
    host: &HostHandle,
    server: &str,
    asked: Elicitation,
    withdrawn: &CancellationToken,
) -> Result<ElicitResult, ErrorData> {
    match host.elicit(server, asked, withdrawn).await {
        Ok(ElicitationAnswer::Accept(content)) => {
            Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content)))
        }
        Ok(ElicitationAnswer::Decline) => Ok(ElicitResult::new(ElicitationAction::Decline)),
        Ok(ElicitationAnswer::Cancel) => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        Err(HostFailure::NotOffered) => Err(not_offered()),
        // This is not a refusal by the user.
        Err(HostFailure::TooLate | HostFailure::Panicked | HostFailure::Withdrawn) => {
            Ok(ElicitResult::new(ElicitationAction::Cancel))
        }
    }
}

/// Converts the parameters of a question.
pub(super) fn elicitation(params: ElicitRequestParams) -> Result<Elicitation, ErrorData> {
    match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            Ok(Elicitation::Form { message, schema: object(&requested_schema)? })
        }
        ElicitRequestParams::UrlElicitationParams { message, url, elicitation_id, .. } => {
            Ok(Elicitation::Url { message, url, id: elicitation_id })
        }
        _ => Err(ErrorData::invalid_params("this kind of question is not known here", None)),
    }
}

/// Converts a question that the library can't parse: a form with unknown kinds of fields.
pub(super) fn raw_elicitation(params: Option<&Value>) -> Result<Elicitation, ErrorData> {
    let unclear = || ErrorData::invalid_params("this question can't be read", None);
    let params = params.and_then(Value::as_object).ok_or_else(unclear)?;
    let text = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
    let message = text("message").ok_or_else(unclear)?;
    match params.get("mode").map_or(Some("form"), Value::as_str) {
        Some("form") => match params.get("requestedSchema") {
            Some(Value::Object(schema)) => Ok(Elicitation::Form { message, schema: schema.clone() }),
            Some(_) | None => Err(unclear()),
        },
        Some("url") => {
            let url = text("url").ok_or_else(unclear)?;
            Ok(Elicitation::Url { message, url, id: text("elicitationId").unwrap_or_default() })
        }
        Some(_) | None => Err(unclear()),
    }
}

/// Returns the id of a completed question from its notification; `None` if the id is not a valid one.
pub(super) fn completed(notification: &CustomNotification) -> Option<&str> {
    if notification.method != "notifications/elicitation/complete" {
        return None;
    }
    let id = notification.params.as_ref()?.get("elicitationId")?.as_str()?;
    Some(id).filter(|id| !id.is_empty() && id.len() <= LONGEST_ID)
}

pub(super) async fn sample(
    host: &HostHandle,
    server: &str,
    params: &CreateMessageRequestParams,
    withdrawn: &CancellationToken,
) -> Result<CreateMessageResult, ErrorData> {
    match host.sample(server, object(params)?, withdrawn).await {
        Ok(Ok(result)) => serde_json::from_value(Value::Object(result)).map_err(|error| {
            ErrorData::internal_error(format!("the answer of the model can't be passed on: {error}"), None)
        }),
        Ok(Err(why)) => Err(ErrorData::invalid_request(why, None)),
        Err(why) => Err(refused(why)),
    }
}

pub(super) async fn roots(
    host: &HostHandle,
    server: &str,
    withdrawn: &CancellationToken,
) -> Result<ListRootsResult, ErrorData> {
    let roots = host.roots(server, withdrawn).await.map_err(refused)?;
    let root = |root: crate::host::Root| {
        let mut wire = Root::new(root.uri);
        wire.name = root.name;
        wire
    };
    Ok(ListRootsResult::new(roots.into_iter().map(root).collect()))
}

fn refused(why: HostFailure) -> ErrorData {
    match why {
        HostFailure::NotOffered => not_offered(),
        HostFailure::TooLate | HostFailure::Panicked | HostFailure::Withdrawn => {
            ErrorData::internal_error(why.to_string(), None)
        }
    }
}

fn not_offered() -> ErrorData {
    ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, HostFailure::NotOffered.to_string(), None)
}

fn object(value: &impl Serialize) -> Result<Map<String, Value>, ErrorData> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) | Err(_) => Err(ErrorData::invalid_params("this question can't be read", None)),
    }
}

//! `/model`, and `set_model` of the control protocol: the model from the next request on.

use super::super::session::Session;
use super::answer::{CommandContext, CommandResult};
use becket_engine::CancellationToken;

/// The name for the session's own model.
const OWN: &str = "default";

/// Returns the name of the requested model: the session's own if none is named.
pub(crate) fn requested_model<'a>(session: &'a Session, name: Option<&'a str>) -> &'a str {
    name.filter(|name| *name != OWN).unwrap_or_else(|| session.models.name())
}

/// Switches to another model from now on, subject to the hooks of PreModelSwitch; returns its name. `source` names the
/// requester.
///
/// # Errors
/// Errors if there is no such model, or a hook keeps the current one.
pub(crate) async fn switched(
    session: &Session,
    name: &str,
    source: &str,
    cancel: &CancellationToken,
) -> CommandResult {
    let model = session.models.by_name(name).map_err(|error| error.to_string())?;
    let switched = session.agent.switch_model(model, name, source, cancel).await;
    switched.map_err(|error| error.to_string())?;
    Ok(session.agent.info().model)
}

/// Reports the model, or changes it.
///
/// # Errors
/// Errors as [`switched`] does.
pub(super) async fn of_session(answering: CommandContext<'_>, name: Option<&str>) -> CommandResult {
    let session = answering.session;
    let Some(name) = name else {
        let now = session.agent.info().model;
        return Ok(format!("{now} answers; `/model NAME` asks another, `/model {OWN}` the one of the start"));
    };
    let now = switched(session, requested_model(session, Some(name)), "command", answering.turn).await?;
    Ok(format!("{now} answers from now on"))
}

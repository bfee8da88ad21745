//! The agent's reports about its calls, and the denials that it lets the proxy make.

use super::messages::session_id;
use super::proxy::Proxy;
use serde_json::Value;
use std::sync::Arc;

/// Observes an update of a session, and runs the hooks of calls that have ended, alongside the relay.
pub(super) fn observe(proxy: &Arc<Proxy>, params: &Value) {
    let Some(session) = session_id(params).and_then(|id| proxy.session(&id)) else { return };
    let update = &params["update"];
    match update["sessionUpdate"].as_str() {
        Some("agent_message_chunk") => session.says(update["content"]["text"].as_str()),
        Some("tool_call" | "tool_call_update") => {
            session.says(None);
            let call = session.described(update);
            if !matches!(update["status"].as_str(), Some("completed" | "failed")) {
                return;
            }
            let has_run = call.id().is_some_and(|id| session.forget(id));
            let own = Arc::clone(proxy);
            if has_run {
                proxy.spawn(async move { session.after(call, &own.cancel).await });
            }
        }
        Some(_) | None => {}
    }
}

/// Describes which denials the agent lets the proxy make, depending on what the editor can do.
pub(super) fn denials(capabilities: &Value) -> String {
    let can = |path: [&str; 2]| capabilities[path[0]][path[1]] == true;
    let through = [
        (can(["fs", "readTextFile"]), "reads"),
        (can(["fs", "writeTextFile"]), "writes"),
        (capabilities["terminal"] == true, "commands"),
    ];
    let through: Vec<&str> = through.into_iter().filter(|(can, _)| *can).map(|(_, what)| what).collect();
    let through = match through.as_slice() {
        [] => "the editor does nothing for the agent".to_owned(),
        all => format!("so are {} that the agent leaves to the editor", all.join(", ")),
    };
    format!(
        "prompts can be refused, and calls for which the agent asks for a permission; {through}. A call that it makes without \
         asking is seen only when it is over: have the agent ask"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn denials_depend_on_what_the_editor_does_for_the_agent() {
        let fs = json!({"fs": {"readTextFile": false, "writeTextFile": true}, "terminal": true});
        assert!(denials(&fs).contains("so are writes, commands that the agent leaves"));
        assert!(denials(&Value::Null).contains("the editor does nothing for the agent"));
    }
}

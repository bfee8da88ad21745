//! The host's changes to MCP servers while the session is open: some are disabled, others are added.
//!
//! INVARIANT: a server that policy, trust, approvals or the user forbid stays disabled, whatever the host requests.
//! Only `initialize` can define servers of the host's own process.

use super::super::context::RunContext;
use super::super::servers::with_more;
use super::super::session::Session;
use becket_mcp::config::{ConfiguredServer, DisabledReason, Status, Transport};
use becket_mcp::{CancellationToken, Pool, ResourceBody, ResourceContents, ServerView};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The scheme of the user interfaces of tools.
const INTERFACE: &str = "ui://";
/// The time limit for reading a resource.
const READING: Duration = Duration::from_secs(60);

/// Disables a server, or enables it again.
///
/// # Errors
/// Errors if there is no such server, a policy forbids it, or it can't be connected.
pub(super) async fn toggle(
    session: &Session,
    name: &str,
    on: bool,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let pool = pool_of(session)?;
    let _changing = session.server_changes.lock().await;
    let mut all: Vec<ConfiguredServer> =
        pool.servers().iter().map(|view| (*view.configured).clone()).collect();
    let server = all.iter_mut().find(|server| server.name.to_string() == name);
    let server = server.ok_or_else(|| format!("there is no MCP server `{name}`"))?;
    match (&server.status, on) {
        (Status::Disabled(DisabledReason::ByHost), true) => server.status = Status::Allowed,
        (Status::Allowed, false) => server.status = Status::Disabled(DisabledReason::ByHost),
        (Status::Allowed, true) | (Status::Disabled(_), false) => {}
        (Status::Disabled(why), true) => return Err(why.to_string()),
    }
    session.server_changes.change(|changes| match on {
        true => drop(changes.off.remove(name)),
        false => drop(changes.off.insert(name.to_owned())),
    });
    pool.configure(all);
    if on {
        pool.connect(name, cancel).await.map_err(|error| error.to_string())?;
    }
    session.refresh();
    Ok(json!({}))
}

/// Replaces the servers that the host has set before, and keeps all others; returns the result for each.
///
/// # Errors
/// Errors if a file that may deny one of them can't be read, or `servers` is not an object.
pub(super) async fn set(
    at: RunContext<'_>,
    session: &Session,
    servers: Option<&Value>,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    let pool = pool_of(session)?;
    let Some(Value::Object(servers)) = servers else { return Err("`servers` must be an object".to_owned()) };
    let _changing = session.server_changes.lock().await;
    let (own, others): (Map<String, Value>, Map<String, Value>) =
        servers.clone().into_iter().partition(|(_, config)| config["type"] == "sdk");
    let previous = names(pool);
    let before = session.server_changes.get();
    let mut all = with_more(at, &Value::Object(others.clone())).map_err(|error| error.to_string())?;
    for server in all.iter_mut().filter(|server| server.status == Status::Allowed) {
        if before.off.contains(&server.name.to_string()) {
            server.status = Status::Disabled(DisabledReason::ByHost);
        }
    }
    pool.configure(all);
    let now: BTreeSet<String> = others.keys().cloned().collect();
    session.server_changes.change(|changes| changes.more.clone_from(&now));
    let has = names(pool);
    let mut errors = Map::new();
    for name in own.keys().filter(|name| !has.contains(*name)) {
        let why = "a server in the host's own process is named in `initialize`, and not later";
        errors.insert(name.clone(), json!(why));
    }
    for name in &now {
        if let Err(error) = pool.connect(name, cancel).await {
            errors.insert(name.clone(), json!(error.to_string()));
        }
    }
    session.refresh();
    let added: Vec<&String> =
        now.iter().filter(|name| !before.more.contains(*name) && has.contains(*name)).collect();
    let removed: Vec<&String> =
        before.more.iter().filter(|name| !now.contains(*name) && previous.contains(*name)).collect();
    Ok(json!({"added": added, "removed": removed, "errors": errors}))
}

/// Reads the user interface of a server's tool for the host, which shows it, in the format of the SDKs. Other resources are
/// read by the model, under hooks and rules.
///
/// # Errors
/// Errors if the address has another scheme, there is no such server, it is the host's own, or it gave no answer in time.
pub(super) async fn read_resource(
    session: &Session,
    server: &str,
    uri: &str,
    cancel: &CancellationToken,
) -> Result<Value, String> {
    if !uri.starts_with(INTERFACE) {
        return Err(format!("`{uri}` is not the address of a user interface (`{INTERFACE}…`)"));
    }
    let pool = pool_of(session)?;
    let is_hosts = |view: &ServerView| {
        view.name == server
            && matches!(&view.configured.config, Ok(config) if config.transport == Transport::InProcess)
    };
    if pool.servers().iter().any(is_hosts) {
        return Err(format!("the host can read resources of its own server `{server}` itself"));
    }
    let read = pool.read_resource(server, uri, READING, cancel).await;
    let contents = read.map_err(|error| error.to_string())?;
    Ok(json!({"contents": contents.into_iter().map(content).collect::<Vec<_>>()}))
}

fn content(content: ResourceContents) -> Value {
    let mut fields = Map::from_iter([("uri".to_owned(), json!(content.uri))]);
    fields.extend(content.mime_type.map(|kind| ("mimeType".to_owned(), json!(kind))));
    let (key, data) = match content.body {
        ResourceBody::Text(text) => ("text", text),
        ResourceBody::Blob(blob) => ("blob", blob),
    };
    fields.insert(key.to_owned(), json!(data));
    fields.extend(content.meta.map(|meta| ("_meta".to_owned(), Value::Object(meta))));
    Value::Object(fields)
}

fn pool_of(session: &Session) -> Result<&Pool, String> {
    session.servers.as_ref().ok_or_else(|| "this session has no MCP servers".to_owned())
}

fn names(pool: &Pool) -> BTreeSet<String> {
    pool.servers().into_iter().map(|view| view.name).collect()
}

//! From a running process to a server that can be called: `initialize`, then `tools/list`.
//!
//! Nearly every server knows `initialize`; one that refuses it is asked the newer way, `server/discover`, over the same
//! pipes. That order costs the many nothing, and needs no guess about how long silence means no.
//!
//! INVARIANT: the tools of a server are asked for at most `PAGES` times, and never twice with one cursor.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ErrorData, ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService, ServiceError,
};

use tokio::time::timeout;

use super::ask::ask;
use super::client::Client;
use super::link::{Era, Link, NotSent, Opening};
use super::message::is_unreadable;
use super::stand_in;
use crate::fault::Fault;
use crate::tool::{Tool, page};

/// More pages than any honest server has.
const PAGES: usize = 100;
/// How much of an answer that is none is shown.
const SHOWN: usize = 300;

/// A running client.
pub(super) type Service = RunningService<RoleClient, Client>;

/// Why a server gave no good answer.
pub(super) enum Trouble {
    /// The connection broke; its state knows why.
    Gone,
    /// This one request failed on its way, or the way could not be opened.
    Failed(Fault),
    /// It answered with an error.
    Refused { code: i32, message: String },
    /// It answered something that the protocol does not allow there.
    Unexpected(String),
}

/// Agrees on a version with the server.
pub(super) async fn initialize<L: Link>(link: &L, client: &Client) -> Result<Service, Trouble> {
    let silence = match link.opening() {
        Opening::Initialize => return initialize_first(link, client).await,
        Opening::Discover(silence) => silence,
    };
    let discovering = shake(link, client, Era::Discover);
    let trouble = match silence {
        None => discovering.await,
        Some(silence) => timeout(silence, discovering).await.unwrap_or(Err(Trouble::Gone)),
    };
    match trouble {
        Ok(service) => Ok(service),
        // Nobody is there, or nobody who talks to us: that is no different in the other way.
        Err(Trouble::Failed(fault)) if is_final(&fault) => Err(Trouble::Failed(fault)),
        // Whatever an older server makes of a request that it does not know: what it says to `initialize` counts.
        Err(_) => initialize_first(link, client).await,
    }
}

async fn initialize_first<L: Link>(link: &L, client: &Client) -> Result<Service, Trouble> {
    let refusal = match shake(link, client, Era::Initialize).await {
        Err(refusal @ Trouble::Refused { .. }) => refusal,
        done => return done,
    };
    match shake(link, client, Era::Discover).await {
        // It does not know the newer way either: what it said to the first question is the reason.
        Err(Trouble::Refused { .. }) => Err(refusal),
        done => done,
    }
}

async fn shake<L: Link>(link: &L, client: &Client, era: Era) -> Result<Service, Trouble> {
    let lifecycle = match era {
        Era::Initialize => ClientLifecycleMode::Initialize,
        Era::Discover => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] },
    };
    let wire = link.wire().await.map_err(Trouble::Failed)?;
    let service = match client.clone().serve_with_lifecycle(wire, lifecycle).await {
        Ok(service) => known_version(service)?,
        Err(error) => return Err(trouble(error)),
    };
    link.understood(era);
    Ok(service)
}

fn is_final(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Unreachable(_)
            | Fault::AuthNeeded(_)
            | Fault::Headers(_)
            | Fault::OtherOrigin(..)
            | Fault::NotLocal(_)
            | Fault::Closed
    )
}

/// The tools of the server; none where it says that it has none.
pub(super) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, Trouble> {
    if peer.peer_info().is_none_or(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let (mut tools, mut seen, mut cursor) = (Vec::new(), HashSet::new(), None);
    for _ in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ListToolsRequest {
            method: Default::default(),
            params: Some(params),
            extensions: Default::default(),
        };
        let answer = ask(peer, ClientRequest::ListToolsRequest(request)).await;
        let (listed, next) = page_of_tools(answer.map_err(Trouble::from_service)?)?;
        tools.extend(listed);
        let Some(next) = next else { return Ok(tools) };
        if !seen.insert(next.clone()) {
            return Err(Trouble::Unexpected(format!("the cursor `{}` comes twice", shown(&next))));
        }
        cursor = Some(next);
    }
    Err(Trouble::Unexpected(format!("it has more than {PAGES} pages")))
}

/// The tools of a page and where the next one is. A page with a tool that is none is read by hand: the others count.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn page_of_tools(answer: ServerResult) -> Result<(Vec<Tool>, Option<String>), Trouble> {
    let by_hand = match answer {
        ServerResult::ListToolsResult(page) => {
            return Ok((page.tools.into_iter().map(Tool::from_wire).collect(), page.next_cursor));
        }
        ServerResult::CustomResult(answer) => page(&answer.0),
        _ => None,
    };
    let page = by_hand.ok_or_else(|| Trouble::Unexpected("it is no list of tools".into()))?;
    Ok((page.tools, page.next_cursor))
}

impl Trouble {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
    pub(super) fn from_service(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => refused(error),
            ServiceError::TransportSend(error) => NotSent::within(&error).map_or(Self::Gone, Self::Failed),
            ServiceError::TransportClosed => Self::Gone,
            other => Self::Unexpected(shown(&other.to_string())),
        }
    }
}

fn refused(error: ErrorData) -> Trouble {
    if let Some(fault) = stand_in::fault(&error) {
        return Trouble::Failed(fault);
    }
    if is_unreadable(&error) {
        return Trouble::Unexpected(error.message.into_owned());
    }
    Trouble::Refused { code: error.code.0, message: error.message.into_owned() }
}

fn known_version(service: Service) -> Result<Service, Trouble> {
    let version = service.peer_info().map(|info| info.protocol_version.clone());
    match version {
        Some(version) if !ProtocolVersion::KNOWN_VERSIONS.contains(&version) => {
            let version = shown(version.as_str());
            Err(Trouble::Unexpected(format!("it speaks version `{version}`, which is not known here")))
        }
        Some(_) | None => Ok(service),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn trouble(error: ClientInitializeError) -> Trouble {
    match error {
        ClientInitializeError::JsonRpcError(refusal) => refused(refusal),
        ClientInitializeError::TransportError { error, .. } => {
            NotSent::within(&error).map_or(Trouble::Gone, Trouble::Failed)
        }
        ClientInitializeError::ConnectionClosed(_) => Trouble::Gone,
        other => Trouble::Unexpected(shown(&other.to_string())),
    }
}

/// The beginning of what may be long.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

//! The handshake: `initialize`, or the newer `server/discover`.
//!
//! Nearly every server knows `initialize`; over most transports it comes first, and a server that refuses it gets the
//! newer request. That order costs most servers nothing, and silence need not be interpreted. A link that remembers
//! its server's era may reverse it.

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService};
use tokio::time::timeout;

use super::client::Client;
use super::link::{Era, FirstGreeting, Link};
use super::no_answer::Trouble;
use crate::fault::Fault;

/// The limit on the quoted part of an invalid answer.
pub(super) const SHOWN: usize = 300;

/// A running client.
pub(super) type Service = RunningService<RoleClient, Client>;

/// Negotiates a version with the server.
pub(super) async fn initialize<L: Link>(link: &L, client: &Client) -> Result<Service, Trouble> {
    let silence = match link.opening() {
        FirstGreeting::Initialize => return initialize_first(link, client).await,
        FirstGreeting::Discover(silence) => silence,
    };
    let discovering = shake(link, client, Era::Discover);
    let trouble = match silence {
        None => discovering.await,
        Some(silence) => timeout(silence, discovering).await.unwrap_or(Err(Trouble::Gone)),
    };
    match trouble {
        Ok(service) => Ok(service),
        // The server is unreachable or speaks another protocol: the other greeting makes no difference.
        Err(Trouble::Failed(fault)) if is_final(&fault) => Err(Trouble::Failed(fault)),
        // The answer of an older server to an unknown request does not matter: its answer to `initialize` counts.
        Err(_) => initialize_first(link, client).await,
    }
}

async fn initialize_first<L: Link>(link: &L, client: &Client) -> Result<Service, Trouble> {
    let refusal = match shake(link, client, Era::Initialize).await {
        Err(refusal @ Trouble::Refused { .. }) => refusal,
        done => return done,
    };
    match shake(link, client, Era::Discover).await {
        // It does not support the newer era either: its first answer is the reason.
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
    link.state().lost.clear();
    let service = match client.clone().serve_with_lifecycle(wire, lifecycle).await {
        Ok(service) => known_version(service)?,
        Err(error) => return Err(Trouble::from_handshake(error, link.state())),
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

/// Returns the beginning of a text.
pub(super) fn shown(text: &str) -> String {
    becket_base::text::cut(text, SHOWN)
}

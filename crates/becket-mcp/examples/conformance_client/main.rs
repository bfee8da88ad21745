//! The client that `cargo xtask conformance` runs under the published suites of MCP: `conformance_client <server
//! url>`.
//!
//! It is a host like any other, built on the public interface of `becket-mcp`.

mod browser;
mod context;
mod host;
mod visit;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use becket_mcp::auth::{FileStore, LoginOptions, Logins, MissingMetadata};
use becket_mcp::config::{
    Algorithm, ConfiguredServer, Grant, IdentityProvider, OAuth, PrivateKey, Remote, ServerConfig, Transport,
};
use becket_mcp::{Options, Pool, Secret};
use context::Context;
use tokio::time::timeout;
use visit::{SERVER, Visit};

/// The time limit: the suites end only the shell of a client that takes too long, and wait for the client itself.
const LIMIT: Duration = Duration::from_secs(60);
/// The address of the document in which a suite expects clients to describe themselves; it is never fetched.
const DESCRIPTION: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let why = match timeout(LIMIT, run()).await {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(why)) => why,
        Err(_) => format!("not done within {} s", LIMIT.as_secs()),
    };
    say(&why);
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "the suites show what a client says")]
pub(crate) fn say(why: &str) {
    eprintln!("{why}");
}

async fn run() -> Result<(), String> {
    // Needed by the browser. It fails if there already is a provider, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let context = Context::of_process()?;
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut logins = LoginOptions::new(Arc::new(FileStore::new(dir.path().join("tokens.json"))));
    if context.is_of_old {
        logins.missing_metadata = MissingMetadata::LegacyFallback;
    }
    let mut options = Options::new(Vec::new(), dir.path());
    options.logins = Some(Logins::new(logins));
    let pool = Pool::new(options, Arc::new(host::Agreeable));
    let grant = grant(&context, dir.path())?;
    pool.configure(vec![ConfiguredServer::of_host(SERVER, server(&context, grant))]);
    let visited = Visit::new(pool.clone()).all(&context.given.calls).await;
    pool.close().await;
    visited
}

/// Returns the grant that a user would have configured for the client of the scenario.
fn grant(context: &Context, dir: &Path) -> Result<Grant, String> {
    let given = &context.given;
    let written = |name: &str, text: &str| {
        let file = dir.join(name);
        std::fs::write(&file, text).map(|()| file).map_err(|error| error.to_string())
    };
    if let (Some(url), Some(id), Some(token)) =
        (&given.idp_token_endpoint, &given.idp_client_id, &given.idp_id_token)
    {
        let (token_endpoint, client_id) = (url.clone(), id.clone());
        let id_token = written("identity.jwt", token)?;
        return Ok(Grant::Exchange(IdentityProvider {
            token_endpoint,
            client_id,
            client_secret: None,
            id_token,
        }));
    }
    Ok(match (&given.private_key_pem, &given.valid_jwt) {
        (Some(pem), _) => {
            let algorithm = given.signing_algorithm.as_deref().and_then(Algorithm::from_name);
            Grant::Key(PrivateKey { file: written("key.pem", pem)?, algorithm, id: None })
        }
        (None, Some(jwt)) => Grant::Assertion(written("assertion.jwt", jwt)?),
        (None, None) if context.is_a_machine => Grant::Secret,
        (None, None) => Grant::Code,
    })
}

fn server(context: &Context, grant: Grant) -> ServerConfig {
    let given = &context.given;
    let oauth = OAuth {
        client_id: given.client_id.clone(),
        client_secret: given.client_secret.clone().map(Secret::new),
        client_metadata_url: given.client_id.is_none().then(|| DESCRIPTION.to_owned()),
        grant,
        ..OAuth::default()
    };
    let remote = Remote { oauth: Some(oauth), ..Remote::new(context.url.clone()) };
    ServerConfig { transport: Transport::Http(remote), timeout: None }
}

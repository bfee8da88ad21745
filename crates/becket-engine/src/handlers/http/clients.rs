//! The clients of an engine, and with them its connections.
//!
//! INVARIANT: a connection is used only for handlers that could have opened it: they may reach the same addresses, by
//! the policy in force (S1). This is the key of a client, so a reload that changes the policy leaves the old
//! connections behind, and a project's handler never uses a connection of the user's.
//!
//! A client also belongs to one runtime. A connection is driven by the runtime that opened it, and a host may have one
//! that it does not run at the moment: a request on its connection would hang.

use super::resolve::{CheckedResolver, Resolve, SystemResolver};
use super::target::{Route, Target};
use super::tls;
use crate::host::environment::Environment;
use reqwest::{Client, redirect, retry};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Handle, Id};

/// The number of clients that are kept; the oldest one is dropped first.
const KEPT: usize = 16;

/// The time that a connection waits for another request. Servers close idle ones after 2 s and more, and one that is
/// closed during a request fails a hook that would have answered.
const IDLE: Duration = Duration::from_secs(1);

/// The time that connecting may take, if the handler's limit leaves as much. It is shared by the addresses of a name,
/// so a dead one does not use up the time of the next.
pub(super) const CONNECT: Duration = Duration::from_secs(10);

/// The clients of an engine, created when they are first needed.
pub(crate) struct Clients {
    resolver: Arc<dyn Resolve>,
    made: Mutex<Vec<(Class, Client)>>,
}

/// The properties that requests must have in common to share a connection.
#[derive(PartialEq, Eq)]
struct Class {
    runtime: Id,
    encrypted: bool,
    way: Route,
}

impl Default for Clients {
    fn default() -> Self {
        Clients::new(Arc::new(SystemResolver::default()))
    }
}

impl Clients {
    /// Creates an empty set; names will be looked up by `resolver`.
    pub(crate) fn new(resolver: Arc<dyn Resolve>) -> Self {
        Clients { resolver, made: Mutex::default() }
    }

    /// Returns the client for a target. Needs a runtime.
    ///
    /// # Errors
    /// Errors with a message if the client can't be built.
    pub(super) fn client(&self, target: &Target, environment: &Environment) -> Result<Client, String> {
        let class = Class {
            runtime: Handle::current().id(),
            encrypted: target.is_encrypted(),
            way: target.way.clone(),
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = made.iter().find(|(known, _)| *known == class) {
            return Ok(client.clone());
        }
        let client = self.make(&class, environment)?;
        if made.len() >= KEPT {
            made.remove(0);
        }
        made.push((class, client.clone()));
        Ok(client)
    }

    fn make(&self, class: &Class, environment: &Environment) -> Result<Client, String> {
        let (reach, proxy) = match &class.way {
            Route::Direct(reach) => (Some(reach.clone()), None),
            Route::Proxy(proxy) => (None, Some(proxy)),
        };
        let no_client =
            |error: reqwest::Error| format!("no HTTP client can be made: {}", error.without_url());
        let builder = Client::builder()
            .tls_backend_preconfigured(tls::config(class.encrypted, environment)?)
            .dns_resolver(CheckedResolver { resolver: self.resolver.clone(), reach })
            .no_proxy()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .http1_only()
            .tcp_nodelay(true)
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")));
        let builder = match proxy {
            Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy.url().as_str()).map_err(no_client)?),
            None => builder,
        };
        builder.build().map_err(no_client)
    }
}

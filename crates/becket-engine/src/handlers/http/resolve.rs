//! Resolves names to addresses, and returns only those that may be posted to (S1).

use super::target::refused;
use crate::config::Reach;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};

/// Resolves the names in URLs of HTTP handlers. The engine checks every address; a resolver only finds them.
pub trait Resolve: Send + Sync {
    /// Returns the addresses of a name, in the order in which they should be tried. The future is dropped at the
    /// handler's limit; it must not block.
    ///
    /// # Errors
    /// Errors if the name is not known, or no resolver can be reached.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The number of lookups that the system does at the same time; more wait. A hanging resolver must not cost a thread
/// per event.
const AT_ONCE: usize = 32;

/// The operating system's resolver (`getaddrinfo`).
///
/// Each lookup has a separate thread: it can't be interrupted, and a thread of the runtime would delay its shutdown. At
/// most 32 lookups of one resolver run at the same time.
#[derive(Debug)]
pub struct SystemResolver(Arc<Semaphore>);

impl Default for SystemResolver {
    fn default() -> Self {
        SystemResolver(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let permit = self.0.clone().acquire_owned().await.map_err(io::Error::other)?;
            let (answer, answered) = oneshot::channel();
            let name = name.to_owned();
            std::thread::Builder::new().name("becket-resolve".into()).spawn(move || {
                let found = (name.as_str(), 0).to_socket_addrs();
                // The receiver is gone once the run is over.
                let _ = answer.send(found.map(|found| found.map(|address| address.ip()).collect()));
                drop(permit);
            })?;
            answered.await.map_err(io::Error::other)?
        })
    }
}

/// A resolver whose answers are checked: the only one that a client has, so nothing else can be connected to.
pub(super) struct CheckedResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    /// The addresses that are allowed; `None` if the name is a proxy's (S2).
    pub(super) reach: Option<Reach>,
}

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, reach) = (self.resolver.clone(), self.reach.clone());
        Box::pin(async move {
            let name = name.as_str();
            let found = resolver
                .resolve(name)
                .await
                .map_err(|why| NoAddress(format!("the name `{name}` can't be resolved: {why}")))?;
            let allowed_addresses = allowed_addresses(name, found, reach.as_ref())?;
            let addresses: Addrs =
                Box::new(allowed_addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// The error if no address can be connected to, as a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoAddress(String);

/// Returns the addresses that may be posted to. If an answer mixes allowed and refused ones, the allowed ones count:
/// none of the others is ever connected to.
fn allowed_addresses(
    name: &str,
    found: Vec<IpAddr>,
    reach: Option<&Reach>,
) -> Result<Vec<IpAddr>, NoAddress> {
    let judge = |address: &IpAddr| reach.and_then(|reach| reach.refuses_address(*address));
    let first_refused = found.iter().find_map(|address| Some((*address, judge(address)?)));
    let allowed_addresses: Vec<IpAddr> =
        found.into_iter().filter(|address| judge(address).is_none()).collect();
    match first_refused {
        _ if !allowed_addresses.is_empty() => Ok(allowed_addresses),
        Some((address, why)) => Err(NoAddress(refused(&format!("{name} ({address})"), why))),
        None => Err(NoAddress(format!("the name `{name}` has no address"))),
    }
}

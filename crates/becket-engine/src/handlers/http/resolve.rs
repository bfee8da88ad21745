//! Names become addresses, and only good ones come out (S1).

use super::target::refused;
use crate::config::Reach;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};

/// Turns the names in URLs of HTTP handlers into addresses. The engine judges every address; this only finds them.
pub trait Resolve: Send + Sync {
    /// Returns the addresses of a name, in the order in which they are to be tried. The future is dropped at the
    /// handler's limit; it must not block.
    ///
    /// # Errors
    /// The name is not known, or no resolver can be reached.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Lookups that the system does at the same time; more wait. A resolver that hangs must not cost a thread per event.
const AT_ONCE: usize = 32;

/// The operating system's resolver (`getaddrinfo`).
///
/// Each lookup has a separate thread: it can't be interrupted, and a thread of the runtime would hold up its end. At
/// most 32 of one resolver run at the same time.
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

/// A resolver whose answers are judged: the only one that a client knows, so nothing else can be connected to.
pub(super) struct CheckedResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    /// `None`: what is resolved is a proxy's name (S2).
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
            let good = good(name, found, reach.as_ref())?;
            let addresses: Addrs = Box::new(good.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// No address can be connected to; in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoAddress(String);

/// The addresses that may be posted to. Where an answer mixes good and refused ones the good ones do: none of the
/// others is ever connected to.
fn good(name: &str, found: Vec<IpAddr>, reach: Option<&Reach>) -> Result<Vec<IpAddr>, NoAddress> {
    let judge = |address: &IpAddr| reach.and_then(|reach| reach.refuses_address(*address));
    let first_refused = found.iter().find_map(|address| Some((*address, judge(address)?)));
    let good: Vec<IpAddr> = found.into_iter().filter(|address| judge(address).is_none()).collect();
    match first_refused {
        _ if !good.is_empty() => Ok(good),
        Some((address, why)) => Err(NoAddress(refused(&format!("{name} ({address})"), why))),
        None => Err(NoAddress(format!("the name `{name}` has no address"))),
    }
}

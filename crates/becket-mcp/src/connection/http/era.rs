//! The state that all HTTP servers of a host share, with the protocol version that each speaks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use super::super::link::Era;

/// The state shared by the links of one host. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    proxy: Option<Url>,
    eras: Arc<Mutex<HashMap<String, Era>>>,
}

impl Network {
    /// Sets the proxy; without one, servers are reached directly, regardless of the environment.
    pub(crate) fn through(proxy: Option<Url>) -> Self {
        Self { proxy, eras: Arc::default() }
    }

    pub(in crate::connection) fn proxy(&self) -> Option<&Url> {
        self.proxy.as_ref()
    }

    /// Returns the server's protocol era, if it is known.
    pub(super) fn era(&self, url: &Url) -> Option<Era> {
        self.with(|eras| eras.get(url.as_str()).copied())
    }

    pub(super) fn learn(&self, url: &Url, era: Era) {
        self.with(|eras| eras.insert(url.as_str().to_owned(), era));
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, Era>) -> T) -> T {
        work(&mut self.eras.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

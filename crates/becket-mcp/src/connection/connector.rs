//! The resources for connections, in addition to each server's configuration: shared by all servers of a host.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_process::Runner;
use rustls::ClientConfig;
use url::Url;

use super::http::{Network, proxied};
use super::target::{Reach, Target};
use crate::auth::{
    self, Bearer, BearerProvider, HELPER_LIMIT, HeaderSource, HeadersError, Helper, HelperCommand,
    LayeredHeaders, Logins, StaticHeaders,
};
use crate::config::{Grant, Ide, IdentityProvider, OAuth, PrivateKey, Proxy, Remote, Tls};
use crate::fault::Fault;
use crate::in_process_server::InProcessServer;
use crate::options::Options;
use crate::tls::{Files, Trust};

/// The header for credentials.
const AUTHORIZATION: &str = "authorization";

/// The resources that all servers of a host share.
pub(crate) struct Connector {
    trust: Arc<Trust>,
    network: Network,
    logins: Option<Logins>,
    bearer: Option<Arc<dyn BearerProvider>>,
    in_process: HashMap<String, Arc<dyn InProcessServer>>,
}

impl Connector {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            trust: Arc::new(Trust::new(options.extra_ca.clone())),
            network: Network::through(options.proxy.clone()),
            logins: options.logins.clone(),
            bearer: options.bearer.clone(),
            in_process: options.in_process.iter().cloned().collect(),
        }
    }

    pub(super) fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the host's in-process server of this name.
    pub(super) fn in_process(&self, server: &str) -> Option<&Arc<dyn InProcessServer>> {
        self.in_process.get(server)
    }

    /// Returns the target of a server that is reached over a network.
    pub(super) async fn remote(
        &self,
        server: &str,
        remote: &Remote,
        runner: &Runner,
        options: &Options,
    ) -> Result<Target, Fault> {
        let headers = self.headers(server, remote, runner, options)?;
        self.target(&remote.url, headers, remote.tls.as_ref(), options).await
    }

    /// Returns whether the host provides credentials for servers behind a proxy.
    pub(super) fn lends_credentials(&self) -> bool {
        self.bearer.is_some()
    }

    /// Returns the target of a server behind a proxy of the host.
    pub(super) async fn proxied(&self, proxy: &Proxy, options: &Options) -> Result<Target, Fault> {
        let headers: Arc<dyn HeaderSource> = match &self.bearer {
            Some(bearer) => Arc::new(Bearer::new(Arc::clone(bearer))),
            None => Arc::new(LayeredHeaders::default()),
        };
        self.target(&proxied(&proxy.url, &proxy.id), headers, None, options).await
    }

    /// Returns the target of an editor on this machine.
    pub(super) async fn ide(&self, ide: &Ide, options: &Options) -> Result<Target, Fault> {
        Target::ide(ide, self.tls(&ide.url, None).await?, options.line_cap.get())
    }

    async fn target(
        &self,
        url: &Url,
        headers: Arc<dyn HeaderSource>,
        tls: Option<&Tls>,
        options: &Options,
    ) -> Result<Target, Fault> {
        let tls = tls.map(|tls| in_dir(tls, &options.cwd));
        let tls = self.tls(url, tls).await?;
        Ok(Target { url: url.clone(), headers, tls, reach: Reach::Anywhere, cap: options.line_cap.get() })
    }

    /// Loads the TLS configuration. Roots are many files, so they are read outside of the threads that drive
    /// connections.
    async fn tls(&self, url: &Url, tls: Option<Tls>) -> Result<Arc<ClientConfig>, Fault> {
        let trust = Arc::clone(&self.trust);
        // No file is read for a connection that is not encrypted.
        let is_encrypted = matches!(url.scheme(), "https" | "wss");
        let made = tokio::task::spawn_blocking(move || {
            let Tls { ca, cert, key } = tls.unwrap_or_default();
            let files = Files { ca: ca.as_deref(), cert: cert.as_deref(), key: key.as_deref() };
            if is_encrypted { trust.config(files) } else { trust.without_roots() }
        });
        let made = made.await.map_err(|error| Fault::Unreachable(error.to_string()))?;
        made.map(Arc::new).map_err(|error| Fault::Unreachable(error.to_string()))
    }

    /// Collects header sources in ascending order of precedence: configuration, helper, login. If a user has
    /// configured `Authorization`, no login replaces it.
    fn headers(
        &self,
        server: &str,
        remote: &Remote,
        runner: &Runner,
        options: &Options,
    ) -> Result<Arc<dyn HeaderSource>, Fault> {
        let written = StaticHeaders::new(&remote.headers)?;
        let mut sources: Vec<Arc<dyn HeaderSource>> = vec![Arc::new(written)];
        if let Some(script) = &remote.headers_helper {
            let own = &remote.helper_env;
            let inherited = options.environment.iter();
            let inherited = inherited.filter(|(name, _)| own.iter().all(|(own, _)| own != name));
            let command = HelperCommand {
                script: script.clone(),
                server: server.to_owned(),
                url: remote.url.clone(),
                environment: inherited.chain(own).cloned().collect(),
                cwd: remote.helper_cwd.clone().unwrap_or_else(|| options.cwd.clone()),
                limit: HELPER_LIMIT,
            };
            sources.push(Arc::new(Helper::new(command, runner.clone())));
        }
        match &self.logins {
            _ if brings_own(remote) => {}
            Some(logins) => {
                sources.push(Arc::new(logins.headers(&login_target(server, remote, &options.cwd))));
            }
            None if wants_person(remote) => {}
            None => return Err(HeadersError::NoLogins.into()),
        }
        Ok(Arc::new(LayeredHeaders::new(sources)))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("logins", &self.logins).finish_non_exhaustive()
    }
}

/// Returns whether the user has configured credentials, so that no login is needed.
pub(crate) fn brings_own(remote: &Remote) -> bool {
    remote.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(AUTHORIZATION))
}

/// Returns whether a login, if needed, requires a person.
pub(crate) fn wants_person(remote: &Remote) -> bool {
    remote.oauth.as_ref().is_none_or(|oauth| oauth.grant.wants_person())
}

/// Returns the server for a login; its files are relative to `dir`.
pub(crate) fn login_target(server: &str, remote: &Remote, dir: &Path) -> auth::Target {
    let mut oauth: OAuth = remote.oauth.clone().unwrap_or_default();
    match &mut oauth.grant {
        Grant::Key(PrivateKey { file, .. }) | Grant::Assertion(file) => *file = dir.join(&*file),
        Grant::Exchange(IdentityProvider { id_token, .. }) => *id_token = dir.join(&*id_token),
        Grant::Code | Grant::Secret => {}
    }
    let tls = remote.tls.as_ref().map(|tls| in_dir(tls, dir));
    auth::Target { server: server.to_owned(), url: remote.url.clone(), oauth, tls }
}

fn in_dir(tls: &Tls, dir: &Path) -> Tls {
    let whole = |file: &Option<PathBuf>| file.as_ref().map(|file| dir.join(file));
    Tls { ca: whole(&tls.ca), cert: whole(&tls.cert), key: whole(&tls.key) }
}

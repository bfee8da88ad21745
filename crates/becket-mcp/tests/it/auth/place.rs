//! A separate host: a store of tokens in its own directory, and a clock that stands still until it is moved.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use becket_mcp::auth::NoHeaders;
use becket_mcp::auth::{
    AUTH_NEEDED_TTL, AuthError, AuthNeeded, FileStore, HeaderAttempt, HeaderSource, Key, LoggedIn,
    LoginOptions, Logins, Target, Tokens,
};
use becket_mcp::config::OAuth;
use becket_mcp::{CancellationToken, Challenge};
use becket_testkit::mcp_auth::{AuthServer, Page, browse, log_in};
use becket_testkit::proc::PATIENCE;
use tempfile::TempDir;

pub(crate) struct Place {
    pub(crate) directory: TempDir,
    pub(crate) options: LoginOptions,
    clock: Arc<Mutex<SystemTime>>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(Mutex::new(SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000)));
        let store = Arc::new(FileStore::new(directory.path().join("tokens.json")));
        let mut options = LoginOptions::new(store);
        let shown = Arc::clone(&clock);
        // A failing login must not wait for a user that never comes.
        options.limit = PATIENCE;
        options.clock = Arc::new(move || *shown.lock().unwrap());
        options.needed = Some(AuthNeeded::open(directory.path().join("needed.json"), AUTH_NEEDED_TTL).0);
        Self { directory, options, clock }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.directory.path().join("tokens.json")
    }

    pub(crate) fn needed(&self) -> &AuthNeeded {
        self.options.needed.as_ref().unwrap()
    }

    pub(crate) fn now(&self) -> SystemTime {
        *self.clock.lock().unwrap()
    }

    pub(crate) fn pass(&self, seconds: u64) {
        *self.clock.lock().unwrap() += Duration::from_secs(seconds);
    }

    /// Returns the logins of a host that has just started.
    pub(crate) fn logins(&self) -> Logins {
        Logins::new(self.options.clone())
    }

    pub(crate) async fn kept(&self, target: &Target) -> Option<Tokens> {
        self.options.store.load(&Key::new(&target.server, &target.url)).await.unwrap()
    }
}

pub(crate) fn target(server: &AuthServer) -> Target {
    with(server, OAuth::default())
}

pub(crate) fn with(server: &AuthServer, oauth: OAuth) -> Target {
    Target { server: "docs".into(), url: server.url().parse().unwrap(), oauth, tls: None }
}

/// Returns the server's challenge to a request without a token.
pub(crate) fn challenge(server: &AuthServer) -> Challenge {
    let page = browse(&server.url());
    assert_eq!(page.status, 401);
    header(&page)
}

pub(crate) fn header(page: &Page) -> Challenge {
    let header = page.head.lines().find_map(|line| line.strip_prefix("WWW-Authenticate: "));
    Challenge { header: header.map(str::to_owned) }
}

/// Logs in, with a browser that accepts everything.
pub(crate) async fn enter(
    logins: &Logins,
    target: &Target,
    challenge: &Challenge,
) -> Result<LoggedIn, AuthError> {
    let login = logins.login(target, challenge).await?;
    let url = login.url().to_string();
    let browser = tokio::task::spawn_blocking(move || log_in(&url));
    let done = login.finish(&CancellationToken::new()).await;
    // Without a listener there is no page.
    drop(browser.await.unwrap());
    done
}

/// Returns the token of a request, or the reason why there is none.
pub(crate) async fn token(source: &dyn HeaderSource, attempt: HeaderAttempt) -> Result<String, NoHeaders> {
    let headers = source.headers(attempt).await?;
    let bearer = headers.first().map(|(name, value)| {
        assert_eq!(name, "authorization");
        value.expose().strip_prefix("Bearer ").unwrap().to_owned()
    });
    Ok(bearer.unwrap_or_default())
}

pub(crate) fn refused() -> HeaderAttempt {
    HeaderAttempt::After401(Challenge { header: Some(r#"Bearer error="invalid_token""#.into()) })
}

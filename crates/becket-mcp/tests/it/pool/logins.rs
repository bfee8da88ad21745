//! Servers that need a login: not contacted for a while, logged in to, logged out of.

use becket_testkit::wait::eventually;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use becket_mcp::auth::{
    AUTH_NEEDED_TTL, AuthNeeded, Bearer, BearerProvider, FileStore, LoginOptions, Logins,
};
use becket_mcp::config::{
    self, Approvals, ConfiguredServer, Gates, Grant, OAuth, Proxy, Remote, Scope, ServerConfig, Settings,
    Stdio, Transport,
};
use becket_mcp::{BoxFuture, CallError, CancellationToken, LoginError, Options, Pool, Secret, ServerState};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer, log_in};
use becket_testkit::mcp_http::{Plan, Reply, Server};
use serde_json::json;
use tempfile::TempDir;

use crate::common::{call, nothing, remote, state};
use crate::pool::scripted::options;

fn none() -> CancellationToken {
    CancellationToken::new()
}

/// A host with a cache in a file.
fn remembering(directory: &TempDir, ttl: Duration) -> Options {
    let mut options = options();
    options.auth_needed = Some(AuthNeeded::open(directory.path().join("needed.json"), ttl).0);
    options
}

fn guarded() -> Server {
    Plan::new()
        .rule(|seen| {
            let is_known = seen.header("authorization") == Some("Bearer good");
            (!is_known).then(|| Reply::unauthorized(Some("Bearer realm=\"x\"")))
        })
        .start()
}

fn pool_of(options: Options, configured: Vec<ConfiguredServer>) -> Pool {
    let pool = Pool::new(options, Arc::new(()));
    pool.configure(configured);
    pool
}

#[track_caller]
fn needs_auth(pool: &Pool) {
    let state = state(pool, "it");
    assert!(matches!(state, ServerState::NeedsAuth { .. }), "{state:?}");
}

// rule: X3
#[tokio::test]
async fn a_server_that_wants_a_login_is_not_asked_again_not_even_after_a_restart() {
    let (server, directory) = (guarded(), tempfile::tempdir().unwrap());
    let configured = || vec![remote("it", &server.url())];
    let pool = pool_of(remembering(&directory, AUTH_NEEDED_TTL), configured());
    pool.start(&none()).await;
    needs_auth(&pool);
    let ServerState::NeedsAuth { challenge } = state(&pool, "it") else { panic!("checked") };
    assert_eq!(challenge.header.as_deref(), Some("Bearer realm=\"x\""));
    let asked = server.connections();
    for _ in 0..3 {
        let error = call(&pool, "echo", nothing()).await.unwrap_err();
        assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    }
    pool.start(&none()).await;
    pool.close().await;
    let pool = pool_of(remembering(&directory, AUTH_NEEDED_TTL), configured());
    pool.start(&none()).await;
    needs_auth(&pool);
    assert!(matches!(call(&pool, "echo", nothing()).await, Err(CallError::NeedsAuth { .. })));
    assert_eq!(server.connections(), asked);
    // A reconnect contacts it again.
    pool.reconnect("it", &none()).await.unwrap_err();
    assert!(server.connections() > asked);
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn what_is_remembered_is_forgotten_after_its_time() {
    let (server, directory) = (guarded(), tempfile::tempdir().unwrap());
    let configured = || vec![remote("it", &server.url())];
    let ttl = Duration::from_millis(500);
    let pool = pool_of(remembering(&directory, ttl), configured());
    pool.start(&none()).await;
    let asked = server.connections();
    eventually("it is asked again", async || {
        call(&pool, "echo", nothing()).await.unwrap_err();
        (server.connections() > asked).then_some(())
    })
    .await;
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn other_credentials_in_the_configuration_count_at_once() {
    let (server, directory) = (guarded(), tempfile::tempdir().unwrap());
    let with = |token: &str| {
        let mut bearer = Remote::new(server.url().parse().unwrap());
        bearer.headers = vec![("Authorization".into(), Secret::new(format!("Bearer {token}")))];
        let transport = Transport::Http(bearer);
        vec![ConfiguredServer::of_host("it", ServerConfig { transport, timeout: None })]
    };
    let pool = pool_of(remembering(&directory, AUTH_NEEDED_TTL), with("bad"));
    pool.start(&none()).await;
    needs_auth(&pool);
    pool.configure(with("good"));
    assert_eq!(call(&pool, "echo", json!({"text": "hi"})).await.unwrap().text(), "hi");
    pool.configure(with("bad"));
    call(&pool, "echo", nothing()).await.unwrap_err();
    pool.close().await;
    // Another process, with valid credentials: it does not have to wait for 15 minutes.
    let pool = pool_of(remembering(&directory, AUTH_NEEDED_TTL), with("good"));
    pool.start(&none()).await;
    assert!(matches!(state(&pool, "it"), ServerState::Connected { .. }));
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn a_user_logs_in_and_out() {
    let (server, directory) = (AuthPlan::new().start(), tempfile::tempdir().unwrap());
    let mut options = remembering(&directory, AUTH_NEEDED_TTL);
    let mut login_options = LoginOptions::new(Arc::new(FileStore::new(directory.path().join("tokens.json"))));
    login_options.needed = options.auth_needed.clone();
    options.logins = Some(Logins::new(login_options));
    let pool = pool_of(options, vec![remote("it", &server.url())]);
    pool.start(&none()).await;
    needs_auth(&pool);

    let login = pool.login("it").await.unwrap();
    let url = login.url().to_string();
    let browser = tokio::task::spawn_blocking(move || log_in(&url));
    login.finish(&none()).await.unwrap();
    drop(browser.await.unwrap());
    // The tokens are stored: no reconnect is needed.
    assert_eq!(call(&pool, "echo", json!({"text": "me"})).await.unwrap().text(), "me");

    pool.logout("it").await.unwrap();
    let error = call(&pool, "echo", nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    needs_auth(&pool);
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn nobody_logs_in_where_that_can_not_be() {
    let stdio = ConfiguredServer::of_host(
        "it",
        ServerConfig { transport: Transport::Stdio(Stdio::default()), timeout: None },
    );
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(FileStore::new(directory.path().join("tokens.json")));
    let mut options = options();
    options.logins = Some(Logins::new(LoginOptions::new(store)));
    let pool = pool_of(options, vec![stdio]);
    let error = pool.login("it").await.map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error,
        "no login is possible to the MCP server `it`: it is not reached over a network by a URL of its own"
    );
    let error = pool.logout("that").await.unwrap_err();
    assert!(matches!(error, LoginError::Server(CallError::NoSuchServer { .. })), "{error}");
    let pool = pool_of(crate::pool::scripted::options(), vec![remote("it", "http://127.0.0.1:9/mcp")]);
    let error = pool.login("it").await.map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "no login is possible to the MCP server `it`: this host keeps no tokens");
}

// rule: X1
#[tokio::test]
async fn the_helper_of_a_plugins_server_knows_where_the_plugin_lies() {
    let server = guarded();
    let plugin = tempfile::tempdir().unwrap();
    std::fs::write(plugin.path().join("token"), "good").unwrap();
    let helper = r#"printf '{"Authorization": "Bearer %s"}' "$(cat "$CLAUDE_PLUGIN_ROOT/token")""#;
    let text = json!({"mcpServers": {"it": {"type": "http", "url": server.url(), "headersHelper": helper}}});
    let scope = Scope::Plugin { name: "tools".into(), root: plugin.path().into(), values: Box::default() };
    let layer = config::read_file(&text.to_string(), "f.json".as_ref(), scope).unwrap();
    let settings = Settings::default();
    let gates = Gates {
        policy: &settings.policy,
        choices: &settings.choices,
        approvals: &Approvals::default(),
        project: "/",
        workspace_trusted: true,
        exclusive: false,
    };
    let mut options = options();
    options.environment =
        vec![("PATH".into(), "/usr/bin:/bin".into()), ("CLAUDE_PLUGIN_ROOT".into(), "/elsewhere".into())];
    let pool = pool_of(options, config::resolve(vec![layer], &[], &gates).servers);
    let info = pool.connect("plugin:tools:it", &none()).await;
    assert!(info.is_ok(), "{info:?}");
    pool.close().await;
}

/// Returns a server with a login by the secret of a client.
fn by_secret(server: &AuthServer, secret: &str) -> Vec<ConfiguredServer> {
    let (client_id, client_secret) = (Some("mine".into()), Some(secret.into()));
    let oauth = OAuth { client_id, client_secret, grant: Grant::Secret, ..OAuth::default() };
    let remote = Remote { oauth: Some(oauth), ..Remote::new(server.url().parse().unwrap()) };
    let config = ServerConfig { transport: Transport::Http(remote), timeout: None };
    vec![ConfiguredServer::of_host("it", config)]
}

// rule: X3
#[tokio::test]
async fn a_server_of_a_machine_is_logged_in_to_without_a_person() {
    let metadata = json!({"grant_types_supported": ["client_credentials"], "authorization_endpoint": null});
    let (server, directory) = (AuthPlan::new().metadata(metadata).start(), tempfile::tempdir().unwrap());
    server.know("mine", Some("s3cr3t-good"));
    let mut options = remembering(&directory, AUTH_NEEDED_TTL);
    let store = Arc::new(FileStore::new(directory.path().join("tokens.json")));
    let clock = Arc::new(Mutex::new(SystemTime::now()));
    let shown = Arc::clone(&clock);
    let clocked =
        LoginOptions { clock: Arc::new(move || *shown.lock().unwrap()), ..LoginOptions::new(store) };
    options.logins = Some(Logins::new(clocked));
    let pool = pool_of(options, by_secret(&server, "s3cr3t-bad"));
    pool.start(&none()).await;
    let ServerState::Failed { why } = state(&pool, "it") else { panic!("{:?}", state(&pool, "it")) };
    assert!(why.to_string().contains("gives no token: invalid_client (who is it?)"), "{why}");
    // Once corrected, it takes effect immediately.
    pool.configure(by_secret(&server, "s3cr3t-good"));
    assert_eq!(call(&pool, "echo", json!({"text": "me"})).await.unwrap().text(), "me");
    // The server forgets its tokens: the call succeeds anyway.
    *clock.lock().unwrap() += Duration::from_secs(2);
    server.expire();
    assert_eq!(call(&pool, "echo", json!({"text": "us"})).await.unwrap().text(), "us");
    let error = pool.login("it").await.map(drop).unwrap_err().to_string();
    assert_eq!(
        error,
        "the MCP server `it`: no login is needed: this program authenticates itself, by the grant `client_credentials` \
         that the server's `oauth` names"
    );
    // The credentials are available: nothing is stored.
    assert!(!directory.path().join("tokens.json").exists());
    pool.close().await;

    let mut options = crate::pool::scripted::options();
    options.logins = None;
    let pool = pool_of(options, by_secret(&server, "s3cr3t-good"));
    let error = pool.connect("it", &none()).await.unwrap_err().to_string();
    assert!(error.contains("this host logs in to no server"), "{error}");
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn the_files_of_a_machine_count_from_the_directory_of_the_host() {
    let metadata = json!({"grant_types_supported": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]});
    let (jwt, directory) = ("e30.e30.czNjcjN0", tempfile::tempdir().unwrap());
    let server = AuthPlan::new().metadata(metadata).believes(move |text| text == jwt).start();
    server.know("mine", None);
    std::fs::write(directory.path().join("jwt"), jwt).unwrap();
    let mut options = remembering(&directory, AUTH_NEEDED_TTL);
    let store = Arc::new(FileStore::new(directory.path().join("tokens.json")));
    options.logins = Some(Logins::new(LoginOptions::new(store)));
    options.cwd = directory.path().into();
    let oauth =
        OAuth { client_id: Some("mine".into()), grant: Grant::Assertion("jwt".into()), ..OAuth::default() };
    let remote = Remote { oauth: Some(oauth), ..Remote::new(server.url().parse().unwrap()) };
    let config = ServerConfig { transport: Transport::Http(remote), timeout: None };
    let pool = pool_of(options, vec![ConfiguredServer::of_host("it", config)]);
    assert_eq!(call(&pool, "echo", json!({"text": "me"})).await.unwrap().text(), "me");
    pool.close().await;
}

// rule: X3
#[tokio::test]
async fn a_machine_whose_token_is_not_taken_is_left_alone_by_this_process_only() {
    let plan = AuthPlan::new().metadata(json!({"grant_types_supported": ["client_credentials"]}));
    let never = |seen: &becket_testkit::mcp_http::ReceivedRequest| {
        let is_known = seen.path == "/mcp" && seen.header("authorization").is_some();
        is_known.then(|| Reply::unauthorized(None))
    };
    let (server, directory) = (plan.rule(never).start(), tempfile::tempdir().unwrap());
    server.know("mine", Some("s3cr3t-good"));
    let mut asked = Vec::new();
    for _ in 0..2 {
        let mut options = remembering(&directory, AUTH_NEEDED_TTL);
        let store = Arc::new(FileStore::new(directory.path().join("tokens.json")));
        options.logins = Some(Logins::new(LoginOptions::new(store)));
        let pool = pool_of(options, by_secret(&server, "s3cr3t-good"));
        for _ in 0..3 {
            pool.start(&none()).await;
            needs_auth(&pool);
        }
        asked.push(server.count("client_credentials"));
        pool.close().await;
    }
    // No login would remove it from the file.
    assert_eq!(asked, [1, 2]);
}

struct Lends;

impl BearerProvider for Lends {
    fn token<'a>(&'a self, refused: Option<Secret>) -> BoxFuture<'a, Result<Option<Secret>, String>> {
        let token = if refused.is_none() { "old" } else { "good" };
        Box::pin(std::future::ready(Ok(Some(Secret::new(token)))))
    }
}

// rule: X1
#[tokio::test]
async fn a_proxy_that_the_host_has_no_credentials_for_is_named() {
    let text = r#"{"mcpServers": {"it": {"type": "claudeai-proxy", "url": "https://proxy.invalid/v1?key=hush", "id": "srv"}}}"#;
    let layer = config::read_file(text, "f.json".as_ref(), Scope::User).unwrap();
    let settings = Settings::default();
    let gates = Gates {
        policy: &settings.policy,
        choices: &settings.choices,
        approvals: &Approvals::default(),
        project: "/",
        workspace_trusted: true,
        exclusive: false,
    };
    let pool = pool_of(options(), config::resolve(vec![layer], &[], &gates).servers);
    let why = pool.connect("it", &none()).await.unwrap_err().to_string();
    assert!(why.contains("the proxy `https://proxy.invalid/v1?…`") && !why.contains("hush"), "{why}");
    pool.close().await;
}

// rule: X1
#[tokio::test]
async fn a_server_behind_a_proxy_is_asked_with_what_the_host_lends() {
    let server = guarded();
    let mut options = options();
    options.bearer = Some(Arc::new(Lends));
    assert!(format!("{:?}", Bearer::new(Arc::new(Lends))).len() > 1);
    let proxy = Proxy { url: server.url().parse().unwrap(), id: "a b".into(), needs_host: true };
    let transport = Transport::Proxy(proxy);
    let pool =
        pool_of(options, vec![ConfiguredServer::of_host("it", ServerConfig { transport, timeout: None })]);
    assert_eq!(call(&pool, "echo", json!({"text": "through"})).await.unwrap().text(), "through");
    assert!(server.seen().iter().all(|seen| seen.path == "/mcp/a%20b"));
    pool.close().await;
}

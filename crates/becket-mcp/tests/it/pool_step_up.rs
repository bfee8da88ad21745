//! A call that needs more than its user has granted so far, through the pool.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::Arc;

use crate::common::{LONG, Place, call, nothing};
use becket_mcp::auth::{FileStore, LoggedIn, LoginOptions, Logins};
use becket_mcp::config::{ConfiguredServer, Remote, ServerConfig, Transport};
use becket_mcp::{CallError, CancellationToken, Pool};
use becket_testkit::mcp_auth::{AuthPlan, AuthServer, log_in};

fn pool(server: &AuthServer, place: &Place) -> Pool {
    let mut logins = LoginOptions::new(Arc::new(FileStore::new(place.dir.path().join("tokens.json"))));
    logins.limit = LONG;
    let mut options = place.options.clone();
    options.logins = Some(Logins::new(logins));
    let url = server.url().parse().unwrap();
    let remote = Remote::new(url);
    let config = ServerConfig { transport: Transport::Http(remote), timeout: None };
    let pool = Pool::new(options, Arc::new(()));
    pool.configure(vec![ConfiguredServer::of_host("it", config)]);
    pool
}

async fn enter(pool: &Pool) -> LoggedIn {
    let login = pool.login("it").await.unwrap();
    let page = login.url().to_string();
    let browser = tokio::task::spawn_blocking(move || log_in(&page));
    let done = login.finish(&CancellationToken::new()).await.unwrap();
    assert_eq!(browser.await.unwrap().status, 200);
    pool.reconnect("it", &CancellationToken::new()).await.unwrap();
    done
}

// rules: X3, X4
#[tokio::test(flavor = "multi_thread")]
async fn the_next_login_asks_for_what_a_call_was_refused_for() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let pool = pool(&server, &place);
    let error = call(&pool, "echo", nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    assert_eq!(enter(&pool).await.scopes, ["read", "write"]);
    let tool = pool.tools("it", &CancellationToken::new()).await.unwrap()[0].name.clone();
    call(&pool, &tool, nothing()).await.unwrap();

    server.need(&["admin"]);
    let error = call(&pool, &tool, nothing()).await.unwrap_err();
    assert!(matches!(error, CallError::NeedsAuth { .. }), "{error}");
    assert_eq!(enter(&pool).await.scopes, ["read", "write", "admin"]);
    call(&pool, &tool, nothing()).await.unwrap();
    pool.close().await;
}

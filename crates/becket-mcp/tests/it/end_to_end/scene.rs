//! A pool with a well-behaved server, `good`, beside those of a test, and the check that `good` was not affected.

use std::sync::Arc;
use std::time::Duration;

use becket_mcp::config::{ConfiguredServer, Remote, ServerConfig, Transport};
use becket_mcp::{
    CallError, CallResult, CancellationToken, Connect, Options, Pool, ServerState, ToolCall, ToolList,
};
use becket_testkit::mcp_http::{Plan, Server};
pub(crate) use becket_testkit::wait::until as eventually;
use serde_json::{Value, json};

use crate::common::{LONG, Place, object, state};

/// The state of a test.
pub(crate) struct Scene {
    pub(crate) good: Server,
    pub(crate) pool: Pool,
    _place: Place,
}

impl Scene {
    /// Connects the servers of a test, and `good`.
    pub(crate) async fn with(others: Vec<ConfiguredServer>) -> Self {
        Self::tuned(others, |_| ()).await
    }

    /// Connects them with other options.
    pub(crate) async fn tuned(others: Vec<ConfiguredServer>, tune: impl FnOnce(&mut Options)) -> Self {
        let (good, mut place) = (Plan::new().start(), Place::new());
        tune(&mut place.options);
        let pool = Pool::new(place.options.clone(), Arc::new(()));
        pool.configure(others.into_iter().chain([http("good", &good)]).collect());
        pool.start(&CancellationToken::new()).await;
        Self { good, pool, _place: place }
    }

    /// Calls a tool of `bad`.
    pub(crate) async fn bad(&self, tool: &str, input: Value) -> Result<CallResult, CallError> {
        self.bad_for(tool, input, LONG).await
    }

    /// Calls a tool of `bad` with another limit.
    pub(crate) async fn bad_for(
        &self,
        tool: &str,
        input: Value,
        limit: Duration,
    ) -> Result<CallResult, CallError> {
        self.pool.call(of("bad", tool, input, limit), &CancellationToken::new()).await
    }

    /// Returns the displayed error of a call of `bad`.
    pub(crate) async fn bad_error(&self, tool: &str, limit: Duration) -> String {
        self.bad_for(tool, json!({}), limit).await.unwrap_err().to_string()
    }

    /// Returns the tools of `bad`.
    pub(crate) async fn tools(&self) -> Result<Arc<ToolList>, CallError> {
        self.pool.tools("bad", &CancellationToken::new()).await
    }

    pub(crate) fn state(&self) -> ServerState {
        state(&self.pool, "bad")
    }

    /// Returns the displayed error of connecting `bad`.
    #[track_caller]
    pub(crate) fn why(&self) -> String {
        crate::common::why(&self.pool, "bad").to_string()
    }

    /// Checks that `good` still has its first connection, and answers.
    pub(crate) async fn good_is_unharmed(&self) {
        let mut call = of("good", "echo", json!({"text": "still here"}), LONG);
        call.connect = Connect::Never;
        let answer = self.pool.call(call, &CancellationToken::new()).await.unwrap();
        assert_eq!(answer.text(), "still here");
        assert_eq!(self.good.count("initialize"), 1, "it was connected again");
    }

    /// Checks that `good` is unharmed; then closes everything, and checks that it has no connection and no session
    /// left.
    pub(crate) async fn end(self) {
        self.good_is_unharmed().await;
        self.pool.close().await;
        assert_eq!(self.good.sessions(), Vec::<String>::new());
        eventually("no connection is left", || self.good.open() == 0).await;
    }
}

pub(crate) fn of<'a>(server: &'a str, tool: &'a str, input: Value, limit: Duration) -> ToolCall<'a> {
    ToolCall { server, tool, input: object(input), limit, connect: Connect::IfNeeded }
}

/// Returns a server over HTTP.
pub(crate) fn http(name: &str, server: &Server) -> ConfiguredServer {
    at(name, &server.url())
}

/// Returns a server at an address.
pub(crate) fn at(name: &str, url: &str) -> ConfiguredServer {
    over(name, Transport::Http(Remote::new(url.parse().unwrap())))
}

pub(crate) fn over(name: &str, transport: Transport) -> ConfiguredServer {
    ConfiguredServer::of_host(name, ServerConfig { transport, timeout: None })
}

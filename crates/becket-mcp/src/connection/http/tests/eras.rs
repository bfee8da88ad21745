//! The handshake of both protocol eras, and the memory of the era.

use std::time::Duration;

use becket_testkit::mcp_http::{Eras, Plan, Reply, Server};

use super::meet::{ConnectedClient, headers, nothing_left, target, until};
use crate::connection::http::{HttpLink, Network, proxied};

async fn greet(server: &Server, network: &Network) -> Result<(usize, usize), String> {
    let before = (server.count("server/discover"), server.count("initialize"));
    let link = HttpLink::new(&target(&server.url(), headers(&[]), None), network).unwrap();
    let met = ConnectedClient::over(link).await?;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    drop(met.end(Duration::from_secs(5)).await);
    Ok((server.count("server/discover") - before.0, server.count("initialize") - before.1))
}

// rules: X1, X2
#[tokio::test]
async fn the_newest_way_comes_first_and_what_worked_is_remembered() {
    for (eras, first, then) in
        [(Eras::Initialize, (1, 1), (0, 1)), (Eras::Discover, (1, 0), (1, 0)), (Eras::All, (1, 0), (1, 0))]
    {
        let (server, network) = (Plan::new().eras(eras).start(), Network::default());
        assert_eq!(greet(&server, &network).await, Ok(first), "{eras:?}");
        assert_eq!(greet(&server, &network).await, Ok(then), "{eras:?}, known");
        assert_eq!(greet(&server, &Network::default()).await, Ok(first), "{eras:?}, forgotten");
        nothing_left(&server).await;
    }
}

// rule: X2
#[tokio::test]
async fn a_server_that_is_silent_about_the_newest_way_is_asked_the_older() {
    let server = Plan::new().always("server/discover", |_| Reply::Hang).start();
    let network = Network::default();
    assert_eq!(greet(&server, &network).await, Ok((1, 1)));
    assert_eq!(greet(&server, &network).await, Ok((0, 1)));
    nothing_left(&server).await;
}

// rules: X1, X2
#[tokio::test]
async fn a_greeting_that_was_given_up_leaves_nothing_while_the_other_goes_on() {
    let server = Plan::new().always("server/discover", |_| Reply::Hang).start();
    let met = ConnectedClient::with(&server).await;
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    // Idle connections are closed after a while; only the stream remains.
    until("the connection of the first greeting is left", || server.open() == 1).await;
    assert_eq!(server.push(&serde_json::json!({"jsonrpc": "2.0", "method": "notifications/none"})), 1);
}

// rule: X2
#[tokio::test]
async fn a_server_that_was_only_slow_is_asked_the_newest_way_again() {
    let server = Plan::new()
        .eras(Eras::Discover)
        .rule(|seen| (seen.rpc() == "server/discover" && seen.nth == 1).then_some(Reply::Hang))
        .start();
    assert_eq!(greet(&server, &Network::default()).await, Ok((2, 1)));
}

// rule: X1
#[tokio::test]
async fn whatever_an_older_server_says_to_the_newest_way_is_no_matter() {
    let answers: [fn() -> Reply; 5] = [
        || Reply::status(404),
        || Reply::status(500),
        || Reply::text(200, "text/html", "<p>"),
        || Reply::Close,
        || Reply::stream(vec![]),
    ];
    for answer in answers {
        let server = Plan::new().always("server/discover", move |_| answer()).start();
        assert_eq!(greet(&server, &Network::default()).await, Ok((1, 1)));
    }
}

// rule: X1
#[test]
fn a_proxied_server_is_below_the_path_of_its_proxy() {
    for (base, id, expected) in [
        ("https://host.test/v1/mcp", "a-1", "https://host.test/v1/mcp/a-1"),
        ("https://host.test/v1/mcp/", "a-1", "https://host.test/v1/mcp/a-1"),
        ("https://host.test", "a", "https://host.test/a"),
        ("https://host.test/v1?k=1", "a/../b c", "https://host.test/v1/a%2F..%2Fb%20c?k=1"),
    ] {
        assert_eq!(proxied(&base.parse().unwrap(), id).as_str(), expected);
    }
}

// rule: X1
#[tokio::test]
async fn a_proxy_is_used_where_the_host_names_one_and_nowhere_else() {
    let proxy = Plan::new().start();
    let through = Network::through(Some(proxy.url().parse().unwrap()));
    let link = HttpLink::new(&target("http://mcp.invalid/there", headers(&[]), None), &through).unwrap();
    let met = ConnectedClient::over(link).await.unwrap();
    assert_eq!(met.echo("hi").await.as_deref(), Ok("hi"));
    assert!(proxy.seen().iter().all(|seen| seen.path == "http://mcp.invalid/there"));
}

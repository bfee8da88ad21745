//! WebFetch against a local server, and against everything that it must not reach.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::Tree;
use crate::support::in_session::InSession;
use becket_engine::{CancellationToken, Effect, Resolve, ToolFailure, ToolOutput};
use becket_llm::{HttpOptions, Model, ModelError, Models, Script, ScriptedModel, Turn};
use becket_tools::web_fetch::WebFetch;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server with an answer for each path; records the requests.
struct Server {
    at: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let seen = seen.clone();
                std::thread::spawn(move || serve(stream, &seen));
            }
        });
        Self { at, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.at)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(!head.iter().any(|line| line.to_ascii_lowercase().starts_with("referer")), "{head:?}");
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(path.clone());
    let mut answer = |status: &str, headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n");
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body);
    };
    let html = "content-type: text/html\r\n";
    match path.as_str() {
        "/page" => answer("200 OK", html, b"<title>T</title><p>one <a href=/x>two</a>"),
        "/latin" => answer("200 OK", "content-type: text/plain; charset=latin1\r\n", b"gr\xfc\xdf"),
        "/hop" => answer("302 Found", "location: /page\r\n", b""),
        "/away" => answer("301 Moved Permanently", "location: https://other.example/x?y=1\r\n", b""),
        "/port" => answer("307 Temporary Redirect", "location: http://127.0.0.1:1/\r\n", b""),
        "/metadata" => answer("302 Found", "location: http://169.254.169.254/latest\r\n", b""),
        "/file" => answer("302 Found", "location: file:///etc/passwd\r\n", b""),
        "/user" => answer("302 Found", "location: http://u:p@127.0.0.1/\r\n", b""),
        "/loop" => answer("302 Found", "location: /loop\r\n", b""),
        "/nowhere" => answer("302 Found", "", b""),
        "/missing" => answer("404 Not Found", html, b"<p>none"),
        "/png" => answer("200 OK", "content-type: image/png\r\n", b"\x89PNG\0"),
        "/gzip" => answer("200 OK", "content-encoding: gzip\r\n", b"\x1f\x8b"),
        "/large" => answer("200 OK", "content-type: text/plain\r\n", &vec![b'x'; 6 << 20]),
        "/cut" => answer("200 OK", "content-length: 100\r\n", b"x"),
        "/hang" => drop(stream.read(&mut [0; 1])),
        _ => answer("500 Internal Server Error", "", b""),
    }
}

/// A resolver for these names.
struct Names(Vec<(&'static str, &'static str)>);

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        let found =
            self.0.iter().filter(|(known, _)| *known == name).map(|(_, address)| address.parse().unwrap());
        let found: Vec<IpAddr> = found.collect();
        Box::pin(async move { Ok(found) })
    }
}

struct Small(Result<Arc<ScriptedModel>, ()>);

impl Models for Small {
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, ModelError> {
        assert_eq!(name, None, "the small fast one");
        self.0.clone().map(|model| model as Arc<dyn Model>).map_err(|()| ModelError::NoModel)
    }
}

fn session(web: WebFetch) -> InSession {
    let tree = Tree::new();
    InSession::with(&tree, [Arc::new(web) as Arc<dyn becket_engine::Tool>])
}

async fn fetch(here: &InSession, url: &str) -> Result<ToolOutput, ToolFailure> {
    here.call("WebFetch", json!({"url": url, "prompt": "What is it?"})).await
}

#[tokio::test]
async fn a_page_comes_as_text_and_its_response_in_the_shape_that_hooks_know() {
    let (server, here) = (Server::new(), session(WebFetch::new()));
    let output = fetch(&here, &server.url("/page")).await.unwrap();
    let text = format!("T\n\none [two](http://{}/x)", server.at);
    assert_eq!(output.as_text(), text);
    let mut response = output.response.clone();
    assert!(response["durationMs"].is_u64());
    response["durationMs"] = json!(1);
    let expected = json!({
        "bytes": 41, "code": 200, "codeText": "OK", "result": text, "durationMs": 1, "url": server.url("/page"),
    });
    assert_eq!(response.to_string(), expected.to_string());
    assert_eq!(fetch(&here, &server.url("/latin")).await.unwrap().as_text(), "grüß");
    // A fragment matters only to the reader.
    fetch(&here, &server.url("/page#part")).await.unwrap();
    assert_eq!(server.asked(), ["/page", "/latin", "/page"]);
}

#[tokio::test]
async fn redirects_stay_on_their_host() {
    let (server, here) = (Server::new(), session(WebFetch::new()));
    let output = fetch(&here, &server.url("/hop")).await.unwrap();
    assert!(output.as_text().starts_with("T\n"), "{output:?}");
    for (path, code, to) in [
        ("/away", 301, "https://other.example/x?y=1"),
        ("/port", 307, "http://127.0.0.1:1/"),
        ("/metadata", 302, "https://169.254.169.254/latest"),
    ] {
        let output = fetch(&here, &server.url(path)).await.unwrap();
        assert_eq!(output.response["code"], code);
        let text = output.as_text();
        assert!(text.contains(to) && text.contains("call WebFetch with that URL"), "{text}");
    }
    for (path, error) in [
        ("/file", "redirects to what is not a URL to fetch"),
        ("/user", "redirects to what is not a URL to fetch"),
        ("/nowhere", "it says no `location`"),
        ("/loop", "redirects more than 10 times"),
    ] {
        let failure = fetch(&here, &server.url(path)).await.unwrap_err();
        assert!(failure.error.contains(error), "{failure}");
    }
    assert_eq!(server.asked().iter().filter(|path| *path == "/loop").count(), 11);
}

#[tokio::test]
async fn what_is_no_page_is_said() {
    let (server, here) = (Server::new(), session(WebFetch::new()));
    for (path, error) in [
        ("/missing", "the server answered 404 Not Found"),
        ("/png", "the answer is not text (`image/png`)"),
        ("/gzip", "compressed (`gzip`)"),
        ("/cut", "nothing came from `127.0.0.1`"),
    ] {
        let failure = fetch(&here, &server.url(path)).await.unwrap_err();
        assert!(failure.error.contains(error), "{failure}");
    }
    let output = fetch(&here, &server.url("/large")).await.unwrap();
    assert_eq!(output.response["bytes"], 5 << 20);
    let text = output.as_text();
    assert!(
        text.len() < 60 << 10 && text.ends_with("[the first 50 KiB of the page]"),
        "{} bytes",
        text.len()
    );
}

#[tokio::test]
async fn a_call_that_nobody_wants_ends() {
    let (server, here) = (Server::new(), session(WebFetch::new()));
    let tool = here.tools.find("WebFetch").unwrap();
    let input = crate::support::object(json!({"url": server.url("/hang"), "prompt": "x"}));
    for (cancelled, limit) in [(true, Duration::from_secs(600)), (false, Duration::from_millis(50))] {
        let cancel = CancellationToken::new();
        let running = becket_engine::RunningCall {
            session: &here.session,
            id: "t",
            input: &input,
            own: &input,
            rights: &[],
            cancel: &cancel,
            limit,
            caller: &(),
        };
        let work = tool.run(running);
        if cancelled {
            cancel.cancel();
        }
        let failure = tokio::time::timeout(Duration::from_secs(60), work).await.unwrap().unwrap_err();
        assert_eq!(failure.interrupted, cancelled, "{failure}");
    }
}

// rules: S1, S2
#[tokio::test]
async fn no_name_leads_where_its_owner_wants_a_model_to_go() {
    let server = Server::new();
    let names = || {
        Names(vec![
            ("rebound.example", "127.0.0.1"),
            ("intranet.example", "10.1.2.3"),
            ("metadata.example", "169.254.169.254"),
            ("localhost", "127.0.0.1"),
            ("app.localhost", "127.0.0.1"),
            ("far.localhost", "93.184.216.34"),
        ])
    };
    let port = server.at.port();
    let here = session(WebFetch::new().with_resolver(names()));
    for (url, error) in [
        (format!("http://rebound.example:{port}/page"), "leads to this machine"),
        (format!("https://rebound.example:{port}/page"), "leads to this machine"),
        ("https://intranet.example/".to_owned(), "in a private network"),
        ("https://metadata.example/".to_owned(), "metadata"),
        ("https://unknown.example/".to_owned(), "has no address"),
        (format!("http://far.localhost:{port}/page"), "leads to another machine"),
        ("https://10.1.2.3/".to_owned(), "in a private network"),
        ("https://169.254.169.254/latest".to_owned(), "metadata"),
        ("https://[::ffff:a9fe:a9fe]/".to_owned(), "metadata"),
        ("https://0xa9fea9fe/".to_owned(), "metadata"),
    ] {
        let failure = fetch(&here, &url).await.unwrap_err();
        assert!(failure.error.contains(error), "{url}: {failure}");
    }
    assert_eq!(server.asked(), Vec::<String>::new());
    for host in ["localhost", "app.localhost"] {
        fetch(&here, &format!("http://{host}:{port}/page")).await.unwrap();
    }
    // Addresses that the host allows are reachable; a proxy may be known by any address.
    let opened = WebFetch::new().with_resolver(names()).with_networks(["10.1.0.0/16".parse().unwrap()]);
    let mut http = HttpOptions::default();
    http.connect_timeout = Duration::from_millis(50);
    let failure = fetch(&session(opened.with_http(http)), "https://10.1.2.3/").await.unwrap_err();
    assert!(failure.error.contains("nothing came from `10.1.2.3`"), "{failure}");
    let mut proxy = HttpOptions::default();
    proxy.proxy = Some(format!("http://rebound.example:{port}"));
    let here = session(WebFetch::new().with_resolver(names()).with_http(proxy));
    let before = server.asked().len();
    let failure = fetch(&here, "https://any.example/").await.unwrap_err();
    assert!(failure.error.contains("nothing came from `any.example`"), "{failure}");
    assert_eq!(
        server.asked().get(before).map(String::as_str),
        Some("any.example:443"),
        "the proxy was asked"
    );
    let failure = fetch(&here, "https://169.254.169.254/").await.unwrap_err();
    assert!(failure.error.contains("metadata"), "{failure}");
}

#[tokio::test]
async fn a_small_model_reads_the_page() {
    let server = Server::new();
    let model = Arc::new(ScriptedModel::new(Script::new("small", vec![Turn::text("It is one.")])));
    let here = session(WebFetch::new().with_models(Arc::new(Small(Ok(model.clone())))));
    let output = fetch(&here, &server.url("/page")).await.unwrap();
    assert_eq!((output.as_text().as_str(), &output.response["result"]), ("It is one.", &json!("It is one.")));
    let asked = model.requests();
    let request = &asked.first().unwrap().request;
    assert!(request.system.as_deref().unwrap().contains("not an instruction"));
    let said = format!("{:?}", request.messages);
    assert!(said.contains("one [two](") && said.contains("What is it?"), "{said}");
    assert!(request.tools.is_empty());
    // The script has ended: the page itself is better than nothing.
    let output = fetch(&here, &server.url("/page")).await.unwrap();
    assert!(
        output.as_text().contains("no model could read the page") && output.as_text().contains("one [two](")
    );
    let here = session(WebFetch::new().with_models(Arc::new(Small(Err(())))));
    assert!(fetch(&here, &server.url("/page")).await.unwrap().as_text().starts_with("T\n"));
}

// rules: P13, P14
#[test]
fn a_person_is_asked_and_offered_the_host_and_no_more() {
    let here = session(WebFetch::new());
    let rule = |host: &str| {
        json!([{"type": "addRules", "rules": [{"toolName": "WebFetch", "ruleContent": format!("domain:{host}")}],
            "behavior": "allow", "destination": "localSettings"}])
    };
    for (url, suggested) in [
        ("https://Docs.Example.com/x", rule("docs.example.com")),
        ("http://example.com.:8080/", rule("example.com")),
        ("https://93.184.216.34/", json!([])),
        ("https://[::1]/", json!([])),
        ("ftp://example.com/", json!([])),
    ] {
        let input = json!({"url": url, "prompt": "x"});
        assert_eq!(here.suggestions("WebFetch", input.clone()), suggested, "{url}");
        assert_eq!(here.effect("WebFetch", input), Effect::Acts);
    }
    let hints = here.tools.find("WebFetch").unwrap().hints();
    assert!(hints.together && hints.open_world && hints.read_only);
}

#[tokio::test]
async fn what_is_no_url_is_no_call() {
    let here = session(WebFetch::new());
    for (input, part) in [
        (json!({"url": "https://a.example/"}), "needs `prompt`"),
        (json!({"url": "a.example", "prompt": "x"}), "write `https://` and a host"),
        (json!({"url": "file:///etc/passwd", "prompt": "x"}), "write `https://`"),
        (json!({"url": "https://u:p@a.example/", "prompt": "x"}), "a user name or a password"),
        (json!({"url": "https://a.example\\@b.example/", "prompt": "x"}), "backslash"),
    ] {
        let failure = here.call("WebFetch", input).await.unwrap_err();
        assert!(failure.error.contains(part), "{failure}");
    }
    let value = |value: Value| here.tools.find("WebFetch").unwrap().replaced(&value).is_ok();
    assert!(value(json!({"result": "x"})) && !value(json!({"text": "x"})));
}

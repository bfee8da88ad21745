//! Programs that may reach only some hosts: real clients, and servers on this machine under invented names.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use becket_testkit::proc::wait_until;

use super::common::{LineOutput, Scene};

/// A server that answers a request with its `Host` and path. `/to/URL` is a redirect.
struct Server {
    port: u16,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            listener.incoming().flatten().for_each(|stream| drop(std::thread::spawn(|| answer(stream))));
        });
        Self { port }
    }

    /// Runs a line in which `$PORT` is the port of the server, and names below `.test` resolve to it.
    fn line(&self, scene: &Scene, options: &[&str], line: &str) -> LineOutput {
        let names = ["a.test", "b.a.test", "b.test", "denied.test", "xn--bcher-kva.test"];
        let names = names.map(|name| format!("resolve={name}=127.0.0.1"));
        let port = self.port.to_string();
        let options = options.iter().map(|option| option.replace("PORT", &port)).chain(names);
        let options: Vec<String> = options.chain(["domain=127.0.0.1".to_owned()]).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        scene.supervised(&options, ["bash", "-c", &format!("PORT={port}; {line}")])
    }
}

fn answer(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let host = headers.iter().find_map(|line| line.strip_prefix("Host: ")).unwrap_or_default();
    let (status, location) = match path.strip_prefix("/to/") {
        Some(url) => ("302 Found", format!("Location: {url}\r\n")),
        None => ("200 OK", String::new()),
    };
    let body = format!("{host} {path}\n");
    let head =
        format!("HTTP/1.1 {status}\r\n{location}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// A shell function that requests a URL, and prints the body or the status.
const GET: &str = "get() { curl -sS -m 10 -o body -w '%{http_code} ' \"$@\"; cat body; rm -f body; }; ";

// rule: E5
#[test]
fn a_host_that_is_allowed_is_reached_and_no_other() {
    let (scene, server) = (Scene::new(), Server::start());
    let line = "get http://a.test:$PORT/x; get -p http://a.test:$PORT/y; get http://denied.test:$PORT/z; \
                get -p http://denied.test:$PORT/z 2>&1 | head -c 60";
    let ended = server.line(&scene, &["domain=a.test"], &format!("{GET}{line}"));
    let port = server.port;
    let refused = format!(
        "403 becket: `denied.test:{port}` was not connected to: no entry of `sandbox.network.allowedDomains` is about it\n"
    );
    let expected = format!("200 a.test:{port} /x\n200 a.test:{port} /y\n{refused}");
    assert!(ended.stdout.starts_with(&expected), "{ended:?}");
    assert!(ended.stdout[expected.len()..].contains("403"), "{ended:?}");
    // It is reported once, although two clients have tried.
    assert_eq!(ended.stderr.matches("becket: `denied.test").count(), 1, "{ended:?}");
    let owner = format!("http://denied.test:{port}/z`, run by bash → curl");
    assert!(
        ended.stderr.contains("is about it; asked for by `curl -sS") && ended.stderr.contains(&owner),
        "{ended:?}"
    );
}

// rule: E5
#[test]
fn names_are_compared_as_they_are_meant() {
    let (scene, server) = (Scene::new(), Server::start());
    let reached = |options: &[&str], url: &str| {
        let ended = server.line(
            &scene,
            options,
            &format!("{GET}get -g '{}'", url.replace("PORT", &server.port.to_string())),
        );
        (ended.stdout.starts_with("200 "), ended)
    };
    for (options, url, is_reached) in [
        (&["domain=a.test"][..], "http://A.TEST:PORT/", true),
        (&["domain=a.test"], "http://a.test.:PORT/", true),
        (&["domain=A.Test."], "http://a.test:PORT/", true),
        (&["domain=a.test"], "http://b.a.test:PORT/", false),
        (&["domain=*.a.test"], "http://b.a.test:PORT/", true),
        (&["domain=*.a.test"], "http://a.test:PORT/", false),
        (&["domain=a.test:PORT"], "http://a.test:PORT/", true),
        (&["domain=a.test:1"], "http://a.test:PORT/", false),
        (&["domain=*"], "http://b.test:PORT/", true),
        (&["domain=*", "no-domain=b.test"], "http://b.test:PORT/", false),
        (&["domain=*", "no-domain=b.test"], "http://B.test.:PORT/", false),
        (&["domain=*", "no-domain=127.0.0.1"], "http://b.test:PORT/", false),
        (&["domain=xn--bcher-kva.test"], "http://xn--bcher-kva.test:PORT/", true),
        (&["domain=a.test"], "http://127.0.0.1:PORT/", true),
        (&["domain=*"], "http://2130706433:PORT/", true),
        (&["domain=a.test"], "http://[::ffff:127.0.0.1]:PORT/", true),
        (&["domain=a.test"], "http://10.0.0.1:PORT/", false),
        (&["domain=*"], "http://93.184.216.34:PORT/", false),
        (&["domain=a.test"], "http://a.test@denied.test:PORT/", false),
        (&["domain=a.test"], "http://denied.test:PORT/?a.test", false),
    ] {
        let (was, ended) = reached(options, url);
        assert_eq!(was, is_reached, "{options:?} {url}: {ended:?}");
    }
}

// rules: E5, S1
#[test]
fn a_name_is_resolved_once_and_its_address_is_judged() {
    let (scene, server) = (Scene::new(), Server::start());
    let options = [
        "domain=*",
        "resolve=inner.test=10.0.0.1",
        "resolve=meta.test=169.254.169.254",
        "resolve=loop.test=::1",
        "resolve=both.test=10.0.0.1",
        "resolve=both.test=127.0.0.1",
    ];
    let line =
        "for host in inner meta loop both; do get http://$host.test:$PORT/; done; get http://nowhere.test/";
    let ended = server.line(&scene, &options, &format!("{GET}{line}"));
    let refused = [
        "10.0.0.1 is in a private network",
        "169.254.169.254 is link-local, reserved or a cloud's metadata",
        "::1 is this machine",
    ];
    for why in refused {
        assert!(ended.stdout.contains(why), "{why}: {ended:?}");
    }
    assert!(ended.stdout.contains("200 both.test"), "{ended:?}");
    assert!(ended.stdout.contains("502 becket: the name `nowhere.test` can't be resolved"), "{ended:?}");
    for name in ["inner", "meta", "loop", "both", "nowhere"] {
        assert_eq!(ended.stderr.matches(&format!("resolve {name}.test")).count(), 1, "{ended:?}");
    }
}

// rule: E5
#[test]
fn a_redirect_leads_to_hosts_that_are_allowed_alone() {
    let (scene, server) = (Scene::new(), Server::start());
    let line = "get -L http://a.test:$PORT/to/http://b.test:$PORT/x; get -L http://a.test:$PORT/to/http://denied.test:$PORT/x";
    let ended = server.line(&scene, &["domain=a.test", "domain=b.test"], &format!("{GET}{line}"));
    assert!(ended.stdout.starts_with(&format!("200 b.test:{} /x\n403 ", server.port)), "{ended:?}");
}

/// A script that tries ways around the proxy.
const AROUND: &str = r#"
import os, socket, sys
port = int(os.environ["SERVER"])
def attempt(name, way):
    try: way(); print(name, "passed")
    except OSError as error: print(name, type(error).__name__)
def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s: s.settimeout(2); s.connect(address); s.send(b"x")
attempt("direct", lambda: connect(socket.AF_INET, ("127.0.0.1", port)))
attempt("public", lambda: connect(socket.AF_INET, ("8.8.8.8", 53)))
attempt("udp", lambda: connect(socket.AF_INET, ("8.8.8.8", 53), socket.SOCK_DGRAM))
attempt("six", lambda: connect(socket.AF_INET6, ("2606:4700::1", 443)))
attempt("name", lambda: socket.getaddrinfo("a.test", port))
attempt("unix", lambda: socket.socket(socket.AF_UNIX))
attempt("vsock", lambda: socket.socket(40))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("host", lambda: os.setns(os.open("/proc/1/ns/net", os.O_RDONLY), 0) if hasattr(os, "setns") else open("/nowhere"))
"#;

// rule: E5
#[test]
fn nothing_gets_around_the_proxy() {
    let (scene, server) = (Scene::new(), Server::start());
    scene.write("around.py", AROUND);
    let line = "env -u http_proxy -u HTTP_PROXY SERVER=$PORT python3 around.py; nsenter -t 1 -n true 2>/dev/null && echo entered; \
                curl -s -m 2 --noproxy '*' http://127.0.0.1:$PORT/ && echo reached; exec 3<>/dev/tcp/127.0.0.1/$PORT && echo opened";
    for options in [&["domain=a.test"][..], &["domain=*"]] {
        let ended = server.line(&scene, options, &format!("{{ {line}; }} 2>/dev/null"));
        assert!(
            !["passed", "entered", "reached", "opened"].iter().any(|word| ended.stdout.contains(word)),
            "{ended:?}"
        );
        assert_eq!(ended.stdout.lines().count(), 9, "{ended:?}");
    }
    if let Some(ended) =
        scene.supervised_as_nobody(&["domain=a.test"], ["sh", "-c", "id -u; nc -z 127.0.0.1 1 || echo no"])
    {
        assert_eq!(ended.stdout, "65534\nno\n", "{ended:?}");
    }
}

// rule: E5
#[test]
fn programs_of_a_line_reach_each_other() {
    let (scene, server) = (Scene::new(), Server::start());
    let line = "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 & \
                until curl -sf -m 2 --noproxy '*' -o listing http://localhost:8000/; do :; done; grep -c listing listing";
    let ended = server.line(&scene, &["domain=a.test"], line);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(scene.marker.alive().is_empty());
}

// rule: E5
#[test]
fn socks_is_judged_as_well() {
    let (scene, server) = (Scene::new(), Server::start());
    let proxy = "-x socks5h://127.0.0.1:3128";
    let line = format!(
        "get {proxy} http://a.test:$PORT/x; get {proxy} http://denied.test:$PORT/x; get -x socks5://127.0.0.1:3128 http://127.0.0.1:$PORT/y"
    );
    let ended = server.line(&scene, &["domain=a.test"], &format!("{GET}{line}"));
    let port = server.port;
    assert!(ended.stdout.contains(&format!("200 a.test:{port} /x\n000 ")), "{ended:?}");
    assert!(ended.stdout.contains(&format!("200 127.0.0.1:{port} /y\n")), "{ended:?}");
    assert!(
        ended.stderr.contains(&format!("becket: `denied.test:{port}` was not connected to")),
        "{ended:?}"
    );
}

/// A script that sends invalid data to the proxy; each time it is answered or closed, and the proxy continues.
const NONSENSE: &str = r#"
import socket, sys
for sent in [b"", b"\x05", b"\x05\x01\x02", b"\x05\x01\x00\x05\x02\x00\x01", b"\x05\x01\x00\x05\x01\x00\x03\x0aa.te\x00.b.t\x00\x50",
             b"\x05\x01\x00\x05\x01\x00\x09", b"\x04\x01", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT a.test HTTP/1.1\r\n\r\n",
             b"CONNECT a.test:443\r\nHost: x HTTP/1.1\r\n\r\n", b"CONNECT a.test\x00.b.test:443 HTTP/1.1\r\n\r\n", b"CONNECT b\xc3\xbc.test:443 HTTP/1.1\r\n\r\n",
             b"GET http://a.test:99999/ HTTP/1.1\r\n\r\n", b"X" * 70000, b"GET http://a.test/ HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n"]:
    with socket.create_connection(("127.0.0.1", 3128)) as s:
        s.settimeout(5); s.sendall(sent); s.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := s.recv(4096): answer += part
        except ConnectionError: pass
        if answer[:12] == b"HTTP/1.1 200": print("passed", sent)
print("done")
"#;

// rule: E5
#[test]
fn what_can_not_be_read_is_refused() {
    let (scene, server) = (Scene::new(), Server::start());
    scene.write("nonsense.py", NONSENSE);
    let ended = server.line(
        &scene,
        &["domain=a.test"],
        &format!("{GET}python3 nonsense.py; get http://a.test:$PORT/x"),
    );
    assert_eq!(ended.stdout, format!("done\n200 a.test:{} /x\n", server.port), "{ended:?}");
    for option in ["domain=https://a.test", "no-domain=a b"] {
        let ended = server.line(&scene, &[option], "echo ran");
        assert_eq!((ended.code, &*ended.stdout), (Some(125), ""), "{ended:?}");
        assert!(ended.stderr.contains("can't be read as a host"), "{ended:?}");
    }
}

// rule: E5
#[test]
fn the_proxy_ends_with_its_program() {
    let (scene, server) = (Scene::new(), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = server.local_addr().unwrap().port();
    let line = format!("curl -s -m 60 http://127.0.0.1:{port}/ & until [ -e stop ]; do sleep 0.01; done");
    let start = || {
        let mut command = scene.supervisor(&["domain=127.0.0.1"], ["bash", "-c", &line]);
        let child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        // The request has arrived, and is never answered.
        let (mut connection, _) = server.accept().unwrap();
        let mut byte = [0];
        connection.read_exact(&mut byte).unwrap();
        (child, connection)
    };
    let (mut killed, connection) = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(wait_until(|| scene.marker.alive().is_empty()), "{:?}", scene.marker.alive());
    assert!(is_closed(connection));
    let (mut ended, connection) = start();
    scene.write("stop", "");
    assert_eq!(ended.wait().unwrap().code(), Some(0));
    assert!(is_closed(connection) && scene.marker.alive().is_empty());
}

/// Returns whether the connection is closed, after reading to its end.
fn is_closed(mut connection: TcpStream) -> bool {
    let mut rest = Vec::new();
    connection.read_to_end(&mut rest).is_ok() || rest.ends_with(b"\r\n")
}

// rule: E5
#[test]
fn where_a_network_of_its_own_can_not_be_had_nothing_runs() {
    let scene = Scene::new();
    // The number of `unshare`.
    let ended = scene.without([272, 97], &["domain=a.test"], &["sh", "-c", "echo ran"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(125), ""), "{ended:?}");
    assert!(ended.stderr.contains("single hosts can't be allowed to the program here"), "{ended:?}");
    // It is not possible inside of another supervisor either.
    let inner = scene.path("supervise").display().to_string();
    let ended =
        scene.supervised(&["deny=Bash(tool *)"], [&inner, "domain=a.test", "--", "sh", "-c", "echo ran"]);
    assert_eq!((ended.code, &*ended.stdout), (Some(125), ""), "{ended:?}");
    assert!(ended.stderr.contains("single hosts can be allowed only in a process of its own"), "{ended:?}");
}

// rules: E1, E5
#[test]
fn sockets_of_this_machine_are_granted_apart() {
    let scene = Scene::new();
    let unix = "import socket; socket.socket(socket.AF_UNIX); socket.socket(); print('open')";
    for (option, expected) in [("domain=a.test", ""), ("unix-sockets", "open\n")] {
        let ended = scene.supervised(&["domain=b.test", option], ["python3", "-c", unix]);
        assert_eq!(ended.stdout, expected, "{option}: {ended:?}");
    }
    let ended =
        scene.supervised(&["domain=a.test", "deny=Bash(tool *)"], ["sh", "-c", "tool pushed; echo $?"]);
    assert!(ended.stdout == "126\n" && !scene.path("pushed").exists(), "{ended:?}");
}

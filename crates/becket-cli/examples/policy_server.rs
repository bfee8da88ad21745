//! A policy server for HTTP hooks: denies calls that match a list of rules, and analyses shell lines as Becket does.
//!
//! `cargo run -p becket-cli --example policy_server -- PORT RULES` reads a file with one rule per line, such as
//! `Bash(git push --force *)`. It listens on the loopback interface, and answers 200 with a denial or with nothing; an
//! unreadable request is answered with 400, which a hook with `"onFailure": "block"` turns into a denial.

use becket_rules::{Call, Condition, NoLinks, Scope};
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The size limit of a request, in bytes.
const LONGEST: u64 = 16 << 20;

#[expect(clippy::print_stdout, reason = "a server says that it is ready")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, rules] = arguments.as_slice() else { return Err("usage: policy_server PORT RULES".into()) };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?))?;
    let rules = rules_of(&std::fs::read_to_string(rules)?)?;
    println!("the policy server listens on port {port} and knows {} rules", rules.len());
    serve(&listener, rules)
}

/// Parses one rule per line; `#` begins a comment. An invalid rule prevents the start, since it would guard nothing.
pub(crate) fn rules_of(text: &str) -> Result<Vec<Condition>, Box<dyn Error>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    Ok(lines.filter_map(|line| Condition::parse(line).transpose()).collect::<Result<_, _>>()?)
}

/// Serves forever, each connection on a separate thread.
pub(crate) fn serve(listener: &TcpListener, rules: Vec<Condition>) -> Result<(), Box<dyn Error>> {
    let rules = Arc::new(rules);
    loop {
        let (stream, _) = listener.accept()?;
        let rules = rules.clone();
        // A client that has disconnected needs no answer.
        std::thread::spawn(move || drop(answer(stream, &rules)));
    }
}

fn answer(mut stream: TcpStream, rules: &[Condition]) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (status, body) =
        match body(&stream).and_then(|body| Ok(judge(&serde_json::from_slice(&body)?, rules))) {
            Ok(Ok(None)) => ("200 OK", String::new()),
            Ok(Ok(Some(answer))) => ("200 OK", answer.to_string()),
            Ok(Err(lacking)) => ("400 Bad Request", format!("the input has no {lacking}")),
            Err(error) => ("400 Bad Request", error.to_string()),
        };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// Reads the body of a request; its head is only read for the length.
fn body(stream: &TcpStream) -> io::Result<Vec<u8>> {
    let mut request = BufReader::new(stream.take(LONGEST));
    let mut length = 0;
    loop {
        let mut line = String::new();
        request.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = Vec::new();
    request.take(length).read_to_end(&mut body)?;
    Ok(body)
}

/// Returns the answer to a hook's input: a denial by the first rule that applies or may apply, or nothing. A shell line
/// that can't be analysed is denied too.
fn judge(input: &Value, rules: &[Condition]) -> Result<Option<Value>, &'static str> {
    let tool = input["tool_name"].as_str().ok_or("tool_name")?;
    let call = Call::new(tool, input["tool_input"].as_object().ok_or("tool_input")?);
    let cwd = Path::new(input["cwd"].as_str().ok_or("cwd")?);
    let scope = Scope { cwd, home: None, anchor: cwd, links: &NoLinks };
    let broken = rules.iter().find(|rule| rule.applies(&call, &scope).runs());
    Ok(broken.map(|rule| {
        json!({"hookSpecificOutput": {
            "hookEventName": input["hook_event_name"],
            "permissionDecision": "deny",
            "permissionDecisionReason": format!("our policy denies {rule}"),
        }})
    }))
}

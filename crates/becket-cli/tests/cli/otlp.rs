//! Spans, metrics and audit records for a collector, in a build with the feature `otlp`.

use crate::env_with;
use becket_audit::digest;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A request that a collector got.
struct Request {
    path: String,
    kind: String,
    body: Vec<u8>,
}

/// A collector that gives one answer to everything.
struct Collector {
    address: String,
    requests: Receiver<Request>,
}

impl Collector {
    fn start() -> Self {
        Collector::answering("200 OK")
    }

    fn answering(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (sender, requests) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                thread::spawn(move || {
                    while let Some(request) = taken(&stream, status) {
                        if sender.send(request).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Collector { address, requests }
    }

    fn spans(&self) -> Vec<Span> {
        self.bodies("/v1/traces").iter().flat_map(|body| spans(body)).collect()
    }

    /// The bodies of the requests to a path.
    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        let all = self.requests.try_iter();
        all.filter(|request| request.path == path).map(|request| request.body).collect()
    }
}

/// Reads one request and answers it.
fn taken(mut stream: &TcpStream, status: &str) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut kind, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "content-type" => kind = value.to_owned(),
            "content-length" => length = value.parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").ok()?;
    Some(Request { path, kind, body })
}

/// A span, as far as these tests read it.
#[derive(Debug, Default, Clone)]
struct Span {
    trace: Vec<u8>,
    id: Vec<u8>,
    parent: Vec<u8>,
    name: String,
    attributes: HashMap<String, String>,
}

/// The fields of a message of Protocol Buffers; numbers as the bytes of their digits.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    fn number(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
            shift += 7;
        }
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = number(&mut bytes);
        let value = match key & 7 {
            0 => number(&mut bytes).to_string().into_bytes(),
            kind => {
                let length = match kind {
                    1 => 8,
                    5 => 4,
                    _ => usize::try_from(number(&mut bytes)).expect("small"),
                };
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                value.to_vec()
            }
        };
        all.push((key >> 3, value));
    }
    all
}

/// The parts of a message with this number.
fn parts(bytes: &[u8], wanted: u64) -> Vec<Vec<u8>> {
    fields(bytes).into_iter().filter(|(number, _)| *number == wanted).map(|(_, value)| value).collect()
}

/// The spans of an `ExportTraceServiceRequest`.
fn spans(body: &[u8]) -> Vec<Span> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let scopes = parts(body, 1).into_iter().flat_map(|resource| parts(&resource, 2));
    let all = scopes.flat_map(|scope| parts(&scope, 2));
    let span = |bytes: Vec<u8>| {
        let mut span = Span::default();
        for (number, value) in fields(&bytes) {
            match number {
                1 => span.trace = value,
                2 => span.id = value,
                4 => span.parent = value,
                5 => span.name = text(value),
                9 => {
                    let key = text(parts(&value, 1).remove(0));
                    let (_, value) = fields(&parts(&value, 2).remove(0)).remove(0);
                    span.attributes.insert(key, String::from_utf8_lossy(&value).into_owned());
                }
                _ => {}
            }
        }
        span
    };
    all.map(span).collect()
}

/// A denying hook and a background hook; both read and print secrets.
fn place() -> TestEnv {
    let hooks = json!([
        {"type": "command", "command": "sh deny.sh"},
        {"type": "command", "command": "sh later.sh", "async": true},
    ]);
    let env = env_with(&json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}}).to_string());
    env.write(
        "project/deny.sh",
        "env >seen; cat >/dev/null; echo private-output; echo private-reason >&2; exit 2",
    );
    env.write("project/later.sh", "cat >/dev/null; sleep 0.2; echo private-output");
    env
}

const FIRE: [&str; 6] = ["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=private-input"];

fn fired(env: &TestEnv, more: &[&str], variables: &[(&str, &str)]) -> ProgramOutput {
    let run = env.becket(FIRE.into_iter().chain(more.iter().copied()));
    variables.iter().fold(run, |run, (name, value)| run.env(name, value)).run()
}

/// As the hook of an agent.
fn as_hook(env: &TestEnv, address: &str) -> ProgramOutput {
    let mut command = env.becket(["fire", "--stdin-event", "--otlp"]).into_command();
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("becket starts");
    let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "tool_name": "Bash",
        "hook_event_name": "PreToolUse", "tool_input": {"command": "private-input"}, "tool_use_id": "t"});
    child.stdin.take().expect("piped").write_all(input.to_string().as_bytes()).expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    ProgramOutput { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

// rules: H5, H13, S3
#[test]
fn an_event_is_a_span_and_each_handler_a_child_without_what_was_said() {
    let (env, collector) = (place(), Collector::start());
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.address),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=private-key"),
        ("OTEL_SERVICE_NAME", "guards"),
    ];
    let ended = fired(&env, &["--otlp"], &variables);
    assert_eq!((ended.code, ended.stderr.contains("warning")), (Some(2), false), "{ended:?}");
    let requests: Vec<Request> = collector.requests.try_iter().collect();
    assert!(!requests.is_empty());
    for request in &requests {
        assert!(["/v1/traces", "/v1/metrics"].contains(&&*request.path), "{}", request.path);
        assert_eq!(request.kind, "application/x-protobuf");
        let text = String::from_utf8_lossy(&request.body);
        assert!(text.contains("guards") && !text.contains("private"), "{text}");
    }
    let traces = requests.iter().filter(|request| request.path == "/v1/traces");
    let spans: Vec<Span> = traces.flat_map(|request| spans(&request.body)).collect();
    let event = spans.iter().find(|span| span.name == "PreToolUse").expect("a span of the event");
    assert!(event.parent.is_empty());
    assert_eq!(event.attributes["becket.verdict"], "deny");
    assert_eq!(event.attributes["becket.handlers"], "2");
    let handlers: Vec<&Span> = spans.iter().filter(|span| span.name == "hook command").collect();
    assert_eq!((handlers.len(), spans.len()), (2, 3), "{spans:?}");
    for (label, outcome, exit, background) in
        [("sh deny.sh", "blocked", "2", "0"), ("sh later.sh", "success", "0", "1")]
    {
        let span =
            handlers.iter().find(|span| span.attributes["becket.handler.label"] == label).expect("its span");
        assert_eq!((&span.trace, &span.parent), (&event.trace, &event.id), "{label}");
        assert_eq!(span.attributes["becket.outcome"], outcome);
        assert_eq!(span.attributes["process.exit.code"], exit);
        assert_eq!(span.attributes["becket.background"], background);
        assert_eq!(span.attributes["becket.handler.kind"], "command");
    }
    let seen = std::fs::read_to_string(env.project().join("seen")).expect("the hook ran");
    assert!(!seen.contains("OTEL_EXPORTER") && seen.contains("OTEL_SERVICE_NAME"), "{seen}");
}

#[test]
fn the_environment_can_ask_for_spans_and_refuse_them() {
    let collector = Collector::start();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.address);
    let enabled = ("CLAUDE_CODE_ENABLE_TELEMETRY", "1");
    for (arguments, variables, count) in [
        (&[][..], &[endpoint, enabled][..], 3),
        (&[], &[endpoint], 0),
        (&[], &[enabled], 0),
        (&["--otlp"], &[endpoint, ("OTEL_SDK_DISABLED", "true")], 0),
        (&["--otlp"], &[endpoint, ("OTEL_TRACES_EXPORTER", "none")], 0),
        (&["--otlp"], &[endpoint, ("OTEL_TRACES_EXPORTER", "otlp")], 3),
    ] {
        let ended = fired(&place(), arguments, variables);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert_eq!(ended.stderr, "private-reason\n", "{variables:?}");
        assert_eq!(collector.spans().len(), count, "{arguments:?} {variables:?}");
    }
    let json = [endpoint, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")];
    assert_eq!(fired(&place(), &["--otlp"], &json).code, Some(2));
    let requests: Vec<Request> = collector.requests.try_iter().collect();
    assert!(requests.iter().all(|request| request.kind == "application/json"));
    let trace = requests.iter().find(|request| request.path == "/v1/traces").expect("spans");
    let body: Value = serde_json::from_slice(&trace.body).expect("JSON");
    assert!(body["resourceSpans"].is_array(), "{body}");
}

#[test]
fn without_a_collector_the_verdict_is_the_same_and_one_line_says_so() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let silent = format!("http://{}", port.local_addr().expect("it is bound"));
    let closed = {
        let port = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        format!("http://{}", port.local_addr().expect("it is bound"))
    };
    let plain = fired(&place(), &[], &[]);
    let verdict = |ended: &ProgramOutput| ended.stdout.lines().next().unwrap_or_default().to_owned();
    for (address, protocol) in [(&closed, "http/protobuf"), (&silent, "http/protobuf"), (&silent, "grpc")] {
        let began = Instant::now();
        let variables =
            [("OTEL_EXPORTER_OTLP_ENDPOINT", &**address), ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)];
        let ended = fired(&place(), &["--otlp"], &variables);
        assert!(began.elapsed() < Duration::from_secs(20), "{protocol}");
        assert_eq!((ended.code, verdict(&ended)), (Some(2), verdict(&plain)), "{ended:?}");
        let warnings: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("collector")).collect();
        assert_eq!(warnings.len(), 1, "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 2, "{ended:?}");
    }
    for address in [&closed, &silent] {
        let ended = as_hook(&place(), address);
        assert_eq!((ended.code, &*ended.stderr), (Some(2), "private-reason\n"), "an agent reads its stderr");
    }
    let (env, collector) = (place(), Collector::start());
    assert_eq!(as_hook(&env, &collector.address).code, Some(2));
    // The process of the hook that nobody waits for sends its spans when it ends.
    let is_of_hook = |span: &&Span| span.attributes.contains_key("becket.handler.label");
    let mut all = Vec::new();
    while all.iter().filter(is_of_hook).count() < 2 {
        let request = collector.requests.recv_timeout(Duration::from_secs(60)).expect("spans of both hooks");
        if request.path == "/v1/traces" {
            all.extend(spans(&request.body));
        }
    }
    assert_eq!(all.len(), 4, "an event and a hook in each process: {all:?}");
}

/// The data points of a metric, with their attributes as plain JSON, in the bodies of requests.
fn points(bodies: &[Vec<u8>], name: &str) -> Vec<(Value, Value)> {
    let bodies = bodies.iter().map(|body| serde_json::from_slice::<Value>(body).expect("JSON"));
    let mut all = Vec::new();
    for body in bodies {
        let metrics =
            body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().expect("metrics").clone();
        for metric in metrics.iter().filter(|metric| metric["name"] == name) {
            assert_eq!(metric["unit"], "s");
            let points = metric["histogram"]["dataPoints"].as_array().expect("a histogram");
            all.extend(points.iter().map(|point| (plain(&point["attributes"]), point.clone())));
        }
    }
    all
}

// rules: H5, H13, S3
#[test]
fn the_times_of_events_and_handlers_are_histograms_by_verdict_and_outcome() {
    let collector = Collector::start();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.address);
    let json = ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
    assert_eq!(fired(&place(), &["--otlp"], &[endpoint, json]).code, Some(2));
    let bodies = collector.bodies("/v1/metrics");
    assert!(bodies.iter().all(|body| !String::from_utf8_lossy(body).contains("private")));
    let events = points(&bodies, "becket.event.duration");
    let [(attributes, point)] = &events[..] else { panic!("one event: {events:?}") };
    assert_eq!(*attributes, json!({"becket.event": "PreToolUse", "becket.verdict": "deny"}));
    assert!(point["sum"].as_f64().is_some_and(|sum| (0.000_1..60.0).contains(&sum)), "{point}");
    let mut handlers = points(&bodies, "becket.handler.duration");
    handlers.sort_by_key(|(attributes, _)| attributes["becket.handler.label"].to_string());
    let seen: Vec<_> = handlers
        .iter()
        .map(|(attributes, _)| {
            ["label", "kind", "source"]
                .map(|name| attributes[format!("becket.handler.{name}")].clone())
                .into_iter()
                .chain(["becket.outcome", "becket.background"].map(|name| attributes[name].clone()))
                .collect::<Value>()
        })
        .collect();
    assert_eq!(
        seen,
        [
            json!(["sh deny.sh", "command", "project", "blocked", false]),
            json!(["sh later.sh", "command", "project", "success", true]),
        ]
    );
    let slow = handlers[1].1["sum"].as_f64();
    assert!(slow.is_some_and(|sum| sum >= 0.2), "it sleeps for 0.2 s, in seconds: {slow:?}");
    for (name, value) in [("OTEL_METRICS_EXPORTER", "none"), ("OTEL_SDK_DISABLED", "true")] {
        assert_eq!(fired(&place(), &["--otlp"], &[endpoint, json, (name, value)]).code, Some(2));
        assert!(collector.bodies("/v1/metrics").is_empty(), "{name}");
    }
    let only = format!("{}/v1/metrics", collector.address);
    let only = [("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &*only), ("CLAUDE_CODE_ENABLE_TELEMETRY", "1")];
    assert_eq!(fired(&place(), &[], &only).code, Some(2));
    let paths: Vec<String> = collector.requests.try_iter().map(|request| request.path).collect();
    assert!(!paths.is_empty() && paths.iter().all(|path| path == "/v1/metrics"), "{paths:?}");
}

/// The same place with an audit log, which managed settings switch on.
fn audited_place() -> TestEnv {
    let env = place();
    env.write("managed/managed-settings.json", json!({"audit": "required"}).to_string());
    env.write("project/deny.sh", "cat >/dev/null; echo token=hunter2hunter2: no pushes >&2; exit 2");
    env
}

/// The lines of the only log of the user.
fn lines(env: &TestEnv) -> Vec<String> {
    let directory = std::fs::read_dir(env.root().join("home/.becket/audit")).expect("a directory of logs");
    let mut files = directory.map(|entry| entry.expect("an entry").path());
    let log = files.find(|file| file.extension().is_some_and(|kind| kind == "jsonl")).expect("a log");
    std::fs::read_to_string(log).expect("a log").lines().map(str::to_owned).collect()
}

/// A value of OTLP in JSON as plain JSON.
fn plain(value: &Value) -> Value {
    let pairs = |pairs: &Value| -> Value {
        let pairs = pairs.as_array().expect("pairs").iter();
        pairs.map(|pair| (pair["key"].as_str().expect("a key").to_owned(), plain(&pair["value"]))).collect()
    };
    if value.is_array() {
        return pairs(value);
    }
    let (kind, inner) = value.as_object().and_then(|value| value.iter().next()).expect("one value");
    match &**kind {
        "intValue" => {
            inner.as_str().map_or_else(|| inner.clone(), |text| json!(text.parse::<i64>().expect("a number")))
        }
        "arrayValue" => inner["values"].as_array().expect("values").iter().map(plain).collect(),
        "kvlistValue" => pairs(&inner["values"]),
        _ => inner.clone(),
    }
}

/// A value without members that are `null`, which OpenTelemetry does not have.
fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(all) => {
            let all = all.iter().filter(|(_, value)| !value.is_null());
            all.map(|(name, value)| (name.clone(), without_null(value))).collect()
        }
        Value::Array(all) => all.iter().map(without_null).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The attributes that the copy of a line has.
fn expected(line: &str) -> Value {
    let mut line_json: Value = serde_json::from_str(line).expect("JSON");
    let fact = line_json.as_object_mut().expect("a record").remove("what").expect("a fact");
    let kind = line_json["kind"].as_str().expect("a kind").to_owned();
    let prefix = if kind == "verdict" { "becket.audit".to_owned() } else { format!("becket.audit.{kind}") };
    let mut all = json!({"becket.audit.hash": digest(line.as_bytes())});
    for (name, value) in without_null(&line_json).as_object().expect("a record") {
        all[format!("becket.audit.{name}")] = value.clone();
    }
    for (name, value) in without_null(&fact).as_object().expect("a fact") {
        let name = match &**name {
            "session" => "session.id".to_owned(),
            "event" => "becket.event".to_owned(),
            name => format!("{prefix}.{name}"),
        };
        all[name] = value.clone();
    }
    all
}

#[test]
fn each_audit_record_is_a_log_record_that_can_be_compared_with_its_line() {
    let (env, collector) = (audited_place(), Collector::start());
    let endpoint = format!("{}/v1/logs", collector.address);
    let variables = [
        ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", &*endpoint),
        ("CLAUDE_CODE_ENABLE_TELEMETRY", "1"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
    ];
    let ended = fired(&env, &[], &variables);
    assert_eq!((ended.code, ended.stderr.contains("warning")), (Some(2), false), "{ended:?}");
    let requests = collector.bodies("/v1/logs");
    let mut records = Vec::new();
    for body in &requests {
        assert!(!String::from_utf8_lossy(body).contains("hunter2"), "secrets are redacted as in the file");
        let body: Value = serde_json::from_slice(body).expect("JSON");
        records
            .extend(body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().expect("logs").clone());
    }
    let lines = lines(&env);
    assert_eq!(records.len(), lines.len(), "{records:?}");
    assert_eq!(lines.len(), 2, "a beginning and a verdict");
    for (record, line) in records.iter().zip(&lines) {
        assert_eq!(plain(&record["attributes"]), expected(line));
        let at: Value = serde_json::from_str(line).expect("JSON");
        let at: jiff::Timestamp = at["at"].as_str().expect("a time").parse().expect("a time");
        let nanoseconds = &record["timeUnixNano"];
        let nanoseconds = nanoseconds.as_str().map_or_else(|| nanoseconds.to_string(), str::to_owned);
        assert_eq!(nanoseconds, at.as_nanosecond().to_string());
    }
    assert_eq!(records[1]["eventName"], "becket.audit.verdict", "{records:?}");
    assert_eq!(records[1]["severityText"], "WARN");
    assert_eq!(plain(&records[1]["body"]), "PreToolUse of Bash: block (denied)");
    assert_eq!(records[0]["severityText"], "INFO");
}

#[test]
fn audit_records_are_exported_as_protocol_buffers_beside_spans_and_can_be_switched_off() {
    let (env, collector) = (audited_place(), Collector::start());
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.address);
    assert_eq!(fired(&env, &["--otlp"], &[endpoint]).code, Some(2));
    let requests: Vec<Request> = collector.requests.try_iter().collect();
    let of = |path: &str| requests.iter().filter(|request| request.path == path).collect::<Vec<_>>();
    assert!(!of("/v1/traces").is_empty());
    let logs = of("/v1/logs");
    assert!(logs.iter().all(|request| request.kind == "application/x-protobuf"));
    let scopes = logs.iter().flat_map(|request| parts(&request.body, 1)).flat_map(|part| parts(&part, 2));
    let records: Vec<_> = scopes.flat_map(|scope| parts(&scope, 2)).collect();
    let lines = lines(&env);
    assert_eq!(records.len(), lines.len());
    for (record, line) in records.iter().zip(&lines) {
        let text = String::from_utf8_lossy(record);
        assert!(text.contains(&digest(line.as_bytes())), "{text}");
    }
    let off = [endpoint, ("OTEL_LOGS_EXPORTER", "none")];
    assert_eq!(fired(&env, &["--otlp"], &off).code, Some(2));
    assert!(collector.bodies("/v1/logs").is_empty());
    env.write("managed/managed-settings.json", "{}");
    assert_eq!(fired(&env, &["--otlp"], &[endpoint]).code, Some(2));
    assert!(collector.bodies("/v1/logs").is_empty(), "there is no log without an audit");
}

#[test]
fn a_collector_that_is_missing_hangs_or_refuses_changes_no_verdict_and_one_line_tells_of_lost_records() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let silent = format!("http://{}", port.local_addr().expect("it is bound"));
    let closed = {
        let port = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        format!("http://{}", port.local_addr().expect("it is bound"))
    };
    let refusing = Collector::answering("403 Forbidden");
    for address in [&closed, &silent, &refusing.address] {
        let env = audited_place();
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &**address),
            ("OTEL_TRACES_EXPORTER", "none"),
            ("OTEL_METRICS_EXPORTER", "none"),
        ];
        let ended = fired(&env, &["--otlp"], &variables);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        let warnings: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("collector")).collect();
        assert_eq!(warnings.len(), 1, "{ended:?}");
        assert!(
            warnings[0].contains("2 of 2 audit records did not reach the collector, the file has them: "),
            "{ended:?}"
        );
        assert_eq!(lines(&env).len(), 2, "the file has them");
        let hook = as_hook(&env, address);
        assert_eq!(hook.code, Some(2), "{hook:?}");
        assert!(!hook.stderr.contains("collector"), "an agent reads its stderr: {hook:?}");
        assert_eq!(lines(&env).len(), 3);
    }
}

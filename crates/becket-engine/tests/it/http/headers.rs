//! The headers of a handler as the server receives them (H5).

use crate::common::{Project, bash, fire};
use crate::http::server::{ReceivedRequest, Server};
use crate::http::{failure, guard};
use becket_engine::Outcome;
use serde_json::{Value, json};

/// Posts with these headers and settings; `TOKEN`, `OTHER`, `LINES` and `EMPTY` are set.
fn posted(headers: Value, allowed: Value, managed: Value) -> (Option<ReceivedRequest>, Outcome) {
    let server = Server::ok("");
    let more = json!({"headers": headers, "allowedEnvVars": allowed});
    let project = Project::with(guard(&server.url("/"), more));
    project.write("managed/managed-settings.json", &managed.to_string());
    let environment = project
        .environment()
        .with_var("TOKEN", "t-0-k")
        .with_var("OTHER", "o-t-h")
        .with_var("LINES", "a\r\nX-Evil: 1\0b")
        .with_var("BELL", "a\u{7}b")
        .with_var("EMPTY", "");
    let engine = project.builder().environment(environment).build().unwrap();
    let outcome = fire(&engine, &project.event(bash("ls")));
    (server.seen().pop(), outcome)
}

fn value(headers: Value, allowed: Value, managed: Value) -> String {
    let (seen, outcome) = posted(headers, allowed, managed);
    assert_eq!(failure(&outcome), "");
    String::from_utf8(seen.unwrap().header("x").concat()).unwrap()
}

// rule: H5
#[test]
fn allowed_variables_are_filled_and_others_become_empty() {
    let all = json!(["TOKEN", "EMPTY", "UNSET"]);
    for (text, sent) in [
        ("Bearer $TOKEN", "Bearer t-0-k"),
        ("${TOKEN}", "t-0-k"),
        ("a${TOKEN}b$TOKEN-c", "at-0-kbt-0-k-c"),
        ("[$OTHER]", "[]"),
        ("[${OTHER}]", "[]"),
        ("[$EMPTY$UNSET]", "[]"),
        ("[$TOKENX]", "[]"),
        ("[$HOME$PATH]", "[]"),
        ("5$ $5 $ ${} ${5} ${TOKEN", "5$ $5 $ ${} ${5} ${TOKEN"),
        ("$$TOKEN", "$t-0-k"),
        ("${TO KEN}${TOKEN-x}", "${TO KEN}${TOKEN-x}"),
        ("%TOKEN% `TOKEN` $(TOKEN)", "%TOKEN% `TOKEN` $(TOKEN)"),
    ] {
        assert_eq!(value(json!({"X": text}), all.clone(), json!({})), sent, "{text}");
    }
    assert_eq!(value(json!({"X": "[$TOKEN]"}), json!([]), json!({})), "[]");
}

// rule: H5
#[test]
fn the_setting_narrows_the_list_and_never_widens_it() {
    let narrowed = |list: Value| {
        value(json!({"X": "[$TOKEN$OTHER]"}), json!(["TOKEN"]), json!({"httpHookAllowedEnvVars": list}))
    };
    assert_eq!(narrowed(json!(["TOKEN", "OTHER"])), "[t-0-k]");
    assert_eq!(narrowed(json!(["OTHER"])), "[]");
    assert_eq!(narrowed(json!([])), "[]");
}

// rules: H5, C3
#[test]
fn no_list_empties_a_header_of_a_handler_that_is_trusted_more() {
    let guard = |server: &Server| {
        guard(&server.url("/"), json!({"headers": {"X": "[$TOKEN]"}, "allowedEnvVars": ["TOKEN"]}))
    };
    let list = json!({"httpHookAllowedEnvVars": []});
    for (of_guard, of_list, sent) in
        [("home", "work", "[t-0-k]"), ("work", "home", "[]"), ("home", "home", "[]")]
    {
        let server = Server::ok("");
        let project = Project::new();
        let mut settings = guard(&server);
        if of_guard == of_list {
            settings["httpHookAllowedEnvVars"] = json!([]);
        } else {
            project.write(&format!("{of_list}/.claude/settings.json"), &list.to_string());
        }
        project.write(&format!("{of_guard}/.claude/settings.json"), &settings.to_string());
        let environment = project.environment().with_var("TOKEN", "t-0-k");
        let engine = project.builder().environment(environment).build().unwrap();
        let _outcome = fire(&engine, &project.event(bash("ls")));
        let seen = server.seen().pop().unwrap();
        assert_eq!(seen.header("x").concat(), sent.as_bytes(), "{of_guard} {of_list}");
    }
}

// rule: H5
#[test]
fn what_became_empty_is_said() {
    let managed = json!({"httpHookAllowedEnvVars": ["TOKEN", "UNSET"]});
    let (_, outcome) =
        posted(json!({"X": "$TOKEN$HIDDEN$OTHER$UNSET"}), json!(["TOKEN", "OTHER", "UNSET"]), managed);
    assert_eq!(
        outcome.runs[0].warnings,
        [
            "`$HIDDEN` in the header `x` is empty: add `HIDDEN` to the handler's `allowedEnvVars`",
            "`$OTHER` in the header `x` is empty: the setting `httpHookAllowedEnvVars` leaves it out",
            "`$UNSET` in the header `x` is empty: the variable is not set",
        ]
    );
}

// rule: H5
#[test]
fn nothing_breaks_out_of_its_line() {
    for (headers, allowed) in
        [(json!({"X": "$LINES"}), json!(["LINES"])), (json!({"X": "a\r\nX-Evil: 1\u{0}b"}), json!([]))]
    {
        let (seen, outcome) = posted(headers, allowed, json!({}));
        let seen = seen.unwrap();
        assert_eq!(seen.header("x"), [b"aX-Evil: 1b"]);
        assert_eq!(seen.header("x-evil"), Vec::<Vec<u8>>::new());
        assert_eq!(outcome.runs[0].warnings, ["line ends and NUL were removed from the header `x`"]);
    }
}

// rules: H5, S3
#[test]
fn what_no_header_can_hold_fails_by_the_headers_name() {
    for (headers, words) in [
        (json!({"X-Key": "$BELL"}), "the header `x-key` holds a character that no header can hold"),
        (json!({"X-Key": "hush\u{7f}"}), "the header `x-key` holds a character that no header can hold"),
        (json!({"X Key": "hush"}), "`X Key` is not a name of a header"),
        (json!({"X-Key: 1\r\nY": "hush"}), "`X-Key: 1\\r\\nY` is not a name of a header"),
        (json!({"": "hush"}), "`` is not a name of a header"),
        (json!({"Schlüssel": "hush"}), "`Schlüssel` is not a name of a header"),
    ] {
        let (seen, outcome) = posted(headers, json!(["BELL"]), json!({}));
        assert!(seen.is_none());
        assert_eq!(failure(&outcome), format!("its request failed: {words}"));
        assert_eq!(outcome.verdict.unchecked().count(), 1);
    }
}

// rule: H5
#[test]
fn what_the_body_or_the_connection_needs_is_the_engines() {
    let headers = json!({
        "Content-Type": "text/plain", "Content-Length": "1", "Host": "evil.example", "Connection": "close",
        "Transfer-Encoding": "chunked", "Accept-Encoding": "gzip", "Expect": "100-continue", "X": "kept",
    });
    let (seen, outcome) = posted(headers, json!([]), json!({}));
    let seen = seen.unwrap();
    assert_eq!(failure(&outcome), "");
    assert_eq!(seen.header("content-type"), [b"application/json"]);
    assert_eq!(seen.header("content-length"), [seen.body.len().to_string().into_bytes()]);
    assert!(seen.header("host")[0].starts_with(b"127.0.0.1:"));
    for left_out in ["connection", "transfer-encoding", "accept-encoding", "expect", "referer", "cookie"] {
        assert_eq!(seen.header(left_out), Vec::<Vec<u8>>::new(), "{left_out}");
    }
    assert_eq!(seen.header("x"), [b"kept"]);
    assert_eq!(outcome.runs[0].warnings.len(), 7, "{:?}", outcome.runs[0].warnings);
    let (_, outcome) = posted(json!({"content-type": "Application/JSON"}), json!([]), json!({}));
    assert_eq!(outcome.runs[0].warnings, Vec::<String>::new());
}

// rule: H14
#[test]
fn a_request_carries_the_mark_of_its_event_whatever_its_handler_says() {
    let (seen, outcome) = posted(json!({"Becket-Firing": "mine"}), json!([]), json!({}));
    assert_eq!(failure(&outcome), "");
    let marks = seen.unwrap().header("becket-firing");
    assert!(marks.len() == 1 && marks[0].len() == 32, "{marks:?}");
    assert!(marks[0].iter().all(u8::is_ascii_hexdigit), "{marks:?}");
}

// rule: H5
#[test]
fn a_handlers_own_words_win_where_nothing_depends_on_them() {
    let (seen, _) = posted(json!({"Accept": "a/b", "User-Agent": "me", "X": ""}), json!([]), json!({}));
    let seen = seen.unwrap();
    assert_eq!(
        (seen.header("accept"), seen.header("user-agent")),
        (vec![b"a/b".to_vec()], vec![b"me".to_vec()])
    );
    assert_eq!(seen.header("x"), [b""]);
    let (seen, outcome) = posted(json!({"X": "first", "x": "second"}), json!([]), json!({}));
    assert_eq!(seen.unwrap().header("x"), [b"second"]);
    assert!(outcome.runs[0].warnings[0].contains("the header `x` occurs twice"));
}

// rule: H5
#[test]
fn a_megabyte_of_headers_is_sent_as_it_is() {
    let many: serde_json::Map<String, Value> =
        (0..64).map(|n| (format!("X-{n}"), json!("y".repeat(16 << 10)))).collect();
    let (seen, outcome) = posted(many.into(), json!([]), json!({}));
    assert_eq!(failure(&outcome), "");
    assert!(seen.unwrap().raw.len() > 1 << 20);
}

// rule: H5
#[cfg(unix)]
#[test]
fn a_value_that_is_no_utf_8_is_sent_byte_for_byte() {
    use std::os::unix::ffi::OsStringExt;
    let server = Server::ok("");
    let more = json!({"headers": {"X": "$RAW"}, "allowedEnvVars": ["RAW"]});
    let project = Project::with(guard(&server.url("/"), more));
    let raw = std::ffi::OsString::from_vec(b"a\xff\xfeb".to_vec());
    let engine = project.builder().environment(project.environment().with_var("RAW", raw)).build().unwrap();
    assert_eq!(failure(&fire(&engine, &project.event(bash("ls")))), "");
    assert_eq!(server.seen()[0].header("x"), [b"a\xff\xfeb"]);
}

// rule: H5
#[test]
fn a_name_and_password_in_the_url_are_sent_as_basic() {
    let server = Server::ok("");
    let url = format!("http://ann:p%40ss@127.0.0.1:{}/x", server.port);
    for (more, sent) in [
        (json!({}), &b"Basic YW5uOnBAc3M="[..]),
        (json!({"headers": {"Authorization": "Bearer mine"}}), b"Bearer mine"),
    ] {
        let project = Project::with(guard(&url, more));
        assert_eq!(failure(&fire(&project.engine(), &project.event(bash("ls")))), "");
        assert_eq!(server.seen().pop().unwrap().header("authorization"), [sent]);
    }
}

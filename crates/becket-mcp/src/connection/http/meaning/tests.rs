use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Refusal {
    rule: String,
    name: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    session: bool,
    status: u16,
    body: String,
    is: String,
}

#[derive(Deserialize)]
struct Body {
    rule: String,
    r#type: Option<String>,
    body: String,
    is: String,
}

fn describe(meaning: Result<Message, Fault>, id: &RequestId) -> String {
    match meaning {
        Ok(JsonRpcMessage::Response(response)) => format!("answer to {}", response.id),
        Ok(JsonRpcMessage::Error(error)) => {
            assert_eq!(error.id.as_ref(), Some(id));
            format!("error {} {}", error.error.code.0, error.error.message)
        }
        Ok(JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_)) => "no answer".into(),
        Err(fault) => fault.to_string(),
    }
}

// rules: X1, X3, X4
#[test]
fn a_refusal_means_what_it_says() {
    let cases: Vec<Refusal> =
        serde_json::from_str(include_str!("../../../../tests/cases/http/refusals.json")).unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let id = RequestId::Number(3);
        let kind = if case.kind == "discover" { Kind::Discover } else { Kind::Other };
        let waits = (case.kind != "notice").then(|| id.clone());
        let asked = RequestContext { id: waits, kind, has_session: case.session };
        let meaning = of_refusal(case.status, case.body.as_bytes(), &asked);
        assert_eq!(describe(meaning, &id), case.is, "{}: {}", case.rule, case.name);
    }
}

// rule: X1
#[test]
fn a_body_is_an_answer_or_says_what_it_is_instead() {
    let cases: Vec<Body> =
        serde_json::from_str(include_str!("../../../../tests/cases/http/bodies.json")).unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let (id, kind) = (RequestId::Number(3), case.r#type.unwrap_or("application/json".into()));
        let text = describe(of_body(case.body.as_bytes(), Some(&kind), &id, &LostAnswers::default()), &id);
        assert!(text.starts_with(&case.is), "{}: {}: {text}", case.rule, case.body);
    }
}

// rule: X1
#[test]
fn what_is_shown_is_one_short_line() {
    assert_eq!(beginning(" a\r\n\tb  c "), "a b c");
    let long = beginning(&"ä ".repeat(5000));
    assert_eq!(long.chars().count(), SHOWN + 1);
    assert!(long.ends_with('…'));
}

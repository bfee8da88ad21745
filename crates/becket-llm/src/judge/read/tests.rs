use super::*;
use proptest::prelude::*;

fn ok(reason: Option<&str>) -> Verdict {
    Verdict { ok: true, reason: reason.map(str::to_owned), impossible: false }
}

// rules: H7, H8
#[test]
fn each_taken_form_is_read() {
    let plain = r#"{"reason": "fine", "ok": true}"#;
    for text in [
        plain.to_owned(),
        format!("\u{feff} \n{plain}\n"),
        format!("{plain}\n\nI hope this helps."),
        format!("```json\n{plain}\n```"),
        format!("```\n{plain}\n```\nDone."),
        format!("```JSON {plain}```"),
        format!("Here is my verdict:\n```json\n{plain}\n```"),
        format!("{plain} {plain}"),
        format!("```json\n{plain}"),
    ] {
        assert_eq!(read_verdict(&text), Ok(ok(Some("fine"))), "{text}");
    }
    assert_eq!(read_verdict(r#"{"ok":true}"#), Ok(ok(None)));
    assert_eq!(read_verdict(r#"{"ok":true,"reason":null,"impossible":null,"more":1}"#), Ok(ok(None)));
    let never = r#"{"reason":"no","ok":false,"impossible":true}"#;
    let verdict = Verdict { ok: false, reason: Some("no".into()), impossible: true };
    assert_eq!(read_verdict(never), Ok(verdict));
}

/// Returns the name of the variant.
fn name(error: &VerdictError) -> String {
    let debug = format!("{error:?}");
    debug.split([' ', '{']).next().unwrap_or_default().to_owned()
}

// rules: H7, H8
#[test]
fn everything_else_has_its_own_error() {
    for (text, expected) in [
        ("", "Empty"),
        (" \n\u{feff}", "Prose"),
        ("Yes, that is fine.", "Prose"),
        ("true", "Prose"),
        (r#"Sure! {"ok": true}"#, "NotAlone"),
        (r#"[{"ok": true}]"#, "NotAlone"),
        (r#"``` ``` {"ok": true}"#, "NotAlone"),
        (r#"{"ok": tru}"#, "Invalid"),
        (r#"{ok: true}"#, "Invalid"),
        (r#"{"reason": "fine", "ok": tr"#, "CutOff"),
        (r#"{"ok": true} {"ok": fal"#, "CutOff"),
        ("```json\n{\"reason\": \"half", "CutOff"),
        (r#"{"ok": true} {"ok": false}"#, "Several"),
        (r#"{"ok": true, "reason": "a"} {"ok": true, "reason": "b"}"#, "Several"),
        (r#"{"ok": "true"}"#, "Field"),
        (r#"{"ok": 1}"#, "Field"),
        (r#"{"ok": null}"#, "Field"),
        (r#"{"reason": "x"}"#, "Field"),
        (r#"{"ok": true, "reason": 1}"#, "Field"),
        (r#"{"ok": true, "impossible": "no"}"#, "Field"),
        (r#"{"ok": true, "ok": 1}"#, "Field"),
        (r#"{"ok": 1, "ok": true}"#, "Field"),
        (r#"{"ok": true, "impossible": true, "impossible": "x"}"#, "Field"),
        (r#"{"ok": true, "impossible": "x", "impossible": true}"#, "Field"),
        (r#"{"ok": true, "OK": false}"#, "Ambiguous"),
        (r#"{"ok": true, "then": {"ok": "False"}}"#, "Ambiguous"),
        (r#"{"ok": true} On reflection, {ok: false}."#, "Ambiguous"),
        (r#"{"ok": true} So **ok** = false"#, "Ambiguous"),
        ("{\"ok\": true}\n{'ok':\n\tfalse}", "Ambiguous"),
        ("{\"ok\": true}\n{\"ok\"\t: false, \"reason\": \"a raw\nline end\"}", "Ambiguous"),
        ("{\"ok\": true} ok\u{ff1a} false, ok => false", "Ambiguous"),
    ] {
        let error = read_verdict(text).expect_err(text);
        assert_eq!(name(&error), expected, "{text}");
        if expected != "Empty" {
            let start = text.trim().chars().take(5).collect::<String>();
            let quoted = becket_base::text::visible(start.trim());
            assert!(error.to_string().contains(&quoted), "{error} does not quote {text}");
        }
    }
}

#[test]
fn a_no_needs_no_harmony() {
    let text = r#"{"ok": false, "reason": "x"} which means ok: false"#;
    assert_eq!(read_verdict(text).map(|verdict| verdict.ok), Ok(false));
}

// rules: H7, O1
#[test]
fn the_strictest_of_duplicate_keys_counts_in_any_order() {
    for (text, ok, impossible) in [
        (r#"{"ok": false, "ok": true}"#, false, false),
        (r#"{"ok": true, "ok": false}"#, false, false),
        (r#"{"ok": false, "ok": null}"#, false, false),
        (r#"{"ok": null, "ok": false, "ok": true}"#, false, false),
        (r#"{"ok": true, "ok": true}"#, true, false),
        (r#"{"ok": false, "impossible": true, "impossible": false}"#, false, false),
        (r#"{"ok": false, "impossible": false, "impossible": true}"#, false, false),
        (r#"{"ok": false, "impossible": true, "impossible": true}"#, false, true),
    ] {
        assert_eq!(read_verdict(text), Ok(Verdict { ok, reason: None, impossible }), "{text}");
    }
}

#[test]
fn bounds_are_kept() {
    let nested =
        |levels: usize| format!("{}\"ok\":true{}", "{\"a\":".repeat(levels) + "{", "}".repeat(levels + 1));
    assert_eq!(name(&read_verdict(&nested(63)).unwrap_err()), "Field");
    assert_eq!(name(&read_verdict(&nested(64)).unwrap_err()), "TooDeep");
    assert_eq!(name(&read_verdict(&nested(500)).unwrap_err()), "TooDeep");
    let long = format!(r#"{{"ok":true,"reason":"{}"}}"#, "x".repeat(LONGEST));
    assert_eq!(name(&read_verdict(&long).unwrap_err()), "TooLong");
    let error = read_verdict(&"word ".repeat(10_000)).unwrap_err().to_string();
    assert!(error.len() < 400, "{} bytes", error.len());
}

#[test]
fn hostile_texts_take_no_long_time() {
    for piece in ["{", "{}", "``` ```{}", "{\"a\":", "{\"", "ok", "[{", "{\"a\":{}} "] {
        let text = piece.repeat(LONGEST / piece.len());
        assert!(read_verdict(&text).is_err());
    }
}

/// Generates texts that resemble verdicts.
fn near_verdicts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"ok\": true}".to_owned()),
        Just("{\"ok\": false}".to_owned()),
        Just("{\"reason\": \"r\", \"ok\": true}".to_owned()),
        Just("{\"ok\": false, \"ok\": true}".to_owned()),
        Just("\"ok\": true".to_owned()),
        prop::sample::select(vec![
            "```",
            "```json\n",
            "{",
            "}",
            "[",
            "]",
            "\"",
            ",",
            ":",
            "ok",
            "false",
            "true",
            "\\",
            "\n",
            " ",
            "é"
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Returns whether a top-level object of the text says no, found in a different way than by the reader: every start is
/// tried.
fn some_object_says_no(text: &str) -> bool {
    let mut at = 0;
    while let Some(offset) = text[at..].find('{') {
        let start = at + offset;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde_json::Value>();
        match stream.next() {
            Some(Ok(value)) if value["ok"] == false => return true,
            Some(Ok(_)) => at = start + stream.byte_offset(),
            Some(Err(_)) | None => at = start + 1,
        }
    }
    false
}

proptest! {
    // rules: H7, H8
    #[test]
    fn a_no_is_never_read_as_a_yes(text in near_verdicts()) {
        if some_object_says_no(&text) {
            prop_assert!(!matches!(read_verdict(&text), Ok(Verdict { ok: true, .. })), "{}", text);
        }
    }

    #[test]
    fn nothing_makes_it_panic(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_verdict(&text);
        let _ = read_verdict(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_reason_is_read_as_it_was_written(reason in ".{0,40}", ok: bool, impossible: bool) {
        let text = serde_json::json!({"reason": reason, "ok": ok, "impossible": impossible}).to_string();
        let verdict = Verdict { ok, reason: Some(reason), impossible };
        prop_assert_eq!(read_verdict(&text), Ok(verdict));
    }
}

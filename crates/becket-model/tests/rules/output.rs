//! Outputs of handlers and their meaning, case by case: `cases/output.json`.
//!
//! A case has `event`; `stdout` (text) or `json` (written as JSON) or `bytes`; `exit` (0), `stderr` (empty), `by`
//! (`mcp` for the text of an MCP tool, `object` for an answer that is JSON already), `lost` (bytes dropped past the
//! cap), `closed` (`onFailure: "block"`); and `want`, the complete expected result.

use crate::common::{cases, event, report, taken_words, text};
use becket_model::OnFailure;
use becket_model::interpret::{self, HandlerOutput, Interpretation, OutputOrigin};
use serde_json::{Value, json};

fn take(case: &Value) -> Interpretation {
    let spec = event(case).spec();
    if case["by"] == "object" {
        let answer = case["json"].as_object().unwrap().clone().into();
        return interpret::object(spec, &answer, on_failure(case));
    }
    let stdout: Vec<u8> = match (&case["stdout"], &case["json"], &case["bytes"]) {
        (Value::String(text), _, _) => text.as_bytes().to_vec(),
        (_, Value::Object(object), _) => serde_json::to_vec(object).unwrap(),
        (_, _, Value::Array(bytes)) => bytes.iter().map(|byte| byte.as_u64().unwrap() as u8).collect(),
        _ => Vec::new(),
    };
    let by = if case["by"] == "mcp" { OutputOrigin::McpText } else { OutputOrigin::Command };
    let exit = case["exit"].as_i64().unwrap_or(0) as i32;
    let stderr = case["stderr"].as_str().unwrap_or("").as_bytes();
    let lost = case["lost"].as_u64().unwrap_or(0);
    interpret::printed(
        spec,
        &HandlerOutput { exit, stdout: &stdout, lost, stderr, by, on_failure: on_failure(case) },
    )
}

fn on_failure(case: &Value) -> OnFailure {
    if case["closed"] == true { OnFailure::Block } else { OnFailure::Continue }
}

#[test]
fn outputs_are_taken_as_the_rules_say() {
    // rules: O1, O2, O3, O4, O5, O6, O7, O9, O10, O11, A2, H6
    let cases = cases("output.json");
    let failed = cases
        .iter()
        .filter_map(|case| {
            let got = taken_words(&take(case));
            (got != case["want"]).then(|| {
                format!("[{}] {}\n  want {}\n  got  {got}", case["rule"], text(case, "name"), case["want"])
            })
        })
        .collect();
    report(failed, cases.len(), 120);
}

#[test]
fn an_answer_after_the_cap_is_noted_as_unchecked() {
    // rules: O1, O10, H3
    let taken = take(&json!({"event": "PreToolUse", "stdout": "    ", "lost": 9}));
    let notice = taken.reply.notices.first().unwrap();
    assert!(notice.unchecked && notice.text.starts_with("the end of its output was not read"), "{notice:?}");
    assert_eq!(taken.warnings, std::slice::from_ref(&notice.text));
}

#[test]
fn nesting_beyond_the_parsers_depth_is_a_failure_and_no_overflow() {
    // rules: O1, O10
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let case = json!({"event": "PreToolUse", "stdout": deep});
    let failure = take(&case).failure.unwrap();
    assert!(failure.is_unchecked() && failure.to_string().contains("recursion limit"), "{failure}");
    let blocked = take(&json!({"event": "PreToolUse", "stdout": deep, "exit": 2, "stderr": "no"}));
    assert!(blocked.failure.is_none() && blocked.reply.decision.is_some());
}

#[test]
fn every_code_that_names_no_answer_is_unchecked_and_every_other_is_a_plain_error() {
    // rules: O4, O10
    for exit in (-3..=300).filter(|exit| ![0, 2].contains(exit)) {
        let failure = take(&json!({"event": "PreToolUse", "exit": exit, "stderr": "x"})).failure.unwrap();
        let expected = matches!(exit, 126 | 127 | 255) || (129..=192).contains(&exit);
        assert_eq!(failure.is_unchecked(), expected, "exit {exit}: {failure}");
    }
}

#[test]
fn exit_2_blocks_exactly_where_the_table_says_whatever_is_printed() {
    // rules: O3, O5
    let outputs = [
        "",
        "text",
        "{}",
        "{broken}",
        r#"{"continue":"no"}"#,
        r#"{"decision":"approve"}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"Nope","permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
        "{\"async\":true}\n{}",
    ];
    for kind in becket_model::EventKind::ALL {
        for stdout in outputs {
            let taken = take(&json!({"event": kind.name(), "stdout": stdout, "exit": 2, "stderr": "why"}));
            let blocks = taken.reply.decision.is_some();
            assert_eq!(blocks, kind.spec().exit_2.effect.blocks(), "{kind} printed {stdout}");
            assert!(!blocks || taken.failure.is_none(), "{kind} printed {stdout}");
        }
    }
}

#[test]
fn nothing_that_is_printed_makes_the_reader_panic() {
    // rules: O1, O11
    let seeds: [&[u8]; 8] = [
        br#"{"a":"\ud83d\ude00\ud800","b":"\\ud800"}"#,
        b"{\"x\":\"\\",
        b"\xef\xbb\xbf{\xff",
        b"{\"\\u",
        b"\x1b]0;x",
        b"{\"async\":true,\"asyncTimeout\":1e308}\n",
        "{\"\\é\":1}".as_bytes(),
        b"\n\n  {\n\"a\": 1,,}",
    ];
    for seed in seeds {
        for end in 0..=seed.len() {
            for exit in [0, 1, 2, 127] {
                for kind in becket_model::EventKind::ALL {
                    for on_failure in [OnFailure::Continue, OnFailure::Block] {
                        let nothing = HandlerOutput::nothing(OutputOrigin::Command);
                        let stdout = &seed[..end];
                        let output = HandlerOutput { exit, stdout, stderr: seed, on_failure, ..nothing };
                        interpret::printed(kind.spec(), &output);
                    }
                }
            }
        }
    }
}

#[test]
fn an_announcement_is_the_first_line_alone() {
    // rule: A2
    let seconds = |stdout: &str| {
        interpret::announcement(stdout.as_bytes())
            .map(|line| (line.limit.as_secs_f64(), line.warning.is_some()))
    };
    assert_eq!(seconds("{\"async\": true}\nmore"), Some((15.0, false)));
    assert_eq!(seconds("\u{feff} {\"async\":true,\"asyncTimeout\":0.5}\r\n"), Some((0.5, false)));
    assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":999}"), Some((999.0, false)));
    assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":1000}"), Some((1.0, true)));
    assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":30000}"), Some((30.0, true)));
    assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":null}"), Some((15.0, false)));
    for answer in [
        "",
        "{\"async\": false}",
        "{\"async\": 1}",
        "text\n{\"async\":true}",
        "{\"async\":true,\"asyncTimeout\":-1}",
        "{\"async\":true,\"asyncTimeout\":0}",
        "{\"async\":true,\"asyncTimeout\":\"5\"}",
        "{\"async\":true,\"decision\":\"block\"}",
        "{\"asyncTimeout\":5}",
    ] {
        assert_eq!(seconds(answer), None, "{answer}");
    }
    assert_eq!(interpret::announcement(b"{\"async\":true}\n{}").unwrap().length, 15);
}

#[test]
fn a_callbacks_failure_fails_closed_on_calls_and_prompts() {
    // rule: H9
    for kind in becket_model::EventKind::ALL {
        let closes = ["PreToolUse", "UserPromptSubmit", "UserPromptExpansion"].contains(&kind.name());
        assert_eq!(OnFailure::of_callback(kind.spec()).closes(kind.spec()), closes, "{kind}");
    }
}

#[test]
fn a_models_not_ok_does_what_the_table_says() {
    // rules: H7, H8
    let failed = cases("judged.json")
        .iter()
        .filter_map(|case| {
            let answer = interpret::ModelAnswer {
                ok: case["ok"].as_bool().unwrap_or(false),
                reason: case["reason"].as_str().map(str::to_owned),
                impossible: case["impossible"].as_bool().unwrap_or(false),
            };
            let go_on = case["continueOnBlock"].as_bool().unwrap_or(false);
            let got = Value::Object(crate::common::reply_words(&interpret::judged(
                event(case).spec(),
                answer,
                go_on,
            )));
            (got != case["want"]).then(|| format!("{case}\n  got {got}"))
        })
        .collect();
    report(failed, cases("judged.json").len(), 25);
}

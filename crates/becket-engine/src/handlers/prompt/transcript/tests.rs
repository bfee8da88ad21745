use super::*;
use becket_model::Session;
use becket_model::event::agents::SubagentStop;
use becket_model::event::lifecycle::Stop;
use proptest::prelude::*;
use serde_json::json;

fn stop(transcript: &Path) -> Event {
    let body: Stop = serde_json::from_value(json!({"stop_hook_active": false})).unwrap();
    Event::new(Session::new("s", transcript, "/"), body)
}

/// The texts that are read from a transcript with these lines.
fn read(lines: &[u8]) -> Option<Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.jsonl");
    std::fs::write(&file, lines).unwrap();
    Transcripts.of(&stop(&file)).map(|messages| messages.iter().map(text).collect())
}

fn text(message: &Message) -> String {
    message.content.iter().filter_map(Block::as_text).collect()
}

#[test]
fn messages_of_both_sides_are_read_and_all_else_is_passed_over() {
    // rule: H7
    let lines = [
        r#"{"type":"summary","summary":"x"}"#,
        r#"{"type":"user","message":{"role":"user","content":"one"}}"#,
        r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"side"}}"#,
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"two"},{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}},{"type":"new_kind"}]}}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"out","is_error":true}]}}"#,
        "not json",
        r#"{"type":"system","content":"x"}"#,
        r#"{"role":"user","content":"three"}"#,
        r#"{"type":"user","message":{"role":"tool","content":"x"}}"#,
        r#"{"type":"user","message":7}"#,
        "[1]",
        "",
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","te"#,
    ];
    assert_eq!(read(lines.join("\n").as_bytes()).unwrap(), ["one", "two", "", "three"]);
}

#[test]
fn only_the_end_of_a_large_file_is_read() {
    // rule: H7
    let mut lines = vec![b' '; 1 << 20];
    lines.push(b'\n');
    for n in 0..60 {
        let line = json!({"role": "user", "content": format!("{n} {}", "x".repeat(100_000))});
        lines.extend(line.to_string().bytes());
        lines.push(b'\n');
    }
    let texts = read(&lines).unwrap();
    assert!(texts.len() < 45 && texts.last().unwrap().starts_with("59 "), "{}", texts.len());
    let many = "{\"role\":\"user\",\"content\":\"x\"}\n".repeat(1_000);
    assert_eq!(read(many.as_bytes()).unwrap().len(), MOST_MESSAGES + 1);
}

#[test]
fn a_subagent_has_a_transcript_of_its_own() {
    // rule: H7
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("agent.jsonl");
    let line = r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"mine"}}"#;
    std::fs::write(&own, line).unwrap();
    let body: SubagentStop = serde_json::from_value(json!({"stop_hook_active": false, "agent_id": "a",
        "agent_type": "Explore", "agent_transcript_path": own}))
    .unwrap();
    let messages = Transcripts.of(&Event::new(Session::new("s", "/none", "/"), body)).unwrap();
    assert_eq!(text(&messages[0]), "mine");
}

#[test]
fn what_is_no_file_is_no_conversation() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Transcripts.of(&stop(dir.path())), None);
    assert_eq!(Transcripts.of(&stop(&dir.path().join("missing"))), None);
    assert_eq!(Transcripts.of(&stop(Path::new("/dev/zero"))), None);
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_hold_the_reader() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(Transcripts.of(&stop(&pipe)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes).is_some());
    }
}

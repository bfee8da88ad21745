//! Read with real files.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::{Tree, object, pipe};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

fn at(tree: &Tree, path: &str) -> String {
    tree.base.join(path).display().to_string()
}

// rules: H8, N3
#[tokio::test]
async fn an_answer_has_the_shape_that_hooks_know() {
    let tree = Tree::new();
    let path = at(&tree, "work/a.txt");
    let answer = tree.host().call("Read", json!({"file_path": path})).await;
    assert_eq!((answer.text.as_str(), answer.is_error), ("     1\tone\n     2\ttwo\n", false));
    let file =
        json!({"filePath": path, "content": "one\ntwo", "numLines": 2, "startLine": 1, "totalLines": 2});
    assert_eq!(answer.response.to_string(), json!({"type": "text", "file": file}).to_string());
}

// rule: H8
#[tokio::test]
async fn what_is_shown_and_what_is_not_is_said() {
    let tree = Tree::new();
    tree.write("work/empty", "");
    tree.write("work/no-end", "a\nb");
    tree.write("work/crlf", "\u{feff}a\r\nb\r\n");
    tree.write("work/latin", b"gr\xfc\xdf\n");
    tree.write("work/five", "1\n2\n3\n4\n5\n");
    tree.write("work/many", "x\n".repeat(2_001));
    tree.write("work/wide", format!("{}\n{}\n", "€".repeat(2_001), "y".repeat(2_000)));
    tree.write("work/big", format!("{}\n", "z".repeat(1_000)).repeat(300));
    let cut = "€".repeat(2_000);
    let y = "y".repeat(2_000);
    for (name, more, text) in [
        ("empty", json!({}), "[the file is empty]\n".to_owned()),
        ("no-end", json!({}), "     1\ta\n     2\tb\n".to_owned()),
        ("crlf", json!({}), "     1\ta\n     2\tb\n".to_owned()),
        ("latin", json!({}), "     1\tgr\u{fffd}\u{fffd}\n".to_owned()),
        ("five", json!({"offset": 4}), "     4\t4\n     5\t5\n".to_owned()),
        ("five", json!({"offset": 0, "limit": 1}), head("     1\t1\n", 1, 1, 5)),
        ("five", json!({"offset": 2, "limit": 2}), head("     2\t2\n     3\t3\n", 2, 3, 5)),
        ("five", json!({"offset": 6}), "[the file has 5 lines: line 6 is past its end]\n".to_owned()),
        (
            "five",
            json!({"offset": u64::MAX}),
            format!("[the file has 5 lines: line {} is past its end]\n", u64::MAX),
        ),
        (
            "wide",
            json!({}),
            format!("     1\t{cut}\n     2\t{y}\n[lines longer than 2000 characters are cut: 1]\n"),
        ),
    ] {
        let input = merged(json!({"file_path": at(&tree, &format!("work/{name}"))}), more);
        let answer = tree.host().call("Read", input.clone()).await;
        assert_eq!((answer.text, answer.is_error), (text, false), "{input}");
    }
    let many = tree.host().call("Read", json!({"file_path": at(&tree, "work/many")})).await;
    assert!(
        many.text
            .ends_with("  2000\tx\n[lines 1 to 2000 of 2001 are shown: use offset and limit for others]\n")
    );
    let big = tree.host().call("Read", json!({"file_path": at(&tree, "work/big"), "limit": 100_000})).await;
    assert!(
        big.text.ends_with(
            "[lines 1 to 261 of 300 are shown, 256 KiB at most: use offset and limit for others]\n"
        )
    );
    assert_eq!(big.response["file"]["totalLines"], 300);
}

fn head(lines: &str, from: usize, to: usize, total: usize) -> String {
    format!("{lines}[lines {from} to {to} of {total} are shown: use offset and limit for others]\n")
}

fn merged(mut into: Value, more: Value) -> Value {
    into.as_object_mut().unwrap().extend(object(more));
    into
}

// rule: H8
#[tokio::test]
async fn what_can_t_be_read_is_refused_by_name() {
    let tree = Tree::new();
    tree.write("work/pic.png", "no picture at all");
    tree.write("work/doc.PDF", "%PDF");
    tree.write("work/binary", b"ELF\0\x01");
    tree.write("work/late", [vec![b'a'; 10_000], vec![0]].concat());
    tree.write("work/main.rs", "");
    pipe(&tree.base.join("work/pipe"));
    for (path, said) in [
        ("work/pic.png", "is an image"),
        ("work/doc.PDF", "is a PDF file"),
        ("work/binary", "is a binary file"),
        ("work/late", "is a binary file"),
        ("work/sub", "is a directory: use Glob"),
        ("work/pipe", "is a device, a pipe or a socket"),
        ("work/main.sr", "did you mean"),
        ("work/main.py", "did you mean"),
        ("work/dangling", "there is no file"),
        ("work/nosuch/x", "does not exist"),
        ("work/a.txt/x", "can't be read"),
    ] {
        let call = tree.host();
        let input = json!({"file_path": at(&tree, path)});
        let answer = tokio::time::timeout(Duration::from_secs(60), call.call("Read", input)).await.unwrap();
        assert!(answer.is_error && answer.text.contains(said), "{path}: {}", answer.text);
        assert!(answer.text.contains(path.rsplit('/').next().unwrap()), "{path}: {}", answer.text);
    }
    let hint = tree.host().call("Read", json!({"file_path": at(&tree, "work/main.sr")})).await.text;
    assert!(hint.ends_with(&format!("did you mean `{}`?", at(&tree, "work/main.rs"))), "{hint}");
    let below = tree.host().call("Read", json!({"file_path": "/sub/b.txt"})).await.text;
    assert!(below.ends_with(&format!("did you mean `{}`?", at(&tree, "work/sub/b.txt"))), "{below}");
    for device in ["/dev/zero", "/dev/tty", "/dev/stdin"] {
        let call = tree.host();
        let input = json!({"file_path": device});
        let answer = tokio::time::timeout(Duration::from_secs(60), call.call("Read", input)).await.unwrap();
        assert!(answer.is_error, "{device}");
    }
}

// rule: N3
#[tokio::test]
async fn a_relative_path_passes_the_schema_since_the_engine_makes_it_absolute_and_is_refused_after() {
    let tree = Tree::new();
    let host = tree.host();
    assert_eq!(host.tools.check("Read", &object(json!({"file_path": "a.txt"}))), Ok(()));
    let answer = host.call("Read", json!({"file_path": "a.txt"})).await;
    assert_eq!(answer.text, "`file_path` must be an absolute path, not `a.txt`");
}

// rule: N3
#[test]
fn the_schemas_are_those_of_the_field_and_hold_no_defaults() {
    let tools = Tree::new().host().tools;
    let fields = |tool: &str| -> Vec<String> {
        let specs = tools.specs();
        let spec = specs.iter().find(|spec| spec.name == tool).unwrap();
        assert!(!spec.description.is_empty());
        spec.input_schema["properties"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(fields("Read"), ["file_path", "offset", "limit"]);
    assert_eq!(fields("Glob"), ["pattern", "path"]);
    assert_eq!(fields("Bash"), ["command", "timeout", "description", "run_in_background"]);
    let grep = [
        "pattern",
        "path",
        "glob",
        "output_mode",
        "-B",
        "-A",
        "-C",
        "-n",
        "-i",
        "type",
        "head_limit",
        "offset",
    ];
    assert_eq!(fields("Grep"), [&grep[..], &["multiline"]].concat());
    let specs = tools.specs();
    assert_eq!(
        specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(),
        ["Read", "Grep", "Glob", "Bash"]
    );
    for spec in &specs {
        assert_eq!(tools.defaults(&spec.name), object(json!({})), "{}", spec.name);
    }
    assert_eq!(tools.check("Edit", &object(json!({"x": 1}))), Ok(()), "a tool of somebody else's");
}

// rule: D11
#[test]
fn a_response_that_a_hook_rewrote_is_shown_if_it_has_the_shape() {
    let host = Tree::new().host();
    let file = json!({"filePath": "/x", "content": "a\nb", "numLines": 2, "startLine": 3, "totalLines": 9});
    let shown = host.text_of("Read", &json!({"type": "text", "file": file}));
    assert_eq!(shown.as_deref(), Some("     3\ta\n     4\tb\n"));
    for response in [json!("a"), json!({"type": "image"}), json!({"type": "text", "file": {"content": "a"}})]
    {
        assert_eq!(host.text_of("Read", &response), None, "{response}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // rule: H8
    #[test]
    fn a_page_is_the_lines_that_were_asked_for_and_bounded(
        lines in prop::collection::vec("[a-zé \r]{0,60}", 0..60),
        times in 1_usize..400,
        end in any::<bool>(),
        offset in 0_usize..80,
        limit in 1_usize..3_000,
    ) {
        let tree = Tree::new();
        let all: Vec<String> = lines.iter().cycle().take(lines.len() * times).cloned().collect();
        let text = all.join("\n") + if end && !all.is_empty() { "\n" } else { "" };
        let path = tree.write("work/text", &text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let input = json!({"file_path": path, "offset": offset, "limit": limit});
        let answer = runtime.block_on(tree.host().call("Read", input));
        prop_assert!(!answer.is_error);
        let file = &answer.response["file"];
        let content = file["content"].as_str().unwrap();
        let mut whole: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        // A text after the last newline is a line only if it is not empty.
        if text.is_empty() || text.ends_with('\n') {
            whole.pop();
        }
        let wanted = whole.get(offset.max(1) - 1..).unwrap_or_default();
        let wanted = wanted.get(..limit).unwrap_or(wanted);
        let shown: Vec<&str> = if file["numLines"] == 0 { Vec::new() } else { content.split('\n').collect() };
        prop_assert_eq!(file["totalLines"].as_u64().unwrap() as usize, whole.len());
        prop_assert!(content.len() <= 256 << 10);
        prop_assert_eq!(&shown[..], &wanted[..shown.len()]);
        // Fewer lines than requested only if there is no room.
        prop_assert!(shown.len() == wanted.len() || content.len() + 2_000 > 256 << 10);
    }
}

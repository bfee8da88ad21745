use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::spill::kept;
use super::*;
use crate::content::Content;

const PNG: &str = "iVBORw0KGgo=";
const PNG_BYTES: &[u8] = b"\x89PNG\r\n\x1a\n";

fn answer(blocks: &[Value]) -> CallResult {
    let content = blocks.iter().cloned().map(Content::new).collect();
    CallResult { content, structured: None, is_error: false }
}

fn small() -> OutputCaps {
    OutputCaps { text: 20, beginning: 5, blocks: 3, ..OutputCaps::default() }
}

fn files(dir: &Path) -> usize {
    fs::read_dir(dir).map_or(0, Iterator::count)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    blocks: Vec<Value>,
    #[serde(default)]
    structured: Option<Value>,
    /// Text, or `{type: data}` for an image. `FILE` is replaced by the next file.
    shown: Vec<Value>,
    /// The extension and the bytes of each file, as Latin-1.
    #[serde(default)]
    files: Vec<(String, String)>,
    /// The value for hooks, if it differs from the blocks.
    #[serde(default)]
    tool_response: Option<Value>,
}

#[test]
fn answers_as_the_cases_say() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/cases/output.json")).unwrap();
    for case in cases {
        let dir = tempfile::tempdir().unwrap();
        let (blocks, structured) = (case.blocks, case.structured);
        let result = CallResult { structured, ..answer(&blocks) };
        let limited = result.limited(&small(), &dir.path().join("new"));
        let mut names = limited.files.iter().map(|path| path.display().to_string());
        let expected: Vec<ShownPart> = case.shown.iter().map(|shown| expected(shown, &mut names)).collect();
        assert_eq!(limited.shown, expected, "{}", case.name);
        let kept: Vec<(String, String)> = limited.files.iter().map(|path| file(path)).collect();
        assert_eq!(kept, case.files, "{}", case.name);
        assert_eq!(
            result.tool_response(),
            case.tool_response.unwrap_or(Value::Array(blocks)),
            "{}",
            case.name
        );
        assert!(limited.text().lines().all(|line| !line.contains("iVBOR")), "{}", case.name);
    }
}

fn expected(shown: &Value, names: &mut impl Iterator<Item = String>) -> ShownPart {
    let Value::Object(image) = shown else {
        let text = shown.as_str().unwrap();
        return ShownPart::Text(if text.contains("FILE") {
            text.replace("FILE", &names.next().unwrap())
        } else {
            text.to_owned()
        });
    };
    let kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let (kind, data) = image.iter().next().unwrap();
    let media_type = kinds.into_iter().find(|known| known == kind).unwrap();
    ShownPart::Image { media_type, data: data.as_str().unwrap().to_owned() }
}

fn file(path: &Path) -> (String, String) {
    let ending = path.extension().unwrap().to_str().unwrap().to_owned();
    (ending, fs::read(path).unwrap().into_iter().map(char::from).collect())
}

// rule: X5
#[cfg(unix)]
#[test]
fn files_are_the_users_alone_and_never_written_over() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("a/b");
    let long = answer(&[json!({"type": "text", "text": "x".repeat(21)})]);
    let first = long.limited(&small(), &place);
    let second = long.limited(&small(), &place);
    assert_ne!(first.files, second.files);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&first.files[0]), mode(&place), mode(&dir.path().join("a"))), (0o600, 0o700, 0o700));
    assert_eq!(files(&place), 2);
}

// rule: X5
#[test]
fn a_name_that_is_taken_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = kept(dir.path(), "txt", |_| Ok(())).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let (stem, number) = name.rsplit_once('-').unwrap();
    // Other tests increase the number as well: all next names are links to another place.
    let number: u64 = number.parse().unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, "safe").unwrap();
    for next in number + 1..number + 50 {
        let link = dir.path().join(format!("{stem}-{next}.txt"));
        #[cfg(unix)]
        std::os::unix::fs::symlink(&elsewhere, link).unwrap();
        #[cfg(not(unix))]
        fs::copy(&elsewhere, link).unwrap();
    }
    let path = kept(dir.path(), "txt", |file| file.write_all(b"new")).unwrap();
    assert_eq!((fs::read(path).unwrap(), fs::read(elsewhere).unwrap()), (b"new".to_vec(), b"safe".to_vec()));
}

// rule: X5
#[test]
fn what_can_not_be_written_whole_is_not_there_and_the_text_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let full = kept(dir.path(), "txt", |file| {
        file.write_all(b"half")?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    });
    assert!(matches!(full, Err(SpillError::Write { .. })));
    assert_eq!(files(dir.path()), 0);

    let no_dir = dir.path().join("file");
    fs::write(&no_dir, "").unwrap();
    let text = "0123456789".repeat(3);
    let sound = json!({"type": "audio", "data": "eA==", "mimeType": "audio/wav"});
    let limited = answer(&[json!({"type": "text", "text": text}), sound]).limited(&small(), &no_dir);
    assert_eq!((limited.files.len(), limited.problems.len()), (0, 2));
    assert!(matches!(&limited.problems[..], [SpillError::Write { .. }, SpillError::Write { .. }]));
    let shown = limited.text();
    // As much as would be shown in full elsewhere, since no file has the rest.
    assert!(
        shown.starts_with(
            "01234567890123456789…\n\n[This is the beginning of 30 characters. The rest is lost: can't write"
        ),
        "{shown}"
    );
    assert!(shown.contains("[left out: can't write"), "{shown}");
}

// rule: X5
#[test]
fn one_answer_fills_no_disk() {
    let dir = tempfile::tempdir().unwrap();
    let caps = OutputCaps { files: ByteCap::bytes(25), ..small() };
    let bytes = |ending: &str| json!({"type": "audio", "data": "eHh4eHh4eHh4eHh4", "mimeType": format!("audio/{ending}")});
    let text = json!({"type": "text", "text": "x".repeat(21)});
    let limited = answer(&[bytes("wav"), bytes("ogg"), bytes("flac"), text]).limited(&caps, dir.path());
    assert_eq!((limited.files.len(), files(dir.path())), (2, 2));
    let problems: Vec<String> = limited.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "audio has 12 bytes, more than the 1 that may still be written for this answer",
            "the text has 21 bytes, more than the 1 that may still be written for this answer"
        ]
    );
}

// rule: X5
#[test]
fn images_have_caps_each_and_together() {
    let image = |more: usize| {
        let bytes = [PNG_BYTES, &vec![b'x'; more][..]].concat();
        json!({"type": "image", "data": super::media::encoded(&bytes), "mimeType": "image/png"})
    };
    for (each, all, sizes, shown) in [
        (20, 1_000, [12, 13, 0], [true, false, true]),
        (1_000, 40, [12, 12, 0], [true, true, false]),
        (1_000, 40, [12, 13, 0], [true, false, true]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let caps = OutputCaps { image: ByteCap::bytes(each), images: ByteCap::bytes(all), ..small() };
        let limited = answer(&sizes.map(image)).limited(&caps, dir.path());
        let got: Vec<bool> =
            limited.shown.iter().map(|shown| matches!(shown, ShownPart::Image { .. })).collect();
        assert_eq!(got, shown, "{each} {all}");
        assert_eq!(files(dir.path()), shown.iter().filter(|shown| !**shown).count());
        for path in &limited.files {
            assert!(fs::read(path).unwrap().starts_with(PNG_BYTES) && path.extension().unwrap() == "png");
        }
    }
}

// rule: X5
#[test]
fn the_caps_are_exact_and_count_characters() {
    let dir = tempfile::tempdir().unwrap();
    let text = |length: usize| answer(&[json!({"type": "text", "text": "ü".repeat(length)})]);
    let caps = OutputCaps::default();
    assert_eq!(text(200_000).limited(&caps, dir.path()).files.len(), 0);
    let limited = text(200_001).limited(&caps, dir.path());
    assert_eq!(fs::read_to_string(&limited.files[0]).unwrap().chars().count(), 200_001);
    assert!(limited.text().starts_with(&format!("{}…", "ü".repeat(10_000))));
    assert!(limited.text().contains("200001 characters") && limited.text().len() < 21_000);
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacement {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    value: Value,
    #[serde(default)]
    content: Option<Vec<Value>>,
    #[serde(default)]
    structured: Option<Value>,
    #[serde(default)]
    error: Option<String>,
}

#[test]
fn replacements_as_the_cases_say() {
    let cases: Vec<Replacement> =
        serde_json::from_str(include_str!("../../tests/cases/replacements.json")).unwrap();
    for case in cases {
        let got = CallResult::replacement(case.value).map_err(|error| error.to_string());
        let expected = match (case.content, case.error) {
            (Some(content), None) => Ok(CallResult { structured: case.structured, ..answer(&content) }),
            (None, Some(error)) => Err(error),
            (Some(_), Some(_)) | (None, None) => panic!("{}: `content` or `error`", case.name),
        };
        assert_eq!(got, expected, "{}", case.name);
    }
}

// rule: X8
#[test]
fn a_resource_that_was_read_is_limited_as_an_answer_is() {
    use crate::resource::{ResourceBody, ResourceContents};
    let read =
        |body| ResourceContents { uri: "a:b".into(), mime_type: Some("image/png".into()), body, meta: None };
    let contents = [ResourceBody::Text("t".into()), ResourceBody::Blob(PNG.into())];
    let content = contents.map(|body| read(body).into_content()).into();
    let result = CallResult { content, structured: None, is_error: false };
    let dir = tempfile::tempdir().unwrap();
    let image = ShownPart::Image { media_type: "image/png", data: PNG.to_owned() };
    let expected = [ShownPart::Text("[resource `a:b`]\nt".into()), image];
    assert_eq!(result.limited(&OutputCaps::default(), dir.path()).shown, expected);
}

//! The input of a tool call as hooks see it: paths absolute and normal, defaults filled in (N3).

use crate::host::tool_set::ToolSet;
use becket_model::{Event, EventBody};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// Tools whose `file_path` is made absolute before hooks see it.
const WITH_FILE_PATH: [&str; 3] = ["Read", "Edit", "Write"];

/// Returns the event with its tool input normalized; unchanged, and not copied, if it is normal already. A batch keeps
/// the model's own input.
pub(crate) fn normalize<'a>(event: &'a Event, tools: &ToolSet, home: Option<&Path>) -> Cow<'a, Event> {
    let Some((tool, input)) = event.body.tool_call() else { return Cow::Borrowed(event) };
    let path = normal_file_path(tool, input, &event.session.cwd, home);
    let missing: Vec<(String, Value)> =
        tools.defaults(tool).into_iter().filter(|(name, _)| !input.contains_key(name)).collect();
    if path.is_none() && missing.is_empty() {
        return Cow::Borrowed(event);
    }
    let mut event = event.clone();
    if let Some(input) = input_mut(&mut event.body) {
        if let Some(path) = path {
            input.insert("file_path".to_owned(), Value::String(path));
        }
        input.extend(missing);
    }
    Cow::Owned(event)
}

/// Returns the same event with another input (D9).
pub(crate) fn with_input(event: &Event, input: &Map<String, Value>) -> Event {
    let mut event = event.clone();
    if let Some(slot) = input_mut(&mut event.body) {
        slot.clone_from(input);
    }
    event
}

pub(crate) fn input_mut(body: &mut EventBody) -> Option<&mut Map<String, Value>> {
    // The five tool events of `EventBody::tool_call`; a sixth would have to be added there first.
    if let EventBody::PreToolUse(e) = body {
        Some(&mut e.tool_input)
    } else if let EventBody::PostToolUse(e) = body {
        Some(&mut e.tool_input)
    } else if let EventBody::PostToolUseFailure(e) = body {
        Some(&mut e.tool_input)
    } else if let EventBody::PermissionRequest(e) = body {
        Some(&mut e.tool_input)
    } else if let EventBody::PermissionDenied(e) = body {
        Some(&mut e.tool_input)
    } else {
        None
    }
}

fn normal_file_path(
    tool: &str,
    input: &Map<String, Value>,
    cwd: &Path,
    home: Option<&Path>,
) -> Option<String> {
    if !WITH_FILE_PATH.contains(&tool) {
        return None;
    }
    let written = input.get("file_path")?.as_str()?;
    let normal = absolute(written, cwd, home);
    let normal = normal.to_str()?;
    (normal != written).then(|| normal.to_owned())
}

/// Returns an absolute path without `.` and `..`, computed from the text alone, as hooks see it (N3): `~/` is the home
/// directory, if there is one, and any other relative path starts at `cwd`.
pub fn absolute(given: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let expanded = match (given.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (None, Some(home)) if given == "~" => home.to_path_buf(),
        _ => cwd.join(given),
    };
    let mut out = PathBuf::new();
    for part in expanded.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

#[cfg(all(test, feature = "models"))]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::host::tool::{RunningCall, Tool, ToolFailure, ToolOutput};
    use becket_llm::ToolSpec;
    use becket_model::Session;
    use becket_model::event::tool::{PostToolBatch, PreToolUse};
    use futures_util::future::BoxFuture;
    use serde_json::json;
    use std::sync::Arc;

    struct EditTool;

    impl Tool for EditTool {
        fn name(&self) -> &str {
            "Edit"
        }

        fn spec(&self) -> ToolSpec {
            ToolSpec { name: "Edit".into(), description: String::new(), input_schema: json!({}) }
        }

        fn defaults(&self) -> Map<String, Value> {
            json!({"replace_all": false}).as_object().cloned().unwrap()
        }

        fn run<'a>(&'a self, _: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
            unreachable!("only its defaults count")
        }
    }

    fn edit_tool() -> ToolSet {
        ToolSet::new([Arc::new(EditTool) as Arc<dyn Tool>])
    }

    fn call(tool: &str, input: Value) -> Event {
        Event::new(
            Session::new("s", "/t", "/w/d"),
            PreToolUse::new(tool.into(), input.as_object().cloned().unwrap(), "t".into()),
        )
    }

    fn seen(event: &Event, tools: &ToolSet) -> Value {
        let event = normalize(event, tools, Some(Path::new("/home/ada")));
        Value::Object(event.body.tool_call().unwrap().1.clone())
    }

    #[test]
    fn paths_of_file_tools_are_absolute_and_normal() {
        // rule: N3
        for (given, expected) in [
            ("a.txt", "/w/d/a.txt"),
            ("../a/./b", "/w/a/b"),
            ("~/x", "/home/ada/x"),
            ("/a/../../b", "/b"),
            ("~user/x", "/w/d/~user/x"),
        ] {
            for tool in WITH_FILE_PATH {
                assert_eq!(
                    seen(&call(tool, json!({"file_path": given})), &ToolSet::default())["file_path"],
                    expected
                );
            }
        }
        assert_eq!(seen(&call("Other", json!({"file_path": "a"})), &ToolSet::default())["file_path"], "a");
    }

    #[test]
    fn defaults_are_filled_and_what_is_normal_is_not_copied() {
        // rule: N3
        let edit = call("Edit", json!({"file_path": "/x"}));
        assert_eq!(seen(&edit, &edit_tool()), json!({"file_path": "/x", "replace_all": false}));
        let given = call("Edit", json!({"file_path": "/x", "replace_all": true}));
        assert!(matches!(normalize(&given, &edit_tool(), None), Cow::Borrowed(_)));
    }

    #[test]
    fn a_batch_keeps_what_the_model_wrote() {
        // rule: N3
        let calls = vec![
            json!({"tool_name": "Read", "tool_input": {"file_path": "rel"}}).as_object().cloned().unwrap(),
        ];
        let batch = Event::new(Session::new("s", "/t", "/w"), PostToolBatch::new(calls));
        assert_eq!(*normalize(&batch, &ToolSet::default(), None), batch);
    }
}

//! The fields of the inputs and outputs of known tools, as hooks see them.
//!
//! Only tools whose fields are known as a whole are listed; a field of any other tool is never called wrong.

/// The two objects of a tool call that an event carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolObject {
    Input,
    Response,
}

impl ToolObject {
    /// The key of the object in the input of a hook.
    pub(super) const fn key(self) -> &'static str {
        match self {
            ToolObject::Input => "tool_input",
            ToolObject::Response => "tool_response",
        }
    }
}

struct ToolFields {
    tool: &'static str,
    input: &'static [&'static str],
    /// Empty if the fields of its output are not known as a whole.
    response: &'static [&'static str],
}

const KNOWN: &[ToolFields] = &[
    ToolFields {
        tool: "Bash",
        input: &["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"],
        response: &[
            "stdout",
            "stderr",
            "interrupted",
            "isImage",
            "noOutputExpected",
            "backgroundTaskId",
            "rawOutputPath",
            "returnCodeInterpretation",
            "persistedOutputPath",
            "persistedOutputSize",
        ],
    },
    ToolFields {
        tool: "Edit",
        input: &["file_path", "old_string", "new_string", "replace_all"],
        response: &[
            "filePath",
            "oldString",
            "newString",
            "originalFile",
            "structuredPatch",
            "userModified",
            "replaceAll",
        ],
    },
    ToolFields { tool: "MultiEdit", input: &["file_path", "edits"], response: &[] },
    ToolFields {
        tool: "Write",
        input: &["file_path", "content"],
        response: &["type", "filePath", "content", "structuredPatch", "originalFile", "userModified"],
    },
    ToolFields {
        tool: "Read",
        input: &["file_path", "offset", "limit", "pages"],
        response: &["type", "file"],
    },
    ToolFields { tool: "Glob", input: &["pattern", "path"], response: &[] },
    ToolFields {
        tool: "NotebookEdit",
        input: &["notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"],
        response: &[],
    },
    ToolFields { tool: "WebFetch", input: &["url", "prompt"], response: &[] },
];

/// Returns the fields that a tool has in one of its objects if they are all known.
pub(super) fn of(tool: &str, object: ToolObject) -> Option<&'static [&'static str]> {
    let fields = KNOWN.iter().find(|fields| fields.tool == tool)?;
    match object {
        ToolObject::Input => Some(fields.input),
        ToolObject::Response => Some(fields.response).filter(|response| !response.is_empty()),
    }
}

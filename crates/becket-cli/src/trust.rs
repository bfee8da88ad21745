//! Whether the user has said that he trusts the folder in which a session starts (`protocol.md` G3).
//!
//! INVARIANT: nothing that lies in the folder has a say. What can't be read says nothing.

use crate::mcp::{project_root, text_of, user_file_of};
use becket_engine::config::Request;
use serde_json::Value;

/// Where the user's own file keeps what it knows of a folder, and the key that says so.
const FOLDERS: &str = "projects";
const ACCEPTED: &str = "hasTrustDialogAccepted";

/// Whether the user's own file records trust in this very folder, or in the repository that it is a part of.
pub(crate) fn is_recorded(request: &Request) -> bool {
    let Some(file) = user_file_of(request) else { return false };
    let Ok(Some(text)) = text_of(&file) else { return false };
    let Ok(known) = serde_json::from_str::<Value>(&text) else { return false };
    let root = project_root(request);
    [request.start.as_path(), &root].iter().any(|folder| {
        let folder = folder.to_str().and_then(|folder| known.get(FOLDERS)?.get(folder));
        folder.and_then(|folder| folder.get(ACCEPTED)) == Some(&Value::Bool(true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_engine::{Environment, Profile};
    use serde_json::json;
    use std::fs;
    use std::path::Path;

    fn recorded(home: &Path, start: &Path, text: &str) -> bool {
        fs::write(home.join(".claude.json"), text).expect("it can be written");
        let environment = Environment::empty().with_home(home);
        is_recorded(&Request::new(Profile::claude(), environment, start))
    }

    // rule: G3
    #[test]
    fn trust_is_in_this_folder_or_its_repository_and_no_other() {
        let root = tempfile::tempdir().expect("a directory");
        let root = root.path().canonicalize().expect("it is there");
        let (home, work) = (root.join("home"), root.join("work"));
        for directory in [home.as_path(), &work.join("sub/.git"), &work.join("sub/deep"), &work.join("other")]
        {
            fs::create_dir_all(directory).expect("it can be made");
        }
        let file = |folder: &Path, accepted: Value| {
            json!({"projects": {folder.to_str().expect("text"): {"hasTrustDialogAccepted": accepted}}})
                .to_string()
        };
        for (folder, start, accepted, expected) in [
            ("other", "other", json!(true), true),
            ("other", "other", json!(false), false),
            ("other", "other", json!("true"), false),
            ("other", "other", json!(null), false),
            ("sub", "sub/deep", json!(true), true),
            ("sub/deep", "sub/deep", json!(true), true),
            // A repository inside of a trusted directory is asked for on its own.
            ("", "sub", json!(true), false),
            ("sub/deep", "sub", json!(true), false),
            ("other", "sub", json!(true), false),
        ] {
            let named = if folder.is_empty() { work.clone() } else { work.join(folder) };
            let text = file(&named, accepted);
            assert_eq!(recorded(&home, &work.join(start), &text), expected, "{folder} {start} {text}");
        }
        for text in ["", "{", "[]", r#"{"projects": []}"#, r#"{"projects": null}"#] {
            assert!(!recorded(&home, &work.join("other"), text), "{text}");
        }
        fs::remove_file(home.join(".claude.json")).expect("it was there");
        let request = Request::new(Profile::claude(), Environment::empty().with_home(&home), &work);
        assert!(!is_recorded(&request));
    }
}

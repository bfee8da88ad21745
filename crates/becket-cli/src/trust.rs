//! Records that the user trusts the folder in which a session starts (`protocol.md` G3); [`becket_engine::config::trust`] reads it.
//!
//! INVARIANT: nothing else in the user's file is changed.

use becket_base::config_file::{Access, ConfigFile, UpdateError};
use becket_base::json_edit::{self, JsonDocument, JsonEditError};
use becket_base::on_disk;
use becket_base::text_file::read_if_there;
use becket_engine::config::Request;
use becket_engine::config::trust::{self, ACCEPTED, FOLDERS, is_outside, project_root, user_file};
use becket_fire::project::Project;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The reason why trust was not recorded or withdrawn.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotRecorded {
    #[error("there is no user file to record it in")]
    NoFile,
    #[error("`{}` is in the folder itself, or relative, so it can't record trust in that folder", file.display())]
    InFolder { file: PathBuf },
    #[error("the name of the folder is not valid Unicode, so JSON can't contain it")]
    NoText,
    #[error("`{}` was not changed: {why}", file.display())]
    Refused { file: PathBuf, why: String },
}

/// Returns the folder that trust covers: the repository around the start, or the start itself.
pub(crate) fn folder(request: &Request) -> PathBuf {
    project_root(request)
}

/// Records trust in the folder.
///
/// # Errors
/// Errors if it can't be recorded; the file is then unchanged.
pub(crate) fn record(request: &Request) -> Result<(), NotRecorded> {
    let file = user_file(request).ok_or(NotRecorded::NoFile)?;
    if !is_outside(&file, request) {
        return Err(NotRecorded::InFolder { file });
    }
    change(request, |text| {
        let folder = folder(request);
        answered(text, folder.to_str().ok_or(NotRecorded::NoText)?, true)
            .map_err(|error| refused(request, error))
    })
}

/// Withdraws trust that is recorded in one of these folders, under any name. Returns false if there is none.
///
/// # Errors
/// Errors if this can't be recorded; the file is then unchanged.
pub(crate) fn revoke(request: &Request, folders: &[&Path]) -> Result<bool, NotRecorded> {
    let is_meant =
        |known: &Path| folders.iter().any(|folder| known == *folder || on_disk(known) == on_disk(folder));
    let mut was_trusted = false;
    change(request, |text| {
        let refused = |error| refused(request, error);
        let trusted: Vec<PathBuf> = trusted(text).map_err(refused)?;
        let trusted: Vec<&str> =
            trusted.iter().filter(|known| is_meant(known)).filter_map(|known| known.to_str()).collect();
        was_trusted = !trusted.is_empty();
        let withdrawn = |text: String, folder| answered(&text, folder, false);
        trusted.into_iter().try_fold(text.to_owned(), withdrawn).map_err(refused)
    })?;
    Ok(was_trusted)
}

/// Returns the folder through whose record the hooks of a session run that starts elsewhere: in a folder of the same
/// project, as a hook of another agent.
pub(crate) fn covering(request: &Request) -> Option<PathBuf> {
    trust::covering(&outermost(request))
}

/// Returns the request of a session in the outermost folder of the project around the start.
pub(crate) fn outermost(request: &Request) -> Request {
    let mut project = request.clone();
    if let Some(outermost) = Project::around(&request.start, request).folders.into_iter().next() {
        project.start = outermost;
    }
    project
}

/// Returns the trusted folders.
///
/// # Errors
/// Errors if there is no file for it, or it can't be read.
pub(crate) fn all(request: &Request) -> Result<Vec<PathBuf>, NotRecorded> {
    let file = user_file(request).ok_or(NotRecorded::NoFile)?;
    let text = read_if_there(&file).map_err(|error| refused(request, error))?.unwrap_or_default();
    trusted(&text).map_err(|error| refused(request, error))
}

/// Returns the folders that a text records as trusted.
fn trusted(text: &str) -> Result<Vec<PathBuf>, JsonEditError> {
    let document = JsonDocument::parse(text)?;
    let folders = document.value().get(FOLDERS).and_then(Value::as_object);
    let is_trusted = |(_, folder): &(&String, &Value)| folder.get(ACCEPTED) == Some(&Value::Bool(true));
    Ok(folders.into_iter().flatten().filter(is_trusted).map(|(folder, _)| folder.into()).collect())
}

fn refused(request: &Request, why: impl ToString) -> NotRecorded {
    NotRecorded::Refused { file: user_file(request).unwrap_or_default(), why: why.to_string() }
}

fn change(
    request: &Request,
    edit: impl FnMut(&str) -> Result<String, NotRecorded>,
) -> Result<(), NotRecorded> {
    let file = user_file(request).ok_or(NotRecorded::NoFile)?;
    ConfigFile::update(&file, Access::Private, edit).map_err(|error| match error {
        UpdateError::File(why) => refused(request, why),
        UpdateError::Edit(why) => why,
    })
}

/// Returns the text with the answer added.
///
/// # Errors
/// Returns the reason if it can't be changed without changing more.
fn answered(text: &str, folder: &str, yes: bool) -> Result<String, JsonEditError> {
    let document = JsonDocument::parse(text)?;
    let mut object = document.object()?;
    for key in [FOLDERS, folder] {
        object = json_edit::object_or_new(&object, key)?;
    }
    json_edit::set(&object, ACCEPTED, &json!(yes))?;
    let mut expected = document.value().clone();
    expected[FOLDERS][folder][ACCEPTED] = json!(yes);
    document.finish(&expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_engine::config::trust::is_recorded;
    use becket_engine::{Environment, Profile};
    use std::fs;

    fn recorded(home: &Path, start: &Path, text: &str) -> (bool, bool) {
        fs::write(home.join(".claude.json"), text).expect("it can be written");
        let environment = Environment::empty().with_home(home);
        let request = Request::new(Profile::claude(), environment, start);
        (is_recorded(&request), trust::covering(&request).is_some())
    }

    // rule: G3
    #[test]
    fn a_yes_is_remembered_and_nothing_else_is_touched() {
        for (text, expected) in [
            ("", r#"{"projects":{"/w":{"hasTrustDialogAccepted":true}}}"#),
            (
                r#"{"cost": 0.1234567890123456789, "projects": {"/v": {"a": 1}}}"#,
                r#"{"cost":0.1234567890123456789,"projects":{"/v":{"a":1},"/w":{"hasTrustDialogAccepted":true}}}"#,
            ),
            (
                r#"{"projects": {"/w": {"hasTrustDialogAccepted": false, "b": [1, 2]}}, "z": null}"#,
                r#"{"projects":{"/w":{"hasTrustDialogAccepted":true,"b":[1,2]}},"z":null}"#,
            ),
        ] {
            let changed = answered(text, "/w", true).expect("it can be changed");
            let bare: String = changed.chars().filter(|c| !c.is_whitespace()).collect();
            assert_eq!(bare, expected, "{changed}");
        }
        for text in ["{", "[]", r#"{"projects": []}"#, r#"{"projects": {}, "projects": {}}"#, "{} // mine"] {
            assert!(answered(text, "/w", true).is_err(), "{text}");
        }
    }

    // rule: G3
    #[test]
    fn what_was_recorded_is_found_again() {
        let root = tempfile::tempdir().expect("a directory");
        let root = root.path().canonicalize().expect("it is there");
        let (home, work) = (root.join("home"), root.join("work"));
        for directory in [home.as_path(), &work.join(".git"), &work.join("sub/inner/.git")] {
            fs::create_dir_all(directory).expect("it can be made");
        }
        let request =
            |start: &Path| Request::new(Profile::claude(), Environment::empty().with_home(&home), start);
        assert_eq!(record(&request(&work.join("sub"))), Ok(()));
        assert_eq!(all(&request(&work)), Ok(vec![work.clone()]));
        for (start, expected) in [("../work", true), ("sub", true), ("sub/inner", false)] {
            let start = work.join(start).canonicalize().expect("it is there");
            assert_eq!(is_recorded(&request(&start)), expected, "{}", start.display());
        }
        assert_eq!(
            record(&Request::new(Profile::claude(), Environment::empty(), &work)),
            Err(NotRecorded::NoFile)
        );
        let inside = Request::new(Profile::claude(), Environment::empty().with_home(&work), work.join("sub"));
        assert_eq!(record(&inside), Err(NotRecorded::InFolder { file: work.join(".claude.json") }));
        for was_trusted in [true, false] {
            assert_eq!(revoke(&request(&work), &[&work]), Ok(was_trusted));
            assert!(!is_recorded(&request(&work)));
        }
        assert_eq!(all(&request(&work)), Ok(Vec::new()));
    }

    // rule: G3
    #[test]
    fn trust_is_in_this_folder_or_its_repository_and_no_other() {
        let root = tempfile::tempdir().expect("a directory");
        let root = root.path().canonicalize().expect("it is there");
        let (home, work) = (root.join("home"), root.join("work"));
        for directory in
            [home.as_path(), &work.join("sub/.git"), &work.join("sub/deep/er"), &work.join("other")]
        {
            fs::create_dir_all(directory).expect("it can be made");
        }
        let file = |folder: &Path, accepted: Value| {
            json!({"projects": {folder.to_str().expect("text"): {"hasTrustDialogAccepted": accepted}}})
                .to_string()
        };
        // Grants, hooks.
        for (folder, start, accepted, expected) in [
            ("other", "other", json!(true), (true, true)),
            ("other", "other", json!(false), (false, false)),
            ("other", "other", json!("true"), (false, false)),
            ("other", "other", json!(null), (false, false)),
            ("sub", "sub/deep", json!(true), (true, true)),
            ("sub/deep", "sub/deep", json!(true), (true, true)),
            // Trust covers what is in a directory, whose files grant nothing.
            ("", "other", json!(true), (false, true)),
            ("", "other", json!(false), (false, false)),
            ("sub/deep", "sub/deep/er", json!(true), (false, true)),
            // A repository inside a trusted directory is decided separately.
            ("", "sub", json!(true), (false, false)),
            ("", "sub/deep", json!(true), (false, false)),
            ("sub/deep", "sub", json!(true), (false, false)),
            ("other", "sub", json!(true), (false, false)),
            // A directory that contains the record can't be trusted by it.
            ("..", "other", json!(true), (false, false)),
        ] {
            let named = work.join(folder).canonicalize().expect("it is there");
            let text = file(&named, accepted);
            let start = work.join(start);
            assert_eq!(recorded(&home, &start, &text), expected, "{folder} {} {text}", start.display());
        }
        // A record that may have come with the folder, or in a directory that only the process knows.
        for home in [work.join("other"), work.join("other/home"), "home".into()] {
            let text = file(&work.join("other"), json!(true));
            fs::create_dir_all(work.join("other/home")).expect("it can be made");
            if home.is_absolute() {
                fs::write(home.join(".claude.json"), &text).expect("it can be written");
            }
            let environment = Environment::empty().with_home(&home);
            let request = Request::new(Profile::claude(), environment, work.join("other"));
            assert!(!is_recorded(&request) && trust::covering(&request).is_none(), "{}", home.display());
        }
        for text in ["", "{", "[]", r#"{"projects": []}"#, r#"{"projects": null}"#] {
            assert_eq!(recorded(&home, &work.join("other"), text), (false, false), "{text}");
        }
        fs::remove_file(home.join(".claude.json")).expect("it was there");
        let request = Request::new(Profile::claude(), Environment::empty().with_home(&home), &work);
        assert!(!is_recorded(&request));
    }
}

//! The directories in which the command of a call may run.

use super::keys::is_empty;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The keys by which some version of some agent names the directory of a command.
const NAMES: [&str; 8] = [
    "cwd",
    "dir_path",
    "directory",
    "work_dir",
    "workdir",
    "working_dir",
    "working_directory",
    "workingDirectory",
];

/// Returns the directories that the input of a command names, `None` for that of the session. A key that is not among
/// those that the tool obeys names one beside that of the session: the command may run in either.
///
/// # Errors
/// Errors if a directory is not a text.
pub(crate) fn directories(
    obeyed: &[&'static str],
    input: &Map<String, Value>,
    cwd: &str,
) -> Result<Vec<Option<String>>, String> {
    let mut found: Vec<Option<String>> = Vec::new();
    let mut add = |keys: &mut dyn Iterator<Item = &&'static str>| {
        for key in keys {
            let named = match input.get(*key) {
                None => continue,
                Some(given) if is_empty(given) => continue,
                Some(given) => given.as_str().ok_or_else(|| format!("`{key}` is not a directory"))?,
            };
            // Without `.` and slashes at the end, which lead to the same directory.
            let named: PathBuf = Path::new(cwd).join(named).components().collect();
            let named = Some(named).filter(|named| named != Path::new(cwd));
            let named = named.map(|named| named.to_string_lossy().into_owned());
            if !found.contains(&named) {
                found.push(named);
            }
        }
        if found.is_empty() {
            found.push(None);
        }
        Ok::<(), String>(())
    };
    add(&mut obeyed.iter())?;
    add(&mut NAMES.iter().filter(|name| !obeyed.contains(name)))?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_that_the_tool_obeys_is_the_directory_and_any_other_one_more() {
        let of =
            |input: Value| directories(&["dir_path"], &input.as_object().cloned().unwrap_or_default(), "/p");
        let there = |path: &str| Some(path.to_owned());
        assert_eq!(of(json!({"command": "ls"})), Ok(vec![None]));
        assert_eq!(of(json!({"dir_path": "a"})), Ok(vec![there("/p/a")]));
        assert_eq!(of(json!({"dir_path": "/a"})), Ok(vec![there("/a")]));
        assert_eq!(of(json!({"dir_path": "", "cwd": null})), Ok(vec![None]));
        assert_eq!(of(json!({"cwd": "."})), Ok(vec![None]));
        assert_eq!(of(json!({"dir_path": "/p/"})), Ok(vec![None]));
        assert_eq!(of(json!({"cwd": "a"})), Ok(vec![None, there("/p/a")]));
        assert_eq!(of(json!({"dir_path": "a/", "cwd": "./a"})), Ok(vec![there("/p/a")]));
        assert_eq!(of(json!({"dir_path": "a", "cwd": "b"})), Ok(vec![there("/p/a"), there("/p/b")]));
        assert!(of(json!({"dir_path": ["a"]})).is_err());
        assert!(of(json!({"cwd": 7})).is_err());
    }
}

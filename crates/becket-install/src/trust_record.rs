//! The folders that the user of an agent trusts, as the agent itself records them.
//!
//! INVARIANT: a record that can't be read, that contains anything unknown, or that is in the folder itself trusts
//! nothing.

use becket_base::{is_inside, text_file};
use serde_json::{Map, Value};
use std::path::Path;
use toml_edit::DocumentMut;

/// The form of a record, and its file in the directory of the agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustRecord {
    /// JSON: `{"FOLDER": "TRUST_FOLDER" | "TRUST_PARENT" | "DO_NOT_TRUST"}`, as in Gemini CLI. The longest folder
    /// counts, with everything below it but repositories of their own.
    Folders(&'static str),
    /// TOML: `projects."FOLDER".trust_level = "trusted" | "untrusted"`, as in Codex: for a folder or its repository.
    Projects(&'static str),
}

impl TrustRecord {
    pub(crate) fn trusts(self, file: &Path, folder: &Path, root: &Path) -> bool {
        // A record that came with a folder is not the user's.
        let directory = file.parent().unwrap_or(file);
        if !directory.is_absolute() || [folder, root].iter().any(|folder| is_inside(directory, folder)) {
            return false;
        }
        let Ok(text) = text_file::read(file) else { return false };
        match self {
            TrustRecord::Folders(_) => is_in_folders(&text, folder).unwrap_or(false),
            TrustRecord::Projects(_) => is_in_projects(&text, &[folder, root]).unwrap_or(false),
        }
    }
}

fn is_in_folders(text: &str, folder: &Path) -> Option<bool> {
    let folders: Map<String, Value> = serde_json::from_str(text).ok()?;
    let folder = folder.canonicalize().ok()?;
    let covers = |(path, level): &(&String, &Value)| {
        let path = Path::new(path.as_str());
        let covered = if *level == "TRUST_PARENT" { path.parent() } else { Some(path) };
        covered
            .and_then(|covered| covered.canonicalize().ok())
            .is_some_and(|covered| folder.starts_with(covered))
    };
    let (path, level) = folders.iter().filter(covers).max_by_key(|(path, _)| path.len())?;
    let covered = Path::new(path);
    let covered = if *level == "TRUST_PARENT" { covered.parent()? } else { covered };
    let is_trusted = *level == "TRUST_FOLDER" || *level == "TRUST_PARENT";
    Some(is_trusted && !has_repository_below(&covered.canonicalize().ok()?, &folder))
}

/// Returns true if a repository starts below a folder, on the way to `inner`: it needs trust of its own.
fn has_repository_below(folder: &Path, inner: &Path) -> bool {
    let below = inner.ancestors().take_while(|part| *part != folder);
    below.into_iter().any(|part| part.join(".git").symlink_metadata().is_ok())
}

fn is_in_projects(text: &str, folders: &[&Path]) -> Option<bool> {
    let document: DocumentMut = text.parse().ok()?;
    let projects = document.get("projects")?.as_table_like()?;
    let level =
        |folder: &&Path| projects.get(folder.to_str()?)?.as_table_like()?.get("trust_level")?.as_str();
    folders.iter().find_map(level).map(|level| level == "trusted")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn the_nearest_folder_of_gemini_cli_counts() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let work = root.join("work");
        fs::create_dir_all(work.join("shop/till")).unwrap();
        let path = |below: &str| work.join(below).display().to_string();
        let (shop, till) = (path("shop"), path("shop/till"));
        for (folders, trusted) in [
            (json!({}), None),
            (json!({ &shop: "TRUST_FOLDER" }), Some(true)),
            (json!({ &shop: "DO_NOT_TRUST" }), Some(false)),
            (json!({ &shop: "TRUST_EVERYTHING" }), Some(false)),
            (json!({ &shop: true }), Some(false)),
            (json!({ &shop: "TRUST_FOLDER", &till: "DO_NOT_TRUST" }), Some(false)),
            (json!({ &shop: "DO_NOT_TRUST", &till: "TRUST_FOLDER" }), Some(true)),
            (json!({ path("other"): "TRUST_PARENT" }), Some(true)),
            (json!({ path("gone/other"): "TRUST_PARENT" }), None),
            (json!({ path("sho"): "TRUST_FOLDER" }), None),
            (json!([]), None),
        ] {
            assert_eq!(is_in_folders(&folders.to_string(), &work.join("shop/till")), trusted, "{folders}");
        }
        // A clone below needs trust of its own, and gives none to what is in it.
        fs::create_dir_all(work.join("shop/till/.git")).unwrap();
        for (folders, trusted) in [
            (json!({ &shop: "TRUST_FOLDER" }), Some(false)),
            (json!({ &till: "TRUST_FOLDER" }), Some(true)),
            (json!({ path("shop/x"): "TRUST_PARENT" }), Some(false)),
            (json!({ path("shop/till/x"): "TRUST_PARENT" }), Some(true)),
        ] {
            assert_eq!(is_in_folders(&folders.to_string(), &work.join("shop/till")), trusted, "{folders}");
        }
        assert_eq!(is_in_folders("{", &work), None);
        assert!(!TrustRecord::Folders("none.json").trusts(&root.join("none.json"), &work, &work));
    }

    // rule: G3
    #[test]
    fn a_record_in_the_folder_or_in_a_relative_directory_trusts_nothing() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (clone, home) = (root.join("clone"), root.join("home"));
        let text = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", clone.display());
        for directory in [clone.join(".codex"), home.join(".codex")] {
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("config.toml"), &text).unwrap();
        }
        let record = TrustRecord::Projects("config.toml");
        let trusts =
            |directory: &Path, folder: &Path| record.trusts(&directory.join("config.toml"), folder, &clone);
        assert!(trusts(&home.join(".codex"), &clone));
        for directory in [clone.join(".codex"), "clone/.codex".into(), ".codex".into()] {
            assert!(!trusts(&directory, &clone) && !trusts(&directory, &clone.join("sub")), "{directory:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(clone.join(".codex"), home.join("linked")).unwrap();
            assert!(!trusts(&home.join("linked"), &clone));
        }
    }

    #[test]
    fn a_project_of_codex_is_trusted_by_its_name_or_that_of_its_repository() {
        let (folder, root) = (Path::new("/work/shop/till"), Path::new("/work/shop"));
        let project = |path: &str, level: &str| format!("[projects.\"{path}\"]\ntrust_level = {level}\n");
        let (trusted, untrusted) = ("\"trusted\"", "\"untrusted\"");
        for (text, expected) in [
            (project("/work/shop/till", trusted), Some(true)),
            (project("/work/shop", trusted), Some(true)),
            (project("/work/shop", untrusted), Some(false)),
            (project("/work/shop", trusted) + &project("/work/shop/till", untrusted), Some(false)),
            (project("/work/shop", "true"), None),
            (project("/work", trusted), None),
            ("projects = { \"/work/shop\" = { trust_level = \"trusted\" } }\n".to_owned(), Some(true)),
            ("projects = 1".to_owned(), None),
            ("[broken".to_owned(), None),
        ] {
            assert_eq!(is_in_projects(&text, &[folder, root]), expected, "{text}");
        }
    }
}

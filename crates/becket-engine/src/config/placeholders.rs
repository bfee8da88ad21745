//! `${…_PROJECT_DIR}` and similar placeholders: their values, and where they are filled in (H2).

use crate::config::git_bash;
use crate::config::handler::{Command, Handler, Root};
use crate::config::text_shell::PathStyle;
use crate::host::profile::Profile;
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The directories for placeholders, and their names in a profile.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) profile: Profile,
    /// The directory in which the session started (H3).
    pub(crate) project_dir: PathBuf,
}

/// A command with its placeholders filled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum FilledCommand {
    /// A text for a shell; a value that could not be put into it safely is left to the shell's own variables.
    Shell { script: String, power: bool },
    /// A program and its arguments.
    Exec { program: String, args: Vec<String> },
}

/// The reason why a command can't be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FillError {
    /// The shell would read a user's value as code.
    #[error(
        "`${{user_config.{key}}}` is filled in exec form only: in a shell command write \"${variable}\" instead"
    )]
    OptionInShell { key: String, variable: String },
}

impl Places {
    /// Returns the project of a handler: a folder of settings that is outside of the session's project is a project of
    /// its own (C4).
    pub(crate) fn project_of<'a>(&'a self, handler: &'a Handler) -> &'a Path {
        let is_of_folder = matches!(handler.place.source, Source::Project | Source::Local);
        let (folder, project) = (handler.anchor.as_path(), self.project_dir.as_path());
        let is_apart = !folder.starts_with(project) && !project.starts_with(folder);
        if is_of_folder && is_apart { folder } else { project }
    }

    /// Fills the placeholders of a handler's command (H2).
    pub(crate) fn fill(
        &self,
        handler: &Handler,
        command: &Command,
        style: PathStyle,
    ) -> Result<FilledCommand, FillError> {
        let root = handler.root.as_deref();
        match command {
            Command::Exec { program, args } => {
                let values = self.exec_values(handler);
                let args = args.iter().map(|arg| replace(arg, &values)).collect();
                Ok(FilledCommand::Exec { program: replace(program, &values), args })
            }
            Command::Shell { script, .. } => {
                self.refuse_options(script)?;
                let power = style == PathStyle::PowerShell;
                let values = if power { self.power_values() } else { self.shell_values(root, style) };
                Ok(FilledCommand::Shell { script: replace(script, &values), power })
            }
        }
    }

    /// Returns the variables that a handler's process gets for its placeholders.
    pub(crate) fn variables(&self, handler: &Handler) -> Vec<(String, PathOrText)> {
        let project = PathOrText::Path(self.project_of(handler).to_owned());
        let mut out = vec![(self.profile.var("PROJECT_DIR"), project)];
        let Some(root) = handler.root.as_deref() else { return out };
        out.push((self.profile.var("PLUGIN_ROOT"), PathOrText::Path(root.root.clone())));
        if let Some(data) = &root.data {
            out.push((self.profile.var("PLUGIN_DATA"), PathOrText::Path(data.clone())));
        }
        for (key, value) in &root.options {
            out.push((self.option_variable(key), PathOrText::Text(value.clone())));
        }
        out
    }

    fn exec_values(&self, handler: &Handler) -> BTreeMap<String, String> {
        let mut values = BTreeMap::from([(self.profile.var("PROJECT_DIR"), text(self.project_of(handler)))]);
        if let Some(root) = handler.root.as_deref() {
            values.insert(self.profile.var("PLUGIN_ROOT"), text(&root.root));
            if let Some(data) = &root.data {
                values.insert(self.profile.var("PLUGIN_DATA"), text(data));
            }
            for (key, value) in &root.options {
                values.insert(format!("user_config.{key}"), value.clone());
            }
        }
        values
    }

    /// Returns the values for a shell text: the plugin's own directories, and only if no shell could misread them.
    fn shell_values(&self, root: Option<&Root>, style: PathStyle) -> BTreeMap<String, String> {
        let Some(root) = root else { return BTreeMap::new() };
        let text = |path: &Path| match style {
            PathStyle::GitBash => git_bash::path(&text(path)),
            PathStyle::Native | PathStyle::PowerShell => text(path),
        };
        let mut values = BTreeMap::from([(self.profile.var("PLUGIN_ROOT"), text(&root.root))]);
        if let Some(data) = &root.data {
            values.insert(self.profile.var("PLUGIN_DATA"), text(data));
        }
        values.retain(|_, value| is_plain(value));
        values
    }

    fn power_values(&self) -> BTreeMap<String, String> {
        ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"]
            .map(|name| self.profile.var(name))
            .into_iter()
            .map(|name| (name.clone(), format!("${{env:{name}}}")))
            .collect()
    }

    fn refuse_options(&self, script: &str) -> Result<(), FillError> {
        let Some((_, rest)) = script.split_once("${user_config.") else { return Ok(()) };
        let Some((key, _)) = rest.split_once('}') else { return Ok(()) };
        Err(FillError::OptionInShell { key: key.to_owned(), variable: self.option_variable(key) })
    }

    /// Returns `…_PLUGIN_OPTION_<KEY>`: in capitals, with `_` for other characters (H2).
    pub(crate) fn option_variable(&self, key: &str) -> String {
        let key: String = key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect();
        self.profile.var(&format!("PLUGIN_OPTION_{key}"))
    }
}

/// The value of a variable: a path keeps bytes that are not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathOrText {
    Path(PathBuf),
    Text(String),
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns whether a value has only letters, digits and `/._-+@`, which no shell reads as anything but text.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c))
}

/// Replaces each `${name}` that has a value, once, from left to right: a value is never expanded again.
fn replace(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let known = from[2..].find('}').and_then(|end| Some((end, values.get(&from[2..2 + end])?)));
        match known {
            Some((end, value)) => {
                out.push_str(value);
                rest = &from[end + 3..];
            }
            None => {
                out.push_str("${");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;

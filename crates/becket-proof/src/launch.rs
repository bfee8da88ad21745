//! The files, the environment and the arguments with which an agent is started.

use crate::Scratch;
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::PathBuf;

/// Everything that one start of an agent needs beside its program.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Configuration files; [`Launch::write`] writes them.
    pub files: Vec<ConfigFile>,
    /// Variables beside those of [`Scratch::environment`].
    pub environment: Vec<(&'static str, String)>,
    /// Arguments of starts that come before: a login.
    pub before: Vec<Vec<String>>,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// A configuration file of an agent.
#[derive(Debug, Clone)]
pub enum ConfigFile {
    /// A JSON object, whose fields are put into what the file already holds.
    Json(PathBuf, Map<String, Value>),
    /// A text, which is put before what the file already holds.
    Text(PathBuf, String),
}

impl Launch {
    /// Adds a file of JSON.
    #[must_use]
    pub(crate) fn json(mut self, path: PathBuf, value: Value) -> Self {
        if let Value::Object(object) = value {
            self.files.push(ConfigFile::Json(path, object));
        }
        self
    }

    /// Adds a file of text.
    #[must_use]
    pub(crate) fn text(mut self, path: PathBuf, text: String) -> Self {
        self.files.push(ConfigFile::Text(path, text));
        self
    }

    /// Adds variables.
    #[must_use]
    pub(crate) fn variables<const N: usize>(mut self, variables: [(&'static str, &str); N]) -> Self {
        self.environment.extend(variables.map(|(name, value)| (name, value.to_owned())));
        self
    }

    /// Sets the arguments.
    #[must_use]
    pub(crate) fn arguments<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.arguments = arguments.map(str::to_owned).into();
        self
    }

    /// Adds a start that comes before.
    #[must_use]
    pub(crate) fn before<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.before.push(arguments.map(str::to_owned).into());
        self
    }

    /// Writes the files below a scratch directory.
    ///
    /// # Errors
    /// Errors if a file can't be written, or one that is there is not JSON.
    pub fn write(&self, scratch: &Scratch<'_>) -> io::Result<()> {
        for file in &self.files {
            let (path, text) = match file {
                ConfigFile::Json(path, object) => {
                    let path = scratch.home.join(path);
                    let mut all: Map<String, Value> = match fs::read_to_string(&path) {
                        Ok(text) => serde_json::from_str(&text)?,
                        Err(_) => Map::new(),
                    };
                    all.extend(object.clone());
                    (path, format!("{:#}\n", Value::Object(all)))
                }
                ConfigFile::Text(path, text) => {
                    let path = scratch.home.join(path);
                    let before = fs::read_to_string(&path).unwrap_or_default();
                    (path, format!("{text}{before}"))
                }
            };
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, text)?;
        }
        Ok(())
    }
}

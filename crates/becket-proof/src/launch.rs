//! The files, the environment and the arguments with which an agent is started.

use crate::Scratch;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Everything that one start of an agent needs besides its program.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// Configuration files; [`Launch::write`] writes them.
    pub files: Vec<ConfigFile>,
    /// Variables in addition to those of [`Scratch::environment`].
    pub environment: Vec<(&'static str, String)>,
    /// Arguments of earlier starts, such as a login.
    pub before: Vec<Vec<String>>,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// A configuration file of an agent.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// The path, from the home directory unless it is absolute.
    pub path: PathBuf,
    /// The content.
    pub text: String,
}

impl Launch {
    /// Adds a file of JSON.
    #[must_use]
    pub(crate) fn json(self, path: PathBuf, value: &Value) -> Self {
        self.text(path, format!("{value:#}\n"))
    }

    /// Adds a file of text.
    #[must_use]
    pub(crate) fn text(mut self, path: PathBuf, text: String) -> Self {
        self.files.push(ConfigFile { path, text });
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

    /// Adds an earlier start.
    #[must_use]
    pub(crate) fn before<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.before.push(arguments.map(str::to_owned).into());
        self
    }

    /// Writes the files below a scratch directory.
    ///
    /// # Errors
    /// Errors if a file can't be written.
    pub fn write(&self, scratch: &Scratch<'_>) -> io::Result<()> {
        for file in &self.files {
            let path = scratch.home.join(&file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, &file.text)?;
        }
        Ok(())
    }
}

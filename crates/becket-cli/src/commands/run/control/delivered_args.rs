//! Settings, denied tools and plugins that `initialize` delivers instead of arguments.

use crate::error::CliError;
use crate::session::Session;
use becket_engine::config::FlagSettings;
use becket_fire::launch;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The fields, by their names in the request.
const SETTINGS: &str = "settings";
const DISALLOWED: &str = "disallowedTools";
const PLUGINS: &str = "plugins";

/// The arguments in an `initialize` request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DeliveredArgs {
    settings: Option<Map<String, Value>>,
    disallowed_tools: Option<Vec<String>>,
    /// The directories of plugins, as they were given.
    plugins: Option<Vec<PathBuf>>,
}

impl DeliveredArgs {
    /// Takes the arguments out of the fields of a request.
    ///
    /// # Errors
    /// Errors if one of them has the wrong type or is not supported.
    pub(super) fn take(fields: &mut Map<String, Value>) -> Result<Self, String> {
        let settings = match fields.remove(SETTINGS) {
            None => None,
            Some(Value::Object(settings)) => Some(settings),
            Some(_) => return Err(format!("`{SETTINGS}` must be an object")),
        };
        let disallowed_tools = fields.remove(DISALLOWED).map(rules).transpose()?;
        let plugins = fields.remove(PLUGINS).map(directories).transpose()?;
        Ok(Self { settings, disallowed_tools, plugins })
    }

    /// Returns whether plugins were delivered.
    pub(super) fn has_plugins(&self) -> bool {
        self.plugins.is_some()
    }

    /// Returns the session with these arguments in addition to its own; `announced` are the fields that an argument
    /// promises.
    ///
    /// # Errors
    /// Errors if a field is missing or given twice, a rule is invalid, or a plugin does not exist.
    pub(super) fn over(&self, session: &Session, announced: &[String]) -> Result<Session, CliError> {
        if let Some(name) = announced.iter().find(|name| !self.has(name)) {
            let why = format!("`--initialize-fields` names `{name}`, and `initialize` does not contain it");
            return Err(CliError::usage(why));
        }
        let mut session = session.clone();
        if let Some(settings) = &self.settings {
            if session.flag.is_some() {
                return Err(CliError::usage(
                    "`settings` of `initialize` and `--settings` exclude each other",
                ));
            }
            let settings = Value::Object(settings.clone());
            if !cfg!(target_os = "linux") && settings["sandbox"]["enabled"] == true {
                return Err(CliError::usage(
                    "`sandbox` in `settings` of `initialize` is supported on Linux only: what runs would run without one",
                ));
            }
            session.flag = Some(FlagSettings::Text(settings.to_string()));
        }
        for rules in self.disallowed_tools.iter().flatten() {
            session.permissions.disallow_tools(rules).map_err(CliError::usage)?;
        }
        for path in self.plugins.iter().flatten() {
            let path = session.start.join(path);
            if let Err(why) = launch::plugin_directory(&path) {
                return Err(CliError::NoPlugin { path, why });
            }
            session.plugins.push(path);
        }
        Ok(session)
    }

    fn has(&self, name: &str) -> bool {
        match name {
            SETTINGS => self.settings.is_some(),
            DISALLOWED => self.disallowed_tools.is_some(),
            _ => false,
        }
    }
}

fn rules(value: Value) -> Result<Vec<String>, String> {
    let wrong = || format!("`{DISALLOWED}` must be a list of rules");
    let Value::Array(rules) = value else { return Err(wrong()) };
    rules.iter().map(|rule| rule.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn directories(value: Value) -> Result<Vec<PathBuf>, String> {
    let Value::Array(plugins) = value else { return Err(format!("`{PLUGINS}` must be a list")) };
    let directory = |plugin: &Value| {
        if plugin["type"] != "local" {
            return Err(format!("`{PLUGINS}`: only plugins of the type `local` are supported"));
        }
        if plugin["skipMcpDiscovery"] == true {
            return Err(format!(
                "`{PLUGINS}`: `skipMcpDiscovery` is not supported: a plugin is loaded whole"
            ));
        }
        let path = plugin["path"].as_str().ok_or_else(|| format!("`{PLUGINS}`: a `path` is missing"))?;
        Ok(PathBuf::from(path))
    };
    plugins.iter().map(directory).collect()
}

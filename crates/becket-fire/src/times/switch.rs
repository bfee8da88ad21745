//! The variable that enables records.

use super::recorder::{FirstFailure, RecordedHost, TimeRecorder};
use crate::ProcessContext;
use becket_engine::Builder;
use std::path::PathBuf;

/// The variable that enables records: `1`, or the directory for them.
pub const VARIABLE: &str = "BECKET_PROFILE";

/// The value of the variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimesSwitch {
    /// Nothing is recorded.
    Off,
    /// Records are kept in this directory.
    On(PathBuf),
    /// Nothing is recorded, although the user wants it; contains the reason.
    Wrong(String),
}

impl TimesSwitch {
    /// Reads the variable.
    #[must_use]
    pub fn of(process: &ProcessContext) -> Self {
        let Some(value) = process.var(VARIABLE) else { return TimesSwitch::Off };
        match value.to_str() {
            Some("0" | "false" | "off") => TimesSwitch::Off,
            Some("1" | "true" | "on") => match Self::default_directory(process) {
                Some(directory) => TimesSwitch::On(directory),
                None => TimesSwitch::Wrong(format!(
                    "the user has no home directory: set `{VARIABLE}` to a directory"
                )),
            },
            Some(_) | None => match PathBuf::from(value) {
                path if path.is_absolute() => TimesSwitch::On(path),
                path => TimesSwitch::Wrong(format!(
                    "`{VARIABLE}` is `{}`: write `1`, or the absolute path of a directory",
                    path.display()
                )),
            },
        }
    }

    /// Returns the builder of an engine whose events are recorded, if the user wants it, in the log of the project in which its
    /// configuration is loaded.
    #[must_use]
    pub fn observe(&self, builder: Builder, host: RecordedHost, failure: &FirstFailure) -> Builder {
        let mut project = PathBuf::new();
        match self {
            TimesSwitch::Off => builder,
            TimesSwitch::On(directory) => {
                let builder = builder.request(|request| project.clone_from(&request.start));
                builder.observe(TimeRecorder::new(directory, &project, host, failure.clone()))
            }
            TimesSwitch::Wrong(why) => {
                failure.note(|| why.clone());
                builder
            }
        }
    }

    /// Returns the directory of records if the variable names none.
    #[must_use]
    pub fn default_directory(process: &ProcessContext) -> Option<PathBuf> {
        process.home.as_ref().map(|home| home.join(".becket/times"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str, home: Option<&str>) -> TimesSwitch {
        TimesSwitch::of(&ProcessContext {
            arguments: Vec::new(),
            vars: vec![(VARIABLE.into(), value.into())],
            home: home.map(PathBuf::from),
            cwd: None,
            temp: PathBuf::new(),
        })
    }

    #[test]
    fn a_value_is_a_switch_or_a_directory_and_a_slip_is_told() {
        for value in ["", "0", "false", "off"] {
            assert_eq!(read(value, Some("/home/x")), TimesSwitch::Off, "{value}");
        }
        assert_eq!(read("1", Some("/home/x")), TimesSwitch::On("/home/x/.becket/times".into()));
        assert_eq!(read("/var/times", None), TimesSwitch::On("/var/times".into()));
        for (value, home, part) in [("1", None, "home directory"), ("yes please", Some("/x"), "`yes please`")]
        {
            assert!(matches!(read(value, home), TimesSwitch::Wrong(why) if why.contains(part)), "{value}");
        }
    }
}

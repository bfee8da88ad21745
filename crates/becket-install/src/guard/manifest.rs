//! The manifest of a guard, `guard.toml`.

use crate::document::{SettingsItem, toml};
use crate::guard::facts::Detection;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The manifest of a guard.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardManifest {
    /// The name, which names its folders as well.
    pub name: String,
    /// One line about what it does.
    pub summary: String,
    /// The programs that its hooks start.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The values that a project decides.
    #[serde(default, rename = "question")]
    pub questions: Vec<Question>,
    settings: SettingsFragment,
}

/// A value that a project decides.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The name, which placeholders use.
    pub id: String,
    /// The question.
    pub text: String,
    /// The fact of a repository that answers it.
    pub detect: Option<Detection>,
    /// The answer if no fact does.
    #[serde(default)]
    pub default: Vec<String>,
}

/// The settings that a guard adds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFragment {
    #[serde(default)]
    permissions: RestrictingRules,
    #[serde(default)]
    hooks: BTreeMap<String, Vec<Value>>,
}

/// The rules that a guard may add: none that allows anything.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RestrictingRules {
    #[serde(default)]
    deny: Vec<String>,
    #[serde(default)]
    ask: Vec<String>,
}

/// The maximum length of a name, in characters.
const LONGEST_NAME: usize = 64;

impl GuardManifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Errors if the text is not TOML, has an unknown key, or a name that is not usable for a folder.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let manifest: GuardManifest = toml_edit::de::from_str(text)
            .map_err(|error| toml::cause(text, error.message(), error.span()))?;
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= LONGEST_NAME
                && !name.starts_with('-')
                && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        };
        if !is_name(&manifest.name) {
            return Err("`name` must consist of small letters, digits and dashes".to_owned());
        }
        if manifest.summary.is_empty() || manifest.summary.contains(char::is_control) {
            return Err("`summary` must be one line".to_owned());
        }
        if let Some(question) = manifest.questions.iter().find(|question| !is_name(&question.id)) {
            return Err(format!("the question `{}` must have an id of small letters", question.id));
        }
        if manifest.items().is_empty() {
            return Err("`settings` adds no rule and no hook".to_owned());
        }
        Ok(manifest)
    }

    /// Returns the settings that it adds, with placeholders.
    pub fn items(&self) -> Vec<SettingsItem> {
        let SettingsFragment { permissions, hooks } = &self.settings;
        let item = |section: &str, list: &str, value: Value| SettingsItem {
            section: section.to_owned(),
            list: list.to_owned(),
            value,
        };
        let rules = |list, rules: &[String]| -> Vec<SettingsItem> {
            rules.iter().map(|rule| item("permissions", list, Value::String(rule.clone()))).collect()
        };
        let mut items = rules("deny", &permissions.deny);
        items.extend(rules("ask", &permissions.ask));
        for (event, groups) in hooks {
            items.extend(groups.iter().map(|group| item("hooks", event, group.clone())));
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        GuardManifest::parse(text).unwrap_err()
    }

    #[test]
    fn a_manifest_only_restricts() {
        let head = "name = \"a\"\nsummary = \"b\"\n";
        assert!(GuardManifest::parse(&format!("{head}[settings.permissions]\ndeny = [\"Bash\"]\n")).is_ok());
        let allows = fault(&format!("{head}[settings.permissions]\nallow = [\"Bash\"]\n"));
        assert!(allows.contains("unknown field `allow`"), "{allows}");
        let mode = fault(&format!("{head}[settings]\nmodel = \"x\"\n"));
        assert!(mode.contains("unknown field `model`"), "{mode}");
        assert!(fault(&format!("{head}[settings]\n")).contains("no rule and no hook"));
    }

    #[test]
    fn a_name_can_not_lead_out_of_its_folder() {
        for name in ["", "../a", "a/b", "A", "-a", "a b", "."] {
            let text =
                format!("name = \"{name}\"\nsummary = \"b\"\n[settings.permissions]\ndeny = [\"Bash\"]\n");
            assert!(fault(&text).contains("small letters"), "{name}");
        }
    }
}

//! The manifest of a plugin, `.claude-plugin/plugin.json`: its name, and the options that it declares (C9, H2).

use super::declared::option_text;
use super::fault::{Fault, Spot};
use super::path;
use crate::config::source::json;
use crate::config::source::read::{self, ReadError};
use crate::config::source::tree::{Data, Node};
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a manifest in a plugin.
pub(super) const MANIFEST: &str = ".claude-plugin/plugin.json";

/// A manifest without its hooks, which are read separately.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// The plugin's name, if there is one that can be used.
    pub(super) name: Option<Arc<str>>,
    /// The options that it declares, by key.
    pub(super) options: BTreeMap<String, DeclaredOption>,
    /// The name that can't be used.
    bad_name: Option<(String, Spot)>,
    /// Its text, or the reason why there is none; `None` if there is no manifest.
    pub(super) text: Option<Result<Arc<str>, ReadError>>,
    pub(super) file: PathBuf,
}

/// An option of a plugin.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct DeclaredOption {
    pub(super) default: Option<String>,
    /// Set if its value is kept out of settings files.
    pub(super) is_sensitive: bool,
}

impl Manifest {
    /// Reads the manifest of the plugin in `directory`. One that leads out of `boundary` is not read.
    pub(super) fn read(directory: &Path, boundary: &Path) -> Self {
        let file = directory.join(MANIFEST);
        if path::no_way_out(&file, boundary).is_err() {
            return Manifest { file, ..Manifest::default() };
        }
        let text: Option<Result<Arc<str>, ReadError>> = match read::text(&file) {
            Ok(text) => text.map(|text| Ok(text.into())),
            Err(error) => Some(Err(error)),
        };
        Manifest::of_text(file, text)
    }

    /// Reads the text of a manifest, `None` if there is none.
    pub(super) fn of_text(file: PathBuf, text: Option<Result<Arc<str>, ReadError>>) -> Self {
        let mut manifest = Manifest { file, text: text.clone(), ..Manifest::default() };
        // Errors in the text are reported by the code that reads its hooks.
        let Some(Ok(text)) = text else { return manifest };
        let Ok(document) = json::parse(&text) else { return manifest };
        manifest.options = options(&document.root);
        if let Some(name) = document.root.get("name")
            && let Some(written) = name.value.as_text()
        {
            if is_fit(written) {
                manifest.name = Some(written.into());
            } else {
                let at = Spot { text, span: name.value.span, ..Spot::whole(Source::Flag, &manifest.file) };
                manifest.bad_name = Some((written.to_owned(), at));
            }
        }
        manifest
    }

    /// Returns the finding about a name that can't be used; `used` is the one that counts instead.
    pub(super) fn fault(&self, source: Source, used: &str) -> Option<Fault> {
        let (name, at) = self.bad_name.clone()?;
        let message = format!("a plugin can't be called `{}`, so it is called `{used}`", name.escape_debug());
        let fault = Fault::error(Spot { source, ..at }, "bad-plugin-name", message);
        Some(fault.help("use lower-case letters, digits and `-`"))
    }
}

/// Returns whether a name can be a prefix of command names, and appear in reports.
fn is_fit(name: &str) -> bool {
    const LONGEST: usize = 64;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().count() <= LONGEST && name.chars().all(is_plain)
}

fn options(manifest: &Node) -> BTreeMap<String, DeclaredOption> {
    let members = manifest.get("userConfig").and_then(|member| member.value.as_map()).unwrap_or_default();
    let declared = members.iter().map(|member| {
        let default = member.value.get("default").and_then(|default| option_text(&default.value));
        let sensitive = member.value.get("sensitive").map(|flag| &flag.value.data);
        // A flag that can't be read could mean a secret.
        let is_sensitive = !matches!(sensitive, None | Some(Data::Bool(false)));
        let default = default.filter(|text| !text.contains('\0'));
        (member.key.clone(), DeclaredOption { default, is_sensitive })
    });
    declared.collect()
}

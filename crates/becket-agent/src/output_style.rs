//! Output styles: texts that describe how a model should answer, chosen by the setting `outputStyle`.
//!
//! A style is added to the system prompt and removes nothing from it.

use crate::definitions::{self, Fields, Home, Homes};
use becket_engine::config::{Diagnostic, read_text};
use std::path::Path;

/// The name of the style without a text.
const DEFAULT: &str = "default";

/// The built-in styles.
const BUILT_IN: [(&str, &str); 2] = [
    (
        "Explanatory",
        "Between the steps of the work, explain briefly why you do what you do: the choice that was made, what else there \
         was, and what of this code base it follows from. Two or three points each time, about this code and not in \
         general.",
    ),
    (
        "Learning",
        "The user wants to learn from the work. Explain choices as you make them. Where a piece of five to ten lines \
         holds a real decision, leave it to the user: say what it has to do and what to weigh, mark the place in the \
         file with `TODO(human)`, and wait for it.",
    ),
];

/// The output styles of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputStyles {
    names: Vec<String>,
    /// The name in the settings.
    wanted: Option<String>,
    chosen: Option<Style>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Style {
    name: String,
    text: String,
}

/// The styles that were found, and the problems with the others.
#[derive(Debug, Default)]
pub(crate) struct LoadedStyles {
    pub(crate) styles: OutputStyles,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The chosen name, if there is no style of that name.
    pub(crate) missing: Option<String>,
}

impl OutputStyles {
    /// Reads the styles below these homes, and selects one by name. If several have the same name, the project's wins,
    /// then the user's, then a plugin's, then the built-in one.
    pub(crate) fn load(homes: &Homes, chosen: Option<&str>) -> LoadedStyles {
        let mut loaded = LoadedStyles::default();
        let mut found: Vec<Style> = Vec::new();
        for home in &homes.list {
            read(home, &mut found, &mut loaded.diagnostics);
        }
        found.extend(BUILT_IN.map(|(name, text)| Style { name: name.to_owned(), text: text.to_owned() }));
        let mut names = vec![DEFAULT.to_owned()];
        for style in &found {
            if !names.contains(&style.name) {
                names.push(style.name.clone());
            }
        }
        let wanted = chosen.filter(|name| *name != DEFAULT);
        let chosen = wanted.and_then(|name| found.into_iter().find(|style| style.name == name));
        loaded.missing = wanted.filter(|_| chosen.is_none()).map(str::to_owned);
        loaded.styles = OutputStyles { names, wanted: wanted.map(str::to_owned), chosen };
        loaded
    }

    /// Returns the name of the style in the settings, even if it does not exist.
    #[must_use]
    pub fn name(&self) -> &str {
        self.wanted.as_deref().unwrap_or(DEFAULT)
    }

    /// Returns the available names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the text for the model; `None` in the default style.
    pub(crate) fn text(&self) -> Option<String> {
        self.chosen.as_ref().map(|style| format!("# Output style: {}\n\n{}", style.name, style.text))
    }
}

fn read(home: &Home, found: &mut Vec<Style>, diagnostics: &mut Vec<Diagnostic>) {
    for directory in &home.output_styles {
        let files = definitions::markdown(directory, &home.source, definitions::is_markdown);
        diagnostics.extend(files.diagnostics);
        for below in files.files {
            let file = files.root.join(&below);
            match read_text(&file) {
                Ok(Some(text)) => found.extend(style(home, &file, &text, diagnostics)),
                // The file has been deleted in the meantime.
                Ok(None) => {}
                Err(error) => diagnostics.push(definitions::unreadable(&file, &home.source, &error)),
            }
        }
    }
}

fn style(home: &Home, file: &Path, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Style> {
    let mut fields = Fields::of(text, file, &home.source);
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = fields.text("name").unwrap_or(stem);
    let name = match definitions::namespace(&home.source) {
        Some(plugin) => format!("{plugin}:{name}"),
        None => name,
    };
    let text = fields.body.trim().to_owned();
    let is_broken = fields.is_broken();
    diagnostics.append(&mut fields.diagnostics);
    (!is_broken && !text.is_empty()).then_some(Style { name, text })
}

//! Case files: TOML with a `[[case]]` for each case, and an `[[equivalent]]` for each mutant that no case can kill.
//!
//! Every key is checked. An unknown one is an error with the nearest name and its place, so that no expectation is lost
//! through a typo.

mod fields;
mod read;
mod want;

use crate::case::{Case, CaseOrigin, EquivalentMutant};
use std::path::Path;
use toml_edit::Document;

pub(crate) use fields::{Fields, SourceText};

/// The contents of a case file.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct CaseFile {
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// The mutants that the author declares equivalent.
    pub equivalents: Vec<EquivalentMutant>,
}

/// An error in a case file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {what}")]
#[non_exhaustive]
pub struct CaseFileError {
    /// The place.
    pub origin: CaseOrigin,
    /// The error, and the way to fix it.
    pub what: String,
}

/// Reads the text of a case file.
///
/// # Errors
/// Returns every error that was found, at most one in each case.
pub fn read(file: &Path, text: &str) -> Result<CaseFile, Vec<CaseFileError>> {
    let source = SourceText { file, text };
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        vec![source.error(at, error.message())]
    })?;
    let top = Fields::new(source, document.as_table(), 0, "a case file");
    let mut errors = Vec::new();
    let mut contents = CaseFile::default();
    if let Err(error) = top.only(&["case", "equivalent"]) {
        errors.push(error);
    }
    match top.tables("case") {
        Ok(tables) => {
            for (index, fields) in tables.into_iter().enumerate() {
                match read::case(&fields, index) {
                    Ok(case) => contents.cases.push(case),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    match top.tables("equivalent") {
        Ok(tables) => {
            for fields in tables {
                match read::equivalent(&fields) {
                    Ok(equivalent) => contents.equivalents.push(equivalent),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    errors.extend(repeated_name(source, &contents.cases));
    if errors.is_empty() { Ok(contents) } else { Err(errors) }
}

/// Returns an error for a name that two cases share: reports could not distinguish them.
fn repeated_name(source: SourceText<'_>, cases: &[Case]) -> Option<CaseFileError> {
    let is_repeated =
        |(at, case): &(usize, &Case)| cases[..*at].iter().any(|before| before.name == case.name);
    let (_, case) = cases.iter().enumerate().find(is_repeated)?;
    let what = format!("a case before is called `{}` too; give each case a name of its own", case.name);
    Some(CaseFileError { origin: CaseOrigin { file: source.file.to_owned(), ..case.origin.clone() }, what })
}

#[cfg(test)]
mod tests;

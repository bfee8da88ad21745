//! The pages of `docs/` as mdBook reads them.
//!
//! A link out of the book becomes one to the repository, and the title of a code block, the name of its file, a line
//! above it.

use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The address of the repository: the one that `Cargo.toml` names.
pub(super) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Folders of the repository that are part of the site, beside the pages.
const BESIDE: [&str; 1] = ["schemas"];

/// Writes the input of mdBook to a directory.
///
/// # Errors
/// Errors if a file can't be read or written, or if a link is broken.
pub(super) fn gather(root: &Path, to: &Path) -> Result<(), String> {
    let docs = root.join("docs");
    let summary = read(&docs.join("SUMMARY.md"))?;
    let book = Book { root, pages: listed(&summary) };
    write(&to.join("SUMMARY.md"), &summary)?;
    for page in &book.pages {
        write(&to.join(page), &book.page(page, &read(&docs.join(page))?)?)?;
    }
    copy(&docs.join("images"), &to.join("images"))?;
    for folder in BESIDE {
        copy(&root.join(folder), &to.join(folder))?;
    }
    Ok(())
}

/// Returns the pages that the table of contents lists.
fn listed(summary: &str) -> BTreeSet<PathBuf> {
    links(summary).into_iter().filter(|link| !link.target.is_empty()).map(|link| link.target.into()).collect()
}

/// A link in a text.
struct Link {
    target: String,
    /// The position of the target.
    place: Range<usize>,
}

/// Returns the links and pictures of a text.
fn links(text: &str) -> Vec<Link> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
            continue;
        };
        let written = text.get(range.clone()).unwrap_or_default();
        if let Some(at) = written.rfind(&format!("]({dest_url})")) {
            let from = range.start + at + 2;
            found.push(Link { target: dest_url.to_string(), place: from..from + dest_url.len() });
        }
    }
    found
}

struct Book<'a> {
    root: &'a Path,
    pages: BTreeSet<PathBuf>,
}

impl Book<'_> {
    /// Returns a page with its links as in the book.
    fn page(&self, page: &Path, text: &str) -> Result<String, String> {
        let mut out = text.to_owned();
        for link in links(text).into_iter().rev() {
            let target = self
                .target(page, &link.target)
                .map_err(|why| format!("docs/{}: `{}` {why}", page.display(), link.target))?;
            out.replace_range(link.place, &target);
        }
        Ok(titled(&out))
    }

    /// Returns the target of a page's link in the book.
    fn target(&self, page: &Path, target: &str) -> Result<String, String> {
        if target.contains("://") || target.starts_with('#') || target.starts_with("mailto:") {
            return Ok(target.to_owned());
        }
        let (path, heading) = target.split_once('#').map_or((target, ""), |(path, heading)| (path, heading));
        let place = normal(&Path::new("docs").join(page).with_file_name(path))
            .ok_or("leads out of the repository")?;
        let is_there = self.root.join(&place);
        if !is_there.exists() {
            return Err("leads nowhere".to_owned());
        }
        if let Ok(inside) = place.strip_prefix("docs")
            && (self.pages.contains(inside) || inside.starts_with("images"))
        {
            // mdBook creates the page of a folder from its README.
            return Ok(target.replace("README.md", "index.html"));
        }
        if BESIDE.iter().any(|folder| place.starts_with(folder)) && is_there.is_file() {
            let up = "../".repeat(page.components().count() - 1);
            return Ok(format!("{up}{}", place.display()));
        }
        let kind = if is_there.is_dir() { "tree" } else { "blob" };
        let heading = if heading.is_empty() { String::new() } else { format!("#{heading}") };
        Ok(format!("{REPOSITORY}/{kind}/main/{}{heading}", place.display()))
    }
}

/// Returns a path without `..`; `None` if it leads above its beginning.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => whole.pop().then_some(())?,
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => whole.push(part),
        }
    }
    Some(whole)
}

/// Writes the title of a block of code above it, and leaves the language alone in its first line.
fn titled(text: &str) -> String {
    let mut out = String::new();
    let mut is_inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(head) if !is_inside => {
                is_inside = true;
                let title = head.split_once("title=\"").or_else(|| head.split_once("from=\""));
                if let Some((name, _)) = title.and_then(|(_, rest)| rest.split_once('"')) {
                    out.push_str(&format!("`{name}`\n\n"));
                }
                let language = head.split_whitespace().next().unwrap_or_default();
                out.push_str(&format!("```{language}\n"));
            }
            Some(_) => {
                is_inside = false;
                out.push_str("```\n");
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, text).map_err(failed)
}

/// Copies a folder with its content.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_to_the_repository_or_nowhere() {
        let pages = ["README.md", "guide/test.md", "schemas.md"].map(PathBuf::from).into();
        let book = Book { root: crate::root(), pages };
        let page = Path::new("guide/test.md");
        for (target, expected) in [
            ("https://example.org/x", "https://example.org/x".to_owned()),
            ("#here", "#here".to_owned()),
            ("../README.md#x", "../index.html#x".to_owned()),
            ("check.md", format!("{REPOSITORY}/blob/main/docs/guide/check.md")),
            ("../../README.md#x", format!("{REPOSITORY}/blob/main/README.md#x")),
            ("../../examples", format!("{REPOSITORY}/tree/main/examples")),
            ("../../schemas/settings.json", "../schemas/settings.json".to_owned()),
        ] {
            assert_eq!(book.target(page, target), Ok(expected), "{target}");
        }
        for (target, why) in [("nowhere.md", "nowhere"), ("../../../../x", "out of the repository")] {
            assert!(book.target(page, target).unwrap_err().contains(why), "{target}");
        }
        let text = "See [a `b`](check.md) and [c][d].\n\n```json title=\"x.json\"\n[e](check.md)\n```\n\n[d]: check.md\n";
        let rewritten = book.page(page, text).unwrap();
        assert!(
            rewritten.contains(&format!("[a `b`]({REPOSITORY}/blob/main/docs/guide/check.md)")),
            "{rewritten}"
        );
        assert!(rewritten.contains("`x.json`\n\n```json\n[e](check.md)\n```"), "{rewritten}");
    }

    #[test]
    fn every_page_is_in_the_table_of_contents() {
        let listed = listed(&read(&crate::root().join("docs/SUMMARY.md")).unwrap());
        for folder in ["", "guide", "admin"] {
            for entry in fs::read_dir(crate::root().join("docs").join(folder)).unwrap() {
                let name = entry.unwrap().file_name();
                let page = Path::new(folder).join(&name);
                let is_page = page.extension().is_some_and(|kind| kind == "md") && name != "SUMMARY.md";
                assert!(
                    !is_page || listed.contains(&page),
                    "docs/SUMMARY.md does not list {}",
                    page.display()
                );
            }
        }
    }
}

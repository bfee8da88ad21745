//! Pages of the site in a browser, in both themes: their rendering, their console and their search.

use crate::page::browser_command;
use crate::say;
use std::fs;
use std::path::Path;
use std::process::Output;

/// The pages that are opened, and text that each must show.
const PAGES: [(&str, &str); 5] = [
    ("index.html", "Documentation"),
    ("guide/stop-force-pushes.html", "Stop force-pushes"),
    ("events.html", "PreToolUse"),
    ("guide/exit-codes.html", "allowed, but not checked"),
    ("pictures.html", "<img"),
];

/// A theme, the options of the browser for it, and its name in mdBook.
const THEMES: [(&str, &[&str], &str); 2] = [
    ("light", &[], "light"),
    ("dark", &["--force-dark-mode", "--blink-settings=preferredColorScheme=0"], "navy"),
];

/// The word that is searched, and the page that has to be found.
const SEARCH: (&str, &str) = ("force-push", "guide/stop-force-pushes.html");

/// Opens the pages, and keeps a picture of each.
///
/// # Errors
/// Errors if a page is not rendered, its console has an error, its theme is another one, or the search finds nothing.
pub(super) fn check(book: &Path, pictures: &Path) -> Result<(), String> {
    fs::create_dir_all(pictures).map_err(|error| format!("`{}`: {error}", pictures.display()))?;
    let user = tempfile::tempdir().map_err(|error| error.to_string())?;
    for (theme, options, class) in THEMES {
        for (page, words) in PAGES {
            let address = format!("file://{}/{page}", book.display());
            let opened = open(&[options, &["--dump-dom"]].concat(), user.path(), &address)?;
            let dom = drawn(&opened, page)?;
            let html = dom.split_once("<html").and_then(|(_, rest)| rest.split_once('>'));
            if !html.is_some_and(|(tag, _)| tag.split(['"', ' ']).any(|word| word == class)) {
                return Err(format!("{page} does not follow the {theme} theme"));
            }
            for part in [words, "id=\"mdbook-searchbar\"", "class=\"chapter\""] {
                if !dom.contains(part) {
                    return Err(format!("{page} in the {theme} theme has no `{part}`"));
                }
            }
            let name = format!("{}-{theme}.png", page.trim_end_matches(".html").replace('/', "-"));
            let picture = format!("--screenshot={}", pictures.join(&name).display());
            open(&[options, &["--hide-scrollbars", &picture]].concat(), user.path(), &address)?;
            if !pictures.join(&name).is_file() {
                return Err(format!("{page} in the {theme} theme gave no picture"));
            }
        }
    }
    let (word, found) = SEARCH;
    let address = format!("file://{}/index.html?search={word}", book.display());
    let dom = drawn(&open(&["--dump-dom"], user.path(), &address)?, "the search")?;
    let results = dom.split_once("id=\"mdbook-searchresults\"").map_or("", |(_, results)| results);
    if !results.contains(found) {
        return Err(format!("the search for `{word}` does not find {found}"));
    }
    say(&format!("{} pages in {} themes: {}", PAGES.len(), THEMES.len(), pictures.display()));
    Ok(())
}

/// Opens an address in a separate browser, until its scripts have run.
fn open(options: &[&str], user: &Path, address: &str) -> Result<Output, String> {
    let mut browser = browser_command();
    browser.args(["--enable-logging=stderr", "--virtual-time-budget=8000", "--window-size=1280,900"]);
    browser.arg(format!("--user-data-dir={}", user.display())).args(options).arg(address);
    browser.output().map_err(|error| format!("can't run chromium: {error}"))
}

/// Returns the rendered page, if the console has no error.
fn drawn(opened: &Output, page: &str) -> Result<String, String> {
    let console = String::from_utf8_lossy(&opened.stderr);
    if let Some(line) = console.lines().find(|line| is_error(line)) {
        return Err(format!("{page}: the console says: {line}"));
    }
    let dom = String::from_utf8_lossy(&opened.stdout).into_owned();
    if dom.is_empty() { Err(format!("{page} is not drawn: {console}")) } else { Ok(dom) }
}

/// Returns true for a line of a page's console: a page without errors prints none.
fn is_error(line: &str) -> bool {
    line.contains("CONSOLE")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn an_error_in_the_console_or_an_empty_page_fails() {
        let opened = |stdout: &str, stderr: &str| Output {
            status: ExitStatusExt::from_raw(0),
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        assert_eq!(
            drawn(&opened("<html>", "[1:2:ERROR:dbus/bus.cc:1] no bus"), "x"),
            Ok("<html>".to_owned())
        );
        assert!(drawn(&opened("", ""), "x").unwrap_err().contains("not drawn"));
        let console =
            "[1:2:1128/1:INFO:CONSOLE:3] \"Uncaught ReferenceError: a is not defined\", source: x (3)";
        assert!(drawn(&opened("<html>", console), "x").unwrap_err().contains("ReferenceError"));
    }
}

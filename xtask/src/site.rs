//! `cargo xtask site`: the documentation as a site, in `target/site/book`, built by mdBook from `docs/`.
//!
//! The links of the site are checked by lychee, without the network. A browser opens pages of it in both themes: each
//! must be rendered without an error in its console, and the search must find something. Its output is kept in
//! `target/site/seen`.

mod pages;
mod seen;

use crate::installed::{self, Places};
use crate::suites::leave_out;
use crate::{page, root, say};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook.
const MDBOOK: &str = "0.5.4";

/// Builds the site and checks it.
///
/// # Errors
/// Errors if it can't be built, if a link is broken, or if a page is not rendered correctly.
pub(crate) fn suite(_: &[String]) -> Result<(), String> {
    let book = make()?;
    links(&book)?;
    match page::browser() {
        Ok(()) => seen::check(&book, &target().join("seen")),
        Err(reason) => {
            leave_out("the site in a browser", &reason);
            Ok(())
        }
    }
}

/// Returns the directory of all output.
fn target() -> PathBuf {
    root().join("target/site")
}

/// Builds the site, and returns its directory.
fn make() -> Result<PathBuf, String> {
    let mdbook = mdbook()?;
    let place = target();
    for old in ["src", "book"] {
        drop(fs::remove_dir_all(place.join(old)));
    }
    pages::gather(root(), &place.join("src"))?;
    let config = place.join("book.toml");
    fs::copy(root().join("docs/book.toml"), &config)
        .map_err(|error| format!("`{}`: {error}", config.display()))?;
    let mut build = Command::new(mdbook);
    build.arg("build").arg(&place).env("MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL", pages::REPOSITORY);
    let output = build.output().map_err(|error| format!("can't run mdbook: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    // Warnings are about pages that are missing, or that contain broken markup.
    if !output.status.success() || stderr.contains("WARN") || stderr.contains("ERROR") {
        return Err(format!("mdbook: {stderr}"));
    }
    Ok(place.join("book"))
}

/// Returns mdBook, after installing it if it is missing.
fn mdbook() -> Result<PathBuf, String> {
    let place = root().join("target/checkers");
    let program = place.join("bin/mdbook");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(MDBOOK)) {
        return Ok(program);
    }
    say("installing mdbook");
    let mut install = Command::new(env!("CARGO"));
    install.args(["install", "mdbook", "--version", MDBOOK, "--locked", "--quiet", "--debug", "--force"]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(&place);
    installed::run(&mut install)?;
    Ok(program)
}

/// Checks that the target of every link of the site, file and heading, exists.
fn links(book: &Path) -> Result<(), String> {
    let python = Places::of_site(root()).pypi();
    let lychee = match python {
        Ok(python) => python.with_file_name("lychee"),
        Err(reason) => {
            leave_out("the links of the site", &reason);
            return Ok(());
        }
    };
    let mut check = Command::new(lychee);
    check.args(["--offline", "--include-fragments", "--no-progress", "--root-dir"]);
    check.arg(book).arg(book.join("**/*.html"));
    let output = check.output().map_err(|error| format!("can't run lychee: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("links lead nowhere:\n{stdout}"));
    }
    say(stdout.trim_end().lines().last().unwrap_or_default());
    Ok(())
}

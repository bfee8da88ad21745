//! `cargo xtask suites page`: the page of `becket profile --html` in a real browser.

use crate::root;
use crate::say;
use crate::suites::leave_out;
use std::process::{Command, Stdio};

/// Runs its tests, after installing Debian's chromium if it is missing. If it can't be installed, they are left out.
///
/// # Errors
/// Errors if a test fails.
pub(crate) fn suite(_: &[String]) -> Result<(), String> {
    if let Err(reason) = browser() {
        leave_out("the page of a profile in a browser", &reason);
        return Ok(());
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--quiet", "--package", "becket-lab", "--test", "page", "--", "--ignored"]);
    let status = cargo.current_dir(root()).status().map_err(|error| format!("can't run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("the page is not drawn as it should be: see above".to_owned()) }
}

/// Returns the command of the browser, without an address: without a window, and without requests of its own.
pub(crate) fn browser_command() -> Command {
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    browser.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    browser.stdin(Stdio::null());
    browser
}

/// Installs the browser if it is missing.
///
/// # Errors
/// Errors if it can't be installed.
pub(crate) fn browser() -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    say("installing chromium");
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium"]);
    let done = install.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()).status();
    match done {
        _ if is_there() => Ok(()),
        Ok(status) => Err(format!("chromium can't be installed: apt-get ended with {status}")),
        Err(error) => Err(format!("chromium is missing, and apt-get can't be run: {error}")),
    }
}

fn is_there() -> bool {
    let mut version = Command::new("chromium");
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

//! Namespaces for a run: a network with only the loopback, processes that end with it, an ordinary user.

use std::process::Command;

/// Namespaces for users, network, processes and mounts; the loopback is set up before the capability for it is dropped.
const UNSHARE: [&str; 9] = [
    "--user",
    "--map-user=1000",
    "--map-group=1000",
    "--keep-caps",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
];
const INSIDE: &str = "ip link set lo up && exec setpriv --ambient-caps=-all --inh-caps=-all -- \"$@\"";

/// Returns a command that runs its further arguments in separate namespaces.
pub fn isolated() -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(UNSHARE).args(["--", "sh", "-c", INSIDE, "sh"]);
    unshare
}

/// Checks that this machine supports the namespaces.
///
/// # Errors
/// Errors with the reason if it does not.
pub fn check_isolation() -> Result<(), String> {
    let ended = isolated().arg("true").output().map_err(|error| format!("can't run `unshare`: {error}"))?;
    let why = String::from_utf8_lossy(&ended.stderr);
    if ended.status.success() { Ok(()) } else { Err(format!("no namespaces: {}", why.trim())) }
}

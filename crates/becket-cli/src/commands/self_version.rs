//! `becket self version`: this copy of becket.

use crate::args::Global;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::installation::{COMMIT, InstallMethod, Installation, target};
use crate::out::Out;
use crate::release::is_interrupted;
use crate::report::json;
use crate::report::style::{HEAD, WARNING, plain, styled};
use becket_embed::view::Report;

/// Prints version, target, installer and programs.
pub(crate) fn run(global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let copy = installation(around)?;
    let update = copy.method.update_command();
    let is_half_updated = copy.full.parent().is_some_and(is_interrupted);
    if global.json {
        let report = Report::SelfVersion {
            version: env!("CARGO_PKG_VERSION"),
            commit: COMMIT.map(str::to_owned),
            target: target(),
            installed_by: copy.method.name(),
            full: copy.full.display().to_string(),
            small: copy.small.map(|small| small.display().to_string()),
            update,
            interrupted_update: is_half_updated,
        };
        json::print(&report, out)?;
        return Ok(0);
    }
    let commit = COMMIT.unwrap_or("unknown");
    let small = match &copy.small {
        Some(small) => around.short(small),
        None => "none: the full program answers events, too".to_owned(),
    };
    let update = update.unwrap_or_else(|| "unknown: use the tool that installed it".to_owned());
    let mut text = format!("{}\n", styled(HEAD, concat!("becket ", env!("CARGO_PKG_VERSION"))));
    for (label, value) in [
        ("commit", commit),
        ("target", &target()),
        ("installed by", copy.method.title()),
        ("full program", &around.short(&copy.full)),
        ("small program", &small),
        ("update", &update),
    ] {
        text.push_str(&format!("  {label:14} {}\n", plain(value)));
    }
    if is_half_updated {
        let note = "an update was interrupted: `becket self update` finishes it";
        text.push_str(&format!("{} {note}\n", styled(WARNING, "note:")));
    }
    out.print(&text)?;
    Ok(0)
}

/// Returns the installation of this process.
pub(super) fn installation(around: &Surroundings) -> Result<Installation, CliError> {
    let program = around.program.as_deref();
    let program = program.ok_or_else(|| CliError::not_updated("the place of this program is unknown"))?;
    Ok(Installation::of(program))
}

/// Returns the reason why a copy is not updated; `None` if `install.sh` has installed it.
pub(super) fn refusal(method: &InstallMethod) -> Option<String> {
    match (method, method.update_command()) {
        (InstallMethod::Script { .. }, _) => None,
        (_, Some(command)) => Some(format!("this copy was installed by {}: update it with `{command}`", method.title())),
        (_, None) => Some(
            "it is unknown how this copy was installed: update it in the same way, or install another one with install.sh"
                .to_owned(),
        ),
    }
}

//! The archive, installed by `install.sh`, used as README shows it, and updated by its own program.

use super::{InstalledCopy, Place, StepError, copy, create, file_url, first_steps, pack, stdout_of};
use crate::root;
use std::fs;
use std::process::Command;

/// Packs, installs and runs the programs, and checks for an update.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    pack(place)?;
    let work = place.fresh("script")?;
    let latest = work.join("releases/latest/download");
    create(&latest)?;
    let archive = format!("becket-{}.tar.gz", place.target);
    for name in [archive.clone(), format!("{archive}.sha256"), "VERSION".to_owned()] {
        copy(&place.out.join(&name), &latest.join(&name))?;
    }
    let (bin, releases) = (work.join("bin"), file_url(&work.join("releases")));
    let mut script = Command::new("sh");
    script.arg(root().join("install.sh")).arg("--dir").arg(&bin).env("BECKET_RELEASES_URL", &releases);
    stdout_of(&mut script)?;
    let becket = bin.join("becket");
    InstalledCopy::new(&becket, None)?.check("install.sh")?;
    let mut update = Command::new(&becket);
    let looked = stdout_of(update.args(["self", "update", "--check"]).env("BECKET_RELEASES_URL", &releases))?;
    if !looked.contains("is the latest release") {
        return Err(format!("`becket self update --check` says `{looked}`").into());
    }
    copy(&root().join("install.sh"), &latest.join("install.sh"))?;
    first_steps::type_all(&releases, &place.fresh("first-steps")?)?;
    fs::remove_dir_all(&work).map_err(|error| format!("`{}`: {error}", work.display()).into())
}

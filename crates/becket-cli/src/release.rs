//! Releases: where they are, what is in them, and how one replaces the installed programs.
//!
//! INVARIANT: nothing that is installed changes before an archive has been downloaded whole, its SHA-256 sum is right, and its
//! program has been run here and reported its version.

mod archive;
mod replacement;
mod source;

pub(crate) use archive::unpack;
pub(crate) use replacement::{Replacement, is_interrupted};
pub(crate) use source::ReleaseSource;

/// The public place of the releases: `latest/download/FILE` and `download/vVERSION/FILE`, as GitHub has them. `install.sh` names
/// the same.
pub(crate) const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// The file of a release that holds its version.
pub(crate) const VERSION_FILE: &str = "VERSION";

/// Returns the name of the archive for a target, without its ending; the folder in it has the same.
pub(crate) fn archive_name(target: &str) -> String {
    format!("becket-{target}")
}

/// Returns the path of a file below the place of the releases: of one release, or of the latest.
pub(crate) fn path_of(version: Option<&semver::Version>, file: &str) -> String {
    match version {
        Some(version) => format!("download/v{version}/{file}"),
        None => format!("latest/download/{file}"),
    }
}

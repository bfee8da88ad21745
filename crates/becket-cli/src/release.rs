//! Releases: their location, their files, and the replacement of the installed programs.
//!
//! INVARIANT: nothing that is installed changes before an archive has been completely downloaded, its SHA-256 sum has
//! been verified, and its program has been run and has reported its version.

mod archive;
mod replacement;
mod source;

pub(crate) use archive::unpack;
pub(crate) use replacement::{Replacement, is_interrupted};
pub(crate) use source::ReleaseSource;

/// The public location of the releases: `latest/download/FILE` and `download/vVERSION/FILE`, as on GitHub. `install.sh`
/// uses the same.
pub(crate) const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

/// The file of a release that contains its version.
pub(crate) const VERSION_FILE: &str = "VERSION";

/// Returns the name of the archive for a target, without its extension; the folder in it has the same name.
pub(crate) fn archive_name(target: &str) -> String {
    format!("becket-{target}")
}

/// Returns the path of a file below the location of the releases: for one release, or for the latest.
pub(crate) fn path_of(version: Option<&semver::Version>, file: &str) -> String {
    match version {
        Some(version) => format!("download/v{version}/{file}"),
        None => format!("latest/download/{file}"),
    }
}

//! Resolves a path to its real path, even for a file that does not exist yet (P8).
//!
//! Total on any text of a model: no recursion, no more links than the kernel follows, and a path that is too long for
//! any system call leads nowhere.

use std::path::{Component, Path, PathBuf};

/// The length that no system call accepts any more, in bytes (`PATH_MAX` of Linux; lower elsewhere).
const LONGEST: usize = 4_096;
/// The number of links that the kernel follows before it gives up (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// Returns the real path of a file that may not exist yet: its nearest existing parent is resolved, and a link to
/// nothing leads to its target. Returns `None` for links in a circle and for a text that is not a path.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        if path.as_os_str().len() >= LONGEST {
            return None;
        }
        match step(&path)? {
            Step::Real(real) => return Some(real),
            Step::Link(next) => path = next,
        }
    }
    None
}

enum Step {
    /// The resolved path.
    Real(PathBuf),
    /// A link to nothing, replaced by its target.
    Link(PathBuf),
}

fn step(path: &Path) -> Option<Step> {
    let (parent, base) = path.ancestors().find_map(|parent| Some((parent, parent.canonicalize().ok()?)))?;
    let missing = path.strip_prefix(parent).ok()?;
    let mut names = missing.components();
    let Some(first) = names.next() else { return Some(Step::Real(base)) };
    Some(match base.join(first).read_link() {
        Ok(target) => Step::Link(base.join(target).join(names.as_path())),
        Err(_) => Step::Real(below(base, missing)),
    })
}

/// Returns `missing` under a directory in which its first name does not exist; `..` is resolved in the text alone.
fn below(mut base: PathBuf, missing: &Path) -> PathBuf {
    for part in missing.components() {
        match part {
            Component::ParentDir => {
                base.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => base.push(part),
        }
    }
    base
}

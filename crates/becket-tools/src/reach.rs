//! The reach of a call on files (`protocol.md` P14), and the rules that the user may want to add (P13).

use crate::places::real;
use crate::protected::{is_of_a_repository, is_protected};
use crate::surroundings::Surroundings;
use becket_engine::Effect;
use becket_model::Session;
use becket_model::event::PermissionMode;
use becket_rules::{Change, Destination, Mode, PermissionUpdate, Rule, RuleList};
use std::path::{Path, PathBuf};

/// Characters with a meaning in a rule's pattern: a directory with one in its name is never suggested.
const SPECIAL: &str = "*?[]{}()!\\#~\"'`$";

/// Returns the effect of an edit of an absolute path. A link counts as its target, and as itself.
pub(crate) fn of_edit(host: &Surroundings, session: &Session, path: &Path) -> Effect {
    let real = real(path);
    let is_kept = |path: &Path| is_protected(path) || host.protects(path);
    if is_kept(path) || real.as_deref().is_some_and(|real| is_kept(real) || is_of_a_repository(real)) {
        return Effect::EditsProtected;
    }
    let is_inside = path.is_absolute() && real.is_some_and(|real| host.places(session).hold(&real));
    if is_inside { Effect::Edits } else { Effect::EditsElsewhere }
}

/// Returns updates that would spare the user the next question about an edit there; none for a protected file.
pub(crate) fn after_edit(host: &Surroundings, session: &Session, path: &Path) -> Vec<PermissionUpdate> {
    let change = match of_edit(host, session, path) {
        Effect::Edits if session.permission_mode != Some(PermissionMode::AcceptEdits) => {
            Some(Change::SetMode(Mode::AcceptEdits))
        }
        Effect::EditsElsewhere => {
            let directory = real(path).and_then(|real| offered(host, session, real.parent()?));
            directory.map(|directory| Change::AddDirectories(vec![directory]))
        }
        Effect::Edits | Effect::EditsProtected | Effect::Reads | Effect::ActsAndEdits | Effect::Acts => None,
    };
    for_session(change)
}

/// Returns such updates for a call that reads a directory outside of the working directories.
pub(crate) fn after_read(host: &Surroundings, session: &Session, directory: &Path) -> Vec<PermissionUpdate> {
    let Some(real) = real(directory).filter(|real| !host.places(session).hold(real)) else {
        return Vec::new();
    };
    // An allow rule has to cover both a link and its target (P8).
    let mut directories = vec![real];
    if !directories.iter().any(|real| real == directory) {
        directories.push(directory.to_path_buf());
    }
    let rule = |directory: PathBuf| {
        Rule::from_parts("Read", Some(&format!("/{}/**", offered(host, session, &directory)?))).ok()
    };
    let rules: Option<Vec<Rule>> = directories.into_iter().map(rule).collect();
    for_session(rules.map(|rules| Change::AddRules(RuleList::Allow, rules)))
}

fn for_session(change: Option<Change>) -> Vec<PermissionUpdate> {
    change.map(|change| PermissionUpdate { destination: Destination::Session, change }).into_iter().collect()
}

/// Returns a directory as a suggestion names it; `None` if that would allow far more than the call requests: all
/// files, the home directory, or a directory that contains it or the cwd.
fn offered(host: &Surroundings, session: &Session, directory: &Path) -> Option<String> {
    let holds =
        |place: &Path| place.starts_with(directory) || real(place).is_some_and(|p| p.starts_with(directory));
    let home = host.environment.home();
    let is_wide = directory.parent().is_none() || home.is_some_and(holds) || holds(&session.cwd);
    let text = directory.to_str()?;
    let is_plain = !text.chars().any(|c| SPECIAL.contains(c) || c.is_control())
        && !text.ends_with(char::is_whitespace)
        && directory.is_absolute();
    (!is_wide && is_plain).then(|| text.to_owned())
}

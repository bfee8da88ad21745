//! Notes for later sessions, and those of earlier ones (`--memory-notes`, `autoMemoryEnabled`).
//!
//! They cost a model request after each turn, so they are opt-in: by the command line, or by settings of the user or of
//! policy. Settings of the project may only disable them (G3).

use super::begins;
use super::context::RunContext;
use super::session::Session;
use becket_agent::notes::Notes;
use becket_engine::config::load;
use becket_model::Source;
use serde_json::Value;
use std::time::Duration;

/// The key in settings.
const KEY: &str = "autoMemoryEnabled";
/// The time limit for the last notes of a finished run, after its results were printed.
const MOMENT: Duration = Duration::from_secs(10);

/// Returns the notes of this directory if they are enabled: not in a bare start, and not if the session is not stored.
pub(super) fn notes(at: RunContext<'_>) -> Option<Notes> {
    if at.args.sources.skips_files() || at.args.sdk.no_session_persistence {
        return None;
    }
    let store = begins::store(at)?;
    wanted(at).then(|| store.notes(&at.session.start))
}

fn wanted(at: RunContext<'_>) -> bool {
    let loaded = load(&at.session.request());
    let says = loaded.layers().iter().map(|layer| {
        let text = layer.text.as_ref().map(|text| setting_in(text)).unwrap_or(Says::Unread);
        (&layer.source, text)
    });
    resolved(at.args.session.memory_notes, says)
}

/// The setting in one settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Yes,
    No,
    Nothing,
    /// The value may be of any type.
    Unread,
}

fn setting_in(text: &str) -> Says {
    match serde_json::from_str::<Value>(text).map(|settings| settings[KEY].as_bool()) {
        Ok(Some(true)) => Says::Yes,
        Ok(Some(false)) => Says::No,
        Ok(None) => Says::Nothing,
        Err(_) => Says::Unread,
    }
}

/// Policy first, then the command line, then the user's settings; those of the project can only forbid what these allow.
fn resolved<'s>(asked: bool, says: impl Iterator<Item = (&'s Source, Says)>) -> bool {
    let says: Vec<(&Source, Says)> = says.collect();
    let any = |sources: &[Source], is_it: fn(Says) -> bool| {
        says.iter().any(|(source, said)| sources.contains(*source) && is_it(*said))
    };
    let (allows, forbids) = (|said| said == Says::Yes, |said| matches!(said, Says::No | Says::Unread));
    if any(&[Source::Policy], forbids) {
        return false;
    }
    if asked || any(&[Source::Flag], allows) {
        return true;
    }
    any(&[Source::Policy, Source::User], allows)
        && !any(&[Source::Flag, Source::User, Source::Project, Source::Local], forbids)
}

impl Session {
    /// Lets the tasks at the end of turns finish if there are notes to be taken: results are printed, and nothing else
    /// is pending. Limited in time, and skipped if the run is interrupted.
    pub(super) async fn remembers(&self, at: RunContext<'_>) {
        if self.at_end.notes.is_none() {
            return;
        }
        tokio::select! {
            biased;
            () = at.cancel.cancelled() => {}
            _ = tokio::time::timeout(MOMENT, self.turn_end.settled()) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: L7, G3
    #[test]
    fn somebody_who_may_has_to_ask_for_notes() {
        use Says::{No, Nothing, Unread, Yes};
        use Source::{Flag, Local, Policy, Project, User};
        for (asked, says, expected) in [
            (false, vec![], false),
            (false, vec![(User, Yes)], true),
            (false, vec![(Policy, Yes)], true),
            (false, vec![(Flag, Yes), (Project, No)], true),
            (false, vec![(Project, Yes), (Local, Yes)], false),
            (false, vec![(User, Yes), (Project, No)], false),
            (false, vec![(User, Yes), (Local, Unread)], false),
            (false, vec![(User, Yes), (Flag, No)], false),
            (false, vec![(User, Yes), (Project, Nothing)], true),
            (true, vec![(User, No), (Project, No)], true),
            (true, vec![(Policy, No)], false),
            (true, vec![(Policy, Unread)], false),
        ] {
            let found = resolved(asked, says.iter().map(|(source, said)| (source, *said)));
            assert_eq!(found, expected, "{asked} {says:?}");
        }
    }

    #[test]
    fn a_key_that_is_no_yes_or_no_says_nothing() {
        let of = |value: &str| setting_in(&format!("{{\"{KEY}\": {value}}}"));
        assert_eq!(
            [of("true"), of("false"), of("1"), of("\"true\"")],
            [Says::Yes, Says::No, Says::Nothing, Says::Nothing]
        );
        assert_eq!(
            [setting_in("{}"), setting_in("[]"), setting_in("{")],
            [Says::Nothing, Says::Nothing, Says::Unread]
        );
    }
}

//! The setting that enables notes for later sessions (`autoMemoryEnabled`).
//!
//! They cost a model request after each turn, so they are opt-in: by the command line, or by settings of the user or of
//! policy. Settings of the project may only disable them (G3).

use becket_engine::config::{Request, load};
use becket_model::Source;
use serde_json::Value;

/// The key in settings.
const KEY: &str = "autoMemoryEnabled";

/// Returns true if the settings of a configuration enable notes; `asked` is true if the command line requests them.
#[must_use]
pub fn wants_notes(request: &Request, asked: bool) -> bool {
    let loaded = load(request);
    let says = loaded.layers().iter().map(|layer| {
        let text = layer.text.as_ref().map(|text| setting_in(text)).unwrap_or(NotesSetting::Unread);
        (&layer.source, text)
    });
    resolved(asked, says)
}

/// The setting in one settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotesSetting {
    Yes,
    No,
    Nothing,
    /// The file can't be parsed, and may contain any value.
    Unread,
}

fn setting_in(text: &str) -> NotesSetting {
    match serde_json::from_str::<Value>(text).map(|settings| settings[KEY].as_bool()) {
        Ok(Some(true)) => NotesSetting::Yes,
        Ok(Some(false)) => NotesSetting::No,
        Ok(None) => NotesSetting::Nothing,
        Err(_) => NotesSetting::Unread,
    }
}

/// Policy comes first, then the command line, then the user's settings; those of the project can only disable what
/// these allow.
fn resolved<'s>(asked: bool, says: impl Iterator<Item = (&'s Source, NotesSetting)>) -> bool {
    let says: Vec<(&Source, NotesSetting)> = says.collect();
    let any = |sources: &[Source], is_it: fn(NotesSetting) -> bool| {
        says.iter().any(|(source, said)| sources.contains(*source) && is_it(*said))
    };
    let (allows, forbids) =
        (|said| said == NotesSetting::Yes, |said| matches!(said, NotesSetting::No | NotesSetting::Unread));
    if any(&[Source::Policy], forbids) {
        return false;
    }
    if asked || any(&[Source::Flag], allows) {
        return true;
    }
    any(&[Source::Policy, Source::User], allows)
        && !any(&[Source::Flag, Source::User, Source::Project, Source::Local], forbids)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rules: L7, G3
    #[test]
    fn somebody_who_may_has_to_ask_for_notes() {
        use NotesSetting::{No, Nothing, Unread, Yes};
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
            [NotesSetting::Yes, NotesSetting::No, NotesSetting::Nothing, NotesSetting::Nothing]
        );
        assert_eq!(
            [setting_in("{}"), setting_in("[]"), setting_in("{")],
            [NotesSetting::Nothing, NotesSetting::Nothing, NotesSetting::Unread]
        );
    }
}

//! Texts that are too long to pass on: a private file keeps the whole, and a preview with the path is passed on (O8).

use crate::host::private_files::PrivateFiles;
use crate::report::outcome::Run;
use becket_model::{Attributed, SessionId, Verdict};
use std::sync::Arc;

/// The number of characters of one context or message that are passed on.
const LIMIT: usize = 10_000;
/// The number of characters in the preview of a longer one.
const PREVIEW: usize = 2_000;

/// Shortens contexts and messages; reasons are not shortened. `runs` are the runs that wrote them.
pub(crate) fn shorten(verdict: &mut Verdict, runs: &[Arc<Run>], files: &PrivateFiles, session: &SessionId) {
    let contexts = verdict.context.iter_mut().map(|context| {
        let total = if context.what.plain { total(runs, context) } else { None };
        (&mut context.what.text, total)
    });
    let messages = verdict.messages.iter_mut().map(|message| (&mut message.what, None));
    let printed = verdict.notices.iter_mut().filter(|notice| notice.what.plain).map(|notice| {
        let total = total(runs, notice);
        (&mut notice.what.text, total)
    });
    let texts = contexts.chain(messages).chain(printed);
    let warnings: Vec<String> =
        texts.filter_map(|(text, total)| shorten_text(text, total, files, session)).collect();
    verdict.warnings.extend(warnings);
}

/// Returns the number of printed bytes if a text is the beginning of a hook's output (H3).
fn total<T>(runs: &[Arc<Run>], text: &Attributed<T>) -> Option<u64> {
    let is_of = |run: &&Arc<Run>| {
        run.handler.place.label == text.label && run.handler.place.source == text.source && cut(run).is_some()
    };
    runs.iter().find(is_of).and_then(|run| cut(run))
}

/// Returns the number of bytes that a run has printed, if not all of them were kept.
pub(crate) fn cut(run: &Run) -> Option<u64> {
    Some(run.printed.stdout).filter(|total| *total > run.stdout.len() as u64)
}

/// Shortens one text; if it can't be stored in full, passes it on in full and returns a warning. `total` is the number
/// of bytes before the cap of H3, if there were more.
pub(crate) fn shorten_text(
    text: &mut String,
    total: Option<u64>,
    files: &PrivateFiles,
    session: &SessionId,
) -> Option<String> {
    let length = text.chars().count();
    if length <= LIMIT {
        return None;
    }
    match files.keep(session, text) {
        Ok(path) => {
            let preview: String = text.chars().take(PREVIEW).collect();
            let (kept, path) = (text.len(), path.display());
            *text = match total {
                None => format!("{preview}\n… {length} characters in all; the whole text is in {path}"),
                Some(total) => {
                    format!("{preview}\n… {total} bytes in all; the first {kept} of them are in {path}")
                }
            };
            None
        }
        // A text that is too long is better than one that is lost.
        Err(error) => Some(format!("a text of {length} characters was not shortened: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::table::Audience;
    use becket_model::{ContextText, EventKind, Notice, Source};

    fn attributed<T>(what: T) -> Attributed<T> {
        Attributed { source: Source::User, label: "x".into(), what }
    }

    #[test]
    fn the_whole_text_goes_to_a_private_file_and_a_preview_goes_on() {
        // rule: O8
        let temp = tempfile::tempdir().unwrap();
        let files = PrivateFiles::new(None, temp.path().into());
        let mut verdict = Verdict::silent(EventKind::SessionStart);
        let long = "é".repeat(10_001);
        verdict.context.push(attributed(ContextText { text: long.clone(), plain: true }));
        verdict.context.push(attributed(ContextText { text: "é".repeat(10_000), plain: false }));
        verdict.messages.push(attributed(long.clone()));
        let notice = |plain| attributed(Notice { plain, ..Notice::new(Audience::User, "é".repeat(10_001)) });
        verdict.notices.extend([notice(true), notice(false)]);
        shorten(&mut verdict, &[], &files, &"s".into());
        assert_eq!(verdict.context[1].what.text.chars().count(), 10_000);
        for text in [&verdict.context[0].what.text, &verdict.messages[0].what] {
            let (preview, path) = text.split_once("the whole text is in ").unwrap();
            assert!(preview.chars().count() < 2_100 && preview.starts_with('é'));
            assert_eq!(std::fs::read_to_string(path).unwrap(), long);
        }
        assert!(verdict.notices[0].what.text.len() < 10_000);
        assert_eq!(verdict.notices[1].what.text.chars().count(), 10_001, "stderr goes whole");
        drop(files);
        assert_eq!(
            std::fs::read_dir(temp.path()).unwrap().count(),
            0,
            "the engine's own directory goes with it"
        );
    }

    #[test]
    fn a_text_that_can_not_be_kept_goes_on_whole() {
        // rule: O8
        let files = PrivateFiles::new(Some("/dev/null/nowhere".into()), "/dev/null".into());
        let mut verdict = Verdict::silent(EventKind::SessionStart);
        verdict.messages.push(attributed("x".repeat(20_000)));
        shorten(&mut verdict, &[], &files, &"s".into());
        assert_eq!(verdict.messages[0].what.len(), 20_000);
        assert!(verdict.warnings[0].contains("/dev/null/nowhere"), "{:?}", verdict.warnings);
    }
}

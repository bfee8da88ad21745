//! `mode` and `observeUntil`: whether the answers of a handler count (G5). A handler with a value that can't be read is
//! enforced, and runs.

use super::fields::Fields;
use crate::config::handler::Background;
use crate::config::rollout::{Rollout, day};
use crate::config::source::tree::Span;
use becket_base::suggest;
use becket_model::table::DecisionModel;
use becket_model::{Enforcement, EventKind};

/// The keys as a file contains them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RawRollout {
    pub(crate) rollout: Rollout,
    /// Set if there is a last day.
    pub(crate) has_end: bool,
    /// The place of the mode.
    pub(crate) span: Span,
}

/// Reads the keys.
pub(super) fn rollout(
    event: EventKind,
    background: Background,
    fields: &mut Fields<'_, '_, '_>,
) -> RawRollout {
    let (enforcement, span) = mode(fields);
    let until = fields
        .written("observeUntil")
        .map(|member| (member.value.as_text().and_then(day), member.value.span));
    match until {
        Some((_, at)) if enforcement == Enforcement::Enforce => {
            let message = "`observeUntil` has no effect without `\"mode\": \"observe\"` or `\"warn\"`";
            fields.report.warning(at, "mode-without-effect", message).help("remove it").rule("G5");
            return RawRollout::default();
        }
        Some((None, at)) => {
            let message = "`observeUntil` is a day such as `2026-12-31`; this one can't be read, so the hook is enforced";
            fields.report.error(at, "invalid-observe-until", message).rule("G5");
            return RawRollout::default();
        }
        Some((Some(_), _)) | None => {}
    }
    if enforcement != Enforcement::Enforce && !is_possible(event, background, span, fields) {
        return RawRollout::default();
    }
    let until = until.and_then(|(until, _)| until);
    RawRollout { rollout: Rollout::new(enforcement, until), has_end: until.is_some(), span }
}

fn mode(fields: &mut Fields<'_, '_, '_>) -> (Enforcement, Span) {
    let Some(member) = fields.written("mode") else {
        return (Enforcement::Enforce, Span::default());
    };
    let span = member.value.span;
    // Two values are unclear, even if JSON keeps one of them.
    let repeated = ["mode", "observeUntil"].into_iter().filter_map(|key| fields.written(key));
    if let Some(repeated) = repeated.into_iter().find(|member| member.is_repeated) {
        let message = format!("`{}` occurs twice, so the hook is enforced", repeated.key);
        fields.report.error(repeated.key_span, "invalid-mode", message).help("remove one of them").rule("G5");
        return (Enforcement::Enforce, span);
    }
    let text = member.value.as_text();
    if let Some(mode) = Enforcement::ALL.into_iter().find(|mode| text == Some(mode.as_str())) {
        return (mode, span);
    }
    let written = text.map_or_else(|| member.value.kind().to_owned(), |word| format!("`{word}`"));
    let near =
        text.and_then(|word| suggest(&word.to_ascii_lowercase(), &Enforcement::ALL.map(Enforcement::as_str)));
    fields
        .report
        .error(
            span,
            "invalid-mode",
            format!("`mode` is `observe`, `warn` or `enforce`, not {written}; the hook is enforced"),
        )
        .maybe_help(near.map(|near| format!("did you mean `\"{near}\"`?")))
        .rule("G5");
    (Enforcement::Enforce, span)
}

/// Returns whether there is something to observe; warns if there is not.
fn is_possible(
    event: EventKind,
    background: Background,
    span: Span,
    fields: &mut Fields<'_, '_, '_>,
) -> bool {
    let why = if background != Background::No {
        "`mode` has no effect beside `async`: nothing waits for the hook".to_owned()
    } else if event.spec().decision == DecisionModel::Path {
        format!("`mode` has no effect on `{event}`: the hook acts by answering")
    } else {
        return true;
    };
    fields.report.warning(span, "mode-without-effect", why).help("remove `mode`").rule("G5");
    false
}

//! Laws of the fold, over all events and any answers (D1, D7, C7b, O10). The order of strictness is written down here a
//! second time on purpose: a law that used the fold's own would prove nothing.

use becket_model::fold::{Entry, FoldOptions, Tally, fold, observe, second_look};
use becket_model::table::{Audience, DecisionModel, OnFailureEffect};
use becket_model::{
    CallSandbox, ContextText, DecidedBy, Decision, ElicitationAction, Enforcement, EventKind, Failure,
    Fields, HandlerOrigin, Notice, OnFailure, PermissionDecision, Privileges, Reply, RequestDecision, Ruling,
    SandboxAnswer, Source, Stop, Verdict,
};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::Duration;

fn strictness(ruling: &Ruling) -> u8 {
    match ruling {
        Ruling::Permission { decision: PermissionDecision::Allow, .. }
        | Ruling::RequestAllow { .. }
        | Ruling::Elicitation { action: ElicitationAction::Accept, .. }
        | Ruling::Worktree(_) => 0,
        Ruling::None => 1,
        Ruling::Permission { decision: PermissionDecision::Ask, .. }
        | Ruling::Elicitation { action: ElicitationAction::Cancel, .. } => 2,
        Ruling::Permission { decision: PermissionDecision::Defer, .. } => 3,
        Ruling::Permission { decision: PermissionDecision::Deny, .. }
        | Ruling::Block(_)
        | Ruling::RequestDeny { .. }
        | Ruling::Elicitation { action: ElicitationAction::Decline, .. }
        | Ruling::WorktreeFailed(_) => 9,
    }
}

fn events() -> impl Strategy<Value = EventKind> {
    prop::sample::select(EventKind::ALL.to_vec())
}

fn options() -> impl Strategy<Value = FoldOptions> {
    (any::<bool>(), any::<bool>())
        .prop_map(|(interactive, context_on_deny)| FoldOptions { interactive, context_on_deny })
}

fn sources() -> impl Strategy<Value = Source> {
    prop::sample::select(vec![
        Source::Policy,
        Source::User,
        Source::Project,
        Source::Local,
        Source::Plugin("a".into()),
        Source::Plugin("b".into()),
        Source::Skill("s".into()),
        Source::Callback,
        Source::Function,
        Source::Flag,
    ])
}

fn privileges() -> impl Strategy<Value = Privileges> {
    prop_oneof![
        6 => Just(Privileges::Full),
        1 => Just(Privileges::BrokenGuard),
        1 => Just(Privileges::Untrusted),
    ]
}

fn places() -> impl Strategy<Value = HandlerOrigin> {
    (sources(), privileges(), any::<bool>()).prop_map(|(source, privileges, closed)| HandlerOrigin {
        position: 0,
        source,
        label: "h".into(),
        privileges,
        on_failure: if closed { OnFailure::Block } else { OnFailure::Continue },
        enforcement: Enforcement::Enforce,
    })
}

fn by() -> impl Strategy<Value = DecidedBy> {
    prop::sample::select(vec![DecidedBy::Answer, DecidedBy::Exit2, DecidedBy::Failure])
}

fn inputs() -> impl Strategy<Value = Map<String, Value>> {
    "[ab]".prop_map(|text| json!({ "command": text }).as_object().cloned().unwrap())
}

/// Generates any decision, including ones that do not belong to the event.
fn decisions() -> impl Strategy<Value = Decision> {
    use PermissionDecision::{Allow, Ask, Defer, Deny};
    let permission = (prop::sample::select(vec![Allow, Ask, Defer, Deny]), option::of("[xy]"), by())
        .prop_map(|(decision, reason, by)| Decision::Permission { decision, reason, by });
    let block = ("[xy]", by()).prop_map(|(reason, by)| Decision::Block { reason, by });
    let allow = (option::of(inputs()), prop::collection::vec(Just(json!({"p": 1})), 0..2)).prop_map(
        |(updated_input, updated_permissions)| {
            Decision::PermissionRequest(RequestDecision::Allow { updated_input, updated_permissions })
        },
    );
    let deny = (option::of("[xy]"), any::<bool>()).prop_map(|(message, interrupt)| {
        Decision::PermissionRequest(RequestDecision::Deny { message, interrupt })
    });
    use ElicitationAction::{Accept, Cancel, Decline};
    let elicitation = (prop::sample::select(vec![Accept, Cancel, Decline]), option::of(inputs()))
        .prop_map(|(action, content)| Decision::Elicitation { action, content });
    let worktree = "/[ab]".prop_map(|path| Decision::Worktree(path.into()));
    prop_oneof![3 => permission, 2 => block, 2 => allow, 1 => deny, 2 => elicitation, 2 => worktree]
}

fn sandboxes() -> impl Strategy<Value = SandboxAnswer> {
    prop_oneof![
        3 => Just(SandboxAnswer::Grant(CallSandbox::default())),
        1 => "[xy]".prop_map(|why| SandboxAnswer::Unread { why }),
    ]
}

fn fields() -> impl Strategy<Value = Fields> {
    let sandbox = option::weighted(0.2, sandboxes());
    let inputs = option::of(inputs());
    (inputs, option::of("[ab]"), option::of("[ab]"), any::<bool>(), option::of("[ab]"), sandbox).prop_map(
        |(updated_input, text, output, flag, note, sandbox)| Fields {
            updated_input,
            sandbox,
            updated_tool_output: output.map(|text| json!(text)),
            updated_mcp_tool_output: None,
            display_content: text.clone(),
            session_title: text.clone(),
            initial_user_message: text.clone(),
            watch_paths: text.map(|text| vec![format!("/{text}").into()]),
            retry: flag,
            reload_skills: flag,
            suppress_original_prompt: flag,
            classifier_context: note,
        },
    )
}

fn replies() -> impl Strategy<Value = Reply> {
    (
        option::weighted(0.7, decisions()),
        option::weighted(0.2, option::of("[st]")),
        option::weighted(0.3, "[mn]"),
        option::weighted(0.3, "[cd]"),
        fields(),
    )
        .prop_map(|(decision, stop, text, context, fields)| Reply {
            decision,
            stop: stop.map(|reason| Stop { reason }),
            system_message: text.clone(),
            terminal_sequence: None,
            context: context.into_iter().map(|text| ContextText { text, plain: false }).collect(),
            notices: text.into_iter().map(|text| Notice::new(Audience::User, text)).collect(),
            fields: fields.into(),
        })
}

fn failures() -> impl Strategy<Value = Failure> {
    prop::sample::select(vec![
        Failure::TimedOut { limit: Duration::from_secs(1) },
        Failure::PlainError { code: 1, stderr_line: None },
        Failure::CannotStart { message: "x".into() },
        Failure::Cancelled,
    ])
}

fn entry() -> impl Strategy<Value = Entry> {
    (places(), replies(), option::weighted(0.2, failures())).prop_map(|(place, reply, failure)| Entry {
        place,
        reply,
        failure,
    })
}

/// Generates entries with unique positions.
fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(entry(), 0..6).prop_map(|mut entries| {
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.place.position = 10 * index as u64 + 10;
            entry.place.label = format!("h{index}").into();
        }
        entries
    })
}

fn at(position: u64, place: HandlerOrigin, reply: Reply, failure: Option<Failure>) -> Entry {
    Entry { place: HandlerOrigin { position, label: "new".into(), ..place }, reply, failure }
}

fn with(entries: &[Entry], more: Entry) -> Vec<Entry> {
    entries.iter().cloned().chain([more]).collect()
}

/// Returns the reply for exit 2 on the event, if that can block anything.
fn exit_2(kind: EventKind) -> Option<Reply> {
    let spec = kind.spec();
    let decision = Decision::block(spec, "no".into(), DecidedBy::Exit2)?;
    Some(Reply { decision: Some(decision), ..Reply::default() })
}

fn said_by(verdict: &Verdict, label: &str) -> bool {
    verdict.ruling.reasons().iter().any(|one| &*one.label == label)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_and_any_split_gives_the_same_verdict(
        kind in events(), options in options(), entries in entries(), seed in any::<u64>(), cut in 0..6usize,
    ) {
        // rules: D1, D7, C6
        let expected = fold(kind.spec(), options, entries.clone());
        let mut shuffled = entries;
        let length = shuffled.len().max(1);
        for index in 0..shuffled.len() {
            shuffled.swap(index, (seed.rotate_left(index as u32 * 7) as usize) % length);
        }
        let (mut left, mut right) = (Tally::new(kind.spec(), options), Tally::new(kind.spec(), options));
        for (index, entry) in shuffled.into_iter().enumerate() {
            if index < cut { left.add(entry) } else { right.add(entry) }
        }
        prop_assert_eq!(left.clone().merge(right.clone()).finish(), expected.clone());
        prop_assert_eq!(right.merge(left).finish(), expected);
    }

    #[test]
    fn a_silent_handler_changes_nothing(
        kind in events(), options in options(), entries in entries(), place in places(), position in 0..70u64,
    ) {
        // rule: D1
        prop_assume!(entries.iter().all(|entry| entry.place.position != position));
        let silent = at(position, place, Reply::default(), None);
        prop_assert_eq!(
            fold(kind.spec(), options, with(&entries, silent)),
            fold(kind.spec(), options, entries)
        );
    }

    #[test]
    fn a_denial_absorbs(
        kind in events(), options in options(), entries in entries(), place in places(), position in 0..70u64,
    ) {
        // rules: D1, D2, D8, D11
        prop_assume!(entries.iter().all(|entry| entry.place.position != position));
        let Some(denial) = exit_2(kind) else { return Ok(()) };
        let verdict = fold(kind.spec(), options, with(&entries, at(position, place, denial, None)));
        prop_assert_eq!(strictness(&verdict.ruling), 9, "{:?}", verdict.ruling);
        prop_assert!(verdict.blocks());
        if kind.spec().decision != DecisionModel::Elicitation {
            prop_assert!(said_by(&verdict, "new"), "its reason is reported");
        }
        prop_assert!(verdict.fields.updated_input.is_none(), "no rewrite survives");
    }

    #[test]
    fn nothing_but_a_grant_lowers_a_ruling_and_none_below_what_was_held_back(
        kind in events(), options in options(), entries in entries(), more in entry(), position in 0..70u64,
    ) {
        // rules: D1, D7, D8
        prop_assume!(entries.iter().all(|entry| entry.place.position != position));
        let before = strictness(&fold(kind.spec(), options, entries.clone()).ruling);
        let more = at(position, more.place, more.reply, more.failure);
        let after = strictness(&fold(kind.spec(), options, with(&entries, more)).ruling);
        let granted = before == 1 && after == 0;
        prop_assert!(after >= before || granted, "{before} became {after}");
    }

    #[test]
    fn a_failure_never_weakens_and_never_hides(
        kind in events(), options in options(), entries in entries(), place in places(), failure in failures(),
        position in 0..70u64,
    ) {
        // rules: D7, O10
        prop_assume!(entries.iter().all(|entry| entry.place.position != position));
        let spec = kind.spec();
        let before = fold(spec, options, entries.clone());
        let closed = place.on_failure == OnFailure::Block;
        let cancelled = failure == Failure::Cancelled;
        let after = fold(spec, options, with(&entries, at(position, place, Reply::default(), Some(failure))));
        prop_assert!(strictness(&after.ruling) >= strictness(&before.ruling));
        prop_assert_eq!(after.failures.len(), before.failures.len() + 1);
        prop_assert!(after.failures.iter().any(|one| &*one.label == "new"));
        for reason in before.ruling.reasons() {
            let kept = strictness(&after.ruling) > strictness(&before.ruling)
                || after.ruling.reasons().contains(reason);
            prop_assert!(kept, "{reason:?} is lost");
        }
        if !closed && spec.decision != DecisionModel::Path {
            prop_assert_eq!(&after.ruling, &before.ruling);
        }
        if closed && spec.on_failure == OnFailureEffect::Block {
            // A person's answer to a prompt cancels its hooks (D8).
            let is_answered = cancelled && spec.decision == DecisionModel::PermissionRequest;
            let least = if is_answered { 1 } else { 9 };
            prop_assert!(strictness(&after.ruling) >= least);
        }
    }

    #[test]
    fn a_file_without_the_right_to_never_grants(
        kind in events(), options in options(), entries in entries(), untrusted in any::<bool>(),
    ) {
        // rules: C7b, G3
        let mut broken = entries;
        for entry in &mut broken {
            entry.place.privileges = if untrusted { Privileges::Untrusted } else { Privileges::BrokenGuard };
        }
        let verdict = fold(kind.spec(), options, broken);
        let granted = matches!(
            verdict.ruling,
            Ruling::Permission { decision: PermissionDecision::Allow, .. } | Ruling::RequestAllow { .. }
        );
        prop_assert!(!granted);
    }

    #[test]
    fn losing_the_right_to_grant_never_weakens(
        kind in events(), options in options(), entries in entries(), which in 0..6usize,
        untrusted in any::<bool>(),
    ) {
        // rules: C7b, G3
        let before = strictness(&fold(kind.spec(), options, entries.clone()).ruling);
        let mut broken = entries;
        if let Some(entry) = broken.get_mut(which).filter(|entry| entry.place.privileges == Privileges::Full) {
            entry.place.privileges = if untrusted { Privileges::Untrusted } else { Privileges::BrokenGuard };
        }
        prop_assert!(strictness(&fold(kind.spec(), options, broken).ruling) >= before);
    }

    #[test]
    fn what_an_observed_handler_says_is_noted_and_changes_nothing_else(
        kind in events(), options in options(), entries in entries(), place in places(), reply in replies(),
        failure in option::weighted(0.3, failures()), warns in any::<bool>(), second in any::<bool>(),
    ) {
        // rule: G5
        let spec = kind.spec();
        let enforcement = if warns { Enforcement::Warn } else { Enforcement::Observe };
        let place = HandlerOrigin { enforcement, ..place };
        let counts = spec.decision == DecisionModel::Path || failure == Some(Failure::Cancelled);
        let observed = at(15, place.clone(), reply.clone(), failure.clone());
        let noted = observe(spec, options, &observed);
        let fold = |entries: Vec<Entry>| match second {
            false => fold(spec, options, entries),
            true => second_look(spec, options, Verdict::silent(kind), entries),
        };
        let mut verdict = fold(with(&entries, observed));
        if counts {
            let place = HandlerOrigin { enforcement: Enforcement::Enforce, ..place };
            prop_assert_eq!(verdict, fold(with(&entries, at(15, place, reply, failure))));
        } else {
            let without = fold(entries);
            let observed = std::mem::take(&mut verdict.observed);
            prop_assert!(second || observed.len() == usize::from(noted.is_some()));
            let warned = verdict.warnings.iter().filter(|warning| warning.contains("mode `warn`")).count();
            prop_assert_eq!(warned, if warns { observed.len() } else { 0 });
            verdict.warnings.retain(|warning| !warning.contains("mode `warn`"));
            prop_assert_eq!(verdict, without);
        }
    }

    #[test]
    fn a_rewrite_without_trust_is_asked_about_or_held_back(
        options in options(), entries in entries(), place in places(), input in inputs(),
    ) {
        // rule: G3
        let place = HandlerOrigin { privileges: Privileges::Untrusted, ..place };
        let fields = Fields { updated_input: Some(input), ..Fields::default() }.into();
        let rewrite = Reply { fields, ..Reply::default() };
        let entries = with(&entries, at(0, place, rewrite, None));
        prop_assert!(strictness(&fold(EventKind::PreToolUse.spec(), options, entries).ruling) >= 2);
    }

    #[test]
    fn a_second_look_never_weakens_and_never_grants(
        kind in events(), options in options(), first in entries(), second in entries(),
    ) {
        // rule: D9
        let before = fold(kind.spec(), options, first);
        let after = second_look(kind.spec(), options, before.clone(), second.clone());
        prop_assert!(strictness(&after.ruling) >= strictness(&before.ruling));
        prop_assert!(strictness(&after.ruling) > 0 || after.ruling == before.ruling);
        prop_assert!(after.context.len() <= before.context.len());
        let stopped = before.stop.as_ref().or(fold(kind.spec(), options, second).stop.as_ref()).cloned();
        prop_assert_eq!(&after.stop, &stopped);
        let rewrite = &after.fields.updated_input;
        prop_assert!(rewrite.is_none() || rewrite == &before.fields.updated_input);
    }

    #[test]
    fn a_deferral_is_never_an_allow(kind in events(), options in options(), entries in entries()) {
        // rule: D10
        let deferred = Reply {
            decision: Some(Decision::Permission {
                decision: PermissionDecision::Defer,
                reason: None,
                by: DecidedBy::Answer,
            }),
            ..Reply::default()
        };
        let place = HandlerOrigin {
            position: 0, source: Source::User, label: "new".into(), privileges: Privileges::Full,
            on_failure: OnFailure::Continue, enforcement: Enforcement::Enforce,
        };
        let verdict = fold(kind.spec(), options, with(&entries, at(0, place, deferred, None)));
        if kind == EventKind::PreToolUse {
            let least = if options.interactive { 2 } else { 3 };
            prop_assert!(strictness(&verdict.ruling) >= least);
        }
    }
}

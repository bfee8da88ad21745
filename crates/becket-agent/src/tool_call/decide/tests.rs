//! Every combination of settlement, mode, effect, hook, person and classifier, checked against the rules as a reader
//! would state them.

use super::*;

const MODES: [PermissionMode; 6] = [
    PermissionMode::Default,
    PermissionMode::Plan,
    PermissionMode::AcceptEdits,
    PermissionMode::Auto,
    PermissionMode::DontAsk,
    PermissionMode::BypassPermissions,
];
const EFFECTS: [Effect; 6] = [
    Effect::Reads,
    Effect::Edits,
    Effect::EditsElsewhere,
    Effect::EditsProtected,
    Effect::ActsAndEdits,
    Effect::Acts,
];
const HOOKS: [Hook; 4] = [Hook::Allows, Hook::Asks, Hook::Denies, Hook::Silent];

fn settlements() -> Vec<Option<Settlement>> {
    let because = || "said".to_owned();
    vec![
        None,
        Some(Settlement::Allowed { because: because() }),
        Some(Settlement::Denied { because: because() }),
        Some(Settlement::Asked { because: because() }),
        Some(Settlement::Deferred),
        Some(Settlement::Stopped { because: because() }),
        Some(Settlement::Undecided),
    ]
}

fn rulings() -> Vec<Option<ClassifierDecision>> {
    let why = || "why".to_owned();
    let rulings = [
        ClassifierDecision::Allow,
        ClassifierDecision::Deny(why()),
        ClassifierDecision::Unsure(why()),
        ClassifierDecision::Failed(why()),
    ];
    std::iter::once(None).chain(rulings.into_iter().map(Some)).collect()
}

/// A combination and its result.
struct Combination<'a> {
    settlement: Option<Settlement>,
    facts: Facts<'a>,
    ruling: Option<ClassifierDecision>,
    first: Next,
    last: Next,
}

fn all(mut look: impl FnMut(&Combination<'_>)) -> usize {
    let mut count = 0;
    let newer = PermissionMode::Other("newer".into());
    for mode in MODES.iter().chain([&newer]) {
        for (effect, hook) in EFFECTS.into_iter().flat_map(|effect| HOOKS.map(|hook| (effect, hook))) {
            for requires_user in [None, Some("a person has to answer".to_owned())] {
                for settlement in settlements() {
                    for ruling in rulings() {
                        let has_classifier = ruling.is_some();
                        let requires_user = requires_user.clone();
                        let facts = Facts { mode, effect, hook, requires_user, has_classifier };
                        let first = decide(settlement.as_ref(), &facts);
                        let last = match (&first, &ruling) {
                            (Next::Classify, Some(ruling)) => classified(ruling, &facts),
                            _ => first.clone(),
                        };
                        look(&Combination { settlement: settlement.clone(), facts, ruling, first, last });
                        count += 1;
                    }
                }
            }
        }
    }
    count
}

// rules: D3, P11, P14
#[test]
fn a_denial_a_stop_and_a_deferral_hold_in_every_combination() {
    let count = all(|at| match &at.settlement {
        None | Some(Settlement::Denied { .. }) => assert!(matches!(at.last, Next::Deny { .. })),
        Some(Settlement::Stopped { .. }) => assert!(matches!(at.last, Next::Stop { .. })),
        Some(Settlement::Deferred) => assert_eq!(at.last, Next::Defer),
        Some(Settlement::Asked { .. }) => {
            assert!(matches!(at.last, Next::Ask { .. } | Next::Deny { .. }), "{:?}", at.last);
        }
        Some(Settlement::Allowed { .. } | Settlement::Undecided) => {}
    });
    assert_eq!(count, 7 * 6 * 4 * 2 * 7 * 5);
}

// rule: P14
#[test]
fn the_classifier_is_asked_in_auto_about_what_nobody_else_decides_and_about_nothing_else() {
    all(|at| {
        let facts = &at.facts;
        let open_to_it = match facts.effect {
            Effect::Edits | Effect::EditsElsewhere | Effect::ActsAndEdits | Effect::Acts => true,
            Effect::Reads | Effect::EditsProtected => false,
        };
        let expected = *facts.mode == PermissionMode::Auto
            && at.settlement == Some(Settlement::Undecided)
            && open_to_it
            && facts.requires_user.is_none()
            && at.ruling.is_some();
        assert_eq!(at.first == Next::Classify, expected, "{facts:?} {:?}", at.settlement);
        assert_ne!(at.last, Next::Classify);
        let by_classifier = matches!(&at.last, Next::Deny { by: DeniedBy::Classifier, .. });
        assert_eq!(by_classifier, expected && matches!(at.ruling, Some(ClassifierDecision::Deny(_))));
    });
}

// rule: P14
#[test]
fn what_the_classifier_says_happens_and_what_it_can_not_say_is_asked() {
    all(|at| {
        if at.first != Next::Classify {
            return;
        }
        match at.ruling.as_ref() {
            Some(ClassifierDecision::Allow) => assert_eq!(at.last, Next::Run),
            Some(ClassifierDecision::Deny(_)) => {
                assert_eq!(at.last, Next::Deny { by: DeniedBy::Classifier, because: "why".into() });
            }
            Some(ClassifierDecision::Unsure(_) | ClassifierDecision::Failed(_)) => {
                assert!(matches!(&at.last, Next::Ask { because, .. } if because.contains("why")));
            }
            None => panic!("nobody is there to be asked"),
        }
    });
}

// rules: P14, D3
#[test]
fn nothing_runs_that_a_mode_forbids_or_a_person_has_to_answer() {
    all(|at| {
        let facts = &at.facts;
        let runs = at.last == Next::Run;
        let edits = match facts.effect {
            Effect::Edits | Effect::EditsElsewhere | Effect::EditsProtected | Effect::ActsAndEdits => true,
            Effect::Reads | Effect::Acts => false,
        };
        if edits && *facts.mode == PermissionMode::Plan {
            assert!(!runs, "{facts:?}");
        }
        let protected = facts.effect == Effect::EditsProtected;
        if protected && facts.hook != Hook::Allows && *facts.mode != PermissionMode::BypassPermissions {
            assert!(!runs, "{facts:?} {:?}", at.settlement);
        }
        if at.settlement == Some(Settlement::Undecided)
            && facts.requires_user.is_some()
            && facts.effect != Effect::Reads
        {
            let accepted = *facts.mode == PermissionMode::AcceptEdits && facts.effect == Effect::Edits;
            assert!(!runs || accepted, "{facts:?}");
        }
        if *facts.mode == PermissionMode::DontAsk {
            assert!(!matches!(at.last, Next::Ask { .. }), "{facts:?}");
        }
    });
}

// rule: D3
#[test]
fn no_hook_answers_a_prompt_that_a_hook_raised() {
    all(|at| {
        if let Next::Ask { hooks_may_answer, .. } = &at.last {
            assert_eq!(*hooks_may_answer, at.facts.hook != Hook::Asks);
        }
    });
}

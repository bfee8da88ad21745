//! Checks that the tables do not contradict themselves.

use becket_dialects::{ALL, AskForm, Effect, dialect};
use becket_model::EventKind;
use std::collections::BTreeSet;

#[test]
fn names_are_unique_and_calls_can_be_refused() {
    let names: BTreeSet<&str> = ALL.iter().map(|dialect| dialect.name).collect();
    assert_eq!(names.len(), ALL.len());
    for agent in ALL {
        assert_eq!(dialect(agent.name).map(|found| found.title), Some(agent.title));
        let events: BTreeSet<&str> = agent.events.iter().map(|row| row.native).collect();
        assert_eq!(events.len(), agent.events.len(), "{}: an event occurs twice", agent.name);
        let tools: BTreeSet<&str> = agent.tools.iter().map(|row| row.native).collect();
        assert_eq!(tools.len(), agent.tools.len(), "{}: a tool occurs twice", agent.name);
        for row in agent.events.iter().filter(|row| row.kind == EventKind::PreToolUse) {
            assert!(row.supports.refusal, "{}: `{}` can't be refused", agent.name, row.native);
            let asks = agent.effects.iter().any(|(_, effect)| *effect == Effect::Asks);
            assert_eq!(
                matches!(row.supports.ask, AskForm::Kept | AskForm::KeptWithRewrite),
                asks,
                "{}",
                agent.name
            );
        }
        assert!(agent.informative.iter().all(|name| agent.event(name).is_none()), "{}", agent.name);
    }
}

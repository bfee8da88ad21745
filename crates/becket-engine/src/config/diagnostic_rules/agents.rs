//! Findings of `becket check --for AGENT`.

use super::{DiagnosticRule, rule};

#[rustfmt::skip]
pub(super) const RULES: &[DiagnosticRule] = &[
    rule("kept-in-agent", "the agent keeps the hook as it is", "The hook does the same under that agent.", "Nothing."),
    rule("weakened-in-agent", "the agent keeps the hook in part", "What the agent can't be answered is made safe: an ask becomes a deny, for instance.", "Read the message; use another event or agent if it matters."),
    rule("lost-in-agent", "the agent loses the hook", "The agent has no such event, or takes no such answer.", "Use another event, or don't rely on the hook under that agent."),
    rule("event-not-registered", "becket is registered with the agent, but not on an event", "Hooks of the event do not run there. Where they decide, nothing is held back.", "Run `becket install AGENT --repair`."),
    rule("entry-changed", "an entry of becket is not the one that becket writes", "Its matcher, its command, its time limit or its mode was edited, or another version wrote it: calls may pass it.", "Run `becket install AGENT --repair`."),
    rule("hooks-switched-off", "a setting of the agent switches off the entries of becket", "The entries are there, and the agent does not run them: nothing is held back.", "Change the setting in the file of the agent."),
];

//! Findings about matchers, conditions and permission rules that match nothing, or something else.

use super::{DiagnosticRule, rule};

#[rustfmt::skip]
pub(super) const RULES: &[DiagnosticRule] = &[
    rule("invalid-matcher", "a matcher is not a valid expression", "The hooks of the group never run.", "Write names joined by `|`, or a valid ECMAScript expression."),
    rule("ignored-matcher", "the event has no matcher", "The matcher is ignored, and the hooks run on every event of this kind.", "Remove the matcher; select inside the hook instead."),
    rule("empty-matcher", "a matcher names nothing", "The hooks of the group never run.", "Name a tool, or leave the matcher out for every value."),
    rule("empty-alternative", "a matcher has an alternative without text", "It matches every value, so the hooks of the group run on each.", "Join the names by a single `|`."),
    rule("never-matches", "a matcher can't match", "The hooks of the group never run.", "Use a value of the field that the matcher is compared with; `becket events EVENT` lists them."),
    rule("unknown-tool", "there is no tool of this name", "A matcher or rule for a tool that no agent has never matches.", "Correct the name; names are case-sensitive."),
    rule("rule-in-matcher", "a matcher is written as a permission rule", "A matcher contains tool names, so as an expression this one never matches.", "Write the tool into `matcher`, and the rule into `if` of the handler."),
    rule("glob-in-matcher", "a matcher is written as a glob", "In an expression `*` repeats the character in front of it.", "Write `.*` for any text."),
    rule("risky-matcher", "a matcher can't be judged in bounded time", "Where it can't be judged in time, the hooks run.", "Write it without back-references."),
    rule("invalid-if", "a condition is not a permission rule", "The handler never runs.", "Write one rule, such as `Bash(git push *)`; write the handler once per rule if there are several."),
    rule("if-matches-nothing", "a condition that no call matches", "The handler runs only for calls that can't be read, so it guards nothing.", "Use the form that the message suggests."),
    rule("if-never-runs", "`if` on an event without a tool call", "Conditions are evaluated on tool events only, so on this event the handler never runs.", "Remove `if`."),
    rule("event-not-in-subagent", "a hook of an agent is for an event that no subagent has", "The hooks of a subagent see its own events, and sessions and prompts are not among them.", "Write the hook into the settings, under `SubagentStart` for the beginning and `SubagentStop` for the end."),
    rule("nothing-watched", "a FileChanged hook without a matcher watches nothing", "The matcher is the list of files that are watched.", "Name the files in `matcher`, joined by `|`."),
    rule("invalid-rule", "a permission rule can't be read", "It is not applied.", "Write `Tool` or `Tool(specifier)`."),
    rule("rule-matches-nothing", "a permission rule matches no call", "It allows or forbids nothing.", "Use the form that the message suggests."),
    rule("rule-without-domain", "a rule for web requests names no domain", "It matches nothing.", "Write `WebFetch(domain:example.com)`."),
    rule("rule-for-tool-in-other-case", "a rule names a tool in another case", "Names of tools are case-sensitive, so the rule matches nothing.", "Use the spelling that the message suggests."),
    rule("path-starts-at-settings", "a path with one slash starts at the directory of the settings", "A rule for `/etc/**` means a directory beside the settings and not `/etc`.", "Write two slashes for an absolute path: `//etc/**`."),
    rule("rule-never-consulted", "a rule is for a tool that is judged by another rule", "It has no effect.", "Write it for `Read` or `Edit`, which cover the other tools that read or change files."),
    rule("rule-on-primary-field", "a parameter rule names the field of the specifier", "It is compared in another way than the specifier.", "Write the value as the specifier of the rule."),
    rule("rule-ends-early", "a permission rule ends too early", "` *` and `:*` end a word, so what is below a directory, or goes on after a hyphen, is not matched.", "Go on with `/*`, or with `*` alone."),
    rule("rule-without-arguments", "a deny or ask rule matches a command without arguments alone", "Without a `*` a rule is the whole command, so the same command with arguments passes.", "End the rule with ` *`."),
    rule("rule-without-program", "an allow rule names no program", "A rule that begins and ends with `*` allows every program that is called with this text.", "Begin the rule with the name of the program, followed by a blank."),
    rule("condition-misses-tool", "a group is for a tool that no condition of it covers", "A name in `if` means that tool alone, so for the other one nothing of the group runs.", "Write the handler once for each tool, or take the tool out of the matcher."),
    rule("rule-spans-commands", "a rule spells out several commands", "Each command of a line is judged separately, so the rule never matches.", "Write one rule for each command."),
    rule("parameter-in-allow", "an allow rule names a parameter", "Parameters narrow deny and ask rules only.", "Use the specifier of the tool."),
    rule("negated-pattern", "a pattern is negated", "Rules know no negation; `!` is a part of the pattern.", "Name what is meant."),
    rule("malformed-pattern", "a path pattern can't be read", "It matches nothing, or less than it seems to.", "Correct brackets and escapes."),
    rule("unanchored-allow-glob", "an allow rule has a `*` at its start or inside of a word", "It covers more programs than it seems to.", "Begin the rule with the name of the program, followed by a blank."),
    rule("dangerous-mode", "a project's file switches the questions off", "Newer hosts ignore it in files that a repository brings along, and older ones stop asking every user of the repository.", "Remove it; it belongs in the user's settings."),
];

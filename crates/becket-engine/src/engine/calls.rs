//! Questions about a tool call, for a host that runs tools, in addition to firing its events.

use crate::engine::audit;
use crate::engine::host_operations::HostOperations;
#[cfg(feature = "models")]
use crate::host::tool::Tool;
#[cfg(feature = "models")]
use crate::host::tool_set::ToolSet;
use crate::permission::decide::Settlement;
use crate::permission::inputs;
use crate::plan::facts::Facts;
use crate::plan::tool_input;
use crate::report::outcome::Outcome;
#[cfg(feature = "models")]
use becket_llm::ToolSpec;
use becket_model::{Event, Verdict};
use becket_rules::RuleList;
use std::borrow::Cow;

impl HostOperations<'_> {
    /// Returns the event as hooks would see it: paths of file tools absolute, defaults filled in (N3).
    /// [`crate::Engine::fire`] does this by itself; a host needs it for a call without a verdict
    /// ([`crate::EffectiveInput::Nothing`]).
    pub fn normalize<'a>(self, event: &'a Event) -> Cow<'a, Event> {
        let inner = self.inner();
        tool_input::normalize(event, &inner.tools, inner.environment.home())
    }

    /// Describes the deny rule that removes a tool from those that a model is offered: no event fires for a call of it
    /// (P1).
    pub fn deny_rule_for_tool(self, tool: &str) -> Option<String> {
        let inner = self.inner();
        let snapshot = inner.snapshot();
        let mut denied = snapshot.rules.tools_denied([tool], &inner.request.tools);
        denied
            .next()
            .map(|(_, entry)| format!("the rule `{}` of {} denies it", entry.rule(), entry.origin().label))
    }

    /// Returns the deny rule that removes a tool from those that a model is offered, under any of its names (P1, X5).
    #[cfg(feature = "models")]
    pub fn deny_rule_for(self, tool: &dyn Tool) -> Option<String> {
        let others = tool.restricting_names();
        let mut names = std::iter::once(tool.name()).chain(others.iter().map(String::as_str));
        names.find_map(|name| self.deny_rule_for_tool(name))
    }

    /// Returns the specifications of the tools that a model is offered: all that no deny rule removes (P1).
    #[cfg(feature = "models")]
    pub fn offered_tools(self, tools: &ToolSet) -> Vec<ToolSpec> {
        let tools = tools.all();
        let offered = tools.iter().filter(|tool| self.deny_rule_for(&***tool).is_none());
        offered.map(|tool| tool.spec()).collect()
    }

    /// Returns whether a deny or ask rule is in force, for any tool.
    pub fn has_restricting_rules(self) -> bool {
        let snapshot = self.inner().snapshot();
        [RuleList::Deny, RuleList::Ask].into_iter().any(|list| !snapshot.rules.list(list).is_empty())
    }

    /// Returns the settlement of a call by deny and ask rules alone, without hooks; `None` if only an allow rule, or no
    /// rule, matches.
    pub fn rule_restriction(self, event: &Event) -> Option<Settlement> {
        let inner = self.inner();
        inputs::rule_restriction(
            &inner.snapshot(),
            &Facts::gather(event, &inner.environment, &inner.request.tools),
        )
    }

    /// Records in the audit log that the host blocks an event whose outcome did not: because it can't do what a hook
    /// requests, or by its own rules. `because` is the reason that it gives.
    pub fn record_denial(self, event: &Event, outcome: &Outcome, because: &str) {
        audit::record_host_denial(self.inner(), event, outcome, because);
    }

    /// Returns how a call would be settled without any hook: by permission rules, the mode and the tool. Runs nothing;
    /// returns `None` on events that are not about permission.
    pub fn settled_without_hooks(self, event: &Event) -> Option<Settlement> {
        let inner = self.inner();
        let verdict = Verdict::silent(event.kind());
        inputs::of(&inner.permission_session(), &inner.snapshot(), event, &self.normalize(event), &verdict)
    }

    /// Returns the reason why a call removes a critical path, if it does: then no rule and no mode allows it without a
    /// question (P14).
    pub fn critical_removal(self, event: &Event) -> Option<String> {
        let inner = self.inner();
        inputs::removal(&Facts::gather(event, &inner.environment, &inner.request.tools))
    }

    /// Returns the reason why neither a hook's allow nor the mode `bypassPermissions` allows a call without a person:
    /// it removes a critical path, or a person has to answer the tool's prompts (D3, P14). `event` has the input that
    /// would run.
    pub fn requires_user(self, event: &Event) -> Option<String> {
        let inner = self.inner();
        let (tool, _) = event.body.tool_call()?;
        let facts = Facts::gather(event, &inner.environment, &inner.request.tools);
        inputs::requires_user(&inner.permission_session(), tool, &facts, || false)
    }
}

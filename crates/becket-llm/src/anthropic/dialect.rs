//! Settings that Anthropic models accept: they differ between generations, and an unsupported one is rejected.
//!
//! The table reflects the public documentation of November 2026. If a rejection names a setting, the dialect switches
//! to the next alternative, so a model released later works on the second try, and from then on on the first.

use crate::request::{Effort, Output, PromptCaching, Request, Thinking};
use serde_json::{Value, json};

/// The models that the aliases stand for. A host may override each.
pub(crate) const ALIASES: [(&str, &str); 3] =
    [("sonnet", "claude-sonnet-5-5"), ("opus", "claude-opus-5-5"), ("haiku", "claude-haiku-5-5")];

/// Ways to turn thinking off, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOff {
    Disabled,
    /// Disables thinking before the answer; the model may only think between tool calls.
    BetweenTools,
    /// Thinking can't be turned off: uses the lowest effort.
    LowEffort,
    /// Sends nothing: no way is known.
    Unsaid,
}

impl ThinkingOff {
    /// Returns the next way to try after this one was rejected.
    fn next(self, names_between_tools: bool) -> Option<Self> {
        match self {
            Self::Disabled if names_between_tools => Some(Self::BetweenTools),
            Self::Disabled | Self::BetweenTools => Some(Self::LowEffort),
            Self::LowEffort => Some(Self::Unsaid),
            Self::Unsaid => None,
        }
    }
}

/// Models that need a way other than [`ThinkingOff::Disabled`]; the longest prefix applies.
const THINKING_OFF: [(&str, ThinkingOff); 4] = [
    ("claude-sonnet-5-5", ThinkingOff::BetweenTools),
    ("claude-opus-5-5", ThinkingOff::LowEffort),
    ("claude-fable", ThinkingOff::LowEffort),
    ("claude-mythos", ThinkingOff::LowEffort),
];

/// Ways to enable thinking, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOn {
    /// Uses the form that the caller requested.
    AsRequested,
    /// Uses the other form: `adaptive` instead of a token budget, which the newest models reject, or a budget instead
    /// of `adaptive`, which old models reject.
    OtherWay,
    /// Sends nothing.
    Unsaid,
}

/// The token budget for thinking if the model can't choose it.
const THINKING_TOKENS: u32 = 8_192;

/// Ways to request an answer of a given schema, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StructuredMode {
    /// `output_config.format`.
    Native,
    /// A tool that the model has to call. The newest models reject that.
    ForcedTool,
    /// Sends nothing.
    Unsaid,
}

impl StructuredMode {
    /// Returns the next way to try after this one was rejected.
    fn next(self) -> Option<Self> {
        match self {
            Self::Native => Some(Self::ForcedTool),
            Self::ForcedTool => Some(Self::Unsaid),
            Self::Unsaid => None,
        }
    }
}

/// The settings that a model accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    thinking_off: ThinkingOff,
    thinking_on: ThinkingOn,
    pub(super) effort: bool,
    pub(super) task_budget: bool,
    pub(super) structured: StructuredMode,
    pub(super) temperature: bool,
    pub(super) caching: bool,
}

impl Dialect {
    /// Returns the known settings of `model`.
    pub(super) fn of(model: &str) -> Self {
        let fitting = THINKING_OFF.iter().filter(|(prefix, _)| model.starts_with(prefix));
        let longest = fitting.max_by_key(|(prefix, _)| prefix.len());
        let thinking_off = longest.map_or(ThinkingOff::Disabled, |(_, way)| *way);
        Self {
            thinking_off,
            thinking_on: ThinkingOn::AsRequested,
            effort: true,
            task_budget: true,
            structured: StructuredMode::Native,
            temperature: true,
            caching: true,
        }
    }

    /// Returns the dialect to try after a rejection with this text; `None` if the text names no setting of the request
    /// with an alternative. `structured` is true if the mode of structured output may be changed.
    pub(super) fn after(self, refusal: &str, request: &Request, structured: bool) -> Option<Self> {
        let refusal = refusal.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let thinking = request.thinking == Thinking::Off && names(&["thinking", "effort"]);
        if thinking && let Some(thinking_off) = self.thinking_off.next(names(&["between_tools"])) {
            return Some(Self { thinking_off, ..self });
        }
        if request.task_budget.is_some() && names(&["task_budget", "task-budget"]) && self.task_budget {
            return Some(Self { task_budget: false, ..self });
        }
        if request.effort.is_some() && names(&["effort"]) && self.effort {
            return Some(Self { effort: false, ..self });
        }
        let thinks = matches!(request.thinking, Thinking::Adaptive | Thinking::Budget(_));
        if thinks && names(&["thinking", "budget_tokens", "adaptive"]) {
            let next = match self.thinking_on {
                ThinkingOn::AsRequested => Some(ThinkingOn::OtherWay),
                ThinkingOn::OtherWay => Some(ThinkingOn::Unsaid),
                ThinkingOn::Unsaid => None,
            };
            return next.map(|thinking_on| Self { thinking_on, ..self });
        }
        if request.temperature.is_some() && names(&["temperature"]) && self.temperature {
            return Some(Self { temperature: false, ..self });
        }
        if request.caching == PromptCaching::Conversation && names(&["cache_control"]) && self.caching {
            return Some(Self { caching: false, ..self });
        }
        let wants_json = structured && matches!(request.output, Output::Json { .. });
        if wants_json && names(&["output_config", "output_format", "tool_choice", "structured output"]) {
            return self.structured.next().map(|structured| Self { structured, ..self });
        }
        None
    }

    /// Returns the `thinking` field and the `output_config.effort` of a request.
    pub(super) fn thinking(self, wanted: Thinking) -> (Option<Value>, Option<&'static str>) {
        match (wanted, self.thinking_off) {
            (Thinking::Default, _) | (Thinking::Off, ThinkingOff::Unsaid) => (None, None),
            (Thinking::Off, ThinkingOff::Disabled) => (Some(json!({"type": "disabled"})), None),
            (Thinking::Off, ThinkingOff::BetweenTools) => (Some(json!({"type": "between_tools"})), None),
            (Thinking::Off, ThinkingOff::LowEffort) => (None, Some("low")),
            (Thinking::Adaptive, _) => (self.thinks(None), None),
            (Thinking::Budget(tokens), _) => (self.thinks(Some(tokens)), None),
        }
    }

    /// Returns the `thinking` field for a token budget; `None` lets the model choose.
    fn thinks(self, tokens: Option<u32>) -> Option<Value> {
        let tokens = match self.thinking_on {
            ThinkingOn::AsRequested => tokens,
            ThinkingOn::OtherWay => tokens.is_none().then_some(THINKING_TOKENS),
            ThinkingOn::Unsaid => return None,
        };
        Some(match tokens {
            Some(tokens) => json!({"type": "enabled", "budget_tokens": tokens}),
            None => json!({"type": "adaptive"}),
        })
    }

    /// Returns the settings of a request that are not sent.
    pub(super) fn ignored(self, request: &Request) -> Vec<&'static str> {
        let thinks = matches!(request.thinking, Thinking::Adaptive | Thinking::Budget(_));
        let all = [
            ("thinking", thinks && self.thinking_on == ThinkingOn::Unsaid),
            ("effort", request.effort.is_some() && !self.effort),
            ("task_budget", request.task_budget.is_some() && !self.task_budget),
        ];
        all.into_iter().filter(|(_, is_ignored)| *is_ignored).map(|(name, _)| name).collect()
    }

    /// Returns the `output_config.effort` of a request; `of_thinking`, the effort that thinking needs, takes
    /// precedence.
    pub(super) fn effort(
        self,
        wanted: Option<Effort>,
        of_thinking: Option<&'static str>,
    ) -> Option<&'static str> {
        let wanted = wanted.filter(|_| self.effort).map(Effort::as_str);
        of_thinking.or(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: H7
    #[test]
    fn thinking_is_off_in_the_way_each_model_accepts() {
        let off = |model: &str| Dialect::of(model).thinking(Thinking::Off);
        assert_eq!(off("claude-haiku-5-5"), (Some(json!({"type": "disabled"})), None));
        assert_eq!(off("claude-sonnet-4-6"), (Some(json!({"type": "disabled"})), None));
        assert_eq!(off("claude-sonnet-5-5"), (Some(json!({"type": "between_tools"})), None));
        assert_eq!(off("claude-opus-5-5"), (None, Some("low")));
        assert_eq!(Dialect::of("claude-opus-5-5").thinking(Thinking::Default), (None, None));
    }

    #[test]
    fn thinking_effort_and_a_budget_are_sent_and_given_up_when_refused() {
        let request = Request {
            thinking: Thinking::Budget(5_000),
            effort: Some(Effort::Low),
            task_budget: Some(9_000),
            ..Request::user("?")
        };
        let first = Dialect::of("claude-x");
        let sent = Some(json!({"type": "enabled", "budget_tokens": 5_000}));
        assert_eq!((first.thinking(request.thinking).0, first.ignored(&request)), (sent, Vec::new()));
        assert_eq!(first.effort(request.effort, None), Some("low"));
        let adaptive = first.after("thinking.type.enabled is not supported", &request, true).unwrap();
        assert_eq!(adaptive.thinking(request.thinking).0, Some(json!({"type": "adaptive"})));
        let none = adaptive.after("thinking: extra inputs", &request, true).unwrap();
        let none = none.after("output_config.effort: not supported", &request, true).unwrap();
        let none = none.after("task_budget: not permitted", &request, true).unwrap();
        assert_eq!(none.thinking(request.thinking).0, None);
        assert_eq!(none.ignored(&request), ["thinking", "effort", "task_budget"]);
        let old = first.after(
            "adaptive thinking is not supported",
            &Request { thinking: Thinking::Adaptive, ..request },
            true,
        );
        assert_eq!(old.unwrap().thinking(Thinking::Adaptive).0.unwrap()["type"], "enabled");
    }

    fn judgement() -> Request {
        let output = Output::Json { name: "verdict".into(), schema: json!({}) };
        Request { thinking: Thinking::Off, output, ..Request::user("?") }
    }

    #[test]
    fn a_refusal_that_names_a_setting_moves_on_and_ends() {
        let words = "\"thinking.type.disabled\" is not supported for this model";
        let mut dialect = Dialect::of("claude-of-the-future");
        let mut steps = 0;
        while let Some(next) = dialect.after(words, &judgement(), true) {
            dialect = next;
            steps += 1;
        }
        assert_eq!((steps, dialect.thinking(Thinking::Off)), (2, (None, None)));
        let adapted = Dialect::of("x").after("thinking: use `between_tools`", &judgement(), true).unwrap();
        assert_eq!(adapted.thinking(Thinking::Off).0, Some(json!({"type": "between_tools"})));
    }

    #[test]
    fn only_a_setting_that_was_sent_is_given_up() {
        let dialect = Dialect::of("x");
        for words in ["thinking", "temperature", "cache_control", "output_config"] {
            assert_eq!(dialect.after(words, &Request::user("?"), true), None, "{words}");
        }
        let warm =
            Request { temperature: Some(0.5), caching: PromptCaching::Conversation, ..Request::user("?") };
        assert!(!dialect.after("`temperature` is deprecated", &warm, true).unwrap().temperature);
        assert!(!dialect.after("cache_control: extra input", &warm, true).unwrap().caching);
    }

    #[test]
    fn structured_output_falls_back_only_where_the_host_leaves_it_to_us() {
        let words = "output_config: Extra inputs are not permitted";
        let dialect = Dialect::of("x");
        let next = dialect.after(words, &judgement(), true).map(|next| next.structured);
        assert_eq!(next, Some(StructuredMode::ForcedTool));
        assert_eq!(dialect.after(words, &judgement(), false), None);
        assert_eq!(dialect.after("messages: roles must alternate", &judgement(), true), None);
    }

    #[test]
    fn every_alias_leads_to_a_model_of_its_name() {
        for (alias, model) in ALIASES {
            assert!(model.starts_with(&format!("claude-{alias}-")), "{alias}");
        }
    }
}

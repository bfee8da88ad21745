//! Settings that an Anthropic model accepts: they differ between generations, and a wrong one is rejected.
//!
//! The table holds the public facts of November 2026. A rejection that names a setting moves the dialect one step on,
//! so that a model released later works at the second try, and from then on at the first.

use crate::request::{Effort, Output, PromptCaching, Request, Thinking};
use serde_json::{Value, json};

/// The models behind the aliases. A host may override each.
pub(crate) const ALIASES: [(&str, &str); 3] =
    [("sonnet", "claude-sonnet-5-5"), ("opus", "claude-opus-5-5"), ("haiku", "claude-haiku-5-5")];

/// Ways to turn thinking off, in the order they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOff {
    Disabled,
    /// No thinking ahead, only notes between tools.
    BetweenTools,
    /// It can't be: as little as possible.
    LowEffort,
    /// Not even that is known.
    Unsaid,
}

impl ThinkingOff {
    /// Returns the next way after this one was rejected.
    fn next(self, told_between_tools: bool) -> Option<Self> {
        match self {
            Self::Disabled if told_between_tools => Some(Self::BetweenTools),
            Self::Disabled | Self::BetweenTools => Some(Self::LowEffort),
            Self::LowEffort => Some(Self::Unsaid),
            Self::Unsaid => None,
        }
    }
}

/// Models that need another way than [`ThinkingOff::Disabled`]; the longest prefix counts.
const THINKING_OFF: [(&str, ThinkingOff); 4] = [
    ("claude-sonnet-5-5", ThinkingOff::BetweenTools),
    ("claude-opus-5-5", ThinkingOff::LowEffort),
    ("claude-fable", ThinkingOff::LowEffort),
    ("claude-mythos", ThinkingOff::LowEffort),
];

/// Ways to ask for thinking, in the order they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingOn {
    /// As the caller wants it.
    AsRequested,
    /// In the other way: `adaptive` instead of a number of tokens, which newest models reject, and a number instead of
    /// `adaptive`, which old models reject.
    OtherWay,
    /// Not at all.
    Unsaid,
}

/// The tokens of thinking if the model does not choose them itself.
const THINKING_TOKENS: u32 = 8_192;

/// Ways to request an answer of a given schema, in the order they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StructuredMode {
    /// `output_config.format`.
    Native,
    /// A tool that the model has to call. Newest models refuse that.
    ForcedTool,
    /// Not at all.
    Unsaid,
}

impl StructuredMode {
    /// Returns the next way after this one was rejected.
    fn next(self) -> Option<Self> {
        match self {
            Self::Native => Some(Self::ForcedTool),
            Self::ForcedTool => Some(Self::Unsaid),
            Self::Unsaid => None,
        }
    }
}

/// The settings that one model accepts.
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

    /// Returns the dialect after a rejection in these words; `None` if they name no setting of the request with an
    /// alternative. `structured`: the way of structured output is chosen here.
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
        let asked = structured && matches!(request.output, Output::Json { .. });
        if asked && names(&["output_config", "output_format", "tool_choice", "structured output"]) {
            return self.structured.next().map(|structured| Self { structured, ..self });
        }
        None
    }

    /// The `thinking` field and the `output_config.effort` for a request.
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

    /// The `thinking` field for so many tokens, or as many as the model finds right.
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

    /// The `output_config.effort` for a request whose way of thinking wants `of_thinking`.
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
        let told = Dialect::of("x").after("thinking: use `between_tools`", &judgement(), true).unwrap();
        assert_eq!(told.thinking(Thinking::Off).0, Some(json!({"type": "between_tools"})));
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

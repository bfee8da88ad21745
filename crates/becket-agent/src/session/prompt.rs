//! A prompt, from the user's text to the text for the model (L0).

use super::expand::{Expand, PromptKind, PromptTexts, TypedCommand};
use super::main_line::Main;
use crate::hook_messages;
use crate::turn::{EndReason, RejectedByHook, RewakeEffect, TurnEnd, TurnStart};
use crate::update::{Level, Notice};
use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::PromptId;
use becket_model::event::lifecycle::{UserPromptExpansion, UserPromptSubmit};

/// A prompt of the user.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// The text, images and documents.
    pub content: Vec<Block>,
    /// Set if the text reaches the model unchanged: no command in it runs, and no file or resource that it mentions is
    /// read.
    pub verbatim: bool,
    /// The host's UUID for the prompt; a new one is generated if `None`.
    pub uuid: Option<String>,
}

impl Prompt {
    /// Creates a prompt of text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self::blocks(vec![Block::Text(text.into())])
    }

    /// Creates a prompt of several blocks.
    #[must_use]
    pub fn blocks(content: Vec<Block>) -> Self {
        Self { content, verbatim: false, uuid: None }
    }

    /// Sets whether the prompt reaches the model unchanged.
    #[must_use]
    pub fn verbatim(self, verbatim: bool) -> Self {
        Self { verbatim, ..self }
    }

    /// Sets the host's UUID for the prompt.
    #[must_use]
    pub fn with_uuid(self, uuid: Option<String>) -> Self {
        Self { uuid, ..self }
    }

    /// Returns the text of the prompt, as hooks see it.
    #[must_use]
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        words.join("\n")
    }

    /// Returns the texts of the prompt by their origin.
    fn by_origin(&self) -> PromptTexts {
        let mut words = self.content.iter().filter_map(Block::as_text);
        let own = words.next().unwrap_or_default().to_owned();
        PromptTexts { own, beside: words.collect::<Vec<_>>().join("\n") }
    }
}

/// The result of a call that was open when a prompt came.
const ANOTHER_PROMPT: &str = "another prompt came: the call was not run";

/// A prompt that hooks have accepted.
struct AcceptedPrompt {
    content: Vec<Block>,
    /// The texts for the model after the prompt.
    beside: Vec<String>,
}

/// The reason why a prompt was rejected.
struct RejectedPrompt {
    reason: EndReason,
    /// Set if the conversation keeps the prompt anyway.
    kept: Option<AcceptedPrompt>,
}

impl RejectedPrompt {
    fn rejected(because: impl Into<String>) -> Self {
        Self { reason: EndReason::PromptRejected { because: because.into(), by: None }, kept: None }
    }

    /// Creates the rejection by a hook of `event`; `prompt` is `None` if it must stay hidden.
    fn by_hook(event: &str, because: String, prompt: Option<&str>) -> Self {
        let by = RejectedByHook { event: event.to_owned(), prompt: prompt.map(str::to_owned) };
        Self { reason: EndReason::PromptRejected { because, by: Some(by) }, kept: None }
    }

    fn interrupted() -> Self {
        Self { reason: EndReason::Interrupted, kept: None }
    }
}

impl Main {
    /// Runs the hooks of a prompt, and works on it.
    pub(crate) async fn prompt(&mut self, prompt: Prompt, cancel: &CancellationToken) -> TurnEnd {
        match self.admit(prompt, cancel).await {
            Ok(()) => self.turn(TurnStart::AsItIs, cancel).await,
            Err(held) => {
                self.turn_ended();
                TurnEnd::at_once(held)
            }
        }
    }

    /// Runs the hooks of a prompt, and adds it to the conversation, which waits for the next one. No command in it
    /// runs, and no file that it mentions is read.
    ///
    /// # Errors
    /// Errors if a hook has rejected it, or it can't be sent.
    pub(crate) async fn append(
        &mut self,
        prompt: Prompt,
        cancel: &CancellationToken,
    ) -> Result<(), EndReason> {
        let admitted = self.admit(prompt.verbatim(true), cancel).await;
        self.turn_ended();
        admitted
    }

    /// Runs the hooks of a prompt, and adds it to the conversation.
    async fn admit(&mut self, prompt: Prompt, cancel: &CancellationToken) -> Result<(), EndReason> {
        self.instruct(cancel).await;
        self.agent_loop.facts.set_prompt(PromptId::from(uuid::Uuid::new_v4().to_string()));
        self.name(&prompt);
        match self.pass(prompt, cancel).await {
            Ok(passed) => self.say(passed),
            Err(RejectedPrompt { reason, kept }) => {
                kept.map_or(Ok(()), |passed| self.say(passed))?;
                Err(reason)
            }
        }
    }

    /// Sets the prompt's name in the transcript, and opens its checkpoint.
    fn name(&mut self, prompt: &Prompt) {
        let checkpoints = self.agent_loop.shared.checkpoints.clone();
        let uuid = match (&prompt.uuid, &checkpoints) {
            (Some(uuid), _) => uuid.clone(),
            (None, Some(_)) => uuid::Uuid::new_v4().to_string(),
            (None, None) => return,
        };
        self.agent_loop.conversation.name_prompt(&uuid);
        let session = self.agent_loop.facts.session().id;
        let opened = checkpoints.map_or(Ok(()), |checkpoints| checkpoints.open(session.as_str(), &uuid));
        if let Err(why) = opened {
            let text = format!("the files that are edited can't be restored later: {why}");
            self.agent_loop.updates.notice(Notice::warning(text));
        }
    }

    /// Runs a turn, and ends what ends with it.
    pub(crate) async fn turn(&mut self, start: TurnStart, cancel: &CancellationToken) -> TurnEnd {
        let end = self.agent_loop.turn(start, cancel).await;
        self.turn_ended();
        end
    }

    fn turn_ended(&self) {
        if let Some(expand) = &self.expand {
            expand.turn_ended();
        }
    }

    /// Adds the prompt, after the pending texts from the start of the session and before the texts of its hooks.
    fn say(&mut self, passed: AcceptedPrompt) -> Result<(), EndReason> {
        self.tell_instructions();
        let pending = std::mem::take(&mut self.pending);
        let conversation = self.agent_loop.conversation.whole(ANOTHER_PROMPT);
        for text in pending {
            conversation.beside(text);
        }
        let result = conversation.say(passed.content);
        if result.is_ok() {
            for text in passed.beside {
                conversation.beside(text);
            }
        }
        self.agent_loop.store();
        result.map_err(|error| EndReason::PromptRejected { because: error.to_string(), by: None })
    }

    /// Loads the instructions from files, unless already done: after SessionStart, before there is a prompt (L0).
    pub(crate) async fn instruct(&mut self, cancel: &CancellationToken) {
        self.instructions.extend(self.agent_loop.instruct(cancel).await);
    }

    /// Adds the instructions, except texts that the model got before the session paused.
    pub(crate) fn tell_instructions(&mut self) {
        let conversation = self.agent_loop.conversation.whole(ANOTHER_PROMPT);
        for text in std::mem::take(&mut self.instructions) {
            if !conversation.has_beside(&text) {
                conversation.beside(text);
            }
        }
    }

    async fn pass(
        &mut self,
        prompt: Prompt,
        cancel: &CancellationToken,
    ) -> Result<AcceptedPrompt, RejectedPrompt> {
        let (words, by_origin) = (prompt.words(), prompt.by_origin());
        let session = self.agent_loop.facts.session();
        let expand = self.expand.clone().filter(|_| !prompt.verbatim);
        let found = expand.as_ref().map_or(PromptKind::Text, |expand| expand.find(&session, &words));
        if let PromptKind::Unknown { why } = found {
            return Err(RejectedPrompt::rejected(why));
        }
        let mut passed = self.submit(prompt, &words, cancel).await?;
        if let Some(auto) = &self.agent_loop.shared.auto {
            auto.user_said(&words);
        }
        match (found, expand) {
            (PromptKind::Command(typed), Some(expand)) => {
                self.expanded(&*expand, &typed, &words, &mut passed, cancel).await?;
            }
            (PromptKind::Text, Some(expand)) => {
                passed.beside.extend(expand.mentioned(&session, &by_origin, cancel).await);
            }
            (PromptKind::Text | PromptKind::Command(_) | PromptKind::Unknown { .. }, _) => {}
        }
        if cancel.is_cancelled() { Err(RejectedPrompt::interrupted()) } else { Ok(passed) }
    }

    /// Fires UserPromptSubmit.
    async fn submit(
        &mut self,
        prompt: Prompt,
        words: &str,
        cancel: &CancellationToken,
    ) -> Result<AcceptedPrompt, RejectedPrompt> {
        let body = UserPromptSubmit::new(words.to_owned());
        let fired = self.agent_loop.fire(body, cancel).await;
        if cancel.is_cancelled() {
            return Err(RejectedPrompt::interrupted());
        }
        let verdict = &fired.outcome.verdict;
        if let Some(title) = &verdict.fields.session_title {
            self.agent_loop.retitle(&title.what);
        }
        if verdict.blocks() {
            let because = verdict.joined_reason().unwrap_or_default();
            let shown = (!verdict.fields.suppress_original_prompt).then_some(words);
            self.agent_loop.updates.notice(rejected(&fired.hook, &because, shown));
            return Err(RejectedPrompt::by_hook("UserPromptSubmit", because, shown));
        }
        let passed =
            AcceptedPrompt { content: prompt.content, beside: hook_messages::contexts(&fired.hook, verdict) };
        if let Some(because) = fired.stop() {
            let reason = EndReason::HookStopped { because, by: fired.stopped_by() };
            return Err(RejectedPrompt { reason, kept: Some(passed) });
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(RejectedPrompt::interrupted()),
            passed = self.after_late_hooks(passed, words) => passed,
        }
    }

    /// Waits for detached hooks now, in a run that can't be woken later (A4).
    async fn after_late_hooks(
        &mut self,
        mut passed: AcceptedPrompt,
        words: &str,
    ) -> Result<AcceptedPrompt, RejectedPrompt> {
        for wake in self.agent_loop.wakes().await {
            match wake {
                RewakeEffect::PromptRejected(because) => {
                    let notice = rejected("UserPromptSubmit", &because, Some(words));
                    self.agent_loop.updates.notice(notice);
                    return Err(RejectedPrompt::by_hook("UserPromptSubmit", because, Some(words)));
                }
                RewakeEffect::Reminder(text)
                | RewakeEffect::TurnContinues(text)
                | RewakeEffect::LoopStopped { message: text, .. } => {
                    passed.beside.push(text);
                }
            }
        }
        Ok(passed)
    }

    /// Fires UserPromptExpansion, and replaces the typed command with its text.
    async fn expanded(
        &mut self,
        expand: &dyn Expand,
        typed: &TypedCommand,
        words: &str,
        passed: &mut AcceptedPrompt,
        cancel: &CancellationToken,
    ) -> Result<(), RejectedPrompt> {
        let body = UserPromptExpansion::new(
            typed.kind.as_str().to_owned(),
            typed.name.clone(),
            typed.args.clone(),
            words.to_owned(),
        )
        .command_source(typed.source.clone());
        let fired = self.agent_loop.fire(body, cancel).await;
        if cancel.is_cancelled() {
            return Err(RejectedPrompt::interrupted());
        }
        let verdict = &fired.outcome.verdict;
        if verdict.blocks() {
            let because = verdict.joined_reason().unwrap_or_default();
            self.agent_loop.updates.notice(rejected(&fired.hook, &because, Some(words)));
            return Err(RejectedPrompt::by_hook("UserPromptExpansion", because, Some(words)));
        }
        let body = expand
            .body(&self.agent_loop.facts.session(), typed, cancel)
            .await
            .map_err(RejectedPrompt::rejected)?;
        // Blocks that are not text, such as images, are passed on with the command.
        passed.content.retain(|block| block.as_text().is_none());
        passed.content.splice(0..0, body);
        passed.beside.extend(hook_messages::contexts(&fired.hook, verdict));
        match fired.stop() {
            Some(because) => {
                let kept = AcceptedPrompt {
                    content: std::mem::take(&mut passed.content),
                    beside: std::mem::take(&mut passed.beside),
                };
                let reason = EndReason::HookStopped { because, by: fired.stopped_by() };
                Err(RejectedPrompt { reason, kept: Some(kept) })
            }
            None => Ok(()),
        }
    }
}

/// Returns the notice for the user of a prompt that a hook has rejected.
fn rejected(hook: &str, because: &str, prompt: Option<&str>) -> Notice {
    let text = match prompt {
        Some(prompt) => format!("a hook rejected the prompt: {because}\n\nThe prompt was: {prompt}"),
        None => format!("a hook rejected the prompt: {because}"),
    };
    Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked: false }
}

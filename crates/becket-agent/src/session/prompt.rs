//! A prompt, from the user's words to the text for the model (L0).

use super::expand::{Expand, PromptKind, TypedCommand, Words};
use super::main_line::Main;
use crate::hook_messages;
use crate::turn::{EndReason, RejectedByHook, TurnEnd, TurnStart, Woken};
use crate::update::{Level, Notice};
use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::PromptId;
use becket_model::event::lifecycle::{UserPromptExpansion, UserPromptSubmit};

/// A prompt of the user.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// Text, images, documents.
    pub content: Vec<Block>,
    /// The text reaches the model as it is: no command in it runs, and no file or resource that it names is read.
    pub verbatim: bool,
    /// The UUID that the host knows it by; one is made up otherwise.
    pub uuid: Option<String>,
}

impl Prompt {
    /// Creates a prompt of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self::blocks(vec![Block::Text(text.into())])
    }

    /// Creates a prompt of several blocks.
    #[must_use]
    pub fn blocks(content: Vec<Block>) -> Self {
        Self { content, verbatim: false, uuid: None }
    }

    /// Makes the prompt reach the model as it is.
    #[must_use]
    pub fn verbatim(self, verbatim: bool) -> Self {
        Self { verbatim, ..self }
    }

    /// Names the prompt, by a UUID of the host's.
    #[must_use]
    pub fn named(self, uuid: Option<String>) -> Self {
        Self { uuid, ..self }
    }

    /// Its words, as hooks see them.
    #[must_use]
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.content.iter().filter_map(Block::as_text).collect();
        words.join("\n")
    }

    /// The same by whose they are.
    fn by_whose(&self) -> Words {
        let mut words = self.content.iter().filter_map(Block::as_text);
        let own = words.next().unwrap_or_default().to_owned();
        Words { own, beside: words.collect::<Vec<_>>().join("\n") }
    }
}

/// Result of a call that was open when a prompt came.
const ANOTHER_PROMPT: &str = "another prompt came: the call was not run";

/// A prompt that hooks have let pass.
struct AcceptedPrompt {
    content: Vec<Block>,
    /// Texts for the model after it.
    beside: Vec<String>,
}

/// The reason why a prompt goes no further.
struct RejectedPrompt {
    reason: EndReason,
    /// Set if the conversation keeps it anyway.
    kept: Option<AcceptedPrompt>,
}

impl RejectedPrompt {
    fn rejected(because: impl Into<String>) -> Self {
        Self { reason: EndReason::PromptRejected { because: because.into(), by: None }, kept: None }
    }

    /// A hook of `event` rejected `prompt`, which is `None` if it is to stay hidden.
    fn by_hook(event: &str, because: String, prompt: Option<&str>) -> Self {
        let by = RejectedByHook { event: event.to_owned(), prompt: prompt.map(str::to_owned) };
        Self { reason: EndReason::PromptRejected { because, by: Some(by) }, kept: None }
    }

    fn interrupted() -> Self {
        Self { reason: EndReason::Interrupted, kept: None }
    }
}

impl Main {
    /// Has hooks look at a prompt, and works on it.
    pub(crate) async fn prompt(&mut self, prompt: Prompt, cancel: &CancellationToken) -> TurnEnd {
        self.instruct(cancel).await;
        self.agent_loop.facts.set_prompt(PromptId::from(uuid::Uuid::new_v4().to_string()));
        self.name(&prompt);
        let held = match self.pass(prompt, cancel).await {
            Ok(passed) => match self.say(passed) {
                Ok(()) => return self.turn(TurnStart::AsItIs, cancel).await,
                Err(reason) => reason,
            },
            Err(RejectedPrompt { reason, kept }) => {
                let said = kept.map_or(Ok(()), |passed| self.say(passed));
                said.err().unwrap_or(reason)
            }
        };
        self.turn_ended();
        TurnEnd::at_once(held)
    }

    /// Names the prompt in the transcript, and opens its checkpoint.
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

    /// A turn, and what ends with it.
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

    /// Says it, behind what the beginning of the session has left and before what hooks say about it.
    fn say(&mut self, passed: AcceptedPrompt) -> Result<(), EndReason> {
        self.tell_instructions();
        let pending = std::mem::take(&mut self.pending);
        let conversation = self.agent_loop.conversation.whole(ANOTHER_PROMPT);
        for text in pending {
            conversation.beside(text);
        }
        let said = conversation.say(passed.content);
        if said.is_ok() {
            for text in passed.beside {
                conversation.beside(text);
            }
        }
        self.agent_loop.store();
        said.map_err(|error| EndReason::PromptRejected { because: error.to_string(), by: None })
    }

    /// Loads what files say to the model, if that was not done: behind SessionStart, before there is a prompt (L0).
    pub(crate) async fn instruct(&mut self, cancel: &CancellationToken) {
        self.instructions.extend(self.agent_loop.instruct(cancel).await);
    }

    /// Adds it, except texts that the model got before the session paused.
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
        let (words, by_whose) = (prompt.words(), prompt.by_whose());
        let session = self.agent_loop.facts.session();
        let expand = self.expand.clone().filter(|_| !prompt.verbatim);
        let found = expand.as_ref().map_or(PromptKind::Words, |expand| expand.find(&session, &words));
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
            (PromptKind::Words, Some(expand)) => {
                passed.beside.extend(expand.mentioned(&session, &by_whose, cancel).await);
            }
            (PromptKind::Words | PromptKind::Command(_) | PromptKind::Unknown { .. }, _) => {}
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
                Woken::PromptRejected(because) => {
                    let notice = rejected("UserPromptSubmit", &because, Some(words));
                    self.agent_loop.updates.notice(notice);
                    return Err(RejectedPrompt::by_hook("UserPromptSubmit", because, Some(words)));
                }
                Woken::Told(text) | Woken::TurnGoesOn(text) | Woken::LoopStopped { told: text, .. } => {
                    passed.beside.push(text);
                }
            }
        }
        Ok(passed)
    }

    /// Fires UserPromptExpansion, and replaces the typed command by its text.
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
        // Blocks that are not text, such as an image, go with the command.
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

/// Returns the user's notice of a prompt that a hook has rejected.
fn rejected(hook: &str, because: &str, prompt: Option<&str>) -> Notice {
    let text = match prompt {
        Some(prompt) => format!("a hook rejected the prompt: {because}\n\nThe prompt was: {prompt}"),
        None => format!("a hook rejected the prompt: {because}"),
    };
    Notice { level: Level::Warning, hook: Some(hook.to_owned()), text, unchecked: false }
}

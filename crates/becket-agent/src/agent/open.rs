//! An open session.

use super::builder::{AgentBuilder, Closer};
use super::info::Info;
use crate::agents::{AgentTool, Definition, FirstSkills, Parent, ServerTools};
use crate::compact::{NotCompacted, Trigger};
use crate::conversation::{Conversation, StoredConversation};
use crate::elicit::SessionOf;
use crate::facts::Facts;
use crate::session::{Main, OpenError, OpenedTranscript, OwnWorktree, Prompt, leave_worktrees, open};
use crate::transcript::Note;
use crate::turn::{
    AgentLoop, Begin, ConversationLog, EndReason, SessionShared, StopEvent, TurnEnd, TurnStart,
};
use crate::update::{Notice, Origin, Updates};
use crate::watch::{FileWatch, WatchBaseline, WatchContext, WatchHandle};
use becket_engine::{CancellationToken, Engine, ToolSet};
use becket_llm::Model;
use becket_model::Session;
use becket_model::event::{Agent as AgentFacts, PermissionMode};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use tokio::sync::Mutex;

/// An open session. Cheap to clone; all clones are the same session. [`Agent::close`] ends it; dropping it ends its
/// processes without notifying its hooks.
#[derive(Clone)]
pub struct Agent {
    pub(super) shared: Arc<SessionShared>,
    pub(super) facts: Facts,
    pub(super) toolbox: ToolSet,
    /// The length of the system prompt.
    pub(super) system_bytes: usize,
    /// The model that the session was opened with.
    pub(super) model: Arc<dyn Model>,
    commands: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    pub(super) main: Arc<Mutex<Main>>,
    closers: Arc<StdMutex<Vec<Closer>>>,
    watching: Arc<Mutex<Option<WatchHandle>>>,
}

impl Agent {
    pub(super) async fn open(builder: AgentBuilder) -> Result<Self, OpenError> {
        let opened = {
            let (store, point) = (builder.store.as_ref(), builder.rewind.as_ref());
            open(store, &builder.start, &builder.cwd, builder.id.as_deref(), point)?
        };
        let (mut main, opened, rest) = parts(with_own_servers(builder).await?, opened);
        if let Some(wish) = rest.in_worktree {
            wish.enter(&mut main).await?;
        }
        // Nothing is written before this point: a session that never began leaves no transcript.
        note(&mut main, rest.title);
        let before = remembered(rest.watch).await;
        main.begin(&opened, rest.setup).await;
        main.agent_loop.store();
        let watching = match before {
            Some(before) => WatchHandle::start(before, watch_context(&main)).await,
            None => None,
        };
        let expand = main.expand.clone();
        let commands = move || expand.as_ref().map(|expand| expand.names()).unwrap_or_default();
        Ok(Self {
            shared: Arc::clone(&main.agent_loop.shared),
            facts: main.agent_loop.facts.clone(),
            toolbox: main.agent_loop.toolbox.clone(),
            model: Arc::clone(&main.agent_loop.model),
            system_bytes: main.agent_loop.system.len(),
            commands: Arc::new(commands),
            main: Arc::new(Mutex::new(main)),
            closers: Arc::new(StdMutex::new(rest.closers)),
            watching: Arc::new(Mutex::new(watching)),
        })
    }

    /// Works on a prompt until it is the user's turn again; one at a time, in the order of the calls. Never fails:
    /// errors are in the returned end.
    pub async fn prompt(&self, prompt: Prompt, cancel: &CancellationToken) -> TurnEnd {
        self.main.lock().await.prompt(prompt, cancel).await
    }

    /// Adds a prompt to the conversation, without a turn: the model reads it with the next prompt. It is judged by the
    /// hooks of a prompt; no command in it runs, and no file that it mentions is read.
    ///
    /// # Errors
    /// Errors if a hook has rejected it, or a user can't send it.
    pub async fn append(&self, prompt: Prompt, cancel: &CancellationToken) -> Result<(), EndReason> {
        self.main.lock().await.append(prompt, cancel).await
    }

    /// Resumes the calls that were deferred when the session was stored (D10). Without any it continues as after a
    /// pause.
    pub async fn resume_deferred(&self, cancel: &CancellationToken) -> TurnEnd {
        let mut main = self.main.lock().await;
        main.instruct(cancel).await;
        main.turn(TurnStart::Resume, cancel).await
    }

    /// Returns whether there are deferred calls to resume.
    pub async fn has_deferred(&self) -> bool {
        self.main.lock().await.agent_loop.conversation.deferred().is_some()
    }

    /// Continues the conversation with only `reminder`, for a host that was woken (A4).
    pub async fn wake(&self, reminder: impl Into<String>, cancel: &CancellationToken) -> TurnEnd {
        let mut main = self.main.lock().await;
        main.instruct(cancel).await;
        main.tell_instructions();
        main.agent_loop.remind(reminder);
        main.turn(TurnStart::AsItIs, cancel).await
    }

    /// Replaces the conversation with a summary.
    ///
    /// # Errors
    /// Errors with the reason why the conversation is unchanged.
    pub async fn compact(
        &self,
        instructions: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<(), NotCompacted> {
        self.main.lock().await.agent_loop.compact(Trigger::Manual, instructions, cancel).await
    }

    /// Returns the first prompt that a SessionStart hook, or the agent that the session works as, requests for a
    /// session that is not interactive. Only the first call returns it.
    pub async fn initial_prompt(&self) -> Option<Prompt> {
        self.main.lock().await.initial.take().map(Prompt::text)
    }

    /// Changes the title of the session.
    pub async fn retitle(&self, title: &str) {
        self.main.lock().await.agent_loop.retitle(title);
    }

    /// Ends the conversation and starts a new one, with its own id and transcript.
    ///
    /// # Errors
    /// Errors if the transcript can't be created; the old conversation has then ended, and the session continues
    /// without being stored.
    pub async fn clear(&self) -> Result<(), OpenError> {
        self.main.lock().await.clear().await
    }

    /// Ends the session: fires SessionEnd within its time limit, then ends all its tasks and hooks, and runs the host's
    /// closing work. `reason` is `prompt_input_exit`, `logout` or `other`.
    pub async fn close(&self, reason: &str) {
        if let Some(watching) = self.watching.lock().await.take() {
            watching.end().await;
        }
        let mut main = self.main.lock().await;
        main.end(reason).await;
        self.shared.at_turn_end.end().await;
        // Background agents keep working until here, and the hooks of skills guard them.
        if let Some(tasks) = &self.shared.tasks {
            tasks.close().await;
        }
        leave_worktrees(&main).await;
        main.forget().await;
        drop(main);
        let closers = std::mem::take(&mut *self.closers.lock().unwrap_or_else(PoisonError::into_inner));
        for close in closers {
            close().await;
        }
        self.shared.engine.close().await;
    }

    /// Returns the session as its events currently describe it.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the facts of the session that a host displays.
    #[must_use]
    pub fn info(&self) -> Info {
        let Session { id, transcript_path, cwd, permission_mode, .. } = self.facts.session();
        let offered = self.shared.engine.host().offered_tools(&self.toolbox);
        Info {
            id: id.to_string(),
            title: self.shared.title(),
            transcript_path,
            cwd,
            model: self.model().name().to_owned(),
            mode: permission_mode.unwrap_or(PermissionMode::Default),
            tools: offered.into_iter().map(|tool| tool.name).collect(),
            commands: (self.commands)(),
            watched: self.shared.watched(),
        }
    }

    /// Returns the engine of the session.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// Parts of a builder that are needed once the agent loop exists.
struct Rest {
    setup: Option<crate::session::SetupTrigger>,
    closers: Vec<Closer>,
    watch: Option<FileWatch>,
    in_worktree: Option<OwnWorktree>,
    title: Option<String>,
}

/// Reads the settings before the first hook runs.
async fn remembered(watch: Option<FileWatch>) -> Option<WatchBaseline> {
    let watch = watch?;
    tokio::task::spawn_blocking(|| watch.remember()).await.ok()
}

/// Returns weak handles to the session for its file watch, which must not keep it alive.
fn watch_context(main: &Main) -> WatchContext {
    WatchContext {
        shared: Arc::downgrade(&main.agent_loop.shared),
        facts: main.agent_loop.facts.clone(),
        updates: main.agent_loop.updates.clone(),
        expand: main.expand.clone(),
    }
}

/// Connects the servers that the agent of the session describes, and adds their tools to those of the session. They end
/// with the session.
async fn with_own_servers(mut builder: AgentBuilder) -> Result<AgentBuilder, OpenError> {
    let (Some(agent), Some(tool)) = (&builder.works_as, &builder.subagents) else { return Ok(builder) };
    let servers = tool.connect_servers(agent, &builder.toolbox).await.map_err(OpenError::Servers)?;
    let Some(mut servers) = servers else { return Ok(builder) };
    let ServerTools { tools, notices } = servers.take();
    let others = builder.toolbox.all();
    builder.toolbox.replace(others.iter().cloned().chain(tools));
    builder.notices.extend(notices);
    Ok(builder.on_close(move || Box::pin(servers.close())))
}

/// Splits a builder and the stored session into parts, and assembles the session's agent loop.
fn parts(builder: AgentBuilder, mut opened: OpenedTranscript) -> (Main, OpenedTranscript, Rest) {
    let AgentBuilder { engine, asked, watchers, options, window, tasks, team, at_turn_end, .. } = builder;
    let mut shared = SessionShared::new(engine, asked, Updates::new(watchers));
    shared.options = options;
    shared.set_thinking(options.model.thinking);
    shared.fallback = builder.fallback;
    shared.budget_usd = builder.budget_usd;
    if let Some(checkpoints) = builder.checkpoints {
        shared.keep_checkpoints(checkpoints);
    }
    shared.window = window;
    shared.tasks = tasks;
    shared.team = team;
    shared.structured_output = builder.structured_output;
    shared.tool_aliases = builder.tool_aliases;
    shared.instructions = builder.instructions;
    if let Some(permissions) = builder.permissions {
        shared.permissions = permissions;
    }
    shared.at_turn_end = at_turn_end;
    let shared = Arc::new(shared);
    let start = builder.cwd.clone();
    let mut session = Session::new(opened.id.clone(), path(&opened), builder.cwd);
    session.permission_mode = Some(mode(&shared, builder.mode, &opened));
    session.agent = builder.agent.map(|kind| AgentFacts::new(None, Arc::<str>::from(kind)));
    let facts = match builder.facts {
        Some(facts) => {
            facts.begin(session);
            facts
        }
        None => Facts::new(session),
    };
    let skills = first_skills(builder.works_as.as_ref(), builder.subagents.as_ref(), &facts);
    let (skills, no_skills) = skills.map_or_else(|notice| (None, Some(notice)), |skills| (skills, None));
    let stored = take_stored(&shared, &mut opened);
    let begin = Begin {
        facts,
        toolbox: builder.toolbox,
        model: builder.model,
        system: builder.system,
        conversation: ConversationLog::new(stored, opened.log.take()),
        origin: Origin::Main,
        max_turns: builder.max_turns,
        stop_event: StopEvent::Stop,
        mate: None,
    };
    let main = Main {
        agent_loop: AgentLoop::new(shared, begin),
        expand: builder.expand,
        store: builder.store,
        worktrees: builder.worktrees,
        start,
        names_model: builder.interactive,
        pending: Vec::new(),
        instructions: Vec::new(),
        initial: builder.initial_prompt,
        skills,
    };
    for notice in builder.notices.into_iter().chain(no_skills) {
        main.agent_loop.updates.notice(notice);
    }
    if let Some(host) = builder.mcp_host {
        host.belongs_to(SessionOf::new(&main.agent_loop.shared, &main.agent_loop.facts));
    }
    if let Some(tool) = builder.subagents {
        tool.belongs_to(parent_of(&main));
    }
    if let Some(tools) = builder.worktree_tools {
        tools.belongs_to(parent_of(&main));
    }
    let AgentBuilder { setup, closers, watch, in_worktree, title, .. } = builder;
    (main, opened, Rest { setup, closers, watch, in_worktree, title })
}

/// Returns the skills that the session starts with: those that its agent names.
///
/// # Errors
/// Errors with a message for the user if the session has no skills.
fn first_skills(
    agent: Option<&Definition>,
    tool: Option<&AgentTool>,
    facts: &Facts,
) -> Result<Option<FirstSkills>, Notice> {
    let Some(agent) = agent.filter(|agent| !agent.skills.is_empty()) else { return Ok(None) };
    let skills = tool.and_then(|tool| tool.first_skills(agent, facts));
    let missing = || {
        Notice::warning(format!(
            "the agent `{}` starts without its `skills`: this session has none",
            agent.name
        ))
    };
    skills.map(Some).ok_or_else(missing)
}

/// Returns a function that gives tools access to the session without keeping it alive.
fn parent_of(main: &Main) -> impl Fn() -> Option<Parent> + Send + Sync + use<> {
    let shared = Arc::downgrade(&main.agent_loop.shared);
    let (facts, model, store) =
        (main.agent_loop.facts.clone(), Arc::clone(&main.agent_loop.model), main.store.clone());
    let (toolbox, worktrees) = (main.agent_loop.toolbox.clone(), main.worktrees.clone());
    move || {
        let shared = shared.upgrade()?;
        let model = shared.seat.chosen_model().unwrap_or_else(|| Arc::clone(&model));
        let (facts, toolbox) = (facts.clone(), toolbox.clone());
        let (store, worktrees) = (store.clone(), worktrees.clone());
        Some(Parent { shared, facts, model, toolbox, store, worktrees })
    }
}

fn path(opened: &OpenedTranscript) -> PathBuf {
    opened.log.as_ref().map(|log| log.path().to_owned()).unwrap_or_default()
}

/// Returns the mode that the user has chosen, else that of the resumed session, else that of the settings.
fn mode(shared: &SessionShared, wanted: Option<PermissionMode>, opened: &OpenedTranscript) -> PermissionMode {
    let start = shared.engine.host().start_mode();
    if let Some(warning) = &start.warning {
        shared.updates.notice(Notice::warning(warning.clone()));
    }
    let stored = opened.restored.as_ref().and_then(|restored| restored.mode.clone());
    let mode = wanted.or(stored).unwrap_or_else(|| start.mode.clone());
    match shared.engine.host().may_bypass() {
        Err(why) if mode == PermissionMode::BypassPermissions => {
            shared.updates.notice(Notice::warning(format!("the session is in another mode: {why}")));
            start.mode.clone()
        }
        Ok(()) | Err(_) => mode,
    }
}

/// Returns the stored conversation, and reports the problems found in it.
fn take_stored(shared: &SessionShared, opened: &mut OpenedTranscript) -> StoredConversation {
    let Some(restored) = &mut opened.restored else {
        return StoredConversation::Whole(Conversation::default());
    };
    if let Some(original) = &restored.copy_of {
        let text = format!(
            "the session is another program's (`{}`): it stays as it is, and continues here in a copy, `{}`",
            original.display(),
            opened.id
        );
        shared.updates.notice(Notice::warning(text));
    }
    for damage in &restored.damage {
        shared.updates.notice(Notice::warning(damage.to_string()));
    }
    if let Some(title) = &restored.title {
        shared.set_title(title);
    }
    std::mem::replace(&mut restored.stored, StoredConversation::Whole(Conversation::default()))
}

/// Stores the facts that are needed when the session is resumed.
fn note(main: &mut Main, title: Option<String>) {
    let agent_loop = &mut main.agent_loop;
    let cwd = agent_loop.facts.cwd();
    agent_loop.conversation.note(&Note::Model(agent_loop.model.name().to_owned()), &cwd, &agent_loop.updates);
    agent_loop.conversation.note(&Note::Mode(agent_loop.facts.mode()), &cwd, &agent_loop.updates);
    if let Some(title) = title {
        agent_loop.retitle(&title);
    }
}

//! An open session: its facts for the output, and its end.

use super::control::{HostServerChanges, HostSettings};
use super::job::Job;
use super::last_fired::LastFired;
use crate::services::RunModels;
use becket_agent::agents::AgentTool;
use becket_agent::assemble::{SessionPlugins, SessionTools};
use becket_agent::end_tasks::EndTasks;
use becket_agent::skills::SessionSkills;
use becket_agent::turn::TurnEndTasks;
use becket_agent::{Agent, OutputStyles};
use becket_mcp::Pool;
use becket_mcp::config::ConfiguredServer;
use becket_tools::tasks::{TaskInfo, TaskKind, TaskStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A session that is open.
pub(super) struct Session {
    pub(super) agent: Agent,
    pub(super) tools: SessionTools,
    pub(super) servers: Option<Pool>,
    /// The entries of servers that have no effect.
    pub(super) hidden_servers: Vec<ConfiguredServer>,
    pub(super) models: Arc<RunModels>,
    pub(super) agents: AgentTool,
    pub(super) skills: SessionSkills,
    pub(super) plugins: SessionPlugins,
    /// The recorded state of the run.
    pub(super) job: Job,
    /// The tasks at the end of each turn.
    pub(super) end_tasks: EndTasks,
    /// True if notes for later sessions are taken.
    pub(super) takes_notes: bool,
    /// The registered tasks.
    pub(super) turn_end: TurnEndTasks,
    /// The host's changes to the servers.
    pub(super) server_changes: HostServerChanges,
    /// The host's settings.
    pub(super) host_settings: HostSettings,
    /// The events that were fired last.
    pub(super) fired: LastFired,
    /// The time at which the session opened.
    pub(super) since: Instant,
    /// The replacement of the last answer by a hook (D11).
    pub(super) displayed: Arc<Mutex<Option<String>>>,
    /// True if the session runs as an agent, whose tools were chosen when it opened.
    pub(super) is_narrowed: bool,
    /// The output styles.
    pub(super) styles: OutputStyles,
    /// The options that were given and have no effect.
    pub(super) warnings: Vec<String>,
    /// True if the user has logged out, in which case the session ends for that reason.
    pub(super) has_logged_out: AtomicBool,
}

impl Session {
    /// Updates the tools, before each prompt: servers connect and disconnect.
    pub(super) fn refresh(&self) {
        if !self.is_narrowed {
            drop(self.tools.refresh());
        }
    }

    /// Returns an agent that works in the background, if there is one.
    pub(super) fn running_agent(&self) -> Option<TaskInfo> {
        let is_one = |task: &TaskInfo| {
            task.status == TaskStatus::Running && matches!(task.kind, TaskKind::Agent { .. })
        };
        self.tools.tasks().list().into_iter().find(is_one)
    }

    /// Returns whether an agent works in the background.
    pub(super) fn has_running_agent(&self) -> bool {
        self.running_agent().is_some()
    }

    /// Takes the hook's replacement of the last answer.
    pub(super) fn displayed(&self) -> Option<String> {
        self.displayed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the session with its hooks, tasks and servers.
    pub(super) async fn close(self) {
        self.close_because("other").await;
    }

    /// Ends the session like [`Session::close`], with a reason for SessionEnd.
    pub(super) async fn close_because(self, reason: &str) {
        let reason = if self.has_logged_out.load(Ordering::Relaxed) { "logout" } else { reason };
        self.agent.close(reason).await;
        self.end_tasks.closed();
        self.job.closed();
        if let Some(pool) = &self.servers {
            pool.close().await;
        }
    }
}

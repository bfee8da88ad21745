//! A turn: from a prompt until it is the user's turn again (`protocol.md` L0–L8).

mod agent_loop;
mod answer;
mod ask;
mod auto_compact;
mod batch;
mod budget;
mod context_usage;
mod conversation_log;
mod decide;
mod detached_events;
mod display;
mod end;
mod fallback;
mod instruct;
mod mail;
mod meter;
mod model_settings;
mod output;
mod prepare;
mod retry;
mod seat;
pub(crate) mod session_shared;
mod stop;
mod switch;
mod tasks;

pub use crate::error_class::ErrorClass;
pub use end::{DeferredCall, Denial, EndReason, RejectedByHook, TurnEnd};
pub use model_settings::ModelSettings;
pub use session_shared::TurnOptions;
pub use tasks::{
    AtTurnEnd, ForTurns, InBare, MainTurn, Snapshots, TaskRun, TaskWait, TurnEndTask, TurnEndTasks,
};

pub(crate) use agent_loop::{AgentLoop, Begin, TurnStart};
pub(crate) use conversation_log::ConversationLog;
pub(crate) use fallback::Fallback;
pub(crate) use prepare::RewakeEffect;
pub(crate) use session_shared::{Approvers, FiredEvent, SessionShared, error};
pub(crate) use stop::StopEvent;
pub(crate) use switch::Switch;

//! The permissions of a running session: mode, rules, directories, and the classifier of mode `auto` (`protocol.md`
//! P13, P14).
//!
//! It decides no call: hooks, rules and mode are combined in [`crate::tool_call`]. A mode is changed only here, so that
//! the session never enters a forbidden one.

mod auto;
mod classifier;
mod model_classifier;
mod plan_mode;
mod session;

pub use auto::AutoMode;
pub use classifier::{Classification, Classifier, ToClassify};
pub use model_classifier::ModelClassifier;
pub use plan_mode::ExitPlanMode;
pub use session::{ModeRefused, PermissionChange, SessionPermissions};

pub(crate) use auto::ClassifierDecision;

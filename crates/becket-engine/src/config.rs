//! Configuration: found and read ([`load()`]), merged ([`resolve()`]), judged ([`Diagnostic`]).
//!
//! Three steps, and only the last sees all files: a text becomes a tree with places, a tree becomes the content of one
//! file, and all files together become a [`Config`]. A bad entry never prevents a good one from loading (C7).

pub(crate) mod allowed_urls;
mod amend;
mod audit;
mod changed_files;
#[expect(clippy::module_inception, reason = "the type's name is the module's")]
mod config;
mod diagnostic;
mod diagnostic_rules;
mod edit;
mod fix;
mod flag_permissions;
pub mod frontmatter;
mod git;
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "only Windows looks for Git Bash"))]
pub(crate) mod git_bash;
pub mod handler;
mod hook_budget;
pub mod hookset;
mod lint;
mod load;
pub(crate) mod narrowing_list;
pub(crate) mod nesting;
mod permissions;
pub(crate) mod placeholders;
mod plugins;
mod policy;
mod policy_answer;
mod policy_helper;
mod position;
mod provenance;
mod raw;
mod reload;
mod request;
mod resolve;
mod rollout;
mod rules;
mod sandbox;
mod settings_env;
mod source;
pub(crate) mod text_shell;
pub mod trust;
pub(crate) mod url;
mod write;

pub(crate) use amend::{Amendments, EditOutcome, HOST, SESSION, edit_layer};
pub use audit::{AuditMode, AuditSetting};
pub use becket_base::json_edit::JsonEditError;
pub(crate) use changed_files::ChangedFiles;
pub use config::Config;
pub use diagnostic::{Diagnostic, Severity};
pub use diagnostic_rules::{DiagnosticRule, diagnostic_rules};
pub use edit::{EditError, edit_settings};
pub use fix::{Fix, FixSafety, FixedText, apply_fixes};
pub use flag_permissions::{FlagError, FlagPermissions};
pub use git::repository_root;
pub use hook_budget::HookBudget;
pub use lint::{lint, lint_files, lint_frontmatter, lint_place};
pub(crate) use load::load_plugins;
pub use load::{FLAG_TEXT, Layer, LoadedFiles, load};
pub use narrowing_list::NarrowingList;
pub use permissions::{AdditionalDirectory, DefaultMode, RuleList, RuleSource};
pub use plugins::PluginDefinitions;
#[cfg(feature = "http")]
pub(crate) use policy::Reach;
pub use policy::{Policy, Refusal};
pub use position::{HandlerOrder, position};
pub(crate) use raw::ReadContext;
pub use reload::{Reload, judge, reload};
pub use request::{FlagSettings, NestedFolder, Plugin, PluginOption, PluginOrigin, Request, Sources, Trust};
pub(crate) use resolve::is_loose;
pub use resolve::{StopsStart, resolve};
pub use rollout::Rollout;
pub use rules::idle_rule;
pub use sandbox::{Sandbox, SandboxGrant};
pub use settings_env::SettingsEnv;
pub use source::read::{MAX_FILE, ReadError, text as read_text};
pub use write::{WriteError, write_settings};

//! Skills and typed commands: their definitions ([`Skill`]), the set of them ([`Skills`]), and their use.
//!
//! A skill is a directory with a `SKILL.md`, a command is a Markdown file; both are typed as `/name` and, if they allow
//! it, called by the model. Their content is read when they are loaded and changes only at a reload (`protocol.md` C8).

mod arguments;
mod expand;
mod grants;
mod hooks;
mod include;
mod mcp;
mod read;
mod register;
mod render;
mod session;
mod skill;
mod template;
mod tool;
mod typed;

pub use register::{LoadedSkills, Skills};
pub use session::SessionSkills;
pub use skill::{Kind, Skill};
pub use tool::SkillTool;

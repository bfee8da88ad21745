//! Skills and typed commands: what they are ([`Skill`]), where they come from ([`Skills`]), and what becomes of one
//! that is used.
//!
//! A skill is a directory with a `SKILL.md`, a command a Markdown file; both are typed as `/name` and, where they allow
//! it, called by the model. Its content is read when it is loaded and changes only at a reload (`protocol.md` C8).

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

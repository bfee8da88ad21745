//! THE table of tools. A new tool is a module and a line here.

use super::bash::Bash;
use super::glob::Glob;
use super::grep::Grep;
use super::read::Read;
use super::tool::Tool;

const TOOLS: [&dyn Tool; 4] = [&Read, &Grep, &Glob, &Bash];

/// All tools, in the order in which the model sees them.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Tool> {
    TOOLS.into_iter()
}

/// The tool of that name, case-sensitive.
pub(crate) fn find(name: &str) -> Option<&'static dyn Tool> {
    all().find(|tool| tool.spec().name == name)
}

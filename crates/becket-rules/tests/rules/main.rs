//! Rules, matchers, paths and permissions, from data files and as laws.

mod cases;
mod links;
mod matchers;
mod path_git;
mod paths;
mod texts;

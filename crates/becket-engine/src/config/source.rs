//! Texts and their places: reading files safely, JSON and YAML as trees with positions, and findings about them.

pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod mend;
pub(crate) mod read;
pub(crate) mod report;
pub(crate) mod tree;
pub(crate) mod yaml;

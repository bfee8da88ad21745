//! Stands in for the models' types until their crate is there.
#![allow(missing_docs, reason = "temporary")]
pub trait Models: Send + Sync {}
#[derive(Debug)]
pub struct Message;
#[derive(Debug)]
pub struct ToolSpec;

//! The rules of the protocol that this crate is answerable for, as cases and as laws.

mod common;
mod fold;
mod laws;
mod output;
mod table;

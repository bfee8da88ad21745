//! The rules of the protocol that this crate implements, as cases and as laws.

#[cfg(test)]
mod common;
#[cfg(test)]
mod fold;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod output;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod table;

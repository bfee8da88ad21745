//! Ground for the other crates of Becket: parts that know nothing of hooks, events or agents.
//!
//! - [`address`]: classes of internet addresses, and networks written as `10.0.0.0/8`.

pub mod address;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

//! What `fire` lends to hooks: models, a person to ask, networks.

mod answers;
mod models;
mod person;
pub(crate) mod question;

pub(crate) use answers::Answers;
pub(crate) use models::{Shared, models};
pub(crate) use person::Person;

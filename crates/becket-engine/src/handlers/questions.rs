//! Asks the user the questions of hooks: [`desk`] asks one after another, [`interview`] does it for one run (Q1–Q3).

mod desk;
mod interview;
#[cfg(test)]
mod tests;
mod turns;

pub(crate) use desk::Desk;
pub(crate) use interview::Interview;

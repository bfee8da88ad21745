//! The texts of skills that an agent begins with, from whoever has the skills.

use crate::facts::Facts;
use becket_engine::CancellationToken;
use becket_model::Session;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The skills that agents may begin with.
pub trait SkillTexts: Send + Sync {
    /// Returns the text of a skill for an agent that begins with it. Its hooks hold from now on; it grants nothing.
    ///
    /// # Errors
    /// Errors if the skill does not exist, a rule denies it, it is only for the user, or a command of it was not run.
    fn preload<'a>(
        &'a self,
        name: &'a str,
        session: &'a Session,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>>;
}

/// Makes the skills of an agent loop, whose commands run in its own shell.
pub type MakesSkillTexts = Arc<dyn Fn(&Facts) -> Arc<dyn SkillTexts> + Send + Sync>;

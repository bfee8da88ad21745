//! The texts of skills that an agent starts with.

use crate::facts::Facts;
use crate::update::Notice;
use becket_engine::CancellationToken;
use becket_model::Session;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The skills that agents may start with.
pub trait SkillTexts: Send + Sync {
    /// Returns the text of a skill for an agent that starts with it. Its hooks are active from now on; it grants
    /// nothing.
    ///
    /// # Errors
    /// Errors if the skill does not exist, a rule denies it, it is only for the user, or one of its commands was not
    /// run.
    fn preload<'a>(
        &'a self,
        name: &'a str,
        session: &'a Session,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>>;
}

/// Creates the skills of an agent loop, whose commands run in its own shell.
pub type MakesSkillTexts = Arc<dyn Fn(&Facts) -> Arc<dyn SkillTexts> + Send + Sync>;

/// The skills that an agent starts with.
pub(crate) struct FirstSkills {
    /// The name of the agent.
    pub(crate) agent: Arc<str>,
    pub(crate) names: Vec<String>,
    pub(crate) texts: Arc<dyn SkillTexts>,
}

/// The texts of the skills that an agent starts with.
#[derive(Debug, Default)]
pub(crate) struct FirstTexts {
    pub(crate) texts: Vec<String>,
    /// Notices about the skills that were left out.
    pub(crate) notices: Vec<Notice>,
}

impl FirstSkills {
    /// Reads the texts. A skill that does not exist, or may not be used, is reported and left out.
    pub(crate) async fn read(&self, session: &Session, cancel: &CancellationToken) -> FirstTexts {
        let mut read = FirstTexts::default();
        for name in &self.names {
            match self.texts.preload(name, session, cancel).await {
                Ok(text) => read.texts.push(format!("The skill `{name}`:\n\n{text}")),
                Err(why) => {
                    let what = format!("the agent `{}` begins without the skill `{name}`: {why}", self.agent);
                    read.notices.push(Notice::warning(what));
                }
            }
        }
        read
    }
}

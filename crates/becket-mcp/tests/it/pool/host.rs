//! A host for tests: it gives configured answers, and records the questions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_mcp::{
    BoxFuture, CancellationToken, Elicitation, ElicitationAnswer, Host, LogMessage, Offers, Progress, Root,
};
use serde_json::{Map, Value, json};

/// The reaction to a question.
#[derive(Clone)]
pub(crate) enum Answers {
    /// Accepts after a while, with these fields.
    Yes(Duration, Value),
    /// Declines.
    No,
    /// Never answers.
    Never,
    /// Panics, before or after its first await.
    Panics { at_once: bool },
}

/// A host.
pub(crate) struct RecordingHost {
    offers: Offers,
    answers: Answers,
    pub(crate) asked: Mutex<Vec<Elicitation>>,
    pub(crate) progress: Mutex<Vec<Progress>>,
    pub(crate) logged: Mutex<Vec<LogMessage>>,
    /// The questions that a server reported as completed.
    pub(crate) completed: Mutex<Vec<String>>,
    /// The token of each question.
    pub(crate) tokens: Mutex<Vec<CancellationToken>>,
}

/// All capabilities.
pub(crate) const ALL: Offers = Offers { form: true, url: true, sampling: true, roots: true };

impl RecordingHost {
    pub(crate) fn new(offers: Offers, answers: Answers) -> Arc<Self> {
        let (asked, progress, logged, completed, tokens) = Default::default();
        Arc::new(Self { offers, answers, asked, progress, logged, completed, tokens })
    }

    /// Returns a host that offers everything and accepts.
    pub(crate) fn yes() -> Arc<Self> {
        Self::new(ALL, Answers::Yes(Duration::ZERO, json!({"name": "Ada"})))
    }

    pub(crate) fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    async fn answer(&self) -> Option<Map<String, Value>> {
        match &self.answers {
            Answers::Yes(after, fields) => {
                tokio::time::sleep(*after).await;
                fields.as_object().cloned()
            }
            Answers::No => None,
            Answers::Never => std::future::pending().await,
            Answers::Panics { .. } => panic!("as told"),
        }
    }

    fn panics_at_once(&self) {
        if let Answers::Panics { at_once: true } = self.answers {
            panic!("as told");
        }
    }
}

impl Host for RecordingHost {
    fn offers(&self) -> Offers {
        self.offers
    }

    fn elicit<'a>(
        &'a self,
        server: &'a str,
        asked: Elicitation,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        assert_eq!(server, "it");
        self.asked.lock().unwrap().push(asked);
        self.tokens.lock().unwrap().push(cancel.clone());
        self.panics_at_once();
        Box::pin(async { self.answer().await.map_or(ElicitationAnswer::Decline, ElicitationAnswer::Accept) })
    }

    fn sample<'a>(
        &'a self,
        _: &'a str,
        request: Map<String, Value>,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Map<String, Value>, String>> {
        Box::pin(async move {
            self.answer().await.ok_or("no model today")?;
            let text = request["messages"][0]["content"]["text"].clone();
            let said = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": text}});
            Ok(said.as_object().unwrap().clone())
        })
    }

    fn roots<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Vec<Root>> {
        Box::pin(async {
            self.answer().await;
            vec![Root { uri: "file:///work".into(), name: Some("work".into()) }]
        })
    }

    fn progress(&self, server: &str, progress: Progress) {
        assert_eq!(server, "it");
        self.progress.lock().unwrap().push(progress);
        self.panics_at_once();
    }

    fn completed(&self, server: &str, id: &str) {
        assert_eq!(server, "it");
        self.completed.lock().unwrap().push(id.to_owned());
        self.panics_at_once();
    }

    fn log(&self, _: &str, logged: LogMessage) {
        self.logged.lock().unwrap().push(logged);
        self.panics_at_once();
    }
}

/// A host that panics even when asked for its offers.
pub(crate) struct Broken;

impl Host for Broken {
    fn offers(&self) -> Offers {
        panic!("as told")
    }
}

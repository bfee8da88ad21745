use super::*;

/// A source that returns a token once; after a 401 another one, if it has one.
#[derive(Debug)]
struct Tokens(&'static str, Option<&'static str>);

impl HeaderSource for Tokens {
    fn headers(&self, attempt: HeaderAttempt) -> BoxFuture<'_, Result<Headers, NoHeaders>> {
        let answer = match (attempt, self.1) {
            (HeaderAttempt::First, _) => Ok(self.0),
            (HeaderAttempt::After401(_), Some(fresh)) => Ok(fresh),
            (HeaderAttempt::After401(challenge), None) => Err(NoHeaders::AuthNeeded(challenge)),
        };
        let headers =
            answer.map(|token| vec![(HeaderName::from_static("authorization"), Secret::new(token))]);
        Box::pin(std::future::ready(headers))
    }
}

fn shown(headers: Result<Headers, NoHeaders>) -> String {
    match headers {
        Ok(headers) => {
            headers.iter().map(|(name, value)| format!("{name}={} ", value.expose())).collect::<String>()
        }
        Err(fault) => format!("{fault}"),
    }
}

fn fixed(headers: &[(&str, &str)]) -> Arc<dyn HeaderSource> {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
    Arc::new(StaticHeaders::new(&headers).unwrap())
}

// rule: X1
#[tokio::test]
async fn the_stronger_source_counts_and_a_401_asks_for_others() {
    let configured = fixed(&[("X-Team", "a"), ("Authorization", "mine")]);
    let refused = || HeaderAttempt::After401(Challenge { header: Some("Bearer".into()) });
    for (sources, first, again) in [
        (vec![configured.clone()], "x-team=a authorization=mine ", "it needs authentication"),
        (
            vec![configured.clone(), Arc::new(Tokens("t1", Some("t2")))],
            "x-team=a authorization=t1 ",
            "x-team=a authorization=t2 ",
        ),
        (
            vec![configured.clone(), Arc::new(Tokens("t1", None))],
            "x-team=a authorization=t1 ",
            "it needs authentication",
        ),
        (vec![], "", "it needs authentication"),
    ] {
        let all = LayeredHeaders::new(sources);
        assert_eq!(shown(all.headers(HeaderAttempt::First).await), first);
        assert_eq!(shown(all.headers(refused()).await), again);
    }
}

#[test]
fn what_is_no_header_is_named_and_its_value_is_not() {
    for (name, value, expected) in [
        ("a b", "s3cret", "`a b` is not a name of a header: use letters, digits and `-`"),
        (
            "X-A",
            "s3cret\r\nX-B: 1",
            "the value of the header `X-A` can't be sent: it has a line end or another control character",
        ),
    ] {
        let error = StaticHeaders::new(&[(name.into(), value.into())]).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!format!("{error:?}").contains("s3cret"));
    }
}

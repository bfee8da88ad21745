//! Resolution of model names.

use crate::support::{KEY, Server, http, served, variant};
use becket_llm::{
    Anthropic, Credential, Endpoint, HttpOptions, Model, ModelError, ModelTable, Models, Providers, Rates,
    Request, Roots, Script, ScriptedModel, Secret, Turn, http_client,
};
use std::sync::Arc;

fn providers() -> Providers {
    let key = || Endpoint::with_key(Credential::ApiKey(Secret::new(KEY)));
    Providers::new(HttpOptions::default())
        .with_endpoint("anthropic", key())
        .with_endpoint("openai", key())
        .with_endpoint("ollama", Endpoint::with_key(Credential::None))
        .with_alias("fast", "haiku")
        .with_alias("a", "b")
        .with_alias("b", "a")
        .with_model(
            "scripted::judge",
            Arc::new(ScriptedModel::new(Script::new("judge", vec![Turn::text("hi")]))),
        )
        .with_alias("judge", "scripted::judge")
}

// rule: H7
#[test]
fn each_name_leads_to_its_model() {
    let providers = providers();
    for (name, expected) in [
        ("haiku", "claude-haiku-5-5"),
        ("sonnet", "claude-sonnet-5-5"),
        ("opus", "claude-opus-5-5"),
        ("fast", "claude-haiku-5-5"),
        ("claude-opus-4-1", "claude-opus-4-1"),
        (" claude-opus-4-1 ", "claude-opus-4-1"),
        ("anthropic::my-own", "my-own"),
        ("openai::gpt-5", "openai::gpt-5"),
        ("openai::org/model::tag", "openai::org/model::tag"),
        ("ollama::llama3", "ollama::llama3"),
        ("scripted::judge", "judge"),
        ("judge", "judge"),
    ] {
        let model = providers.model(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(model.name(), expected, "{name}");
    }
}

// rules: H7, O10
#[test]
fn a_name_that_leads_nowhere_says_what_to_write() {
    let providers = providers();
    for (name, expected, says) in [
        ("hiaku", "UnknownModel", "did you mean `haiku`?"),
        ("gpt-5", "UnknownModel", "`provider::gpt-5`"),
        ("opneai::gpt-5", "UnknownModel", "did you mean `openai`?"),
        ("nobody-at-all::x", "UnknownModel", "no provider `nobody-at-all`"),
        ("openai::", "UnknownModel", "provider::model"),
        ("scripted::/tmp/x.json", "UnknownModel", "handed in by the host"),
        ("gemini::pro", "NoKey", "`gemini`"),
        ("a", "UnknownModel", "circle"),
        ("", "UnknownModel", "write"),
    ] {
        let error = providers.model(name).map(|model| model.name().to_owned()).expect_err(name);
        assert_eq!(variant(&error), expected, "{name}: {error}");
        assert!(error.to_string().contains(says), "{error} does not say {says}");
    }
}

// rule: H7
#[test]
fn who_names_no_model_gets_the_small_fast_one() {
    let none = Models::model(&providers(), None).map(|model| model.name().to_owned());
    assert_eq!(none, Err(ModelError::NoModel));
    let model = Models::model(&providers().with_default("haiku"), None).map(|model| model.name().to_owned());
    assert_eq!(model, Ok("claude-haiku-5-5".to_owned()));
}

#[test]
fn a_provider_without_a_key_or_an_address_has_none() {
    let empty = Endpoint::with_key(Credential::ApiKey(Secret::trimmed(" \n")));
    let providers = Providers::new(HttpOptions::default()).with_endpoint("anthropic", empty);
    assert_eq!(providers.model("haiku").map(|_| ()), Err(ModelError::NoKey { provider: "anthropic".into() }));
    let local =
        Providers::new(HttpOptions::default()).with_endpoint("anthropic", Endpoint::at("http://127.0.0.1:1"));
    assert!(local.model("anthropic::anything").is_ok());
}

#[tokio::test]
async fn a_model_of_the_providers_answers_and_knows_its_price() {
    let server = Server::start(vec![served("anthropic/text.sse")]).await;
    let endpoint = Endpoint::at(server.url()).credential(Credential::ApiKey(Secret::new(KEY)));
    let price = Rates { input: 1.0, output: 5.0, cache_read: Some(0.1), cache_write: Some(1.25) };
    let providers = Providers::new(HttpOptions::default())
        .with_endpoint("anthropic", endpoint)
        .with_price("claude-haiku-5-5", price);
    let model = providers.model("haiku").expect("a model");
    let answer = model.respond(&Request::user("?")).await.expect("an answer");
    let cost = model.price().and_then(|price| price.cost(&answer.usage)).expect("a price");
    assert!((cost - (25.0 + 5.0 * 12.0 + 0.1 * 7.0) / 1e6).abs() < 1e-12, "{cost}");
    let table = ModelTable::built_in();
    let opus = providers.model("opus").expect("a model");
    assert!(opus.price().is_some());
    assert_eq!(opus.spec(), table.spec("anthropic::claude-opus-5-5"));
    assert_eq!(providers.model("claude-of-the-future").expect("a model").price(), None);
}

#[tokio::test]
async fn a_proxy_is_used_only_where_the_host_hands_one_in() {
    let proxy = Server::start(vec![served("anthropic/text.sse")]).await;
    let mut options = HttpOptions::default();
    options.proxy = Some(proxy.url());
    let through = http_client(&options).expect("a client");
    let model = Anthropic::new(through, "m", &Credential::None).expect("a model");
    let model = model.with_base_url("http://model.invalid").expect("a URL");
    model.respond(&Request::user("?")).await.expect("an answer");
    assert!(
        proxy.requests()[0].starts_with("POST http://model.invalid/v1/messages "),
        "{}",
        proxy.requests()[0]
    );
    let model = Anthropic::new(http(), "m", &Credential::None).expect("a model");
    let model = model.with_base_url("http://model.invalid").expect("a URL");
    let error = model.respond(&Request::user("?")).await.expect_err("no such host");
    assert_eq!(variant(&error), "Connection", "{error}");
}

#[tokio::test]
async fn this_machine_and_what_is_named_are_reached_without_the_proxy() {
    let proxy = Server::start(vec![]).await;
    for (host, no_proxy) in
        [("127.0.0.1", None), ("localhost", None), ("model.invalid", Some("other, .invalid"))]
    {
        let server = Server::start(vec![served("anthropic/text.sse")]).await;
        let no_proxy = no_proxy.map(str::to_owned);
        let mut options = HttpOptions::default();
        options.proxy = Some(proxy.url());
        options.no_proxy = no_proxy;
        let model = Anthropic::new(http_client(&options).expect("a client"), "m", &Credential::None);
        let url = server.url().replace("127.0.0.1", host);
        let model = model.expect("a model").with_base_url(&url).expect("a URL");
        let answer = model.respond(&Request::user("?")).await;
        assert_eq!(answer.is_ok(), host != "model.invalid", "{host}");
        assert_eq!(proxy.requests(), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn roots_are_read_or_refused() {
    for pem in ["", "nonsense", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----"] {
        let mut options = HttpOptions::default();
        options.roots = Roots::Only(pem.into());
        let error = http_client(&options).expect_err("no certificate");
        assert!(error.to_string().starts_with("can't read the root certificates"), "{error}");
    }
}

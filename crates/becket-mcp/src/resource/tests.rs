use super::*;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    text: String,
    servers: Vec<String>,
    mentions: Vec<(String, String)>,
}

#[test]
fn mentions_as_the_cases_say() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../tests/cases/mentions.json")).unwrap();
    for case in cases {
        let servers: Vec<&str> = case.servers.iter().map(String::as_str).collect();
        let found = mentions(&case.text, &servers);
        let got: Vec<(&str, &str)> = found.iter().map(|one| (one.server, one.uri)).collect();
        let expected: Vec<(&str, &str)> =
            case.mentions.iter().map(|(server, uri)| (server.as_str(), uri.as_str())).collect();
        assert_eq!(got, expected, "{}", case.name);
        for one in found {
            assert_eq!(case.text[one.at], format!("@{}:{}", one.server, one.uri), "{}", case.name);
        }
    }
}

// rule: X8
#[test]
fn what_a_server_says_of_a_resource_is_kept() {
    let listed = json!({
        "uri": "file:///a", "name": "a", "title": "A", "description": "d", "mimeType": "text/plain", "size": 3,
        "_meta": {"k": 1}
    });
    let resource = Resource::from(serde_json::from_value::<wire::Resource>(listed).unwrap());
    let meta = json!({"k": 1}).as_object().cloned();
    assert_eq!((resource.uri.as_str(), resource.size, &resource.meta), ("file:///a", Some(3), &meta));
    assert_eq!(resource.mime_type.as_deref(), Some("text/plain"));

    let listed = json!({"uriTemplate": "file:///{x}", "name": "t", "title": "T", "_meta": {"k": 1}});
    let template = ResourceTemplate::from(serde_json::from_value::<wire::ResourceTemplate>(listed).unwrap());
    assert_eq!((template.uri_template.as_str(), &template.meta), ("file:///{x}", &meta));
    assert_eq!((template.title.as_deref(), template.description), (Some("T"), None));

    for (key, data) in [("text", "t"), ("blob", "eA==")] {
        let read = json!({"uri": "file:///a", "mimeType": "x/y", key: data, "_meta": {"k": 1}});
        let contents: wire::ResourceContents = serde_json::from_value(read.clone()).unwrap();
        let contents = ResourceContents::try_from(contents).unwrap();
        assert_eq!(contents.into_content().value(), &json!({"type": "resource", "resource": read}));
    }
}

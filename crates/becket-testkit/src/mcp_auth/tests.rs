use super::form::{base64, decoded, encoded, from_base64, pairs, value};
use super::*;

#[test]
fn forms_and_base64_are_read_as_they_are_written() {
    let text = "a b&ä=%+/~";
    assert_eq!(decoded(&encoded(text)), text);
    let found = pairs("a=1&b=x%20y+z&a=2&c");
    assert_eq!(value(&found, "b").unwrap(), "x y z");
    assert_eq!((value(&found, "a"), value(&found, "c").as_deref()), (None, Some("")));
    for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
        assert_eq!(base64(bytes.as_bytes()), text);
        assert_eq!(from_base64(&format!("{text}==")), bytes.as_bytes());
    }
}

#[test]
fn a_code_is_good_once_and_with_its_verifier_alone() {
    let server = AuthPlan::new().start();
    server.know("c", None);
    // The example of RFC 7636, appendix B.
    let (verifier, challenge) =
        ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    let url = format!(
        "{}/authorize?client_id=c&response_type=code&code_challenge_method=S256&code_challenge={challenge}\
         &redirect_uri=http://127.0.0.1:1/x&resource=r&state=s%2B1",
        server.origin()
    );
    let form = |code: &str, verifier: &str| {
        format!(
            "grant_type=authorization_code&client_id=c&code={code}&code_verifier={verifier}&redirect_uri=http://127.0.0.1:1/x&resource=r"
        )
    };
    let code = || {
        let back = browse(&url).location.unwrap();
        assert!(back.ends_with("&state=s%2B1"), "{back}");
        back.split_once("code=").unwrap().1.split('&').next().unwrap().to_owned()
    };
    let (one, other) = (code(), code());
    assert_eq!(post(&server, &form(&one, verifier)), 200);
    assert_eq!(post(&server, &form(&one, verifier)), 400);
    assert_eq!(post(&server, &form(&other, &verifier.replace('d', "e"))), 400);
    assert_eq!(server.count("/token"), 3);
    assert_eq!(browse(&server.url()).status, 401);
    let lent = server.secrets().into_iter().find(|secret| secret.contains("access")).unwrap();
    assert!(server.takes(&lent));
    server.expire();
    assert!(!server.takes(&lent) && server.has_good_tokens());
}

fn post(server: &AuthServer, form: &str) -> u16 {
    use std::io::{Read, Write};
    let place = server.origin().replace("http://", "");
    let mut stream = std::net::TcpStream::connect(&place).unwrap();
    let head = format!("POST /token HTTP/1.1\r\nHost: {place}\r\nContent-Length: {}\r\n\r\n", form.len());
    stream.write_all(format!("{head}{form}").as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    String::from_utf8_lossy(&start[9..]).parse().unwrap()
}

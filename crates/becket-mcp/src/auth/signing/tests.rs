use super::*;
use ::ring::signature::{self as checks, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::Value;

const RSA: &str = include_str!("../../../tests/fixtures/keys/rsa.pem");
const RSA_PKCS1: &str = include_str!("../../../tests/fixtures/keys/rsa-pkcs1.pem");
const P256_SEC1: &str = include_str!("../../../tests/fixtures/keys/p256-sec1.pem");

fn claims() -> Claims<'static> {
    let now = UNIX_EPOCH + Duration::from_secs(1_900_000_000);
    Claims { client: "me", audience: "https://as.example", key_id: Some("k1"), now }
}

fn made(algorithm: &'static rcgen::SignatureAlgorithm) -> String {
    rcgen::KeyPair::generate_for(algorithm).unwrap().serialize_pem()
}

/// Returns the public key in the form that signature checks accept: the end of its published encoding.
fn public(signing: &AssertionSigner) -> Vec<u8> {
    let published = signing.key.public_key().unwrap().to_vec();
    let length = match signing.algorithm {
        Algorithm::Es256 => 65,
        Algorithm::Es384 => 97,
        Algorithm::EdDsa => 32,
        Algorithm::Rs256
        | Algorithm::Rs384
        | Algorithm::Rs512
        | Algorithm::Ps256
        | Algorithm::Ps384
        | Algorithm::Ps512 => 270,
    };
    published[published.len() - length..].to_vec()
}

fn checker(algorithm: Algorithm) -> &'static dyn VerificationAlgorithm {
    match algorithm {
        Algorithm::Es256 => &checks::ECDSA_P256_SHA256_FIXED,
        Algorithm::Es384 => &checks::ECDSA_P384_SHA384_FIXED,
        Algorithm::EdDsa => &checks::ED25519,
        Algorithm::Rs256 => &checks::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::Rs384 => &checks::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::Rs512 => &checks::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::Ps256 => &checks::RSA_PSS_2048_8192_SHA256,
        Algorithm::Ps384 => &checks::RSA_PSS_2048_8192_SHA384,
        Algorithm::Ps512 => &checks::RSA_PSS_2048_8192_SHA512,
    }
}

/// Checks the signature of a JWT and returns its header and its claims.
fn checked(signing: &AssertionSigner, jwt: &Secret) -> [Value; 2] {
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    let (text, signature) = jwt.expose().rsplit_once('.').unwrap();
    let key = UnparsedPublicKey::new(checker(signing.algorithm), public(signing));
    key.verify(text.as_bytes(), &decoded(signature)).unwrap();
    assert!(key.verify(b"something else", &decoded(signature)).is_err());
    let (header, claims) = text.split_once('.').unwrap();
    [header, claims].map(|part| serde_json::from_slice(&decoded(part)).unwrap())
}

// rule: X3
#[test]
fn what_each_key_signs_holds_and_says_who_for_whom_and_how_long() {
    let (p256, p384) = (made(&rcgen::PKCS_ECDSA_P256_SHA256), made(&rcgen::PKCS_ECDSA_P384_SHA384));
    let ed25519 = made(&rcgen::PKCS_ED25519);
    let cases = [(&*p256, "ES256"), (&*p384, "ES384"), (&*ed25519, "EdDSA"), (P256_SEC1, "ES256")];
    let rsa = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map(|name| (RSA, name));
    for (pem, name) in cases.into_iter().chain(rsa).chain([(RSA_PKCS1, "PS256")]) {
        let signing = AssertionSigner::new(pem.as_bytes(), Algorithm::from_name(name), None).unwrap();
        // The numbers of a signature are sometimes shorter: one in 128 begins with a zero.
        let times = if pem == P256_SEC1 { 600 } else { 3 };
        let mut ids: Vec<String> = (0..times)
            .map(|_| {
                let [header, body] = checked(&signing, &signing.assertion(&claims()).unwrap());
                assert_eq!(header, json!({"alg": name, "typ": "JWT", "kid": "k1"}));
                let id = body["jti"].as_str().unwrap().to_owned();
                let whole = json!({
                    "iss": "me", "sub": "me", "aud": "https://as.example", "jti": id,
                    "iat": 1_900_000_000, "exp": 1_900_000_120,
                });
                assert_eq!(body, whole, "{name}");
                id
            })
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), times, "{name}: no two have the same name");
        assert!(!format!("{signing:?}").contains("PRIVATE"));
    }
}

#[test]
fn a_key_signs_as_it_can_and_as_the_other_side_takes_it() {
    let p256 = made(&rcgen::PKCS_ECDSA_P256_SHA256);
    let broken = "-----BEGIN PRIVATE KEY-----\nczNjcjN0!!!\n-----END PRIVATE KEY-----\n";
    let odd = "-----BEGIN PRIVATE KEY-----\nczNjcjN0\n-----END PRIVATE KEY-----\n";
    let public = "-----BEGIN PUBLIC KEY-----\nczNjcjN0\n-----END PUBLIC KEY-----\n";
    let all = "`RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`";
    for (pem, wanted, taken, expected) in [
        (&*p256, None, None, "ES256"),
        (RSA, None, None, "RS256"),
        (RSA, None, Some(&["ES256", "PS384", "RS512"][..]), "RS512"),
        (RSA, Some("PS384"), Some(&["RS512", "PS384"]), "PS384"),
        (RSA, Some("PS384"), Some(&["RS512"]), "the authorisation server takes no signature with `PS384`"),
        (
            &*p256,
            None,
            Some(&["RS256", "none", "HS256"]),
            "the authorisation server takes no signature with `ES256`",
        ),
        (&*p256, None, Some(&[]), "the authorisation server takes no signature with `ES256`"),
        (&*p256, Some("RS256"), None, "it can't sign with `RS256`: it can with `ES256`"),
        (RSA, Some("ES256"), None, &format!("it can't sign with `ES256`: it can with {all}")),
        ("", None, None, "there is no unencrypted `PRIVATE KEY` in it"),
        (broken, None, None, "there is no unencrypted `PRIVATE KEY` in it"),
        (public, None, None, "there is no unencrypted `PRIVATE KEY` in it"),
        (odd, None, None, "it is not a key of RSA (from 2048 bits), P-256, P-384 or Ed25519"),
    ] {
        let taken: Option<Vec<String>> = taken.map(|all| all.iter().map(|name| (*name).to_owned()).collect());
        let signing =
            AssertionSigner::new(pem.as_bytes(), wanted.and_then(Algorithm::from_name), taken.as_deref());
        let outcome = signing.map_or_else(|why| why, |signing| signing.algorithm.name().to_owned());
        assert_eq!(outcome, expected, "{wanted:?} {taken:?}");
    }
    assert_eq!(Algorithm::from_name("none").or(Algorithm::from_name("HS256")), None);
}

#[test]
fn a_signature_that_is_no_pair_of_numbers_is_none() {
    let good = [0x30, 7, 2, 1, 5, 2, 2, 0, 0x81];
    assert_eq!(fixed(&good, 2).unwrap(), [0, 5, 0, 0x81]);
    for bad in [
        &good[..8],
        &[0x31, 6, 2, 1, 5, 2, 1, 6],
        &[0x30, 5, 2, 1, 5, 2, 1, 6],
        &[0x30, 6, 2, 1, 5, 3, 1, 6],
        &[0x30, 6, 2, 1, 5, 2, 9, 6],
        &[0x30, 7, 2, 1, 5, 2, 1, 6, 0],
        &[0x30, 8, 2, 1, 5, 2, 3, 1, 1, 1],
        &[],
    ] {
        assert_eq!(fixed(bad, 2), None, "{bad:?}");
    }
}

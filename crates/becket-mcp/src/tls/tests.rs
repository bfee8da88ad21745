use super::*;
use std::fs;

struct Pems {
    dir: tempfile::TempDir,
}

impl Pems {
    fn new() -> Self {
        let pems = Self { dir: tempfile::tempdir().unwrap() };
        for name in ["own", "other"] {
            let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
            let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
            pems.write(&format!("{name}.cert"), &cert);
            pems.write(&format!("{name}.key"), &key);
            pems.write(&format!("{name}.both"), &format!("{cert}{key}"));
        }
        pems.write("broken", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0!!!\n-----END PRIVATE KEY-----\n");
        pems.write("junk", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        pems.write("empty", "");
        pems
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    /// Returns the error about these files, with the directory replaced by `…`.
    fn error(&self, [ca, cert, key]: [&str; 3]) -> String {
        let path = |name: &str| (!name.is_empty()).then(|| self.dir.path().join(name));
        let (ca, cert, key) = (path(ca), path(cert), path(key));
        let files = Files { ca: ca.as_deref(), cert: cert.as_deref(), key: key.as_deref() };
        match Trust::new(None).config(files) {
            Ok(config) => format!("fine, a certificate: {}", config.client_auth_cert_resolver.has_certs()),
            Err(error) => error.to_string().replace(&self.dir.path().display().to_string(), "…"),
        }
    }
}

// rule: X1
#[test]
fn what_is_wrong_with_a_file_is_said_by_its_name() {
    let pems = Pems::new();
    for (files, expected) in [
        (["own.cert", "", ""], "fine, a certificate: false"),
        (["own.cert", "own.cert", "own.key"], "fine, a certificate: true"),
        (["own.cert", "own.both", ""], "fine, a certificate: true"),
        (["none", "", ""], "the file of root certificates `…/none` can't be read: No such file"),
        (
            ["empty", "", ""],
            "the file of root certificates `…/empty` can't be used: there is no `BEGIN CERTIFICATE` in it",
        ),
        (
            ["junk", "", ""],
            "the file of root certificates `…/junk` can't be used: no certificate in it can be used",
        ),
        (["own.cert", "none", "own.key"], "the client certificate `…/none` can't be read"),
        (["own.cert", "own.key", "own.key"], "the client certificate `…/own.key` can't be used: there is no"),
        (["own.cert", "own.cert", "none"], "the client key `…/none` can't be read"),
        (["own.cert", "own.cert", ""], "the client key `…/own.cert` can't be used: there is no unencrypted"),
        (["own.cert", "own.cert", "broken"], "the client key `…/broken` can't be used: it is not a PEM file"),
        (
            ["own.cert", "own.cert", "other.key"],
            "the client certificate `…/own.cert` can't be used: with the key in `…/other.key`: keys may not",
        ),
        (
            ["own.cert", "", "own.key"],
            "a client key without a client certificate: name the certificate in `cert`",
        ),
    ] {
        let error = pems.error(files);
        assert!(error.starts_with(expected), "{files:?}: {error}");
        assert!(!error.contains("c2VjcmV0"), "{error}");
    }
}

// rule: X1
#[test]
fn the_extra_file_counts_and_is_read_once() {
    let pems = Pems::new();
    let trust = Trust::new(Some(pems.dir.path().join("own.cert")));
    assert!(trust.config(Files::default()).is_ok());
    pems.write("own.cert", "");
    assert!(trust.config(Files::default()).is_ok());
    let error = Trust::new(Some(pems.dir.path().join("own.cert"))).config(Files::default()).unwrap_err();
    assert!(error.to_string().contains("own.cert` can't be used"), "{error}");
}

// rule: X1
#[test]
fn without_encryption_no_file_is_read() {
    assert!(Trust::new(Some("/no/such/file".into())).without_roots().is_ok());
}

//! The files that URLs of `curl` name, and those that a configuration in its input may name (rule P7).

use super::super::arg::Arg;
use super::FileAccess;
use super::collector::Collector;
use super::operands::Arguments;

/// Adds the files in URLs of `curl`.
pub(super) fn collect(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    let Arguments { options, operands } = arguments;
    let sends = options.has(&["T", "upload-file"]);
    let given = options.values(&["url"]).chain(operands.iter().copied());
    for arg in given.filter_map(file_url) {
        uses.add(&arg, FileAccess::Read);
        if sends {
            uses.add(&arg, FileAccess::Edit);
        }
    }
    let input =
        |arg: &Arg| arg.dynamic || arg.text == "-" || arg.text.contains("/dev/") || arg.text.contains("/fd/");
    if options.values(&["K", "config"]).any(input) {
        uses.unknown(FileAccess::Edit);
        uses.unknown(FileAccess::Read);
    }
}

/// Returns the file of a `file:` URL.
fn file_url(arg: &Arg) -> Option<Arg> {
    let (scheme, rest) = arg.text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let host = ["localhost", "127.0.0.1"].iter().find_map(|host| rest.strip_prefix(host));
    let path = decoded(host.unwrap_or(rest));
    let text = with_globs(&path);
    Some(Arg { glob: arg.glob || text != path, ..arg.part(&text) })
}

/// Returns a path with a glob for each `{a,b}` and `[1-9]`, which curl expands.
fn with_globs(path: &str) -> String {
    let (mut text, mut rest) = (String::new(), path);
    while let Some(at) = rest.find(['{', '[']) {
        let (before, group) = rest.split_at(at);
        let end = if group.starts_with('{') { '}' } else { ']' };
        let Some((inner, after)) = group.split_once(end) else { break };
        text.push_str(before);
        if before.ends_with('$') {
            text.push_str(&group[..group.len() - after.len()]);
        } else {
            text.push_str(if inner.contains([',', '-']) { "*" } else { inner });
        }
        rest = after;
    }
    text + rest
}

/// Returns a text with its `%xx` decoded.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(piece.bytes().skip(2));
            }
            None => {
                bytes.push(b'%');
                bytes.extend(piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Arg, file_url};

    // rule: P7
    #[test]
    fn urls_of_files_are_paths() {
        for (url, path) in [
            ("file:///etc/x", Some("/etc/x")),
            ("FILE:/etc/x", Some("/etc/x")),
            ("file://localhost/etc/%78", Some("/etc/x")),
            ("file:///etc/{x,y}/[1-9]", Some("/etc/*/*")),
            ("file://${HOME}/x", Some("${HOME}/x")),
            ("file://${HOME}/{x,y}", Some("${HOME}/*")),
            ("file:///100%/%zz", Some("/100%/%zz")),
            ("https://a/file:///etc/x", None),
            ("a", None),
        ] {
            assert_eq!(file_url(&Arg::literal(url)).map(|arg| arg.text).as_deref(), path, "{url}");
        }
    }
}

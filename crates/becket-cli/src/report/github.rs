//! Findings as workflow commands of GitHub Actions: one line each, which becomes an annotation.

use crate::report::style::plain;
use becket_embed::view::finding::{CheckReport, Finding};
use std::path::Path;

/// Returns all findings; paths below `root` are relative to it, as annotations require.
pub(crate) fn render(checked: &CheckReport, root: &Path) -> String {
    checked.findings.iter().map(|finding| line(finding, root)).collect()
}

fn line(finding: &Finding, root: &Path) -> String {
    let file = Path::new(&finding.at.file);
    let file = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let mut properties = format!("file={}", property(&file));
    if finding.at.line > 0 {
        properties.push_str(&format!(",line={},col={}", finding.at.line, finding.at.column));
    }
    let help = finding.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let severity = if finding.severity == "note" { "notice" } else { finding.severity };
    let title = property(finding.code);
    format!("::{severity} {properties},title={title}::{}\n", data(&format!("{}{help}", finding.message)))
}

fn data(text: &str) -> String {
    // The log is shown in terminals, too.
    plain(&text.replace("\r\n", "\n")).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_embed::view::finding::Span;
    use becket_embed::view::hook::SourcePosition;

    #[test]
    fn what_would_end_a_command_early_is_escaped() {
        let finding = Finding {
            severity: "error",
            code: "unknown-event",
            message: "50%\r\nof: it\r\u{1b}[2J\u{9b}\u{7f}\u{202e}".into(),
            help: Some("say, what".into()),
            at: SourcePosition { file: "/r/a,b:c.json".into(), line: 3, column: 7 },
            span: Span { start: 0, end: 1 },
            source: "project".into(),
            rule: None,
            fix: None,
        };
        let line = line(&finding, Path::new("/r"));
        assert_eq!(
            line,
            "::error file=a%2Cb%3Ac.json,line=3,col=7,title=unknown-event::\
             50%25%0Aof: it\\r\\u{1b}[2J\\u{9b}\\u{7f}\\u{202e}%0A\
             say, what\n"
        );
    }
}

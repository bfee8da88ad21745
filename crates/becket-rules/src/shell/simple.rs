//! Simple commands and redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Kind, Node, Part, Redirect, RedirectOp, Word};
use super::cursor::{Parser, PendingDocument, Read, in_name, is_meta, starts_name};

/// Operators, longest first.
const OPERATORS: [(&str, RedirectOp); 12] = [
    ("&>>", RedirectOp::Write),
    ("<<<", RedirectOp::Text),
    ("<<-", RedirectOp::Document),
    ("&>", RedirectOp::Write),
    (">>", RedirectOp::Write),
    (">|", RedirectOp::Write),
    (">&", RedirectOp::DuplicateOutput),
    ("<&", RedirectOp::DuplicateInput),
    ("<>", RedirectOp::ReadWrite),
    ("<<", RedirectOp::Document),
    ("<", RedirectOp::Read),
    (">", RedirectOp::Write),
];

/// Builtins whose arguments are read as assignments, arrays included.
const DECLARERS: [&str; 6] = ["declare", "typeset", "local", "export", "readonly", "eval"];

impl Parser<'_> {
    /// Parses a simple command, or the function definition that it turns out to be.
    pub(crate) fn simple(&mut self) -> Read<Node> {
        let (mut assigns, mut words, mut redirects) = (Vec::new(), Vec::<Word>::new(), Vec::new());
        let mut declares = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let leading = words.is_empty();
            if (leading || declares)
                && !self.ends_command()
                && let Some(assign) = self.assignment(leading)?
            {
                if leading {
                    assigns.push(assign)
                } else {
                    words.push(assign.into_word())
                }
                continue;
            }
            if self.ends_command() {
                break;
            }
            let word = self.word()?;
            if word.raw.starts_with('{') && word.raw.contains('[') && matches!(self.raw(), Some(b'<' | b'>'))
            {
                return self.refuse("a subscript in `{name[…]}` before a redirection");
            }
            declares |= DECLARERS.contains(&word.raw.as_str());
            words.push(word);
            if words.len() == 1 && assigns.is_empty() && redirects.is_empty() && self.parens_follow() {
                return self.function_body();
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return self.refuse("a command was expected");
        }
        Ok(Node { kind: Kind::Simple { assigns, words }, redirects })
    }

    fn ends_command(&mut self) -> bool {
        let process = self.looks_at("<(") || self.looks_at(">(");
        !process && self.peek().is_none_or(is_meta)
    }

    /// Consumes `()` after a name; returns whether it is there.
    fn parens_follow(&mut self) -> bool {
        let from = self.pos;
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if self.eat(")") {
                return true;
            }
        }
        self.pos = from;
        false
    }

    /// Parses redirections after a compound command.
    pub(crate) fn redirects(&mut self) -> Read<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    /// Parses a redirection, if one starts here; a process substitution is a word.
    fn redirect(&mut self) -> Read<Option<Redirect>> {
        if !self.peek().is_some_and(|next| next.is_ascii_digit() || b"{<>&".contains(&next)) {
            return Ok(None);
        }
        let from = self.pos;
        let descriptor = self.descriptor();
        let found = OPERATORS.iter().find(|(token, _)| self.looks_at(token)).copied();
        let process = self.looks_at("<(") || self.looks_at(">(");
        let Some((token, op)) =
            found.filter(|(token, _)| !process && (descriptor.is_none() || !token.starts_with('&')))
        else {
            self.pos = from;
            return Ok(None);
        };
        self.eat(token);
        if token.starts_with('&') || op == RedirectOp::Text {
            self.beyond_posix(token);
        }
        if descriptor.as_ref().is_some_and(|text| text.len() > 1 || text.starts_with(starts_letter)) {
            self.beyond_posix("{name}>");
        }
        self.skip_blanks();
        let target = self.redirect_target(op)?;
        if op == RedirectOp::DuplicateOutput && target.literal().is_none_or(|text| !is_descriptor(&text)) {
            self.beyond_posix(">& file");
        }
        let body = Rc::new(OnceCell::new());
        if op == RedirectOp::Document {
            self.expect_document(&target, token == "<<-", &body)?;
        }
        Ok(Some(Redirect { descriptor, op, target, body }))
    }

    /// Parses a target. After `<&` and `>&` a dash is a whole target: `<&-x` closes the input and continues with the
    /// word `x`.
    fn redirect_target(&mut self, op: RedirectOp) -> Read<Word> {
        let duplicates = matches!(op, RedirectOp::DuplicateInput | RedirectOp::DuplicateOutput);
        if duplicates && self.eat("-") {
            return Ok(Word {
                raw: "-".to_owned(),
                parts: vec![Part::Text { text: "-".to_owned(), quoted: true }],
                ..Word::default()
            });
        }
        self.word()
    }

    /// Parses `2` or `{name}` right before an operator.
    fn descriptor(&mut self) -> Option<String> {
        let from = self.pos;
        let mut text = String::new();
        let braced = self.eat("{");
        while let Some(next) =
            self.peek().filter(|next| if braced { in_name(*next) } else { next.is_ascii_digit() })
        {
            text.push(char::from(next));
            self.pos += 1;
        }
        let whole = if braced {
            text.bytes().next().is_some_and(starts_name) && self.eat("}")
        } else {
            !text.is_empty()
        };
        if whole && matches!(self.peek(), Some(b'<' | b'>')) {
            return Some(text);
        }
        self.pos = from;
        None
    }

    fn expect_document(&mut self, tag: &Word, strip_tabs: bool, body: &Rc<OnceCell<Word>>) -> Read<()> {
        let Some(delimiter) = tag.literal() else { return self.refuse("an expansion as a delimiter") };
        // A delimiter over several lines, with a continuation or `$'…'` in it, is read differently by every shell.
        if delimiter.contains('\n') || tag.raw.contains(['\n', '$']) {
            return self.refuse("a delimiter with a newline or a `$`");
        }
        let expands = !tag.raw.contains(['\'', '"', '\\']);
        self.pending.push(PendingDocument { delimiter, expands, strip_tabs, body: Rc::clone(body) });
        Ok(())
    }
}

fn starts_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Returns whether the target of `>&` is a descriptor rather than a file.
fn is_descriptor(text: &str) -> bool {
    text == "-" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

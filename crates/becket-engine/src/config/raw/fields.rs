//! Reads the keys of one object with exact messages: the expected value, the actual one, and the one probably meant.
//!
//! INVARIANT: after any error [`Fields::is_sound`] is false, and the object is not loaded.

use super::dialect::UnknownKey;
use super::sheet::ReadContext;
use crate::config::fix::{Fix, FixChange};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_base::suggest;

/// An object being read.
pub(crate) struct Fields<'n, 'r, 't> {
    map: &'n [Member],
    at: Span,
    what: &'static str,
    sound: bool,
    pub(crate) report: &'r mut Report<'t>,
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<'n, 'r, 't> Fields<'n, 'r, 't> {
    /// Creates a reader of an object; `what` names the object in messages: "handler".
    pub(crate) fn new(
        node: &'n Node,
        map: &'n [Member],
        what: &'static str,
        report: &'r mut Report<'t>,
    ) -> Self {
        Fields { map, at: node.span, what, sound: true, report }
    }

    /// Returns whether there has been no error so far.
    pub(crate) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Marks the object as not loadable; the caller has reported why.
    pub(crate) fn spoil(&mut self) {
        self.sound = false;
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// Returns the place of a key's value, or of the whole object.
    pub(crate) fn place(&self, key: &str) -> Span {
        self.member(key).map_or(self.at, |member| member.value.span)
    }

    /// Returns the value of a key that is present, null included.
    pub(crate) fn written(&self, key: &str) -> Option<&'n Member> {
        self.map.iter().find(|member| member.key == key)
    }

    /// Returns the value of a key that is present and not null.
    pub(crate) fn member(&self, key: &str) -> Option<&'n Member> {
        let member = self.map.iter().find(|member| member.key == key)?;
        (member.value.data != Data::Null).then_some(member)
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<At<String>> {
        let member = self.member(key)?;
        match member.value.as_text() {
            Some(text) => Some(At { value: text.to_owned(), span: member.value.span }),
            None => self.wrong(member, "a string"),
        }
    }

    /// Reads a text that is required and must not be blank.
    pub(crate) fn required_text(&mut self, key: &str, help: &str) -> Option<At<String>> {
        if !self.has(key) {
            let (at, what) = (self.at, self.what);
            self.report
                .error(at, "missing-field", format!("this {what} has no `{key}`"))
                .help(help)
                .rule("C7");
            self.spoil();
            return None;
        }
        let text = self.text(key)?;
        if text.value.trim().is_empty() {
            self.report.error(text.span, "empty-field", format!("`{key}` is empty")).help(help).rule("C7");
            self.spoil();
            return None;
        }
        Some(text)
    }

    pub(crate) fn flag(&mut self, key: &str) -> Option<At<bool>> {
        let member = self.member(key)?;
        match member.value.data {
            Data::Bool(value) => Some(At { value, span: member.value.span }),
            Data::Null | Data::Number(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => {
                self.wrong(member, "true or false")
            }
        }
    }

    pub(crate) fn texts(&mut self, key: &str) -> Option<At<Vec<String>>> {
        let member = self.member(key)?;
        let Some(nodes) = member.value.as_list() else {
            return self.wrong(member, "a list of strings");
        };
        let texts: Option<Vec<String>> = nodes.iter().map(|node| node.as_text().map(str::to_owned)).collect();
        match texts {
            Some(value) => Some(At { value, span: member.value.span }),
            None => self.wrong(member, "a list of strings"),
        }
    }

    /// Reads an object whose values are all strings, in the order written.
    pub(crate) fn pairs(&mut self, key: &str) -> Option<At<Vec<(String, String)>>> {
        let member = self.member(key)?;
        let pairs: Option<Vec<(String, String)>> = member.value.as_map().and_then(|members| {
            members.iter().map(|m| Some((m.key.clone(), m.value.as_text()?.to_owned()))).collect()
        });
        match pairs {
            Some(value) => Some(At { value, span: member.value.span }),
            None => self.wrong(member, "an object of strings"),
        }
    }

    pub(crate) fn map(&mut self, key: &str) -> Option<At<&'n [Member]>> {
        let member = self.member(key)?;
        match member.value.as_map() {
            Some(value) => Some(At { value, span: member.value.span }),
            None => self.wrong(member, "an object"),
        }
    }

    /// Reads a whole number.
    pub(crate) fn integer(&mut self, key: &str) -> Option<At<i64>> {
        let member = self.member(key)?;
        let number = match &member.value.data {
            Data::Number(number) => number.as_i64(),
            Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
        };
        match number {
            Some(value) => Some(At { value, span: member.value.span }),
            None => self.wrong(member, "a whole number"),
        }
    }

    /// Reports a wrong type; the object is not loaded.
    pub(crate) fn wrong<T>(&mut self, member: &Member, expected: &str) -> Option<T> {
        let message = format!("`{}` must be {expected}, not {}", member.key, member.value.kind());
        self.report.error(member.value.span, "wrong-type", message).rule("C7");
        self.spoil();
        None
    }

    /// Reports keys that nothing reads, and names the one that was probably meant.
    pub(crate) fn report_unknown(
        &mut self,
        known: &[&[&str]],
        words: &ReadContext,
        meaning: impl Fn(&Member) -> UnknownKey,
    ) {
        let known = known.concat();
        let is_of_other = words.agent_of(self.report).is_some();
        let unknown = self.map.iter().filter(|member| !known.contains(&member.key.as_str()));
        for member in unknown {
            if self.report.is_full() {
                return;
            }
            // Another agent may read keys that ours do not have; only a misspelt one is certain.
            let mut is_misspelt = || self.report.may_compare() && suggest(&member.key, &known).is_some();
            if is_of_other && !is_misspelt() {
                continue;
            }
            let key = &member.key;
            let (at, code) = (member.key_span, "unknown-field");
            let ignored = format!("no {} has a field `{key}`; it is ignored", self.what);
            match meaning(member) {
                UnknownKey::Harmless => {}
                UnknownKey::Idle(help) => {
                    self.report.note(at, code, format!("`{key}` is not read")).help(help);
                }
                UnknownKey::Lost(help) => {
                    self.report.warning(at, code, ignored).help(help);
                }
                UnknownKey::Contradicted { message, help } => {
                    self.report.error(at, code, message).help(help);
                }
                UnknownKey::Unknown => {
                    let near = suggest(key, &known);
                    let fix = near.map(|near| {
                        Fix::not_safe(
                            at,
                            format!("rename it to `{near}`"),
                            FixChange::RenameKey(near.to_owned()),
                        )
                    });
                    let help = near.map(|near| format!("did you mean `{near}`?"));
                    self.report.warning(at, code, ignored).maybe_help(help).fix(fix);
                }
            }
        }
    }
}

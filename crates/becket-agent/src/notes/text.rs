//! The text of a notes file: adding notes, and dropping old ones to make room.

/// The maximum size of a file, in bytes.
pub(crate) const MOST_BYTES: usize = 16 << 10;
/// The maximum number of notes in a file.
const MOST: usize = 100;
/// The maximum length of a note, in characters.
const LONGEST: usize = 300;
/// The maximum number of notes that are added at once.
const AT_ONCE: usize = 5;
/// The prefix of a line that is a note.
const MARK: &str = "- ";
/// The text above the first note.
const HEADING: &str =
    "# Notes for later sessions\n\nTaken by a model, a line each; change or delete what you like.\n\n";
/// The tag around a model's text block: no note may close it.
const FENCE: &str = "system-reminder";

/// Returns the text with these notes added, and the number of new ones; `None` if none is new.
///
/// # Errors
/// Errors if the lines that are not notes leave no room.
pub(super) fn added(text: &str, notes: &[String]) -> Result<Option<(String, usize)>, NoRoom> {
    let mut known: Vec<String> = text.lines().filter_map(note).map(|note| likeness(&note)).collect();
    let mut new = Vec::new();
    for note in notes.iter().filter_map(|note| clean(note)) {
        let like = likeness(&note);
        if !known.contains(&like) && new.len() < AT_ONCE {
            known.push(like);
            new.push(note);
        }
    }
    if new.is_empty() {
        return Ok(None);
    }
    let mut lines: Vec<String> =
        if text.trim().is_empty() { HEADING } else { text }.lines().map(Into::into).collect();
    lines.extend(new.iter().map(|note| format!("{MARK}{note}")));
    bounded(lines, new.len()).map(|text| Some((text, new.len())))
}

/// Returns the number of notes in a text.
pub(super) fn count(text: &str) -> usize {
    text.lines().filter_map(note).count()
}

/// Returns the text with `new` notes instead of those of `old`; `None` if they are not valid, or a note of `old` is
/// gone.
pub(super) fn consolidated(text: &str, old: &str, new: &[String]) -> Option<String> {
    let before: Vec<String> = old.lines().filter_map(note).collect();
    let mut known = Vec::new();
    let mut fresh = Vec::new();
    for note in new.iter().filter_map(|note| clean(note)) {
        let like = likeness(&note);
        if !known.contains(&like) {
            known.push(like);
            fresh.push(note);
        }
    }
    let size = |notes: &[String]| notes.iter().map(String::len).sum::<usize>();
    if fresh.is_empty() || fresh.len() > before.len() || size(&fresh) > size(&before) {
        return None;
    }
    let (mut replaced, mut lines, mut late) = (0, Vec::new(), Vec::new());
    for line in text.lines() {
        match note(line) {
            Some(note) if before.contains(&note) => replaced += 1,
            Some(_) => late.push(line.to_owned()),
            None => lines.push(line.to_owned()),
        }
    }
    if replaced < before.len() {
        return None;
    }
    lines.extend(fresh.iter().map(|note| format!("{MARK}{note}")));
    lines.extend(late);
    lines.push(String::new());
    Some(lines.join("\n"))
}

/// An error: the file is full of text other than notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoRoom;

/// Drops the oldest notes until the rest fits, but never one of the last `new` ones.
fn bounded(mut lines: Vec<String>, new: usize) -> Result<String, NoRoom> {
    let size = |lines: &[String]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    let count = |lines: &[String]| lines.iter().filter(|line| note(line).is_some()).count();
    while count(&lines) > MOST || size(&lines) > MOST_BYTES {
        let oldest = lines.iter().position(|line| note(line).is_some());
        match oldest {
            Some(oldest) if count(&lines) > new => drop(lines.remove(oldest)),
            Some(_) | None => return Err(NoRoom),
        }
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

/// Returns a note on one line, without anything that would make it more than a line of text; `None` if it is then
/// empty, or too long.
fn clean(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches(['-', '*', '•', '#', '>']);
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let note = words.join(" ");
    let fits = !note.is_empty() && note.chars().count() <= LONGEST && !fences(&note);
    fits.then_some(note)
}

/// Returns whether a line could end the model's text block around it.
fn fences(line: &str) -> bool {
    line.to_ascii_lowercase().contains(FENCE)
}

/// Returns the lines that a model may see.
pub(crate) fn telling(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !fences(line)).collect();
    lines.join("\n")
}

/// Returns the note in a line.
fn note(line: &str) -> Option<String> {
    line.strip_prefix(MARK).map(str::to_owned)
}

/// Returns a key that is equal for two notes with almost the same words.
fn likeness(note: &str) -> String {
    let letters = note.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;

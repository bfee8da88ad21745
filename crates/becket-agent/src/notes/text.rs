//! The text of a file of notes: what is added to it, and what goes for that.

/// The most bytes of a file.
pub(crate) const MOST_BYTES: usize = 16 << 10;
/// The most notes of a file.
const MOST: usize = 100;
/// The longest note, in characters.
const LONGEST: usize = 300;
/// The most notes that are added at once.
const AT_ONCE: usize = 5;
/// How a line begins that is a note.
const MARK: &str = "- ";
/// What stands above the first note.
const HEADING: &str =
    "# Notes for later sessions\n\nTaken by a model, a line each; change or delete what you like.\n\n";
/// The words around what a model is told aside: no note may end that.
const FENCE: &str = "system-reminder";

/// The text with these notes added, and how many were; none where nothing is new.
///
/// # Errors
/// What is no note leaves no room.
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

/// Returns how many notes a text holds.
pub(super) fn count(text: &str) -> usize {
    text.lines().filter_map(note).count()
}

/// Returns the text in which `new` notes stand for those of `old`; none if they can't, or if a note of `old` is gone.
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

/// Something else than notes fills the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoRoom;

/// The oldest notes go until the rest fits; never one of the `new` last ones.
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

/// A note on one line, without what would make it another thing than a line of text; none where nothing is left of it, or it
/// is no note for its length.
fn clean(said: &str) -> Option<String> {
    let said = said.trim().trim_start_matches(['-', '*', '•', '#', '>']);
    let words: Vec<&str> =
        said.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let note = words.join(" ");
    let fits = !note.is_empty() && note.chars().count() <= LONGEST && !fences(&note);
    fits.then_some(note)
}

/// Whether a line could end what the model is told aside.
fn fences(line: &str) -> bool {
    line.to_ascii_lowercase().contains(FENCE)
}

/// The lines that a model may be told.
pub(crate) fn telling(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !fences(line)).collect();
    lines.join("\n")
}

/// The note of a line.
fn note(line: &str) -> Option<String> {
    line.strip_prefix(MARK).map(str::to_owned)
}

/// What two notes share that say the same in almost the same words.
fn likeness(note: &str) -> String {
    let letters = note.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;

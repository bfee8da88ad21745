//! Runs a program over a value: all threads in parallel, one pass, no backtracking.

use super::Verdict;
use super::program::{Look, Program, Step};
use super::units::is_word;

/// The maximum of units × steps that one value may cost.
const MOST_WORK: usize = 50_000_000;

impl Program {
    /// Searches the value for a match.
    pub(super) fn judge(&self, value: &str) -> Verdict {
        if value.len().saturating_add(1).saturating_mul(self.size) > MOST_WORK {
            return Verdict::Unknown;
        }
        if self.opening.excludes(value) {
            return Verdict::NoMatch;
        }
        let units: Vec<u16> = value.encode_utf16().collect();
        let mut tables: Vec<Vec<bool>> = Vec::with_capacity(self.looks.len());
        for look in &self.looks {
            let table = look.table(&units, &tables);
            tables.push(table);
        }
        let mut pass = Pass::new(&self.main, &units, &tables);
        for at in 0..=units.len() {
            if pass.arrive(at) {
                return Verdict::Match;
            }
            if let Some(unit) = units.get(at) {
                pass.consume(*unit);
            }
        }
        Verdict::NoMatch
    }
}

impl Look {
    /// Returns, for each position, whether the body matches there.
    fn table(&self, units: &[u16], tables: &[Vec<bool>]) -> Vec<bool> {
        let mut held = vec![false; units.len() + 1];
        let mut pass = Pass::new(&self.steps, units, tables);
        for walked in 0..=units.len() {
            let at = if self.behind { walked } else { units.len() - walked };
            if let Some(slot) = held.get_mut(at) {
                *slot = pass.arrive(at);
            }
            let next = if self.behind { Some(at) } else { at.checked_sub(1) };
            if let Some(unit) = next.and_then(|next| units.get(next)) {
                pass.consume(*unit);
            }
        }
        held
    }
}

/// The threads of one program at one position.
struct Pass<'a> {
    steps: &'a [Step],
    units: &'a [u16],
    tables: &'a [Vec<bool>],
    /// The position at which a step was last reached, plus one: a step is followed once per position.
    seen: Vec<usize>,
    waiting: Vec<usize>,
    stack: Vec<usize>,
}

impl<'a> Pass<'a> {
    fn new(steps: &'a [Step], units: &'a [u16], tables: &'a [Vec<bool>]) -> Self {
        Self { steps, units, tables, seen: vec![0; steps.len()], waiting: Vec::new(), stack: Vec::new() }
    }

    /// Follows every thread, and a new one, to the steps that consume; returns whether one accepts here.
    fn arrive(&mut self, at: usize) -> bool {
        self.stack.clear();
        self.stack.append(&mut self.waiting);
        self.stack.push(0);
        let mut accepted = false;
        while let Some(index) = self.stack.pop() {
            let (Some(step), Some(seen)) = (self.steps.get(index), self.seen.get_mut(index)) else {
                continue;
            };
            if std::mem::replace(seen, at + 1) == at + 1 {
                continue;
            }
            match step {
                Step::Unit(_) => self.waiting.push(index),
                Step::Jump(to) => self.stack.push(*to),
                Step::Split(one, other) => self.stack.extend([*one, *other]),
                Step::Accept => accepted = true,
                Step::Start | Step::End | Step::WordEdge { .. } | Step::Look { .. } => {
                    if self.holds(step, at) {
                        self.stack.push(index + 1);
                    }
                }
            }
        }
        accepted
    }

    fn consume(&mut self, unit: u16) {
        let steps = self.steps;
        self.waiting.retain_mut(|index| {
            let taken = matches!(steps.get(*index), Some(Step::Unit(set)) if set.contains(unit));
            *index += 1;
            taken
        });
    }

    fn holds(&self, step: &Step, at: usize) -> bool {
        match step {
            Step::Start => at == 0,
            Step::End => at == self.units.len(),
            Step::WordEdge { negated } => {
                let word =
                    |index: Option<usize>| index.and_then(|i| self.units.get(i)).is_some_and(|u| is_word(*u));
                (word(at.checked_sub(1)) != word(Some(at))) != *negated
            }
            Step::Look { index, negated } => {
                self.tables.get(*index).and_then(|table| table.get(at)).is_some_and(|held| held != negated)
            }
            Step::Unit(_) | Step::Jump(_) | Step::Split(..) | Step::Accept => false,
        }
    }
}

//! A tree as an automaton that runs in linear time, lookaround included.
//!
//! A lookaround only needs to know whether its body matches from, or up to, a position. So each is a separate program,
//! run once over the whole value beforehand: a lookbehind from the left, a lookahead, compiled in reverse, from the
//! right. Its result is a table of positions that the outer program reads.

use super::first_units::FirstUnits;
use super::syntax::Node;
use super::units::Units;

/// The maximum number of steps in an expression, lookarounds included.
const MOST_STEPS: usize = 10_000;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) main: Vec<Step>,
    pub(super) opening: FirstUnits,
    /// The lookarounds in order of evaluation: one inside another comes first.
    pub(super) looks: Vec<Look>,
    pub(super) size: usize,
}

/// A lookaround's own program.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) steps: Vec<Step>,
    pub(super) behind: bool,
}

/// One step. Every step but the jumps continues with the next one.
#[derive(Debug)]
pub(super) enum Step {
    Unit(Units),
    Start,
    End,
    WordEdge { negated: bool },
    Look { index: usize, negated: bool },
    Jump(usize),
    Split(usize, usize),
    Accept,
}

/// The expression is too large, or contains a construct that an automaton can't run.
struct CompileError;

impl Program {
    /// Compiles a tree; `None` if the program would be too large, or if the tree contains a back-reference.
    pub(super) fn compile(node: &Node) -> Option<Self> {
        let mut compiler = Compiler { looks: Vec::new(), size: 0 };
        let main = compiler.whole(node, false).ok()?;
        Some(Self { opening: FirstUnits::of(&main), main, looks: compiler.looks, size: compiler.size })
    }
}

struct Compiler {
    looks: Vec<Look>,
    size: usize,
}

impl Compiler {
    fn whole(&mut self, node: &Node, reversed: bool) -> Result<Vec<Step>, CompileError> {
        let mut steps = Vec::new();
        self.add(node, reversed, &mut steps)?;
        self.push(Step::Accept, &mut steps)?;
        Ok(steps)
    }

    fn push(&mut self, step: Step, steps: &mut Vec<Step>) -> Result<usize, CompileError> {
        self.size += 1;
        if self.size > MOST_STEPS {
            return Err(CompileError);
        }
        steps.push(step);
        Ok(steps.len() - 1)
    }

    fn add(&mut self, node: &Node, reversed: bool, steps: &mut Vec<Step>) -> Result<(), CompileError> {
        let step = match node {
            Node::Unit(set) => Step::Unit(set.clone()),
            Node::Start => Step::Start,
            Node::End => Step::End,
            Node::WordEdge { negated } => Step::WordEdge { negated: *negated },
            Node::Sequence(nodes) => return self.sequence(nodes, reversed, steps),
            Node::Choice(branches) => return self.choice(branches, reversed, steps),
            Node::Repeat { node, least, most } => {
                return self.repeat(node, *least, *most, reversed, steps);
            }
            Node::Look { node, behind, negated } => {
                let body = self.whole(node, !behind)?;
                self.looks.push(Look { steps: body, behind: *behind });
                Step::Look { index: self.looks.len() - 1, negated: *negated }
            }
            Node::Back => return Err(CompileError),
        };
        self.push(step, steps).map(|_| ())
    }

    fn sequence(
        &mut self,
        nodes: &[Node],
        reversed: bool,
        steps: &mut Vec<Step>,
    ) -> Result<(), CompileError> {
        for index in 0..nodes.len() {
            let index = if reversed { nodes.len() - 1 - index } else { index };
            if let Some(node) = nodes.get(index) {
                self.add(node, reversed, steps)?;
            }
        }
        Ok(())
    }

    fn choice(
        &mut self,
        branches: &[Node],
        reversed: bool,
        steps: &mut Vec<Step>,
    ) -> Result<(), CompileError> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let last = index + 1 == branches.len();
            let split = if last { None } else { Some(self.push(Step::Split(0, 0), steps)?) };
            self.add(branch, reversed, steps)?;
            if let Some(split) = split {
                ends.push(self.push(Step::Jump(0), steps)?);
                let next = steps.len();
                set(steps, split, Step::Split(split + 1, next));
            }
        }
        for end in ends {
            let next = steps.len();
            set(steps, end, Step::Jump(next));
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        least: u32,
        most: Option<u32>,
        reversed: bool,
        steps: &mut Vec<Step>,
    ) -> Result<(), CompileError> {
        for _ in 0..least {
            let before = self.size;
            self.add(node, reversed, steps)?;
            if self.size == before {
                break; // An empty body: one repetition equals any number.
            }
        }
        let Some(most) = most else {
            let split = self.push(Step::Split(0, 0), steps)?;
            self.add(node, reversed, steps)?;
            self.push(Step::Jump(split), steps)?;
            let next = steps.len();
            set(steps, split, Step::Split(split + 1, next));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.push(Step::Split(0, 0), steps)?);
            self.add(node, reversed, steps)?;
        }
        for split in splits {
            let next = steps.len();
            set(steps, split, Step::Split(split + 1, next));
        }
        Ok(())
    }
}

fn set(steps: &mut [Step], at: usize, step: Step) {
    if let Some(slot) = steps.get_mut(at) {
        *slot = step;
    }
}

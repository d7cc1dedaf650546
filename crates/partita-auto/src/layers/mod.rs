//! Programs with fewer of their layers, to judge plans by.
//!
//! What a plan costs grows by the same with every layer of a deep program. So a program is judged with a few of its layers, and with one more, and what it costs
//! with all of them follows: a judgement takes as long for 96 layers as for 24. Layers are seen by what repeats, not by names ([`labels`]).

mod labels;
mod runs;
mod shorten;

use crate::space::Space;
use crate::subject::Subject;
use labels::Labels;
use partita::Diagnostic;
use partita::ir::{IdVec, ValueId};
use rustc_hash::FxHashSet;
use shorten::{Shortened, entries, shorten};

/// Programs with more operations than this are judged by a few of their layers, where they have many that are alike.
const DEEP: usize = 10_000;

/// What there is to decide in a program, with one decision for what is alike or one for each, and the layers that it is judged by where it is deep.
pub fn analysed(subject: &Subject<'_>, grouping: bool) -> (Space, Option<Layers>) {
    let deep = grouping && subject.module().ops.len() > DEEP;
    rayon::join(|| Space::new(subject, grouping), || if deep { Layers::find(subject) } else { None })
}

/// The layers that are left, at least.
const FEWEST: usize = 2;

/// A program is shortened if that leaves at most this part of its operations.
const WORTH: f64 = 0.5;

/// A program with one of the layers that are alike, and with one more.
pub struct Layers {
    shortened: [Shortened; 2],
    /// How many layers the longer one has not.
    rest: usize,
}

impl Layers {
    /// The layers of a program, where it has many that are alike and most of it is in them.
    pub fn find(subject: &Subject<'_>) -> Option<Layers> {
        let program = subject.program;
        let module = &program.module;
        let plain = module.funcs.len() == 1 && module.values.len() == program.origin.len();
        if !plain {
            return None;
        }
        let body = module.funcs.iter().next()?.body?;
        let labels = Labels::find(subject, body)?;
        // Layers that are not whole stay, and at least two in all: with one the most may be held elsewhere than with many. Where they lack what another reads, the first stays too.
        let (whole, all) = (&labels.whole[..], labels.ops.iter().chain(&labels.arguments).flatten());
        let parts: FxHashSet<u32> =
            all.map(|(_, layer)| *layer).filter(|layer| whole.binary_search(layer).is_err()).collect();
        let last = FEWEST.saturating_sub(parts.len());
        let ends = [(0, last), (1, last)];
        let entries = entries(module, &labels, body);
        let layers = ends.into_iter().find_map(|(front, back)| {
            let gone = &whole[front..whole.len() - back];
            let shorten = |gone: &[u32]| shorten(program, &labels, &entries, gone);
            let (short, longer) = (shorten(gone)?, shorten(&gone[1..])?);
            Some(Layers { shortened: [short, longer], rest: gone.len() - 1 })
        })?;
        let left = layers.shortened[1].program.module.ops.len();
        (left as f64 <= WORTH * module.ops.len() as f64).then_some(layers)
    }

    /// The programs: with few layers, and with one more.
    pub(crate) fn subjects(&self, whole: &Subject<'_>) -> Result<[Subject<'_>; 2], Vec<Diagnostic>> {
        let [short, longer] = &self.shortened;
        Ok([
            Subject::new(&short.program, whole.mesh.clone())?,
            Subject::new(&longer.program, whole.mesh.clone())?,
        ])
    }

    /// What stands for each value of the whole program in the first or the second of them.
    pub(crate) fn standing(&self, number: usize) -> &IdVec<ValueId, Option<ValueId>> {
        &self.shortened[number].standing
    }

    /// What there is of something in the whole program, from how much the two have.
    pub(crate) fn all(&self, short: f64, longer: f64) -> f64 {
        (longer + self.rest as f64 * (longer - short)).max(0.0)
    }
}

//! Programs with fewer of their layers, to judge plans by.
//!
//! What a plan costs grows by the same with every layer of a deep program. So a program is judged with a few of its layers, and with one more, and what it costs
//! with all of them follows: a judgement takes as long for 96 layers as for 24. Layers are seen by what repeats, not by names ([`labels`]).

mod labels;
mod runs;
mod shorten;

use crate::subject::Subject;
use crate::truth::Cost;
use labels::Labels;
use partita::Diagnostic;
use partita::ir::{IdVec, ValueId};
use shorten::{Shortened, shorten};

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
        // A layer stays at each end of the program, so that what is before and behind them is joined with a layer as it is in the whole: one that is not whole, or the first or last that is.
        let (whole, all) = (&labels.whole[..], labels.ops.iter().chain(&labels.arguments).flatten());
        let (first, last) = all.fold((u32::MAX, 0), |(a, b), (_, layer)| (a.min(*layer), b.max(*layer)));
        let (front, back) = (usize::from(whole[0] == first), usize::from(whole[whole.len() - 1] == last));
        // Where layers that are not whole lack what another reads, whole ones stay too.
        let mut ends = vec![(front, back.max(1 - front)), (front, 1), (1, 1)];
        ends.dedup();
        let layers = ends.into_iter().find_map(|(front, back)| {
            let gone = &whole[front..whole.len() - back];
            let (short, longer) = (shorten(program, &labels, gone)?, shorten(program, &labels, &gone[1..])?);
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

    /// What the whole program costs, from what the two cost.
    pub(crate) fn whole(&self, short: &Cost, longer: &Cost) -> Cost {
        let time = |short, longer| self.all(short, longer);
        let count = |short, longer| self.count(short, longer);
        Cost {
            seconds: time(short.seconds, longer.seconds),
            compute: time(short.compute, longer.compute),
            communication: time(short.communication, longer.communication),
            memory: count(short.memory, longer.memory),
            ring_bytes: count(short.ring_bytes, longer.ring_bytes),
            collectives: count(short.collectives, longer.collectives),
            executions: count(short.executions, longer.executions),
        }
    }

    /// What there is of something in the whole program, from how much the two have.
    pub(crate) fn count(&self, short: u64, longer: u64) -> u64 {
        self.all(short as f64, longer as f64).round() as u64
    }

    fn all(&self, short: f64, longer: f64) -> f64 {
        (longer + self.rest as f64 * (longer - short)).max(0.0)
    }
}

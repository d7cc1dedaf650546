//! Programs with fewer of their layers, to decide and to judge plans by.
//!
//! What there is to decide in a deep program is the same in all of its layers, and what a plan costs grows by the same with every one of them. So a deep program is read off and
//! judged with a few of its layers, and with one more, and what it costs with all of them follows: a search takes hardly longer for 96 layers than for 24. Layers are seen by what repeats, not by
//! names ([`labels`]).

mod alike;
mod labels;
mod runs;
mod shorten;

use crate::inline::Inlined;
use crate::ir::{IdVec, Module, OpId, RegionId, ValueDef, ValueId};
use labels::{Label, Labels};
use rustc_hash::{FxHashMap, FxHashSet};
use shorten::{Shortened, entries, shorten};

/// Programs with more operations than this are read off by a few of their layers, where they have many that are alike.
const DEEP: usize = 10_000;

/// The layers that are left, at least.
const FEWEST: usize = 2;

/// A program is shortened if that leaves at most this part of its operations.
const WORTH: f64 = 0.5;

/// What an operation of the longer program stands for.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// How many operations of the whole program: itself, and those in its place in layers that are gone.
    pub times: u32,
    /// Which time that the program goes through its layers; none for what it does beside that.
    pub run: Option<u32>,
}

/// A program with few of the layers that are alike, and with one more.
pub struct Layers {
    /// The program with the fewest layers.
    pub short: Few,
    /// The same with one layer more.
    pub longer: Few,
    /// How many layers the longer one has not.
    rest: usize,
    /// What the operations of the longer one stand for, those in others with what they are in.
    pub parts: IdVec<OpId, Option<Part>>,
    /// The arguments of the longer one: their numbers in the whole program, and for how many of these they stand.
    pub arguments: Vec<(usize, u32)>,
    /// The results of the whole program that take the memory of an argument, with its number.
    pub donated: FxHashMap<usize, usize>,
}

/// A program with few of its layers.
pub struct Few {
    /// The program.
    pub program: Inlined,
    /// What stands for each value of the whole program.
    pub standing: IdVec<ValueId, Option<ValueId>>,
    /// The numbers of what stands for each argument of the whole program.
    pub arguments: Vec<Option<usize>>,
    /// The same for results.
    pub results: Vec<Option<usize>>,
}

impl Few {
    fn new(whole: &Module, body: RegionId, shortened: Shortened) -> Few {
        let Shortened { program, standing, .. } = shortened;
        let own = program.module.funcs.iter().next().and_then(|func| func.body);
        let results: FxHashMap<ValueId, usize> = own
            .into_iter()
            .flat_map(|own| returned(&program.module, own))
            .enumerate()
            .map(|(n, v)| (v, n))
            .collect();
        let argument = |value: ValueId| match program.module.values[standing[value]?].def {
            ValueDef::Arg(_, n) => Some(n as usize),
            ValueDef::Result(..) => None,
        };
        let arguments = whole.regions[body].args.iter().map(argument).collect();
        let results = returned(whole, body).map(|value| results.get(&standing[value]?).copied()).collect();
        Few { program, standing, arguments, results }
    }
}

/// What a function with this body gives.
fn returned(module: &Module, body: RegionId) -> impl Iterator<Item = ValueId> {
    let last = module.regions[body].ops.last();
    last.into_iter().flat_map(|op| module.operands(*op).iter().copied())
}

impl Layers {
    /// The layers of a program that is deep.
    pub fn of_deep(program: &Inlined) -> Option<Layers> {
        if program.module.ops.len() > DEEP { Layers::find(program) } else { None }
    }

    /// The layers of a program, where it has many that are alike and most of it is in them.
    pub fn find(program: &Inlined) -> Option<Layers> {
        let module = &program.module;
        let plain = module.funcs.len() == 1 && module.values.len() == program.origin.len();
        if !plain {
            return None;
        }
        let func = module.funcs.iter().next()?;
        let body = func.body?;
        let labels = Labels::find(module, func, body)?;
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
            let (short, longer) = rayon::join(|| shorten(gone), || shorten(&gone[1..]));
            Some(Layers::new(module, body, &labels, [short?, longer?], gone))
        })?;
        let left = layers.longer.program.module.ops.len();
        (left as f64 <= WORTH * module.ops.len() as f64).then_some(layers)
    }

    /// The layers of a program with so many of them gone from the shorter one.
    fn new(
        module: &Module,
        body: RegionId,
        labels: &Labels,
        [short, longer]: [Shortened; 2],
        gone: &[u32],
    ) -> Layers {
        let rest = gone.len() - 1;
        let gone: FxHashSet<u32> = gone[1..].iter().copied().collect();
        let left: Vec<u32> = labels.whole.iter().copied().filter(|layer| !gone.contains(layer)).collect();
        let times = |label: Option<Label>| {
            let place = label.and_then(|(_, layer)| left.binary_search(&layer).ok());
            // Those that are left share what is gone, the first of them what is over.
            place.map_or(1, |n| 1 + (rest / left.len() + usize::from(n < rest % left.len())) as u32)
        };
        let part = |op: &OpId| {
            let label = labels.ops[*op];
            label.map(|(place, _)| Part { times: times(label), run: place.run() })
        };
        let mut parts = IdVec::new();
        longer.copied.iter().for_each(|op| {
            parts.push(part(op));
        });
        let kept = |label: &Option<Label>| label.is_none_or(|(_, layer)| !gone.contains(&layer));
        let arguments = labels.arguments.iter().enumerate().filter(|(_, label)| kept(label));
        let arguments = arguments.map(|(n, label)| (n, times(*label))).collect();
        let [short, longer] = [short, longer].map(|shortened| Few::new(module, body, shortened));
        let func = module.funcs.iter().next();
        let donated = (0..labels.arguments.len()).filter_map(|n| Some((func?.taken_by(n)?, n))).collect();
        Layers { short, longer, rest, parts, arguments, donated }
    }

    /// What there is of something in the whole program, from how much the two have.
    pub fn all(&self, short: f64, longer: f64) -> f64 {
        (longer + self.rest as f64 * (longer - short)).max(0.0)
    }
}

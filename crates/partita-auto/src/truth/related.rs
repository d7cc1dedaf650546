//! Programs with other numbers of layers than the one that plans are made for, with the kinds of their tensors.

use partita::Diagnostic;
use partita::complete::Subject;
use partita::complete::{Few, Layers};
use partita::complete::{KindId, Space};
use partita::ir::{Id, ValueId};
use partita::propagate::SlotId;

/// So many of the values may be of another kind than what stands for them: those of the first layers and the last.
const OTHERS: f64 = 0.02;

/// A program with more layers or fewer than another one, and the kinds of its tensors there.
pub struct Related<'p> {
    pub(super) subject: Subject<'p>,
    /// The kind of each slot.
    pub(super) kinds: Vec<Option<KindId>>,
}

impl<'p> Related<'p> {
    /// The program with the fewest layers, beside one that was read off a few of them; nothing where what has the same place in both is of different kinds, and neither stands for the whole then.
    pub fn shorter(subject: &Subject<'p>, space: &Space) -> Result<Option<Related<'p>>, Vec<Diagnostic>> {
        let Some(layers) = subject.layers else { return Ok(None) };
        let short = &layers.short;
        let own = Subject::new(&short.program, subject.mesh.clone())?;
        let value = |value: ValueId| short.standing[value];
        let (kinds, others) = kinds_of(&layers.longer, subject, space, &own, value, &short.results);
        Ok((others <= OTHERS).then_some(Related { subject: own, kinds }))
    }

    /// The whole program, beside one that was read off a few of its layers.
    pub(super) fn whole(
        layers: &Layers,
        subject: &Subject<'p>,
        space: &Space,
    ) -> Result<Related<'p>, Vec<Diagnostic>> {
        let own = Subject::new(subject.whole, subject.mesh.clone())?;
        let results: Vec<Option<usize>> = (0..own.results.len()).map(Some).collect();
        let (kinds, _) = kinds_of(&layers.longer, subject, space, &own, Some, &results);
        Ok(Related { subject: own, kinds })
    }
}

/// The kinds of the slots of another program, where values and results of the whole one have these in it; and the part of them that would be of several kinds.
fn kinds_of(
    longer: &Few,
    subject: &Subject<'_>,
    space: &Space,
    other: &Subject<'_>,
    value_of: impl Fn(ValueId) -> Option<ValueId>,
    results: &[Option<usize>],
) -> (Vec<Option<KindId>>, f64) {
    let mut kinds = vec![None; other.graph.slot_count()];
    let (mut all, mut others) = (0, 0);
    let mut stands_for = |slot: Option<SlotId>, own: Option<SlotId>| {
        let kind = slot.and_then(|slot| space.slot_kinds[slot.index()]);
        if let (Some(own), Some(kind)) = (own, kind) {
            all += 1;
            others += usize::from(*kinds[own.index()].get_or_insert(kind) != kind);
        }
    };
    for (value, standing) in longer.standing.enumerate() {
        let own = value_of(value).and_then(|value| other.graph.value_slot(value));
        stands_for(standing.and_then(|value| subject.graph.value_slot(value)), own);
    }
    for (n, own) in longer.results.iter().zip(results) {
        let slot = |graph: &partita::propagate::Graph, n: Option<usize>| graph.result_slots()[n?];
        stands_for(slot(&subject.graph, *n), slot(&other.graph, *own));
    }
    (kinds, others as f64 / f64::max(all as f64, 1.0))
}

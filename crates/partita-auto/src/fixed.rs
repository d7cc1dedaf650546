//! Decisions that the program, or who runs the search, took already.

use partita::complete::Assignment;
use partita::complete::Space;
use partita::complete::Subject;
use partita::ir::Id;
use partita::propagate::SlotId;

/// The classes that annotated tensors split, with the axes they are split over.
pub fn fixed(subject: &Subject<'_>, space: &Space) -> Assignment {
    let axes = subject.mesh.axes();
    let mut plan = Assignment::new(axes.len());
    for slot in (0..subject.graph.slot_count()).map(SlotId::from_index) {
        let (Some(annotation), Some(kind)) = (subject.graph.annotation(slot), space.slot_kinds[slot.index()])
        else {
            continue;
        };
        for (dim, class) in annotation.dims.iter().zip(&space.kind(kind).classes) {
            let Some(class) = class else { continue };
            for (n, axis) in axes.iter().enumerate().filter(|(_, a)| a.size > 1) {
                let entry = (*class, n as u8);
                if axis.atoms().all(|atom| dim.atoms.contains(&atom)) && !plan.split.contains(&entry) {
                    plan.split.push(entry);
                }
            }
        }
    }
    plan.canonical(space)
}

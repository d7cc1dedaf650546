//! What devices do together.
//!
//! Sums go through the memory of the first device, in the order of the group, and what all get they share. The rest is what the
//! reference interpreter does: it copies whole runs already.

use crate::array::Array;
use crate::copy::{Source, Target};
use crate::kernels::dot::as_type;
use crate::loops::folder;
use crate::machine::{Machine, Stop};
use crate::pool::Pool;
use partita::interpret::{CollectiveOp, GridSize, RunError, RunErrorKind, collective};
use partita::ir::{OpId, OpRef, Shape, names};
use partita::ops::combine;
use partita::value::Tensor;

/// Elements that are summed at a time.
const PIECE: usize = 1 << 12;

/// A collective whose whole group has arrived.
pub(crate) struct Meeting<'a> {
    pub(crate) op: OpRef<'a>,
    pub(crate) kind: CollectiveOp,
    pub(crate) size: GridSize,
    /// The devices, in order.
    pub(crate) group: &'a [usize],
}

/// What each device of a group gets, given what each brings, in the order of the group. The first device's machine runs regions.
pub(crate) fn meet(
    meeting: &Meeting<'_>,
    mut operands: Vec<Vec<Tensor>>,
    leader: &mut Machine<'_>,
    observe: &mut dyn FnMut(OpId),
) -> Result<Vec<Vec<Tensor>>, RunError> {
    let op = meeting.op;
    let members = meeting.group.len();
    let sums = matches!(meeting.kind, CollectiveOp::AllReduce | CollectiveOp::ReduceScatter);
    if sums && (0..op.op().results.len()).all(|n| can_sum(op, n, &operands)) {
        let mut results: Vec<Vec<Tensor>> = vec![Vec::new(); members];
        for n in 0..op.op().results.len() {
            let parts: Vec<Tensor> = operands.iter_mut().map(|list| take(list, n)).collect();
            let sum = sum(op, parts, &mut leader.pool);
            if meeting.kind == CollectiveOp::AllReduce {
                results.iter_mut().for_each(|list| list.push(sum.clone()));
                continue;
            }
            let dim = op.int(names::SCATTER_DIMENSION).unwrap_or(0) as usize;
            let whole = Array::new(sum);
            for (i, list) in results.iter_mut().enumerate() {
                let mut shape: Shape = whole.shape.clone();
                shape[dim] /= members as i64;
                let further = i as i64 * shape[dim] * whole.strides[dim];
                list.push(whole.view(shape, whole.strides.clone(), further).into_tensor(&mut leader.pool));
            }
            whole.recycle(&mut leader.pool);
        }
        return Ok(results);
    }
    let (kind, size, group) = (meeting.kind, meeting.size, meeting.group);
    let outcome = leader.with_regions(observe, |caller| collective(op, kind, size, group, &operands, caller));
    match outcome {
        Ok(Ok(results)) => Ok(results),
        Ok(Err(error)) => Err(RunError {
            kind: RunErrorKind::Program,
            failures: vec![leader.failure(op.id, error.message)],
        }),
        Err(Stop::Placed(error)) => Err(*error),
        Err(Stop::Here(kind, message)) => {
            Err(RunError { kind, failures: vec![leader.failure(op.id, message)] })
        }
    }
}

fn take(list: &mut [Tensor], n: usize) -> Tensor {
    let empty = Tensor::from_i64s(&[]);
    list.get_mut(n).map_or(empty.clone(), |tensor| std::mem::replace(tensor, empty))
}

/// Whether the n-th operand of all devices can be combined in memory.
fn can_sum(op: OpRef<'_>, n: usize, operands: &[Vec<Tensor>]) -> bool {
    let elem = op.result_tensor(n).elem;
    let known = combine(op).is_some_and(|how| folder(how, elem).is_some());
    let parts = || operands.iter().filter_map(|list| list.get(n));
    known && parts().all(|t| t.elem() == elem) && !parts().all(Tensor::is_splat)
}

/// Combines tensors in their order.
fn sum(op: OpRef<'_>, parts: Vec<Tensor>, pool: &mut Pool) -> Tensor {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Tensor::from_i64s(&[]) };
    let elem = first.elem();
    let Some(folder) = combine(op).and_then(|how| folder(how, elem)) else { return first };
    let first =
        if folder.running == elem { first } else { as_type(&Array::new(first), folder.running, pool) };
    let mut running = Array::new(first).into_builder(pool);
    let count = running.len();
    let parts: Vec<Array> = parts.map(|part| Array::new(part).into_row_major(pool)).collect();
    let (to, width) = (Target(running.bytes_mut().as_mut_ptr()), elem.bytes());
    let from: Vec<Source> = parts.iter().map(|part| Source(part.pointer())).collect();
    // All parts of a piece while it is near, so that the running result goes through memory once.
    pool.each(count.div_ceil(PIECE), &|piece, _| {
        let (first, size) = (piece * PIECE, PIECE.min(count - piece * PIECE));
        for part in &from {
            // SAFETY: all have as many elements, of the types that the kernel folds; the running result is nobody else's.
            unsafe {
                let to = to.get().add(first * folder.running.bytes());
                (folder.each)(to, part.get().add(first * width), size);
            }
        }
    });
    parts.into_iter().for_each(|part| part.recycle(pool));
    let running = running.finish();
    if folder.running == elem { running } else { as_type(&Array::new(running), elem, pool) }
}

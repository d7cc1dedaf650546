//! Writing the per-device program: small wrappers that add operations.

use super::pattern::{Pattern, Positions};
use super::record::Collective;
use super::share::{Sent, Shared, share_hash};
use crate::ir::attr::{ChannelHandle, Comparison};
use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::ops::rule::Combine;
use crate::sharding::{Atom, AtomList, Mesh};
use crate::value::{Scalar, Tensor};
use rustc_hash::FxHashMap;

/// The type of offsets.
pub(super) const INDEX: Elem = Elem::Int(32);

/// A program being written.
pub(crate) struct Emit<'m> {
    pub(crate) module: Module,
    pub(crate) mesh: &'m Mesh,
    /// The regions that are open, innermost last.
    regions: Vec<RegionId>,
    /// What is there already.
    shared: Shared,
    /// Where new operations come from.
    pub(crate) loc: LocId,
    /// Every collective so far.
    pub(crate) collectives: Vec<Collective>,
    /// What new collectives are for.
    pub(crate) purpose: Purpose,
    /// The last channel that was given away.
    channels: i64,
    /// Coordinates along atoms, computed at the start of the function.
    coordinates: FxHashMap<AtomList, ValueId>,
    /// How many operations at the start of the function compute coordinates.
    prologue: usize,
}

/// Regions that are left for a while.
pub(crate) struct Inner {
    regions: Vec<RegionId>,
    shared: Shared,
}

/// What a collective is for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Purpose {
    /// The value of the input that moves.
    pub(crate) value: Option<ValueId>,
    /// The op of the input that needs it.
    pub(crate) cause: Option<OpId>,
    /// Why.
    pub(crate) reason: &'static str,
}

impl<'m> Emit<'m> {
    /// A program of which nothing is written yet; channels up to a number are taken.
    pub(crate) fn new(module: Module, mesh: &'m Mesh, channels: i64) -> Self {
        Emit {
            channels,
            module,
            mesh,
            regions: Vec::new(),
            shared: Shared::default(),
            loc: LocTable::unknown(),
            collectives: Vec::new(),
            purpose: Purpose::default(),
            coordinates: FxHashMap::default(),
            prologue: 0,
        }
    }

    fn new_op(
        &mut self,
        kind: OpKind,
        operands: &[ValueId],
        attrs: Vec<(Sym, Attr)>,
        results: &[Type],
    ) -> NewOp {
        let mut new = NewOp::new(kind);
        new.operands = operands.iter().copied().collect();
        new.result_types = results.iter().map(|t| self.module.types.intern(t.clone())).collect();
        new.attrs = attrs.into();
        new.loc = self.loc;
        new
    }

    /// Opens a region: operations go there until it is closed.
    pub(crate) fn open(&mut self, region: RegionId) {
        self.regions.push(region);
        self.shared.open();
    }

    /// Closes the innermost region.
    pub(crate) fn close(&mut self) {
        self.regions.pop();
        self.shared.close();
    }

    /// Goes out of all regions deeper than this, to write before them.
    pub(crate) fn leave(&mut self, depth: usize) -> Inner {
        Inner { regions: self.regions.split_off(depth), shared: self.shared.leave(depth) }
    }

    /// Goes back in.
    pub(crate) fn enter(&mut self, inner: Inner) {
        self.regions.extend(inner.regions);
        self.shared.enter(inner.shared);
    }

    /// Adds an operation to the innermost region, or finds it there.
    pub(crate) fn add(&mut self, new: NewOp) -> OpId {
        let hash = share_hash(&new);
        if let Some(known) = hash.and_then(|h| self.shared.find(&self.module, &new, h)) {
            return known;
        }
        let op = self.add_anew(new);
        if let Some(hash) = hash {
            self.shared.insert(hash, op);
        }
        op
    }

    /// Adds an operation to the innermost region.
    fn add_anew(&mut self, new: NewOp) -> OpId {
        let op = self.module.add_op(new);
        if let Some(&region) = self.regions.last() {
            self.module.regions[region].ops.push(op);
        }
        op
    }

    /// Adds an operation with one result.
    pub(crate) fn op(
        &mut self,
        kind: OpKind,
        operands: &[ValueId],
        attrs: Vec<(Sym, Attr)>,
        ty: TensorType,
    ) -> ValueId {
        let new = self.new_op(kind, operands, attrs, &[Type::Tensor(ty)]);
        let op = self.add(new);
        self.module.ops[op].results.at(0)
    }

    pub(crate) fn type_of(&self, value: ValueId) -> TensorType {
        self.module.tensor_type(value).cloned().unwrap_or_else(|| TensorType::scalar(INDEX))
    }

    pub(crate) fn constant(&mut self, tensor: Tensor) -> ValueId {
        let ty = tensor.ty().clone();
        self.op(OpKind::Constant, &[], vec![(names::VALUE, Attr::Elements(Box::new(tensor)))], ty)
    }

    pub(crate) fn splat(&mut self, ty: TensorType, value: Scalar) -> ValueId {
        self.constant(Tensor::splat(ty, value))
    }

    pub(crate) fn index(&mut self, value: i64) -> ValueId {
        self.splat(TensorType::scalar(INDEX), Scalar::Int(value))
    }

    /// An offset and a number combined.
    pub(crate) fn index_op(&mut self, kind: OpKind, a: ValueId, b: i64) -> ValueId {
        let b = self.index(b);
        self.op(kind, &[a, b], vec![], TensorType::scalar(INDEX))
    }

    /// The device's coordinate along atoms, major to minor: a scalar, computed once.
    pub(crate) fn coordinate(&mut self, atoms: &[Atom]) -> ValueId {
        let key: AtomList = atoms.iter().copied().collect();
        if let Some(&value) = self.coordinates.get(&key) {
            return value;
        }
        // It goes to the start of the function, where everything can see it.
        // Nothing that stands further down can be used there.
        let (inner, loc) = (self.leave(1), self.loc);
        let seen = std::mem::take(&mut self.shared);
        self.loc = LocTable::unknown();
        let before = self.regions.first().map_or(0, |r| self.module.regions[*r].ops.len());
        let value = self.compute_coordinate(atoms);
        if let Some(&region) = self.regions.first() {
            let ops = &mut self.module.regions[region].ops;
            let added = ops.len() - before;
            ops[self.prologue..].rotate_right(added);
            self.prologue += added;
        }
        self.shared = seen;
        self.enter(inner);
        self.loc = loc;
        self.coordinates.insert(key, value);
        value
    }

    fn compute_coordinate(&mut self, atoms: &[Atom]) -> ValueId {
        let id = self.op(OpKind::PartitionId, &[], vec![], TensorType::scalar(Elem::Uint(32)));
        let mut position = self.op(OpKind::Convert, &[id], vec![], TensorType::scalar(INDEX));
        if let Some(ids) = self.mesh.device_ids() {
            // The position of each device: the devices are in an order of their own.
            let mut table = vec![0; ids.len()];
            ids.iter().enumerate().for_each(|(position, id)| table[*id as usize] = position as i64);
            let ty = TensorType::new(INDEX, [table.len() as i64]);
            let table = self.constant(Tensor::from_fn(ty, |i| Scalar::Int(table[i])));
            let sizes = vec![(names::SLICE_SIZES, Attr::i64s([1]))];
            let one = self.op(OpKind::DynamicSlice, &[table, position], sizes, TensorType::new(INDEX, [1]));
            position = self.op(OpKind::Reshape, &[one], vec![], TensorType::scalar(INDEX));
        }
        let positions = Positions::new(self.mesh);
        let mut sum: Option<ValueId> = None;
        for &atom in atoms {
            let (stride, size) = (positions.stride(atom), self.mesh.atom_size(atom));
            let mut digit = position;
            if stride > 1 {
                digit = self.index_op(OpKind::Divide, digit, stride);
            }
            if stride * size < self.mesh.device_count() {
                digit = self.index_op(OpKind::Remainder, digit, size);
            }
            sum = Some(match sum {
                None => digit,
                Some(sum) => {
                    let scaled = self.index_op(OpKind::Multiply, sum, size);
                    self.op(OpKind::Add, &[scaled, digit], vec![], TensorType::scalar(INDEX))
                }
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.index(0),
        }
    }

    /// Where the device's block of a dimension starts.
    pub(crate) fn offset(&mut self, atoms: &[Atom], block: i64) -> ValueId {
        let coordinate = self.coordinate(atoms);
        if block == 1 { coordinate } else { self.index_op(OpKind::Multiply, coordinate, block) }
    }

    /// A box of a tensor that starts at computed places; nothing means zero.
    pub(crate) fn dynamic_slice(
        &mut self,
        value: ValueId,
        starts: &[Option<ValueId>],
        sizes: &[i64],
    ) -> ValueId {
        let zero = self.index(0);
        let mut operands = vec![value];
        operands.extend(starts.iter().map(|s| s.unwrap_or(zero)));
        let ty = TensorType::new(self.type_of(value).elem, sizes.iter().copied());
        let attrs = vec![(names::SLICE_SIZES, Attr::i64s(sizes.iter().copied()))];
        self.op(OpKind::DynamicSlice, &operands, attrs, ty)
    }

    /// The first elements of a dimension.
    pub(crate) fn cut(&mut self, value: ValueId, dim: usize, size: i64) -> ValueId {
        self.slice(value, dim, 0, size)
    }

    /// A run of a dimension.
    pub(crate) fn slice(&mut self, value: ValueId, dim: usize, start: i64, size: i64) -> ValueId {
        let mut ty = self.type_of(value);
        if ty.shape[dim] == size {
            return value;
        }
        let rank = ty.rank();
        let mut limits = ty.shape.clone();
        limits[dim] = start + size;
        ty.shape[dim] = size;
        let starts = (0..rank).map(|d| if d == dim { start } else { 0 });
        let attrs = vec![
            (names::START_INDICES, Attr::i64s(starts)),
            (names::LIMIT_INDICES, Attr::i64s(limits)),
            (names::STRIDES, Attr::i64s(std::iter::repeat_n(1, rank))),
        ];
        self.op(OpKind::Slice, &[value], attrs, ty)
    }

    /// A run of a dimension that starts at a computed place, moved inwards where it would pass an end.
    pub(crate) fn slice_at(&mut self, value: ValueId, dim: usize, start: ValueId, size: i64) -> ValueId {
        let mut sizes = self.type_of(value).shape;
        if sizes[dim] == size {
            return value;
        }
        sizes[dim] = size;
        let starts: Vec<Option<ValueId>> = (0..sizes.len()).map(|d| (d == dim).then_some(start)).collect();
        self.dynamic_slice(value, &starts, &sizes)
    }

    /// A tensor in which a box that starts at computed places is replaced; nothing means zero.
    pub(crate) fn dynamic_update_slice(
        &mut self,
        value: ValueId,
        part: ValueId,
        starts: &[Option<ValueId>],
    ) -> ValueId {
        let zero = self.index(0);
        let mut operands = vec![value, part];
        operands.extend(starts.iter().map(|s| s.unwrap_or(zero)));
        let ty = self.type_of(value);
        self.op(OpKind::DynamicUpdateSlice, &operands, vec![], ty)
    }

    /// Zeros with a value in them that starts at a computed place of a dimension, moved inwards where it would pass an end.
    pub(crate) fn place_at(&mut self, value: ValueId, dim: usize, start: ValueId, size: i64) -> ValueId {
        let mut ty = self.type_of(value);
        if ty.shape[dim] == size {
            return value;
        }
        ty.shape[dim] = size;
        let starts: Vec<Option<ValueId>> = (0..ty.rank()).map(|d| (d == dim).then_some(start)).collect();
        let zeros = self.splat(ty.clone(), Scalar::zero(ty.elem));
        self.dynamic_update_slice(zeros, value, &starts)
    }

    /// The element that a value has everywhere, where it was written as such.
    pub(crate) fn as_splat(&self, value: ValueId) -> Option<Scalar> {
        match self.module.made_by(value)?.attr(names::VALUE) {
            Some(Attr::Elements(tensor)) => tensor.as_splat(),
            _ => None,
        }
    }

    /// Zeros behind the end of a dimension, up to a size.
    pub(crate) fn pad_to(&mut self, value: ValueId, dim: usize, size: i64) -> ValueId {
        let missing = size - self.type_of(value).shape[dim];
        self.pad(value, dim, 0, missing)
    }

    /// Zeros before and behind a dimension.
    pub(crate) fn pad(&mut self, value: ValueId, dim: usize, low: i64, high: i64) -> ValueId {
        if low == 0 && high == 0 {
            return value;
        }
        let mut ty = self.type_of(value);
        ty.shape[dim] += low + high;
        let rank = ty.rank();
        let zero = self.splat(TensorType::scalar(ty.elem), Scalar::zero(ty.elem));
        let only = |size: i64| Attr::i64s((0..rank).map(move |d| if d == dim { size } else { 0 }));
        let attrs = vec![
            (names::EDGE_PADDING_LOW, only(low)),
            (names::EDGE_PADDING_HIGH, only(high)),
            (names::INTERIOR_PADDING, only(0)),
        ];
        self.op(OpKind::Pad, &[value, zero], attrs, ty)
    }

    /// Values one behind the other along a dimension.
    pub(crate) fn concatenate(&mut self, values: &[ValueId], dim: usize) -> ValueId {
        if let [value] = values {
            return *value;
        }
        let mut ty = self.type_of(values[0]);
        ty.shape[dim] = values.iter().map(|v| self.type_of(*v).shape[dim]).sum();
        self.op(OpKind::Concatenate, values, vec![(names::DIMENSION, Attr::i64(dim as i64))], ty)
    }

    /// The same elements in another shape.
    pub(crate) fn reshape(&mut self, value: ValueId, shape: impl IntoIterator<Item = i64>) -> ValueId {
        let old = self.type_of(value);
        let ty = TensorType::new(old.elem, shape);
        if ty.shape == old.shape {
            return value;
        }
        self.op(OpKind::Reshape, &[value], vec![], ty)
    }

    /// The dimensions in another order.
    pub(crate) fn transpose(&mut self, value: ValueId, order: impl IntoIterator<Item = usize>) -> ValueId {
        let order: Vec<usize> = order.into_iter().collect();
        if order.is_sorted() {
            return value;
        }
        let ty = self.type_of(value);
        let ty = TensorType::new(ty.elem, order.iter().map(|d| ty.shape[*d]));
        let attrs = vec![(names::PERMUTATION, Attr::i64s(order.into_iter().map(|d| d as i64)))];
        self.op(OpKind::Transpose, &[value], attrs, ty)
    }

    /// The elements along a dimension combined; the dimension goes.
    pub(crate) fn reduce(&mut self, value: ValueId, dim: usize, combine: Combine) -> ValueId {
        let mut ty = self.type_of(value);
        ty.shape.remove(dim);
        let neutral = identity(combine, ty.elem).unwrap_or_else(|| Scalar::zero(ty.elem));
        let neutral = self.splat(TensorType::scalar(ty.elem), neutral);
        let region = self.combiner(combine, ty.elem);
        let attrs = vec![(names::DIMENSIONS, Attr::i64s([dim as i64]))];
        let mut new = self.new_op(OpKind::Reduce, &[value, neutral], attrs, &[Type::Tensor(ty)]);
        new.regions.push(region);
        let op = self.add(new);
        self.module.ops[op].results.at(0)
    }

    /// The value at coordinate 0 along atoms, something else at the others.
    pub(crate) fn only_first(&mut self, value: ValueId, atoms: &[Atom], other: Scalar) -> ValueId {
        let ty = self.type_of(value);
        let coordinate = self.coordinate(atoms);
        let first = self.compare(coordinate, 0, Comparison::Eq);
        let first = self.broadcast(first, ty.with_elem(Elem::Bool));
        let other = self.splat(ty.clone(), other);
        self.op(OpKind::Select, &[first, value, other], vec![], ty)
    }

    /// The value where an index along a dimension is below the dimension's size, something else in the padding.
    pub(crate) fn mask(
        &mut self,
        value: ValueId,
        dim: usize,
        atoms: &[Atom],
        size: i64,
        other: Scalar,
    ) -> ValueId {
        let ty = self.type_of(value);
        let inside = self.inside(&ty, dim, atoms, size);
        let other = self.splat(ty.clone(), other);
        self.op(OpKind::Select, &[inside, value, other], vec![], ty)
    }

    /// Where the index along a dimension of a shard is below the size of the dimension.
    fn inside(&mut self, ty: &TensorType, dim: usize, atoms: &[Atom], size: i64) -> ValueId {
        let index = ty.with_elem(INDEX);
        let iota =
            self.op(OpKind::Iota, &[], vec![(names::IOTA_DIMENSION, Attr::i64(dim as i64))], index.clone());
        let offset = self.offset(atoms, ty.shape[dim]);
        let offset = self.broadcast(offset, index.clone());
        let place = self.op(OpKind::Add, &[iota, offset], vec![], index.clone());
        self.compare(place, size, Comparison::Lt)
    }

    /// Where integers stand so to a number.
    pub(crate) fn compare(&mut self, value: ValueId, other: i64, how: Comparison) -> ValueId {
        let ty = self.type_of(value);
        let other = self.splat(ty.clone(), Scalar::Int(other));
        let direction = vec![(names::COMPARISON_DIRECTION, Attr::from(how))];
        self.op(OpKind::Compare, &[value, other], direction, ty.with_elem(Elem::Bool))
    }

    /// As `mask`, with a computed scalar in the padding.
    pub(crate) fn mask_with(
        &mut self,
        value: ValueId,
        dim: usize,
        atoms: &[Atom],
        size: i64,
        other: ValueId,
    ) -> ValueId {
        let ty = self.type_of(value);
        let inside = self.inside(&ty, dim, atoms, size);
        let other = self.broadcast(other, ty.clone());
        self.op(OpKind::Select, &[inside, value, other], vec![], ty)
    }

    /// A scalar everywhere.
    pub(crate) fn broadcast(&mut self, scalar: ValueId, ty: TensorType) -> ValueId {
        if ty.rank() == 0 {
            return scalar;
        }
        self.op(OpKind::BroadcastInDim, &[scalar], vec![(names::BROADCAST_DIMENSIONS, Attr::i64s([]))], ty)
    }

    /// Adds a collective with one operand and remembers what it is for. Groups and pairs of devices are written out later.
    fn collective(
        &mut self,
        kind: OpKind,
        value: ValueId,
        pattern: Pattern,
        mut attrs: Vec<(Sym, Attr)>,
        regions: &[RegionId],
        ty: TensorType,
    ) -> ValueId {
        let handle = self.new_channel();
        attrs.push((names::CHANNEL_HANDLE, Attr::Channel(Box::new(ChannelHandle { handle, kind: 1 }))));
        let mut new = self.new_op(kind, &[value], attrs, &[Type::Tensor(ty)]);
        new.regions.extend(regions.iter().copied());
        let op = self.add_anew(new);
        let Purpose { value, cause, reason } = self.purpose;
        self.collectives.push(Collective { op, pattern, value, cause, reason, replicates: false });
        self.module.ops[op].results.at(0)
    }

    /// A channel that nothing else uses.
    pub(crate) fn new_channel(&mut self) -> i64 {
        self.channels += 1;
        self.channels
    }

    /// All shards of a dimension, one behind the other.
    pub(crate) fn all_gather(&mut self, value: ValueId, dim: usize, atoms: &[Atom]) -> ValueId {
        let mut ty = self.type_of(value);
        ty.shape[dim] *= self.mesh.size_of(atoms.iter().copied());
        let attrs =
            vec![(names::ALL_GATHER_DIM, Attr::i64(dim as i64)), (names::USE_GLOBAL_DEVICE_IDS, Attr::Unit)];
        self.moved((value, OpKind::AllGather, groups(atoms), [dim; 2]), attrs, ty)
    }

    /// What another device has, as a pattern of pairs says; zeros where it names no source.
    pub(crate) fn permute(&mut self, value: ValueId, pattern: Pattern) -> ValueId {
        let ty = self.type_of(value);
        self.moved((value, OpKind::CollectivePermute, pattern, [0; 2]), vec![], ty)
    }

    /// What a collective gives that only moves a value; one that is there already is not written again.
    fn moved(&mut self, sent: Sent, attrs: Vec<(Sym, Attr)>, ty: TensorType) -> ValueId {
        if let Some(received) = self.shared.find_sent(&sent) {
            return received;
        }
        let (value, kind, pattern, _) = sent.clone();
        let received = self.collective(kind, value, pattern, attrs, &[], ty);
        self.shared.insert_sent(sent, received);
        received
    }

    /// Moves a split from one dimension to another.
    pub(crate) fn all_to_all(
        &mut self,
        value: ValueId,
        split: usize,
        concat: usize,
        atoms: &[Atom],
    ) -> ValueId {
        let count = self.mesh.size_of(atoms.iter().copied());
        let mut ty = self.type_of(value);
        ty.shape[split] /= count;
        ty.shape[concat] *= count;
        let attrs = vec![
            (names::SPLIT_DIMENSION, Attr::i64(split as i64)),
            (names::CONCAT_DIMENSION, Attr::i64(concat as i64)),
            (names::SPLIT_COUNT, Attr::i64(count)),
        ];
        self.moved((value, OpKind::AllToAll, groups(atoms), [split, concat]), attrs, ty)
    }

    /// Partial results combined over all devices along atoms.
    pub(crate) fn all_reduce(&mut self, value: ValueId, atoms: &[Atom], combine: Combine) -> ValueId {
        let ty = self.type_of(value);
        let attrs = vec![(names::USE_GLOBAL_DEVICE_IDS, Attr::Unit)];
        let region = self.combiner(combine, ty.elem);
        self.collective(OpKind::AllReduce, value, groups(atoms), attrs, &[region], ty)
    }

    /// Partial results combined over all devices along atoms, each device keeping its part of a dimension.
    pub(crate) fn reduce_scatter(
        &mut self,
        value: ValueId,
        dim: usize,
        atoms: &[Atom],
        combine: Combine,
    ) -> ValueId {
        let mut ty = self.type_of(value);
        let elem = ty.elem;
        ty.shape[dim] /= self.mesh.size_of(atoms.iter().copied());
        let attrs = vec![
            (names::SCATTER_DIMENSION, Attr::i64(dim as i64)),
            (names::USE_GLOBAL_DEVICE_IDS, Attr::Unit),
        ];
        let region = self.combiner(combine, elem);
        self.collective(OpKind::ReduceScatter, value, groups(atoms), attrs, &[region], ty)
    }

    /// A region that combines two scalars.
    fn combiner(&mut self, combine: Combine, elem: Elem) -> RegionId {
        let scalar = self.module.types.intern(Type::Tensor(TensorType::scalar(elem)));
        let region = self.module.add_region();
        let unnamed = (scalar, ValueName::None, self.loc);
        let args = self.module.add_region_args(region, [unnamed, unnamed]);
        self.open(region);
        let result = self.combine(combine, args.at(0), args.at(1));
        let last = self.new_op(OpKind::Return, &[result], vec![], &[]);
        self.add(last);
        self.close();
        region
    }

    /// Two values of one type combined element by element.
    pub(crate) fn combine(&mut self, combine: Combine, a: ValueId, b: ValueId) -> ValueId {
        let kind = match combine {
            Combine::Add | Combine::Region => OpKind::Add,
            Combine::Multiply => OpKind::Multiply,
            Combine::Maximum => OpKind::Maximum,
            Combine::Minimum => OpKind::Minimum,
            Combine::And => OpKind::And,
            Combine::Or => OpKind::Or,
            Combine::Xor => OpKind::Xor,
        };
        let ty = self.type_of(a);
        self.op(kind, &[a, b], vec![], ty)
    }
}

fn groups(atoms: &[Atom]) -> Pattern {
    Pattern::Groups(atoms.iter().copied().collect())
}

/// What changes nothing when it is combined with another value; nothing where there is no such.
pub(crate) fn identity(combine: Combine, elem: Elem) -> Option<Scalar> {
    let extreme = |low: bool| match elem {
        Elem::Bool => Some(Scalar::Bool(!low)),
        Elem::Int(bits) => Some(Scalar::Int(if low { -1 << (bits - 1) } else { !(-1 << (bits - 1)) })),
        Elem::Uint(bits) => Some(Scalar::Uint(if low { 0 } else { u64::MAX >> (64 - bits) })),
        Elem::BF16 | Elem::F16 | Elem::F32 | Elem::F64 => {
            Some(Scalar::Float(if low { f64::NEG_INFINITY } else { f64::INFINITY }))
        }
        _ => None,
    };
    match combine {
        Combine::Add => Some(Scalar::zero(elem)),
        Combine::Multiply => Some(Scalar::one(elem)),
        Combine::Maximum => extreme(true),
        Combine::Minimum => extreme(false),
        Combine::And => Some(match elem {
            Elem::Bool => Scalar::Bool(true),
            Elem::Uint(_) => Scalar::Uint(u64::MAX).fit(elem),
            _ => Scalar::Int(-1),
        }),
        Combine::Or | Combine::Xor => Some(Scalar::zero(elem)),
        Combine::Region => None,
    }
}

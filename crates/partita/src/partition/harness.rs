//! For tests: a body of a per-device program, run on every device of a mesh.

use super::emit::Emit;
use super::layout::Layout;
use super::pattern::Positions;
use super::price::{all_reduce_bytes, ring_bytes, tensor_payload};
use super::record::{Collective, expand};
use crate::interpret::{RunOptions, Value, run_grid};
use crate::ir::attr::IntType;
use crate::ir::module::{Func, NewOp};
use crate::ir::*;
use crate::ops::OpKind;
use crate::sharding::Mesh;
use crate::value::tensor::for_each_index;
use crate::value::{Scalar, Tensor};

/// Random numbers, the same each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below another.
    pub(super) fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as i64) % end.max(1)
    }

    /// A mesh of at most so many devices, with axes of all kinds, sometimes with devices in an order of their own.
    pub(super) fn mesh(&mut self, devices: i64) -> Mesh {
        let mut axes = Vec::new();
        let mut count = 1;
        for name in ["x", "y", "z"] {
            let size = [1, 2, 2, 3, 4, 5, 6, 8][self.below(8) as usize];
            if count * size <= devices {
                axes.push((name, size));
                count *= size;
            }
        }
        let mesh = Mesh::new(axes).unwrap();
        if self.below(4) > 0 {
            return mesh;
        }
        let mut ids: Vec<i64> = (0..count).collect();
        (1..ids.len()).for_each(|i| ids.swap(i, self.below(i as i64 + 1) as usize));
        mesh.with_device_ids(ids).unwrap()
    }
}

/// What a run gives.
pub(super) struct Ran {
    /// The result at each position of the mesh.
    pub(super) results: Vec<Tensor>,
    /// The collectives of the program.
    pub(super) collectives: Vec<Collective>,
    pub(super) module: Module,
}

impl Ran {
    /// The bytes that each device sends, counted from what was written.
    pub(super) fn ring_bytes(&self, mesh: &Mesh) -> u64 {
        let bytes = |c: &Collective| {
            let operand = self.module.tensor_type(self.module.operands(c.op)[0]).unwrap();
            let result = self.module.tensor_type(self.module.ops[c.op].results.at(0)).unwrap();
            match self.module.ops[c.op].kind {
                OpKind::AllReduce => all_reduce_bytes(mesh, &c.pattern, tensor_payload(operand)),
                OpKind::AllGather => ring_bytes(mesh, &c.pattern, tensor_payload(result)),
                OpKind::CollectivePermute => {
                    let pairs = Positions::new(mesh).pairs(&c.pattern);
                    let moving = pairs.iter().filter(|[source, target]| source != target).count() as u64;
                    tensor_payload(operand) * moving / mesh.device_count() as u64
                }
                _ => ring_bytes(mesh, &c.pattern, tensor_payload(operand)),
            }
        };
        self.collectives.iter().map(bytes).sum()
    }
}

/// Runs a body that takes one shard and gives one, on shards by position.
pub(super) fn run_body(
    mesh: &Mesh,
    shards: &[Tensor],
    body: impl FnOnce(&mut Emit<'_>, ValueId) -> ValueId,
) -> Ran {
    let mut module = Module::new();
    let count = mesh.device_count();
    module.attrs.set(names::MHLO_NUM_PARTITIONS, Attr::Int(count, IntType::I32));
    module.attrs.set(names::MHLO_NUM_REPLICAS, Attr::Int(1, IntType::I32));
    let name = module.strings.intern("main");
    let mut emit = Emit::new(module, mesh, 0);
    let region = emit.module.add_region();
    let input = emit.module.types.intern(Type::Tensor(shards[0].ty().clone()));
    let argument = emit.module.add_region_args(region, [(input, ValueName::None, LocTable::unknown())]).at(0);
    emit.open(region);
    let result = body(&mut emit, argument);
    let mut last = NewOp::new(OpKind::FuncReturn);
    last.operands.push(result);
    emit.add(last);
    let Emit { mut module, collectives, .. } = emit;
    module.add_func(Func {
        name,
        visibility: Visibility::Default,
        inputs: vec![input],
        results: vec![module.values[result].ty],
        arg_attrs: vec![Attrs::default()],
        result_attrs: vec![Attrs::default()],
        attrs: Attrs::default(),
        body: Some(region),
        loc: LocTable::unknown(),
        span: Span::default(),
    });
    expand(&mut module, mesh, &collectives);
    if let Err(errors) = crate::verify::verify(&module) {
        panic!("{errors:?}\n{}", crate::text::print(&module));
    }
    let positions = Positions::new(mesh);
    let mut programs = vec![(FuncId::from_index(0), Vec::new()); count as usize];
    for (position, shard) in shards.iter().enumerate() {
        programs[positions.device(position as i64) as usize].1 = vec![Value::Tensor(shard.clone())];
    }
    let mut devices = run_grid(&module, vec![programs], &mut RunOptions::default()).unwrap().remove(0);
    let results = (0..count).map(|p| match devices[positions.device(p) as usize].remove(0) {
        Value::Tensor(tensor) => tensor,
        other => panic!("{other:?}"),
    });
    Ran { results: results.collect(), collectives, module }
}

/// The shard at a position of a tensor given by its elements; noise where it has none.
pub(super) fn noisy_shard(
    mesh: &Mesh,
    layout: &Layout,
    ty: &TensorType,
    elements: &[i64],
    position: i64,
    random: &mut Random,
) -> Tensor {
    let local = layout.local(ty);
    let mut all = Vec::new();
    for_each_shard_index(mesh, layout, ty, position, |_, global| {
        all.push(global.map_or_else(|| random.below(1000) - 5000, |g| elements[g]));
    });
    Tensor::from_fn(local, |i| Scalar::Int(all[i]))
}

/// Calls with every index of the shard at a position, and the index in the whole tensor where it is inside.
pub(super) fn for_each_shard_index(
    mesh: &Mesh,
    layout: &Layout,
    ty: &TensorType,
    position: i64,
    mut f: impl FnMut(usize, Option<usize>),
) {
    let positions = Positions::new(mesh);
    let starts: Vec<i64> =
        layout.dims.iter().map(|d| positions.coordinate(position, &d.atoms) * d.block).collect();
    for_each_index(&layout.local(ty).shape, |at, index| {
        let mut global = Some(0);
        for ((i, start), size) in index.iter().zip(&starts).zip(&ty.shape) {
            let place = i + start;
            global = global.filter(|_| place < *size).map(|g| g * *size as usize + place as usize);
        }
        f(at, global);
    });
}

//! Modules, functions, operations and values.

use super::attr::Attrs;
use super::ids::{FuncId, Id, IdRange, IdVec, LocId, OpId, RegionId, TypeId, ValueId};
use super::loc::LocTable;
use super::op_ref::OpRef;
use super::sdy::MeshAttr;
use super::strings::{Strings, Sym, names};
use super::types::{TensorType, Type, TypeTable};
use crate::ops::OpKind;
use rustc_hash::FxHashMap;

/// A byte range of the text a module was read from. Empty where it was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// Just behind the last byte.
    pub end: u32,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `module @name`.
    pub name: Option<Sym>,
    /// Attributes of the module.
    pub attrs: Attrs,
    /// Where the module comes from.
    pub loc: ModuleLoc,
    /// The functions, in order.
    pub funcs: IdVec<FuncId, Func>,
    /// The meshes declared with `sdy.mesh`.
    pub meshes: Vec<MeshDecl>,
    /// All operations.
    pub ops: IdVec<OpId, Op>,
    /// All values.
    pub values: IdVec<ValueId, Value>,
    /// All regions.
    pub regions: IdVec<RegionId, Region>,
    operand_pool: Vec<ValueId>,
    region_pool: Vec<RegionId>,
    /// Interned strings.
    pub strings: Strings,
    /// Interned types.
    pub types: TypeTable,
    /// Interned locations.
    pub locs: LocTable,
    func_names: FxHashMap<Sym, FuncId>,
}

/// A location that is unknown by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModuleLoc(pub LocId);

impl Default for ModuleLoc {
    fn default() -> Self {
        ModuleLoc(LocTable::unknown())
    }
}

/// Who may call a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// Nothing was written.
    #[default]
    Default,
    /// `public`.
    Public,
    /// `private`.
    Private,
    /// `nested`.
    Nested,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Func {
    /// Its symbol, without the `@`.
    pub name: Sym,
    /// Who may call it.
    pub visibility: Visibility,
    /// Types of the arguments.
    pub inputs: Vec<TypeId>,
    /// Types of the results.
    pub results: Vec<TypeId>,
    /// Attributes of each argument.
    pub arg_attrs: Vec<Attrs>,
    /// Attributes of each result.
    pub result_attrs: Vec<Attrs>,
    /// Other attributes.
    pub attrs: Attrs,
    /// The body; nothing for a declaration.
    pub body: Option<RegionId>,
    /// Where it comes from.
    pub loc: LocId,
    /// Where its name stands in the text.
    pub span: Span,
}

impl Func {
    /// The number of the result that takes an argument's memory, where the argument says which.
    pub fn taken_by(&self, argument: usize) -> Option<usize> {
        let number = self.arg_attrs.get(argument)?.get(names::TF_ALIASING_OUTPUT)?;
        usize::try_from(number.as_int()?).ok()
    }

    /// Whether an argument's memory is given away, to a result that it names or to any.
    pub fn is_donated(&self, argument: usize) -> bool {
        let says = |name| self.arg_attrs.get(argument).is_some_and(|attrs| attrs.get(name).is_some());
        says(names::TF_ALIASING_OUTPUT) || says(names::JAX_BUFFER_DONOR)
    }
}

/// `sdy.mesh @name = <…>`.
#[derive(Clone, Debug)]
pub struct MeshDecl {
    /// The symbol.
    pub name: Sym,
    /// Axes and devices.
    pub mesh: MeshAttr,
    /// Other attributes.
    pub attrs: Attrs,
    /// Where it comes from.
    pub loc: LocId,
    /// Where its name stands in the text.
    pub span: Span,
    /// How many functions stand before it, so that printing keeps the order.
    pub before_func: u32,
}

/// A region: one block.
#[derive(Clone, Debug)]
pub struct Region {
    /// The arguments of the block.
    pub args: IdRange<ValueId>,
    /// The operations in order; the last is the terminator.
    pub ops: Vec<OpId>,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// Which row of the op table it is.
    pub kind: OpKind,
    /// Start and length in the operand pool.
    pub(crate) operands: (u32, u32),
    /// The results.
    pub results: IdRange<ValueId>,
    /// Start and length in the region pool.
    pub(crate) regions: (u32, u32),
    /// Inherent and other attributes.
    pub attrs: Attrs,
    /// Where it comes from.
    pub loc: LocId,
    /// Where it stands in the text.
    pub span: Span,
}

/// The name of a value in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueName {
    /// No name was given; the printer makes one.
    None,
    /// `%42`.
    Number(u32),
    /// `%arg0`.
    Name(Sym),
}

/// Where a value is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// The n-th result of an operation.
    Result(OpId, u32),
    /// The n-th argument of a region.
    Arg(RegionId, u32),
}

/// An SSA value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: TypeId,
    /// Its name; several results of one operation share it.
    pub name: ValueName,
    /// Where it is made.
    pub def: ValueDef,
    /// Where it comes from; for a result the location of the operation says it too.
    pub loc: LocId,
}

/// What an operation is made from.
#[derive(Clone, Debug)]
pub struct NewOp {
    /// Which row of the op table it is.
    pub kind: OpKind,
    /// Operands.
    pub operands: smallvec::SmallVec<[ValueId; 4]>,
    /// Types of the results.
    pub result_types: smallvec::SmallVec<[TypeId; 2]>,
    /// The name the results share.
    pub name: ValueName,
    /// Attributes.
    pub attrs: Attrs,
    /// Regions.
    pub regions: smallvec::SmallVec<[RegionId; 2]>,
    /// Where it comes from.
    pub loc: LocId,
    /// Where it stands in the text.
    pub span: Span,
}

impl NewOp {
    /// An operation without attributes, regions or results.
    pub fn new(kind: OpKind) -> Self {
        NewOp {
            kind,
            operands: Default::default(),
            result_types: Default::default(),
            name: ValueName::None,
            attrs: Attrs::default(),
            regions: Default::default(),
            loc: LocTable::unknown(),
            span: Span::default(),
        }
    }
}

impl Module {
    /// An empty module.
    pub fn new() -> Self {
        Module::default()
    }

    /// A module without functions that has the name, the attributes, the meshes and the tables of another: ids of its strings, types and locations mean the same in both.
    pub fn empty_like(other: &Module) -> Self {
        Module {
            name: other.name,
            attrs: other.attrs.clone(),
            loc: other.loc,
            meshes: other.meshes.clone(),
            strings: other.strings.clone(),
            types: other.types.clone(),
            locs: other.locs.clone(),
            ..Module::default()
        }
    }

    /// Makes room for so many more operations, most of which have one result and one or two operands.
    pub fn reserve(&mut self, ops: usize) {
        self.ops.reserve(ops);
        self.values.reserve(ops + ops / 8);
        self.operand_pool.reserve(2 * ops);
    }

    /// Adds an operation with fresh result values. It belongs to no region until one lists it.
    pub fn add_op(&mut self, new: NewOp) -> OpId {
        let id = self.ops.next_id();
        let first = self.values.next_id();
        for (i, ty) in new.result_types.iter().enumerate() {
            let def = ValueDef::Result(id, i as u32);
            self.values.push(Value { ty: *ty, name: new.name, def, loc: new.loc });
        }
        let start = self.operand_pool.len() as u32;
        self.operand_pool.extend_from_slice(&new.operands);
        let regions = (self.region_pool.len() as u32, new.regions.len() as u32);
        self.region_pool.extend_from_slice(&new.regions);
        self.ops.push(Op {
            kind: new.kind,
            operands: (start, new.operands.len() as u32),
            results: IdRange::new(first, new.result_types.len()),
            regions,
            attrs: new.attrs,
            loc: new.loc,
            span: new.span,
        })
    }

    /// Gives a region its arguments.
    pub fn add_region_args(
        &mut self,
        region: RegionId,
        args: impl IntoIterator<Item = (TypeId, ValueName, LocId)>,
    ) -> IdRange<ValueId> {
        let first = self.values.next_id();
        let mut count = 0;
        for (ty, name, loc) in args {
            self.values.push(Value { ty, name, def: ValueDef::Arg(region, count), loc });
            count += 1;
        }
        let range = IdRange::new(first, count as usize);
        self.regions[region].args = range;
        range
    }

    /// Adds an empty region.
    pub fn add_region(&mut self) -> RegionId {
        let args = IdRange::new(ValueId::from_index(0), 0);
        self.regions.push(Region { args, ops: Vec::new() })
    }

    /// Adds a function; nothing where the name is taken.
    pub fn add_func(&mut self, func: Func) -> Option<FuncId> {
        if self.func_names.contains_key(&func.name) {
            return None;
        }
        let name = func.name;
        let id = self.funcs.push(func);
        self.func_names.insert(name, id);
        Some(id)
    }

    /// The function with this symbol.
    pub fn func(&self, name: Sym) -> Option<FuncId> {
        self.func_names.get(&name).copied()
    }

    /// The function with this name.
    pub fn func_named(&self, name: &str) -> Option<FuncId> {
        self.func(self.strings.find(name)?)
    }

    /// The operands of an operation.
    pub fn operands(&self, op: OpId) -> &[ValueId] {
        let (start, len) = self.ops[op].operands;
        &self.operand_pool[start as usize..(start + len) as usize]
    }

    /// Gives an operation another n-th operand.
    pub fn set_operand(&mut self, op: OpId, n: usize, value: ValueId) {
        let (start, len) = self.ops[op].operands;
        debug_assert!(n < len as usize);
        self.operand_pool[start as usize + n] = value;
    }

    /// Replaces operands everywhere, by what `new` gives for them.
    pub fn replace_operands(&mut self, new: impl Fn(ValueId) -> Option<ValueId>) {
        for operand in &mut self.operand_pool {
            *operand = new(*operand).unwrap_or(*operand);
        }
    }

    /// Gives an operation other operands, as many as it has.
    pub fn set_operands(&mut self, op: OpId, new: &[ValueId]) {
        let (start, len) = self.ops[op].operands;
        self.operand_pool[start as usize..(start + len) as usize].copy_from_slice(new);
    }

    /// The operations that stand somewhere in a function, not those that were taken out.
    pub fn reachable_ops(&self) -> Vec<OpId> {
        let mut found = Vec::with_capacity(self.ops.len());
        for func in self.funcs.iter() {
            let first = found.len();
            found.extend(func.body.iter().flat_map(|body| &self.regions[*body].ops));
            let mut next = first;
            while let Some(&op) = found.get(next) {
                found.extend(self.regions_of(op).iter().flat_map(|region| &self.regions[*region].ops));
                next += 1;
            }
        }
        found
    }

    /// How often each value is used, by operations that are there.
    pub fn use_counts(&self) -> IdVec<ValueId, u32> {
        let mut counts = IdVec::filled(0, self.values.len());
        for op in self.reachable_ops() {
            self.operands(op).iter().for_each(|v| counts[*v] += 1);
        }
        counts
    }

    /// The regions of an operation.
    pub fn regions_of(&self, op: OpId) -> &[RegionId] {
        let (start, len) = self.ops[op].regions;
        &self.region_pool[start as usize..(start + len) as usize]
    }

    /// An operation and all that are in it, in the order of the text.
    pub fn within(&self, op: OpId) -> impl Iterator<Item = OpId> + '_ {
        let mut pending: smallvec::SmallVec<[OpId; 1]> = smallvec::smallvec![op];
        std::iter::from_fn(move || {
            let op = pending.pop()?;
            let regions = self.regions_of(op).iter().rev();
            pending.extend(regions.flat_map(|region| self.regions[*region].ops.iter().rev().copied()));
            Some(op)
        })
    }

    /// A view of an operation.
    pub fn op(&self, id: OpId) -> OpRef<'_> {
        OpRef { module: self, id }
    }

    /// The type of a value.
    pub fn type_of(&self, value: ValueId) -> &Type {
        &self.types[self.values[value].ty]
    }

    /// The tensor type of a value, where it has one.
    pub fn tensor_type(&self, value: ValueId) -> Option<&TensorType> {
        self.type_of(value).as_tensor()
    }

    /// The op that makes a value; nothing for arguments.
    pub fn made_by(&self, value: ValueId) -> Option<OpRef<'_>> {
        match self.values[value].def {
            ValueDef::Result(op, _) => Some(self.op(op)),
            ValueDef::Arg(..) => None,
        }
    }

    /// The name of a value as users see it: `%arg0`, `%3`, `%5#1`.
    pub fn value_name(&self, value: ValueId) -> String {
        let data = &self.values[value];
        let mut name = match data.name {
            ValueName::None => format!("%{value:?}"),
            ValueName::Number(n) => format!("%{n}"),
            ValueName::Name(sym) => format!("%{}", &self.strings[sym]),
        };
        if let Some(index) = self.result_number(value) {
            name.push_str(&format!("#{index}"));
        }
        name
    }

    /// The number of a value among the results of one operation that share its name, where several do.
    pub fn result_number(&self, value: ValueId) -> Option<usize> {
        let ValueDef::Result(op, index) = self.values[value].def else { return None };
        let results = self.ops[op].results;
        let shares = |i: usize| self.values[results.at(i)].name == self.values[value].name;
        let index = index as usize;
        // Results of one name stand side by side, nearly always from the first on.
        let first = if shares(0) { 0 } else { first_of_run(index, shares) };
        let several = first < index || (index + 1 < results.len() && shares(index + 1));
        several.then_some(index - first)
    }

    /// `file:line:column` of the user's own source, where it is known.
    pub fn source_line(&self, loc: LocId) -> Option<String> {
        let (file, line, column) = self.locs.file_position(loc)?;
        Some(format!("{}:{line}:{column}", &self.strings[file]))
    }
}

/// Where the run of places that ends with an index and has a property starts.
fn first_of_run(index: usize, has: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, index);
    while low < high {
        let middle = low + (high - low) / 2;
        if has(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

//! Tensors that users name: arguments and results of the program, and values.

use super::import::{boundary_sharding, result_sharding, value_sharding};
use super::spec::{OnValue, Scope, ShardSpec, matches};
use crate::inline::Inlined;
use crate::ir::sdy::{DimSharding, SdyAttr, TensorSharding};
use crate::ir::*;
use crate::ops::Spread;
use rustc_hash::{FxHashMap, FxHashSet};

/// A tensor that can be annotated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// An argument of the program.
    Argument(usize),
    /// A result of the program.
    Result(usize),
    /// The result of an op.
    Value(ValueId),
    /// An argument of a region of an op.
    Inner(OpId, RegionId, usize),
    /// What an op with a region hands to it, by operand.
    Entry(OpId, usize),
}

/// The function that is the program.
pub(super) fn main_func(module: &Module) -> Option<FuncId> {
    module.funcs.ids().next()
}

/// The tensors of a program that users can name, by all their names.
pub(super) struct Places {
    named: Vec<(Scope, String, Place)>,
    by_name: FxHashMap<String, Vec<usize>>,
}

impl Places {
    /// Those of a program; values only where somebody asks for them.
    pub(super) fn new(input: &Module, program: &Inlined, specs: &[ShardSpec]) -> Places {
        let mut places = Places { named: Vec::new(), by_name: FxHashMap::default() };
        let module = &program.module;
        let Some(func) = main_func(module) else { return places };
        let Some(body) = module.funcs[func].body else { return places };
        for (n, arg) in module.regions[body].args.iter().enumerate() {
            let text = program.input_name(input, arg);
            let jax = module.locs.name(module.values[arg].loc).map(|s| module.strings[s].to_string());
            let plain = text.trim_start_matches('%').to_string();
            for name in [format!("arg{n}"), plain, text].into_iter().chain(jax) {
                places.add(Scope::Arguments, name, Place::Argument(n));
            }
        }
        for (n, attrs) in module.funcs[func].result_attrs.iter().enumerate() {
            let info = attrs.get(names::JAX_RESULT_INFO).and_then(Attr::as_str);
            let info = info.map(|s| module.strings[s].to_string()).filter(|info| !info.is_empty());
            for name in [format!("result{n}")].into_iter().chain(info) {
                places.add(Scope::Results, name, Place::Result(n));
            }
        }
        if specs.iter().any(asks_for_values) {
            places.add_values(input, program);
        }
        places
    }

    fn add_values(&mut self, input: &Module, program: &Inlined) {
        let module = &program.module;
        let mut add = |value: ValueId, place: Place| {
            if module.tensor_type(value).is_some() {
                self.add(Scope::Values, program.input_name(input, value), place);
            }
        };
        for op in module.ops.ids() {
            module.ops[op].results.iter().for_each(|value| add(value, Place::Value(value)));
            for region in module.regions_of(op) {
                for (n, arg) in module.regions[*region].args.iter().enumerate() {
                    add(arg, Place::Inner(op, *region, n));
                }
            }
        }
    }

    fn add(&mut self, scope: Scope, name: String, place: Place) {
        self.by_name.entry(name.clone()).or_default().push(self.named.len());
        self.named.push((scope, name, place));
    }

    /// All tensors that are meant: where each is to be annotated or constrained.
    pub(super) fn find(&self, module: &Module, spec: &ShardSpec) -> Vec<Place> {
        let all = 0..self.named.len();
        let candidates: Vec<usize> = match spec.target.contains(['*', '?']) {
            true => all
                .filter(|n| self.named[*n].1 == spec.target || matches(&spec.target, &self.named[*n].1))
                .collect(),
            false => self.by_name.get(&spec.target).cloned().unwrap_or_default(),
        };
        let meant = candidates.into_iter().map(|n| &self.named[n]).filter(|(scope, ..)| match scope {
            Scope::Values => asks_for_values(spec),
            _ => spec.scope.has(*scope),
        });
        let places = meant.filter_map(|(.., place)| match spec.on_value {
            OnValue::Constraint => Some(*place),
            OnValue::Annotation => place.annotated(module),
        });
        // Some have several names, and the condition and the body of a loop may name their arguments alike.
        let mut seen = FxHashSet::default();
        let found: Vec<Place> = places.filter(|place| seen.insert(*place)).collect();
        found.iter().filter(|place| !place.is_idle(module, &seen)).copied().collect()
    }
}

/// Only who asks for values gets them: `*` alone means arguments and results.
pub(super) fn asks_for_values(spec: &ShardSpec) -> bool {
    spec.scope.has(Scope::Values) && spec.target.starts_with(['%', '@'])
}

/// Tells whether a value is the result of a constraint that the program has itself.
pub(super) fn is_constraint(module: &Module, value: ValueId) -> bool {
    module.made_by(value).is_some_and(|op| matches!(op.def().spread, Spread::Constraint))
}

/// Where the n-th argument of the regions of an op is annotated.
fn handed_in(module: &Module, op: OpId, n: usize) -> Option<Place> {
    match module.op(op).def().spread {
        // Inside and behind a loop a carry has one sharding.
        Spread::Loop => Some(Place::Value(module.ops[op].results.at(n))),
        Spread::Region | Spread::Manual => Some(Place::Entry(op, n)),
        // The elements that a combiner or a comparison takes.
        _ => None,
    }
}

/// A few names that would have matched.
pub(super) fn known_names(program: &Inlined, scope: Scope) -> String {
    let module = &program.module;
    let args = main_func(module).and_then(|f| module.funcs[f].body).map(|b| module.regions[b].args);
    let names: Vec<String> = args
        .into_iter()
        .flat_map(IdRange::iter)
        .enumerate()
        .map(|(n, arg)| match module.locs.name(module.values[arg].loc) {
            Some(name) => format!("`{}`", &module.strings[name]),
            None => format!("`arg{n}`"),
        })
        .take(8)
        .collect();
    match scope {
        Scope::Arguments => format!("arguments are {}", names.join(", ")),
        Scope::Results => "results are `result0`, …".to_string(),
        Scope::Values => "values are such as `%42`, or `@f:%0` in a function that is called".to_string(),
        Scope::All => {
            format!("tensors are {}, `result0`, …, or values such as `%42`", names.join(", "))
        }
    }
}

impl Place {
    /// Name and rank.
    pub(super) fn describe(self, input: &Module, program: &Inlined) -> (String, usize) {
        let module = &program.module;
        let rank = |ty: TypeId| module.types[ty].as_tensor().map_or(0, TensorType::rank);
        let value = |v: ValueId| (program.input_name(input, v), rank(module.values[v].ty));
        match (self, main_func(module)) {
            (Place::Argument(n), Some(func)) => match module.funcs[func].body {
                Some(body) => value(module.regions[body].args.at(n)),
                None => (format!("argument {n}"), rank(module.funcs[func].inputs[n])),
            },
            (Place::Result(n), Some(func)) => (format!("result {n}"), rank(module.funcs[func].results[n])),
            (Place::Value(v), _) => value(v),
            (Place::Inner(_, region, n), _) => value(module.regions[region].args.at(n)),
            (Place::Entry(op, n), _) => match module.regions_of(op).first() {
                Some(region) => value(module.regions[*region].args.at(n)),
                None => (String::new(), 0),
            },
            _ => (String::new(), 0),
        }
    }

    /// Whether it stands inside a manual region, where tensors are local.
    pub(super) fn is_manual(self, module: &Module) -> bool {
        match self {
            Place::Entry(op, _) | Place::Inner(op, ..) => {
                matches!(module.op(op).def().spread, Spread::Manual)
            }
            _ => false,
        }
    }

    /// Returns the value that it is, where it is neither an argument nor a result of the program.
    pub(super) fn value(self, module: &Module) -> Option<ValueId> {
        match self {
            Place::Value(value) => Some(value),
            Place::Inner(_, region, n) => Some(module.regions[region].args.at(n)),
            _ => None,
        }
    }

    /// Returns the place of its annotation; none where nothing can be said of it.
    fn annotated(self, module: &Module) -> Option<Place> {
        match self {
            Place::Inner(op, _, n) => handed_in(module, op, n),
            _ => Some(self),
        }
    }

    /// Tells whether it is an argument that the condition of a loop does not read, beside that of the body.
    fn is_idle(self, module: &Module, found: &FxHashSet<Place>) -> bool {
        let Place::Inner(op, region, n) = self else { return false };
        let value = module.regions[region].args.at(n);
        let reads = |op: OpId| module.within(op).any(|op| module.operands(op).contains(&value));
        matches!(module.op(op).def().spread, Spread::Loop)
            && module
                .regions_of(op)
                .last()
                .is_some_and(|body| *body != region && found.contains(&Place::Inner(op, *body, n)))
            && !module.regions[region].ops.iter().any(|op| reads(*op))
    }

    /// The sharding that stands on it already.
    pub(super) fn sharding(self, module: &Module) -> Option<&TensorSharding> {
        match self {
            Place::Argument(n) => boundary_sharding(&module.funcs[main_func(module)?].arg_attrs[n]),
            Place::Result(n) => boundary_sharding(&module.funcs[main_func(module)?].result_attrs[n]),
            Place::Value(value) => value_sharding(module, value),
            Place::Inner(op, _, n) => handed_in(module, op, n)?.sharding(module),
            Place::Entry(op, n) => match module.ops[op].attrs.get(names::IN_SHARDINGS) {
                Some(Attr::Sdy(sdy)) => match &**sdy {
                    SdyAttr::PerValue(list) => list.get(n),
                    _ => None,
                },
                _ => None,
            },
        }
    }

    /// Puts a sharding on it.
    pub(super) fn annotate(self, module: &mut Module, sharding: TensorSharding) {
        let Some(func) = main_func(module) else { return };
        let attr = |s: TensorSharding| Attr::Sdy(Box::new(SdyAttr::Sharding(s)));
        let open = |module: &Module, value: ValueId| TensorSharding {
            mesh: sharding.mesh.clone(),
            dims: vec![
                DimSharding { open: true, ..DimSharding::default() };
                module.tensor_type(value).map_or(0, TensorType::rank)
            ],
            replicated: Vec::new(),
            unreduced: Vec::new(),
        };
        match self {
            Place::Argument(n) => module.funcs[func].arg_attrs[n].set(names::SDY_SHARDING, attr(sharding)),
            Place::Result(n) => module.funcs[func].result_attrs[n].set(names::SDY_SHARDING, attr(sharding)),
            Place::Value(value) => {
                let ValueDef::Result(op, n) = module.values[value].def else { return };
                if matches!(module.op(op).def().spread, Spread::Constraint) {
                    module.ops[op].attrs.set(names::SHARDING, attr(sharding));
                    return;
                }
                let known = |i: usize| result_sharding(&module.ops[op].attrs, i).cloned();
                let results = module.ops[op].results.iter().enumerate();
                let mut list: Vec<TensorSharding> =
                    results.map(|(i, v)| known(i).unwrap_or_else(|| open(module, v))).collect();
                list[n as usize] = sharding;
                let attr = Attr::Sdy(Box::new(SdyAttr::PerValue(list)));
                module.ops[op].attrs.set(names::SDY_SHARDING, attr);
            }
            Place::Inner(op, _, n) => {
                if let Some(place) = handed_in(module, op, n) {
                    place.annotate(module, sharding);
                }
            }
            Place::Entry(op, n) => {
                let known = |i: usize| Place::Entry(op, i).sharding(module).cloned();
                let operands = module.operands(op).iter().enumerate();
                let mut list: Vec<TensorSharding> =
                    operands.map(|(i, v)| known(i).unwrap_or_else(|| open(module, *v))).collect();
                list[n] = sharding;
                let attr = Attr::Sdy(Box::new(SdyAttr::PerValue(list)));
                module.ops[op].attrs.set(names::IN_SHARDINGS, attr);
            }
        }
    }
}

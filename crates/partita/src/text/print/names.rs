//! Which name each value is printed with.

use crate::ir::*;
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// The names of all values, assigned function by function.
pub(super) struct Names<'m> {
    module: &'m Module,
    names: IdVec<ValueId, ValueName>,
    /// Names that are visible where the walk stands.
    taken: FxHashSet<ValueName>,
    next_number: u32,
}

impl<'m> Names<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let names = IdVec::filled(ValueName::None, module.values.len());
        Names { module, names, taken: FxHashSet::default(), next_number: 0 }
    }

    /// Names everything in the body of a function.
    pub(super) fn start_function(&mut self, body: RegionId) {
        self.taken.clear();
        self.next_number = 0;
        self.region(body);
    }

    fn region(&mut self, region: RegionId) {
        let module = self.module;
        let mut added = Vec::new();
        for value in module.regions[region].args.iter() {
            let name = module.values[value].name;
            self.names[value] = self.claim(name, &mut added);
        }
        for &op in &module.regions[region].ops {
            // Results that were named together stay together.
            let mut previous = None;
            for value in module.ops[op].results.iter() {
                let name = module.values[value].name;
                self.names[value] = match previous {
                    Some((given, printed)) if given == name => printed,
                    _ => self.claim(name, &mut added),
                };
                previous = Some((name, self.names[value]));
            }
            for &inner in module.regions_of(op) {
                self.region(inner);
            }
        }
        for name in added {
            self.taken.remove(&name);
        }
    }

    /// A name nobody has yet: the one asked for, or a fresh one.
    fn claim(&mut self, wanted: ValueName, added: &mut Vec<ValueName>) -> ValueName {
        let mut name = wanted;
        if name == ValueName::None || !self.taken.insert(name) {
            name = loop {
                let fresh = ValueName::Number(self.next_number);
                self.next_number += 1;
                if self.taken.insert(fresh) {
                    break fresh;
                }
            };
        } else if let ValueName::Number(n) = name {
            self.next_number = self.next_number.max(n.saturating_add(1));
        }
        added.push(name);
        name
    }

    /// `%5` or `%5#1`.
    pub(super) fn write(&self, value: ValueId, out: &mut String) {
        self.write_definition(value, out);
        if let Some(number) = self.module.result_number(value) {
            write!(out, "#{number}").unwrap_or_default();
        }
    }

    /// The name without the number of the result.
    pub(super) fn write_definition(&self, value: ValueId, out: &mut String) {
        match self.names[value] {
            ValueName::None => write!(out, "%{value:?}").unwrap_or_default(),
            ValueName::Number(n) => write!(out, "%{n}").unwrap_or_default(),
            ValueName::Name(sym) => {
                out.push('%');
                out.push_str(&self.module.strings[sym]);
            }
        }
    }
}

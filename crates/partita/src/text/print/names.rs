//! Which name each value is printed with.

use super::decimal;
use crate::ir::*;
use crate::text::form::Form;
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
        self.region(body, None);
    }

    /// Forms that are code write the arguments once for all regions, so that all must have the same names.
    fn inner_regions(&mut self, op: OpId) {
        let module = self.module;
        let shared = matches!(module.op(op).def().form, Form::Custom(..));
        let mut first: Option<IdRange<ValueId>> = None;
        for &inner in module.regions_of(op) {
            let args = module.regions[inner].args;
            match first {
                Some(named) if shared && named.len() == args.len() => self.region(inner, Some(named)),
                _ => self.region(inner, None),
            }
            first.get_or_insert(args);
        }
    }

    /// Names everything in a region; its arguments as those of another region that has been left.
    fn region(&mut self, region: RegionId, like: Option<IdRange<ValueId>>) {
        let module = self.module;
        let mut added = Vec::new();
        for (n, value) in module.regions[region].args.iter().enumerate() {
            let name = like.map_or(module.values[value].name, |like| self.names[like.at(n)]);
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
            self.inner_regions(op);
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
            out.push('#');
            decimal(number as u64, out);
        }
    }

    /// The name without the number of the result.
    pub(super) fn write_definition(&self, value: ValueId, out: &mut String) {
        match self.names[value] {
            ValueName::None => write!(out, "%{value:?}").unwrap_or_default(),
            ValueName::Number(n) => {
                out.push('%');
                decimal(u64::from(n), out);
            }
            ValueName::Name(sym) => {
                out.push('%');
                out.push_str(&self.module.strings[sym]);
            }
        }
    }
}

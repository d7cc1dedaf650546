//! The same program with other floats: wider ones, to see what it would compute if hardly anything were rounded, or narrower ones, to
//! see how much of a difference is rounding.
//!
//! Ops that depend on the format of their numbers (bit casts, calls of others' functions) keep their types, between conversions.

use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::value::Tensor;
use rustc_hash::FxHashMap;

/// Other floats for a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floats {
    /// Every float of 16 to 32 bits becomes `f64`, every complex number two of them.
    Wide,
    /// `f64` becomes `f32`, in complex numbers too.
    Narrow,
}

impl Floats {
    /// A program with these floats.
    pub fn program(self, module: &Module) -> Module {
        let mut new = module.clone();
        let kept: Vec<OpId> = module.ops.ids().filter(|op| module.op(*op).def().traits.format).collect();
        self.change_types(&mut new);
        self.change_attributes(&mut new);
        for &op in &kept {
            for result in new.ops[op].results.iter() {
                new.values[result].ty = module.values[result].ty;
            }
        }
        let after = self.convert_results(&mut new, module, &kept);
        let before = self.convert_operands(&mut new, module, &kept);
        for region in new.regions.ids() {
            let ops = std::mem::take(&mut new.regions[region].ops);
            let around = |op: OpId| {
                let list = |table: &FxHashMap<OpId, Vec<OpId>>| table.get(&op).cloned().unwrap_or_default();
                list(&before).into_iter().chain([op]).chain(list(&after)).collect::<Vec<_>>()
            };
            new.regions[region].ops =
                if kept.is_empty() { ops } else { ops.into_iter().flat_map(around).collect() };
        }
        new
    }

    /// A tensor as a program with these floats takes it.
    pub(super) fn tensor(self, tensor: &Tensor) -> Tensor {
        let elem = self.elem(tensor.elem());
        match tensor.as_splat() {
            _ if elem == tensor.elem() => tensor.clone(),
            Some(value) => Tensor::splat(tensor.ty().with_elem(elem), value),
            None => Tensor::from_fn(tensor.ty().with_elem(elem), |i| tensor.get(i)),
        }
    }

    /// Whether these are other floats than a program has.
    pub(super) fn change(self, module: &Module) -> bool {
        module.values.ids().any(|value| self.changes_value(module, value))
    }

    fn elem(self, elem: Elem) -> Elem {
        match (self, elem) {
            (Floats::Wide, Elem::F16 | Elem::BF16 | Elem::F32) => Elem::F64,
            (Floats::Wide, Elem::C64) => Elem::C128,
            (Floats::Narrow, Elem::F64) => Elem::F32,
            (Floats::Narrow, Elem::C128) => Elem::C64,
            (_, other) => other,
        }
    }

    fn ty(self, ty: &Type) -> Type {
        match ty {
            Type::Tensor(ty) => Type::Tensor(ty.with_elem(self.elem(ty.elem))),
            Type::Tuple(types) => Type::Tuple(types.iter().map(|ty| self.ty(ty)).collect()),
            Type::Future(types) => Type::Future(types.iter().map(|ty| self.ty(ty)).collect()),
            other => other.clone(),
        }
    }

    fn changes_value(self, module: &Module, value: ValueId) -> bool {
        module.tensor_type(value).is_some_and(|ty| self.elem(ty.elem) != ty.elem)
    }

    fn change_types(self, module: &mut Module) {
        let types = &mut module.types;
        let mut known: FxHashMap<TypeId, TypeId> = FxHashMap::default();
        let mut new = |ty: TypeId| {
            *known.entry(ty).or_insert_with(|| {
                let new = self.ty(&types[ty]);
                types.intern(new)
            })
        };
        for value in module.values.ids() {
            module.values[value].ty = new(module.values[value].ty);
        }
        for func in module.funcs.ids() {
            let func = &mut module.funcs[func];
            func.inputs.iter_mut().chain(&mut func.results).for_each(|ty| *ty = new(*ty));
        }
    }

    /// Constants hold numbers of the new types, and nothing asks for a precision of its own inside of an op.
    fn change_attributes(self, module: &mut Module) {
        for op in module.ops.ids() {
            let attrs = &mut module.ops[op].attrs;
            if let Some(Attr::Elements(value)) = attrs.get(names::VALUE) {
                let value = self.tensor(value);
                attrs.set(names::VALUE, Attr::Elements(Box::new(value)));
            }
            if let Some(Attr::DotAlgorithm(_)) = attrs.get(names::ALGORITHM) {
                attrs.remove(names::ALGORITHM);
            }
        }
    }

    /// Makes every use of a result that keeps its type one of its conversion.
    fn convert_results(self, new: &mut Module, module: &Module, kept: &[OpId]) -> FxHashMap<OpId, Vec<OpId>> {
        let results: Vec<(OpId, ValueId)> = kept
            .iter()
            .flat_map(|&op| module.ops[op].results.iter().map(move |value| (op, value)))
            .filter(|(_, value)| self.changes_value(module, *value))
            .collect();
        // The conversions are made in this order, one value each, so that their ids are known before.
        let first = new.values.next_id().index();
        let converted: FxHashMap<ValueId, ValueId> = results
            .iter()
            .enumerate()
            .map(|(i, (_, value))| (*value, ValueId::from_index(first + i)))
            .collect();
        new.replace_operands(|value| converted.get(&value).copied());
        let mut made: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
        for (op, value) in results {
            let ty = self.ty(module.type_of(value));
            made.entry(op).or_default().push(convert(new, op, value, ty));
        }
        made
    }

    /// Gives ops that keep their types what they were written for.
    fn convert_operands(
        self,
        new: &mut Module,
        module: &Module,
        kept: &[OpId],
    ) -> FxHashMap<OpId, Vec<OpId>> {
        let mut made: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
        for &op in kept {
            let mut operands = new.operands(op).to_vec();
            for (n, &original) in module.operands(op).iter().enumerate() {
                if self.changes_value(module, original) {
                    let conversion = convert(new, op, operands[n], module.type_of(original).clone());
                    operands[n] = new.ops[conversion].results.at(0);
                    made.entry(op).or_default().push(conversion);
                }
            }
            new.set_operands(op, &operands);
        }
        made
    }
}

fn convert(module: &mut Module, near: OpId, value: ValueId, ty: Type) -> OpId {
    let mut new = NewOp::new(OpKind::Convert);
    new.operands.push(value);
    new.result_types.push(module.types.intern(ty));
    new.loc = module.ops[near].loc;
    module.add_op(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_widened_and_bit_casts_keep_their_format() {
        let text = "func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xui32>) -> (tensor<4xf32>, tensor<4xui32>) {
  %0 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.bitcast_convert %arg1 : (tensor<4xui32>) -> tensor<4xf32>
  %cst = stablehlo.constant dense<1.500000e+00> : tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  %3 = stablehlo.multiply %2, %cst : tensor<4xf32>
  %4 = stablehlo.bitcast_convert %3 : (tensor<4xf32>) -> tensor<4xui32>
  return %1, %4 : tensor<4xf32>, tensor<4xui32>
}
";
        let module = crate::text::parse(text).expect("a program");
        let wide = Floats::Wide.program(&module);
        crate::verify::verify(&wide).expect("a sound program");
        let expected = expect_test::expect![[r#"
            module {
              func.func @main(%arg0: tensor<4xf64>, %arg1: tensor<4xui32>) -> (tensor<4xf64>, tensor<4xui32>) {
                %0 = stablehlo.convert %arg0 : tensor<4xf64>
                %1 = stablehlo.bitcast_convert %arg1 : (tensor<4xui32>) -> tensor<4xf32>
                %2 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xf64>
                %cst = stablehlo.constant dense<1.500000e+00> : tensor<4xf64>
                %3 = stablehlo.add %0, %2 : tensor<4xf64>
                %4 = stablehlo.multiply %3, %cst : tensor<4xf64>
                %5 = stablehlo.convert %4 : (tensor<4xf64>) -> tensor<4xf32>
                %6 = stablehlo.bitcast_convert %5 : (tensor<4xf32>) -> tensor<4xui32>
                return %2, %6 : tensor<4xf64>, tensor<4xui32>
              }
            }
        "#]];
        expected.assert_eq(&crate::text::print(&wide));
    }

    #[test]
    fn wide_floats_are_narrowed_and_others_stay() {
        let text = "func.func @main(%arg0: tensor<4xcomplex<f64>>, %arg1: tensor<4xbf16>) -> (tensor<4xf64>, tensor<4xbf16>) {
  %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  return %0, %arg1 : tensor<4xf64>, tensor<4xbf16>
}
";
        let module = crate::text::parse(text).expect("a program");
        let narrow = Floats::Narrow.program(&module);
        crate::verify::verify(&narrow).expect("a sound program");
        let expected = expect_test::expect![[r#"
            module {
              func.func @main(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
                %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
                return %0, %arg1 : tensor<4xf32>, tensor<4xbf16>
              }
            }
        "#]];
        expected.assert_eq(&crate::text::print(&narrow));
    }
}

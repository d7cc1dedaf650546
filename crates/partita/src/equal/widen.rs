//! The same program with its floats widened: what it would compute if hardly anything were rounded.
//!
//! Every float of 16 bits and more becomes `f64`, every complex number two of them. Ops that depend on the format of their
//! numbers (bit casts, calls of others' functions) keep their types, between conversions.

use crate::ir::module::NewOp;
use crate::ir::*;
use crate::ops::OpKind;
use crate::value::Tensor;
use rustc_hash::FxHashMap;

/// A program whose floats are all wide.
pub fn widen(module: &Module) -> Module {
    let mut wide = module.clone();
    let kept: Vec<OpId> = module.ops.ids().filter(|op| module.op(*op).def().traits.format).collect();
    widen_types(&mut wide);
    widen_attributes(&mut wide);
    for &op in &kept {
        for result in wide.ops[op].results.iter() {
            wide.values[result].ty = module.values[result].ty;
        }
    }
    let after = convert_results(&mut wide, module, &kept);
    let before = convert_operands(&mut wide, module, &kept);
    for region in wide.regions.ids() {
        let ops = std::mem::take(&mut wide.regions[region].ops);
        let around = |op: OpId| {
            let list = |table: &FxHashMap<OpId, Vec<OpId>>| table.get(&op).cloned().unwrap_or_default();
            list(&before).into_iter().chain([op]).chain(list(&after)).collect::<Vec<_>>()
        };
        wide.regions[region].ops =
            if kept.is_empty() { ops } else { ops.into_iter().flat_map(around).collect() };
    }
    wide
}

/// A tensor as the widened program takes it.
pub(super) fn tensor(tensor: &Tensor) -> Tensor {
    let elem = widened(tensor.elem());
    match tensor.as_splat() {
        _ if elem == tensor.elem() => tensor.clone(),
        Some(value) => Tensor::splat(tensor.ty().with_elem(elem), value),
        None => Tensor::from_fn(tensor.ty().with_elem(elem), |i| tensor.get(i)),
    }
}

/// Whether a program has floats that widening changes.
pub(super) fn changes(module: &Module) -> bool {
    module.values.ids().any(|value| is_widened(module, value))
}

fn widened(elem: Elem) -> Elem {
    match elem {
        Elem::F16 | Elem::BF16 | Elem::F32 => Elem::F64,
        Elem::C64 => Elem::C128,
        other => other,
    }
}

fn widened_type(ty: &Type) -> Type {
    match ty {
        Type::Tensor(ty) => Type::Tensor(ty.with_elem(widened(ty.elem))),
        Type::Tuple(types) => Type::Tuple(types.iter().map(widened_type).collect()),
        Type::Future(types) => Type::Future(types.iter().map(widened_type).collect()),
        other => other.clone(),
    }
}

fn widen_types(module: &mut Module) {
    let types = &mut module.types;
    let mut known: FxHashMap<TypeId, TypeId> = FxHashMap::default();
    let mut wide = |ty: TypeId| {
        *known.entry(ty).or_insert_with(|| {
            let new = widened_type(&types[ty]);
            types.intern(new)
        })
    };
    for value in module.values.ids() {
        module.values[value].ty = wide(module.values[value].ty);
    }
    for func in module.funcs.ids() {
        let func = &mut module.funcs[func];
        func.inputs.iter_mut().chain(&mut func.results).for_each(|ty| *ty = wide(*ty));
    }
}

/// Constants hold wide numbers, and nothing asks for a narrower precision inside of an op.
fn widen_attributes(module: &mut Module) {
    for op in module.ops.ids() {
        let attrs = &mut module.ops[op].attrs;
        if let Some(Attr::Elements(value)) = attrs.get(names::VALUE) {
            let value = tensor(value);
            attrs.set(names::VALUE, Attr::Elements(Box::new(value)));
        }
        if let Some(Attr::DotAlgorithm(_)) = attrs.get(names::ALGORITHM) {
            attrs.remove(names::ALGORITHM);
        }
    }
}

/// Makes every use of a narrow result one of its conversion.
fn convert_results(wide: &mut Module, module: &Module, kept: &[OpId]) -> FxHashMap<OpId, Vec<OpId>> {
    let narrow: Vec<(OpId, ValueId)> = kept
        .iter()
        .flat_map(|&op| module.ops[op].results.iter().map(move |value| (op, value)))
        .filter(|(_, value)| is_widened(module, *value))
        .collect();
    // The conversions are made in this order, one value each, so that their ids are known before.
    let first = wide.values.next_id().index();
    let new: FxHashMap<ValueId, ValueId> =
        narrow.iter().enumerate().map(|(i, (_, value))| (*value, ValueId::from_index(first + i))).collect();
    wide.replace_operands(|value| new.get(&value).copied());
    let mut made: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
    for (op, value) in narrow {
        let ty = widened_type(module.type_of(value));
        made.entry(op).or_default().push(convert(wide, op, value, ty));
    }
    made
}

/// Gives ops that keep their types what they were written for.
fn convert_operands(wide: &mut Module, module: &Module, kept: &[OpId]) -> FxHashMap<OpId, Vec<OpId>> {
    let mut made: FxHashMap<OpId, Vec<OpId>> = FxHashMap::default();
    for &op in kept {
        let mut operands = wide.operands(op).to_vec();
        for (n, &original) in module.operands(op).iter().enumerate() {
            if is_widened(module, original) {
                let conversion = convert(wide, op, operands[n], module.type_of(original).clone());
                operands[n] = wide.ops[conversion].results.at(0);
                made.entry(op).or_default().push(conversion);
            }
        }
        wide.set_operands(op, &operands);
    }
    made
}

fn is_widened(module: &Module, value: ValueId) -> bool {
    module.tensor_type(value).is_some_and(|ty| widened(ty.elem) != ty.elem)
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
        let wide = widen(&module);
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
}

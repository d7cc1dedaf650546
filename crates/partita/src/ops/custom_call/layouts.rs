//! What a call says about the memory of its operands and results. Values here have no layout; what is said is
//! checked and kept.

use crate::ir::{Attr, OpRef, Type, names};
use crate::ops::check::ensure;
use crate::ops::def::OpError;

/// That there is a layout for each operand and each result, or none at all, and that each is a permutation.
pub(super) fn verify(op: OpRef<'_>) -> Result<(), OpError> {
    let (operands, results) = (op.attr(names::OPERAND_LAYOUTS), op.attr(names::RESULT_LAYOUTS));
    let (operands, results) = match (operands, results) {
        (Some(Attr::Array(operands)), Some(Attr::Array(results))) => (operands, results),
        (None, None) => return Ok(()),
        _ => {
            return Err(OpError::new("layouts are given for the operands or the results only")
                .fix("give both `operand_layouts` and `result_layouts`, or none"));
        }
    };
    let operand_types: Vec<&Type> = op.operand_types().collect();
    let result_types: Vec<&Type> = match &op.result_types().collect::<Vec<_>>()[..] {
        // One tuple: a layout for each of its parts.
        [Type::Tuple(parts)] => parts.iter().collect(),
        types => types.to_vec(),
    };
    verify_list("operand", &operand_types, operands)?;
    verify_list("result", &result_types, results)
}

fn verify_list(what: &str, types: &[&Type], layouts: &[Attr]) -> Result<(), OpError> {
    ensure!(
        types.len() == layouts.len(),
        "there are {} {what}s, but `{what}_layouts` has {} entries",
        types.len(),
        layouts.len()
    );
    for (n, (ty, layout)) in types.iter().zip(layouts).enumerate() {
        let Some(order) = permutation(layout) else {
            return Err(OpError::new(format!(
                "the layout of {what} {n} must be `dense<…> : tensor<…xindex>`"
            )));
        };
        let rank = match ty {
            Type::Tensor(ty) => ty.rank(),
            Type::Tuple(_) => {
                return Err(OpError::new(format!("{what} {n} is a tuple, for which no layout can be given")));
            }
            _ => 0,
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        ensure!(
            sorted.iter().copied().eq(0..rank as i64),
            "the layout of {what} {n} is {order:?}, but it must be an order of the dimensions of `{ty}`"
        );
    }
    Ok(())
}

/// The numbers of a layout. Tensors of `index` are kept as text: `dense<[1, 0]> : tensor<2xindex>`.
fn permutation(layout: &Attr) -> Option<Vec<i64>> {
    match layout {
        Attr::Elements(tensor) => Some(tensor.to_i64s()),
        Attr::Opaque(text) => {
            let (list, ty) = text.strip_prefix("dense<")?.split_once('>')?;
            ty.contains("index").then_some(())?;
            numbers(list.trim_matches(['[', ']']))
        }
        _ => None,
    }
}

/// `1, 2, 3`.
fn numbers(list: &str) -> Option<Vec<i64>> {
    if list.trim().is_empty() {
        return Some(Vec::new());
    }
    list.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// An alias `#stablehlo.output_operand_alias<…>`: a result that shares the memory of an operand.
struct Alias {
    output: Vec<i64>,
    operand: i64,
    operand_part: Vec<i64>,
}

/// An alias from its text.
fn alias(attr: &Attr) -> Option<Alias> {
    let Attr::Opaque(text) = attr else { return None };
    let fields = text.strip_prefix("#stablehlo.output_operand_alias<")?.strip_suffix('>')?;
    let field = |name: &str| {
        let rest = fields[fields.find(name)? + name.len()..].trim_start().strip_prefix('=')?;
        Some(rest.trim_start())
    };
    let list = |name: &str| numbers(field(name)?.strip_prefix('[')?.split_once(']')?.0);
    let operand = field("operand_index")?.split([',', '>']).next()?.trim().parse().ok()?;
    Some(Alias {
        output: list("output_tuple_indices")?,
        operand,
        operand_part: list("operand_tuple_indices")?,
    })
}

/// That each alias joins an operand to a result of the same type.
pub(super) fn verify_aliases(op: OpRef<'_>) -> Result<(), OpError> {
    let Some(Attr::Array(aliases)) = op.attr(names::OUTPUT_OPERAND_ALIASES) else { return Ok(()) };
    for attr in aliases {
        let Some(alias) = alias(attr) else {
            return Err(OpError::new(
                "`output_operand_aliases` must be a list of `#stablehlo.output_operand_alias<…>`",
            ));
        };
        let count = op.operands().len();
        ensure!(
            (0..count as i64).contains(&alias.operand),
            "an alias names operand {}, but there are only {count} operands",
            alias.operand
        );
        let operand = part(op.operand_type(alias.operand as usize), &alias.operand_part);
        let results: Vec<&Type> = op.result_types().collect();
        let result = match (&results[..], &alias.output[..]) {
            ([only], path) => part(only, path),
            (several, [first, rest @ ..]) => {
                usize::try_from(*first).ok().and_then(|n| part(several.get(n)?, rest))
            }
            _ => None,
        };
        match (operand, result) {
            (Some(operand), Some(result)) => ensure!(
                operand == result,
                "an alias joins operand {} of type `{operand}` to a result of type `{result}`",
                alias.operand
            ),
            (None, _) => {
                return Err(OpError::new(format!(
                    "an alias names part {:?} of operand {}, which has no such part",
                    alias.operand_part, alias.operand
                )));
            }
            (_, None) => {
                return Err(OpError::new(format!(
                    "an alias names result {:?}, but there is no such result",
                    alias.output
                )));
            }
        }
    }
    Ok(())
}

/// The part of a type that a path of tuple indices leads to.
fn part<'t>(mut ty: &'t Type, path: &[i64]) -> Option<&'t Type> {
    for &i in path {
        let Type::Tuple(parts) = ty else { return None };
        ty = parts.get(usize::try_from(i).ok()?)?;
    }
    Some(ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_and_aliases_are_read_from_their_text() {
        let layout = |text: &str| permutation(&Attr::Opaque(text.into()));
        assert_eq!(layout("dense<[1, 0]> : tensor<2xindex>"), Some(vec![1, 0]));
        assert_eq!(layout("dense<> : tensor<0xindex>"), Some(vec![]));
        assert_eq!(layout("dense<0> : tensor<1xindex>"), Some(vec![0]));
        assert_eq!(layout("#other<1>"), None);
        let text = "#stablehlo.output_operand_alias<output_tuple_indices = [0, 2], operand_index = 1, \
                    operand_tuple_indices = []>";
        let alias = alias(&Attr::Opaque(text.into())).unwrap();
        assert_eq!((alias.output, alias.operand, alias.operand_part), (vec![0, 2], 1, vec![]));
    }
}

//! Rules of collectives that the program writes itself. They exchange values between programs or manual devices;
//! along mesh axes that the partitioner may use they work on each shard alone.

use crate::ir::{OpRef, Sym, names};
use crate::ops::OpError;
use crate::ops::rule::{Kind, Rule, RuleBuilder};

type Result<T> = std::result::Result<T, OpError>;

/// The dimensions that a collective cuts or joins.
const EXCHANGED: [Sym; 4] =
    [names::ALL_GATHER_DIM, names::SCATTER_DIMENSION, names::SPLIT_DIMENSION, names::CONCAT_DIMENSION];

/// Dimensions go through, operand by result; those that the exchange cuts or joins are whole, also where they keep their size.
pub fn exchange(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let Some(from) = rule.operand_shapes.first().cloned() else { return Rule::whole(op) };
    let Some(to) = rule.result_shapes.first().cloned() else { return Rule::whole(op) };
    if from.len() != to.len() || rule.operand_shapes.len() != rule.result_shapes.len() {
        return Rule::whole(op);
    }
    let exchanged: Vec<i64> = EXCHANGED.iter().filter_map(|name| op.int(*name)).collect();
    for dim in 0..from.len() {
        let all_keep = !exchanged.contains(&(dim as i64))
            && (0..rule.operand_shapes.len()).all(|n| {
                let (from_n, to_n) = (&rule.operand_shapes[n], &rule.result_shapes[n]);
                from_n.get(dim) == Some(&from[dim]) && to_n.get(dim) == Some(&from[dim])
            });
        if all_keep {
            let factor = rule.factor(from[dim], Kind::Parallel)?;
            rule.everywhere(dim, factor);
            continue;
        }
        for n in 0..rule.operand_shapes.len() {
            if let Some(&size) = rule.operand_shapes[n].get(dim) {
                let factor = rule.factor(size, Kind::Whole)?;
                rule.operand(n, dim, factor);
            }
            if let Some(&size) = rule.result_shapes[n].get(dim) {
                let factor = rule.factor(size, Kind::Whole)?;
                rule.result(n, dim, factor);
            }
        }
    }
    Ok(rule.build())
}

//! Rules of contractions.

use super::padding;
use crate::ir::attr::{ConvDims, DotDims};
use crate::ir::{Attr, OpRef, names};
use crate::ops::OpError;
use crate::ops::rule::{Affine, Combine, FactorId, Kind, Rule, RuleBuilder, Window};

type Result<T> = std::result::Result<T, OpError>;

const SUM: Kind = Kind::Reduce(Combine::Add);

/// Batch dimensions, the left's own, the right's own, and the contracted ones.
pub fn dot_general(op: OpRef<'_>) -> Result<Rule> {
    let none = DotDims::default();
    dot_dims(op, op.dot_dims().unwrap_or(&none))
}

/// The last dimension of the left against the first of the right.
pub fn dot(op: OpRef<'_>) -> Result<Rule> {
    let last = op.operand_tensor(0).rank() as i64 - 1;
    dot_dims(op, &DotDims { lhs_contracting: vec![last], rhs_contracting: vec![0], ..DotDims::default() })
}

fn dot_dims(op: OpRef<'_>, dims: &DotDims) -> Result<Rule> {
    let mut rule = RuleBuilder::new(op);
    let mut out = 0;
    for (&l, &r) in dims.lhs_batch.iter().zip(&dims.rhs_batch) {
        let factor = rule.factor(rule.operand_shapes[0][l as usize], Kind::Parallel)?;
        rule.operand(0, l as usize, factor);
        rule.operand(1, r as usize, factor);
        rule.result(0, out, factor);
        out += 1;
    }
    let sides = [(&dims.lhs_batch, &dims.lhs_contracting), (&dims.rhs_batch, &dims.rhs_contracting)];
    for (n, (batch, contracting)) in sides.into_iter().enumerate() {
        for dim in 0..rule.operand_shapes[n].len() {
            let d = dim as i64;
            if !batch.contains(&d) && !contracting.contains(&d) {
                let factor = rule.factor(rule.operand_shapes[n][dim], Kind::Parallel)?;
                rule.operand(n, dim, factor);
                rule.result(0, out, factor);
                out += 1;
            }
        }
    }
    for (&l, &r) in dims.lhs_contracting.iter().zip(&dims.rhs_contracting) {
        let factor = rule.factor(rule.operand_shapes[0][l as usize], SUM)?;
        rule.operand(0, l as usize, factor);
        rule.operand(1, r as usize, factor);
    }
    Ok(rule.build())
}

/// Batch and features with their groups; along spatial dimensions the input is reached by windows: from the output,
/// and from the kernel, over which is summed.
pub fn convolution(op: OpRef<'_>) -> Result<Rule> {
    let Some(dims) = op.conv_dims() else { return Rule::whole(op) };
    let mut rule = RuleBuilder::new(op);
    let groups = |name| op.int(name).unwrap_or(1).max(1);
    let (batch_groups, feature_groups) =
        (groups(names::BATCH_GROUP_COUNT), groups(names::FEATURE_GROUP_COUNT));
    let place = |d: i64| d as usize;
    let (input, kernel, output) = (0, 1, 0);
    if batch_groups > 1 {
        let group = rule.factor(batch_groups, Kind::Parallel)?;
        rule.operand(input, place(dims.input_batch), group);
        rule.operand(kernel, place(dims.kernel_output_feature), group);
        rule.result(output, place(dims.output_feature), group);
    }
    let batch = rule.factor(rule.result_shapes[0][place(dims.output_batch)], Kind::Parallel)?;
    rule.operand(input, place(dims.input_batch), batch);
    rule.result(output, place(dims.output_batch), batch);
    for spatial in 0..dims.input_spatial.len() {
        spatial_factors(&mut rule, op, dims, spatial)?;
    }
    if feature_groups > 1 {
        let group = rule.factor(feature_groups, Kind::Parallel)?;
        rule.operand(input, place(dims.input_feature), group);
        rule.operand(kernel, place(dims.kernel_output_feature), group);
        rule.result(output, place(dims.output_feature), group);
    }
    let summed = rule.factor(rule.operand_shapes[1][place(dims.kernel_input_feature)], SUM)?;
    rule.operand(input, place(dims.input_feature), summed);
    rule.operand(kernel, place(dims.kernel_input_feature), summed);
    let made = rule.result_shapes[0][place(dims.output_feature)] / (batch_groups * feature_groups);
    if made > 1 {
        let feature = rule.factor(made, Kind::Parallel)?;
        rule.operand(kernel, place(dims.kernel_output_feature), feature);
        rule.result(output, place(dims.output_feature), feature);
    }
    Ok(rule.build())
}

/// `lhs_dilation · x = stride · o + rhs_dilation · k - padding` for one spatial dimension.
fn spatial_factors(rule: &mut RuleBuilder, op: OpRef<'_>, dims: &ConvDims, spatial: usize) -> Result<()> {
    let input = dims.input_spatial[spatial] as usize;
    let kernel = dims.kernel_spatial[spatial] as usize;
    let output = dims.output_spatial[spatial] as usize;
    let at = |name, default| op.opt_ints(name).map_or(default, |list| list[spatial]);
    let windows = rule.result_shapes[0][output];
    let window = rule.operand_shapes[1][kernel];
    let along = rule.factor(windows, Kind::Parallel)?;
    rule.result(0, output, along);
    let inside = rule.factor(window, SUM)?;
    rule.operand(1, kernel, inside);
    // Shardings travel along the larger of the two first, and along the other as far as the input has room.
    let mut room = rule.operand_shapes[0][input];
    let mut order: [(i64, FactorId); 2] = [(windows, along), (window, inside)];
    if windows < window {
        order.swap(0, 1);
    }
    for (size, factor) in order {
        let size = size.min(room);
        if size > 1 {
            rule.operand(0, input, factor);
            room /= size;
        }
    }
    let reversed = op.opt_bools(names::WINDOW_REVERSAL).is_some_and(|list| list[spatial]);
    let dilation = at(names::RHS_DILATION, 1);
    let low = padding(op, spatial).0;
    let (dilation, offset) =
        if reversed { (-dilation, low - dilation * (window - 1)) } else { (dilation, low) };
    rule.operand_access(
        0,
        input,
        Affine {
            outer: along,
            window: Window::Factor(inside),
            base: at(names::LHS_DILATION, 1),
            stride: at(names::WINDOW_STRIDES, 1),
            dilation,
            offset,
        },
    );
    Ok(())
}

/// A factor for each letter: summed where the result does not have it.
pub fn einsum(op: OpRef<'_>) -> Result<Rule> {
    let config = op.str(names::EINSUM_CONFIG).unwrap_or_default();
    let Some((inputs, output)) = config.split_once("->") else { return Rule::whole(op) };
    let letters = |text: &str| text.bytes().filter(|b| *b != b' ').collect::<Vec<u8>>();
    let inputs: Vec<Vec<u8>> = inputs.split(',').map(letters).collect();
    let output = letters(output);
    let mut rule = RuleBuilder::new(op);
    let fits = inputs.len() == rule.operand_shapes.len()
        && inputs.iter().zip(&rule.operand_shapes).all(|(i, s)| i.len() == s.len())
        && output.len() == rule.result_shapes[0].len();
    // A diagonal is no product of dimensions.
    let repeats = |list: &[u8]| (1..list.len()).any(|i| list[..i].contains(&list[i]));
    if !fits || inputs.iter().any(|i| repeats(i)) {
        return Rule::whole(op);
    }
    let mut known: Vec<(u8, FactorId)> = Vec::new();
    for (n, input) in inputs.iter().enumerate() {
        for (dim, letter) in input.iter().enumerate() {
            let factor = match known.iter().find(|k| k.0 == *letter) {
                Some(&(_, factor)) => factor,
                None => {
                    let kind = if output.contains(letter) { Kind::Parallel } else { SUM };
                    let factor = rule.factor(rule.operand_shapes[n][dim], kind)?;
                    known.push((*letter, factor));
                    factor
                }
            };
            rule.operand(n, dim, factor);
        }
    }
    for (dim, letter) in output.iter().enumerate() {
        if let Some(&(_, factor)) = known.iter().find(|k| k.0 == *letter) {
            rule.result(0, dim, factor);
        }
    }
    Ok(rule.build())
}

/// As `dot_general` where groups of rows have a matrix each. The group sizes and the dimension of groups are whole,
/// and so is a ragged dimension that is summed or batched: where a group ends is known to all devices or to none.
pub fn ragged_dot(op: OpRef<'_>) -> Result<Rule> {
    let Some(Attr::RaggedDot(dims)) = op.attr(names::RAGGED_DOT_DIMENSION_NUMBERS) else {
        return Rule::whole(op);
    };
    let mut rule = RuleBuilder::new(op);
    let dot = &dims.dot;
    let ragged = |d: i64| dims.lhs_ragged.contains(&d);
    // With groups in the sum, the result has one matrix for each of them, in front.
    let summed_by_group = dot.lhs_contracting.iter().any(|d| ragged(*d));
    let mut out = 0;
    if summed_by_group {
        let groups = rule.factor(rule.result_shapes[0][0], Kind::Whole)?;
        rule.result(0, 0, groups);
        out = 1;
    }
    for (&l, &r) in dot.lhs_batch.iter().zip(&dot.rhs_batch) {
        let kind = if ragged(l) { Kind::Whole } else { Kind::Parallel };
        let factor = rule.factor(rule.operand_shapes[0][l as usize], kind)?;
        rule.operand(0, l as usize, factor);
        rule.operand(1, r as usize, factor);
        rule.result(0, out, factor);
        out += 1;
    }
    let sides = [(&dot.lhs_batch, &dot.lhs_contracting), (&dot.rhs_batch, &dot.rhs_contracting)];
    for (n, (batch, contracting)) in sides.into_iter().enumerate() {
        for dim in 0..rule.operand_shapes[n].len() {
            let d = dim as i64;
            if batch.contains(&d) || contracting.contains(&d) {
                continue;
            }
            let size = rule.operand_shapes[n][dim];
            if n == 1 && dims.rhs_group.contains(&d) {
                let groups = rule.factor(size, Kind::Whole)?;
                rule.operand(n, dim, groups);
                continue;
            }
            // The sizes of the groups count rows of the whole.
            let kind = if n == 0 && ragged(d) { Kind::Whole } else { Kind::Parallel };
            let factor = rule.factor(size, kind)?;
            rule.operand(n, dim, factor);
            rule.result(0, out, factor);
            out += 1;
        }
    }
    for (&l, &r) in dot.lhs_contracting.iter().zip(&dot.rhs_contracting) {
        let kind = if ragged(l) { Kind::Whole } else { SUM };
        let factor = rule.factor(rule.operand_shapes[0][l as usize], kind)?;
        rule.operand(0, l as usize, factor);
        rule.operand(1, r as usize, factor);
    }
    for dim in 0..rule.operand_shapes[2].len() {
        let factor = rule.factor(rule.operand_shapes[2][dim], Kind::Whole)?;
        rule.operand(2, dim, factor);
    }
    Ok(rule.build())
}

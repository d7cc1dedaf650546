//! Rules of custom calls, by the name of what is called.

use super::{linalg, reduce};
use crate::ir::sdy::SdyAttr;
use crate::ir::{Attr, OpRef, names};
use crate::ops::rule::{Kind, Rule};
use crate::ops::{OpError, Spread};
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, OpError>;

/// A rule function.
type Make = Box<dyn Fn(OpRef<'_>) -> Result<Rule> + Send + Sync>;

/// Rules of custom calls that users add to those known here.
#[derive(Default)]
pub struct CallRules {
    by_target: FxHashMap<String, CallRule>,
}

enum CallRule {
    Text(String),
    Function(Make),
}

impl CallRules {
    /// Adds a rule as text: `([b, i], [b, j])->([b, 1])`, in the form that rules are printed in. Sizes may be left
    /// out where the types of a call give them.
    pub fn add_text(&mut self, target: &str, text: &str) -> Result<()> {
        Rule::check_text(text)?;
        self.by_target.insert(target.to_string(), CallRule::Text(text.to_string()));
        Ok(())
    }

    /// Adds a rule as a function of the call.
    pub fn add_function(
        &mut self,
        target: &str,
        rule: impl Fn(OpRef<'_>) -> Result<Rule> + Send + Sync + 'static,
    ) {
        self.by_target.insert(target.to_string(), CallRule::Function(Box::new(rule)));
    }

    /// The rule of an operation, where it has one: its own, or that of its kind.
    pub fn rule_of(&self, op: OpRef<'_>) -> Option<Result<Rule>> {
        self.own_rule(op).or_else(|| match op.def().spread {
            Spread::Rule(rule, _) => Some(rule(op)),
            Spread::Whole(_) => Some(Rule::whole(op)),
            _ => None,
        })
    }

    /// The rule that an operation has for itself: the one written on it, or the one the user gives for what it calls.
    pub(crate) fn own_rule(&self, op: OpRef<'_>) -> Option<Result<Rule>> {
        if let Some(Attr::Sdy(sdy)) = op.attr(names::SDY_SHARDING_RULE)
            && let SdyAttr::Rule(text) = &**sdy
        {
            return Some(Rule::parse(text, op));
        }
        if self.by_target.is_empty() {
            return None;
        }
        match self.by_target.get(op.str(names::CALL_TARGET_NAME)?)? {
            CallRule::Text(text) => Some(Rule::parse(text, op)),
            CallRule::Function(rule) => Some(rule(op)),
        }
    }
}

/// The rule of a call that is known here; whole for all others.
pub fn custom_call(op: OpRef<'_>) -> Result<Rule> {
    match op.str(names::CALL_TARGET_NAME).unwrap_or_default() {
        "Sharding"
        | "CompactWyHelper"
        | "InspectSharding"
        | "InvertDiagBlocksLowerTriangular"
        | "InvertDiagBlocksUpperTriangular"
        | "LayoutConstraint"
        | "MoveToDevice"
        | "MoveToHost"
        | "X64Combine"
        | "X64SplitHigh"
        | "X64SplitLow"
        | "annotate_device_placement"
        | "mhlo.erf"
        | "xla.megascale.provide_metadata" => elementwise(op),
        // Shifts by neighbours along a dimension, with results of the operand's shape.
        "_SPMDInternalOp_MultiPad"
        | "_SPMDInternalOp_MultiRotate"
        | "_SPMDInternalOp_MultiSlice"
        | "_SPMDInternalOp_RotateRight"
        | "_SPMDInternalOp_Wrap" => shifting(op),
        "TopK" | "mhlo.topk" => reduce::top_k(op),
        "ApproxTopK" | "PartialReduce" => reduce::approximate_top_k(op),
        "Cholesky" | "Eigh" | "Qr" | "QrDecompositionBlock" | "ProductOfElementaryHouseholderReflectors" => {
            linalg::batches(op, 2)
        }
        name if name.starts_with("lapack_") && name.ends_with("_ffi") => linalg::batches(op, 2),
        _ => Rule::whole(op),
    }
}

/// As an elementwise op, but results along a dimension come from elsewhere along it: shards do not have them.
fn shifting(op: OpRef<'_>) -> Result<Rule> {
    let mut rule = elementwise(op)?;
    rule.factors.iter_mut().for_each(|factor| factor.kind = Kind::Scan);
    Ok(rule)
}

/// As an elementwise op where all shapes are one.
fn elementwise(op: OpRef<'_>) -> Result<Rule> {
    let mut shapes = op.operand_types().chain(op.result_types()).map(|t| t.as_tensor().map(|t| &t.shape));
    let first = shapes.next();
    if shapes.all(|s| Some(s) == first) { Rule::pointwise(op) } else { Rule::whole(op) }
}

//! What must hold of all rules: every op has a considered one, and its text reads back to the same rule.

use crate::ops::rule::Rule;
use crate::ops::{CallRules, OpKind, Spread};
use crate::test_programs::{corpora, examples};

/// A new row starts out whole, for no reason: whoever adds it says how it is sharded, or why not.
#[test]
fn every_op_says_how_it_is_sharded() {
    let forgotten = OpKind::all().filter(|kind| matches!(kind.def().spread, Spread::Whole("")));
    let names: Vec<&str> = forgotten.map(|kind| kind.def().name).collect();
    assert!(names.is_empty(), "these rows need a rule, or `Spread::Whole` with the reason: {names:?}");
}

#[test]
fn the_text_of_a_rule_is_the_rule() {
    let calls = CallRules::default();
    let mut checked = 0;
    for (path, module) in examples().into_iter().chain(corpora()) {
        for op in module.ops.ids().map(|id| module.op(id)) {
            let Some(Ok(rule)) = calls.rule_of(op) else { continue };
            let text = rule.to_string();
            let read = Rule::parse(&text, op).unwrap_or_else(|e| panic!("{}: {}", path.display(), e.message));
            assert_eq!(read, rule, "{}: `{}`: {text}", path.display(), op.def().name);
            checked += 1;
        }
    }
    assert!(checked > 10_000);
}

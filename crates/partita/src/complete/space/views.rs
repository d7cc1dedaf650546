//! What relates the dimensions of a node's tensors: rules, read by factor.

use crate::complete::subject::Subject;
use crate::ir::Id;
use crate::ops::OpKind;
use crate::ops::rule::{Access, Affine, Kind, Rule};
use crate::propagate::{NodeId, RuleId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A factor and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct ViewFactor {
    /// How many indices.
    pub(crate) size: i64,
    /// What splitting it takes.
    pub(crate) kind: Kind,
    /// Whether dimensions that have it are not sharded alike.
    pub(crate) apart: bool,
    /// Dimensions that are split where it is.
    pub(crate) places: SmallVec<[Place; 4]>,
}

/// A dimension of a tensor of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) tensor: u16,
    pub(crate) dim: u8,
    /// Whether the dimension is split along this factor first. Behind others it is out of reach.
    pub(crate) leads: bool,
    /// How it is reached, where it is not reached directly.
    pub(crate) affine: Option<Affine>,
}

/// What relates the tensors of a node.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) factors: Vec<ViewFactor>,
    pub(crate) operands: usize,
}

impl View {
    fn of_rule(rule: &Rule) -> View {
        let mut factors: Vec<ViewFactor> = rule
            .factors
            .iter()
            .map(|f| ViewFactor {
                size: f.size,
                kind: f.kind,
                apart: f.blocked || f.kind == Kind::Whole,
                places: SmallVec::new(),
            })
            .collect();
        for (t, map) in rule.tensors().enumerate() {
            for (d, dim) in map.iter().enumerate() {
                let affine = match dim.access {
                    Access::Direct => None,
                    Access::Affine(affine) => Some(affine),
                };
                // Of a dimension made of several factors, the first that can be split leads.
                let lead = dim.factors.iter().position(|f| rule.factor(*f).size > 1);
                for (n, f) in dim.factors.iter().enumerate() {
                    let place =
                        Place { tensor: t as u16, dim: d as u8, leads: lead.is_none_or(|l| l == n), affine };
                    factors[usize::from(f.0)].places.push(place);
                }
            }
        }
        View { factors, operands: rule.operands.len() }
    }

    /// Tensors of one shape that are split alike.
    fn identity(tensors: usize, rank: usize) -> View {
        let factor = |d: usize| ViewFactor {
            size: 0,
            kind: Kind::Parallel,
            apart: false,
            places: (0..tensors)
                .map(|t| Place { tensor: t as u16, dim: d as u8, leads: true, affine: None })
                .collect(),
        };
        View { factors: (0..rank).map(factor).collect(), operands: tensors.saturating_sub(1) }
    }
}

/// What a view follows from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ViewKey {
    /// An operation with a rule.
    Rule(OpKind, RuleId),
    /// Tensors of one shape: how many, and how many dimensions.
    Identity(u16, u8),
}

/// The number of a view: nodes with equal ones are alike but for their tensors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ViewId(u32);

/// The views of all nodes of a program.
#[derive(Clone)]
pub(crate) struct Views {
    views: Vec<Arc<View>>,
    of: Vec<ViewId>,
}

impl Views {
    pub(crate) fn new(subject: &Subject<'_>) -> Views {
        let mut known: FxHashMap<ViewKey, ViewId> = FxHashMap::default();
        let mut views = Vec::new();
        let number = |id: NodeId| {
            let (key, rule) = key(subject, id);
            *known.entry(key).or_insert_with(|| {
                views.push(Arc::new(match (key, rule) {
                    (ViewKey::Identity(tensors, rank), _) => View::identity(tensors.into(), rank.into()),
                    (_, Some(rule)) => View::of_rule(rule),
                    _ => View::identity(0, 0),
                }));
                ViewId(views.len() as u32 - 1)
            })
        };
        let of = subject.graph.node_ids().map(number).collect();
        Views { views, of }
    }

    /// The number of the view of a node.
    pub(crate) fn id(&self, node: NodeId) -> ViewId {
        self.of[node.index()]
    }

    /// The view of a node.
    pub(crate) fn of(&self, node: NodeId) -> &Arc<View> {
        &self.views[self.id(node).0 as usize]
    }
}

/// What view a node has, and the rule that says so.
fn key<'s>(subject: &'s Subject<'_>, id: NodeId) -> (ViewKey, Option<&'s Rule>) {
    let graph = &subject.graph;
    let ruled = graph.node(id).op.and_then(|op| {
        let (rule, source, _) = graph.op_rule(op)?;
        Some((ViewKey::Rule(subject.module().ops[op].kind, rule), Some(source)))
    });
    ruled.unwrap_or_else(|| {
        let tensors = graph.tensors_of(id);
        let rank = tensors.iter().flatten().map(|s| graph.rank(*s)).min().unwrap_or(0);
        (ViewKey::Identity(tensors.len() as u16, rank as u8), None)
    })
}

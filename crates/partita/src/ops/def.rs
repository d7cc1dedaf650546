//! What a row of the op table holds.

use super::OpKind;
use super::edge::Edge;
use super::linear::{self, Linearity};
use super::local::{self, Localise};
use super::lookup::{self, Lookups};
use super::ordered::{self, Ordering};
use super::spread::Spread;
use super::stages::{self, Stages};
use super::unit::Unit;
use crate::interpret::{EvalError, RegionCaller};
use crate::ir::sdy::SdyKind;
use crate::ir::{Attr, Elem, EnumKind, OpRef, Sym, Type};
use crate::text::form::Form;
use crate::value::{Scalar, Tensor};

/// Gives the types of the results.
pub type Infer = fn(OpRef<'_>) -> Result<Vec<Type>, OpError>;

/// A kernel with regions to call.
pub type RegionKernel = fn(&mut RegionCaller<'_, '_>, OpRef<'_>, &[Tensor]) -> Result<Vec<Tensor>, EvalError>;

/// Everything the compiler knows about one op. Each part of Partita reads what it needs from here.
pub struct OpDef {
    /// The name in the text, with its dialect.
    pub name: &'static str,
    /// One line for people.
    pub doc: &'static str,
    /// The pretty form.
    pub form: Form,
    /// How many operands.
    pub operands: Count,
    /// How many results.
    pub results: Count,
    /// How many regions.
    pub regions: Count,
    /// What its regions end with.
    pub region_end: OpKind,
    /// The attributes that belong to the op. Others are kept and printed back.
    pub attrs: &'static [AttrDef],
    /// The types of the results as they follow from operands and attributes, where they do.
    pub infer: Option<Infer>,
    /// The constraints of the specification that the other fields do not say.
    pub verify: fn(OpRef<'_>) -> Result<(), OpError>,
    /// What it computes.
    pub eval: Eval,
    /// How much it computes and moves.
    pub work: fn(OpRef<'_>) -> Work,
    /// Which part of a device runs it; [`OpDef::unit`] knows more.
    pub unit: Unit,
    /// How shardings of its operands and results belong together.
    pub spread: Spread,
    /// In which operands it is linear.
    pub linear: Linearity,
    /// What running it on shards changes in its attributes.
    pub localise: Localise,
    /// What it finds beside the ends of dimensions that it reaches by windows.
    pub edge: Edge,
    /// Where its windows add to the results: the operand, a scalar, that results start from.
    pub adds_to: Option<usize>,
    /// Which dimensions of its first operand it reaches at computed places.
    pub lookups: Lookups,
    /// What it makes of the dimension that its rule calls a scan.
    pub ordered: Ordering,
    /// In which stages it can be done.
    pub stages: Stages,
    /// Flags.
    pub traits: Traits,
}

/// Facts about an op that are true or not.
#[derive(Clone, Copy, Default)]
pub struct Traits {
    /// It ends a region.
    pub terminator: bool,
    /// It does something besides making results, so that it must stay and keep its order.
    pub effect: bool,
    /// `f(a, b) = f(b, a)`.
    pub commutative: bool,
    /// Its regions see nothing but their own arguments.
    pub isolated: bool,
    /// It depends on the format of its numbers and not on their values alone: their bits, or types fixed from outside.
    pub format: bool,
    /// The sharding it names is that of its operand too, as long as nothing else is said of the operand.
    pub lays_out_operand: bool,
}

impl Traits {
    /// None of them.
    pub const NONE: Traits = Traits {
        terminator: false,
        effect: false,
        commutative: false,
        isolated: false,
        format: false,
        lays_out_operand: false,
    };
}

/// A number of operands, results or regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// At least so many.
    pub min: usize,
    /// At most so many.
    pub max: usize,
}

impl Count {
    /// Any number.
    pub const ANY: Count = Count { min: 0, max: usize::MAX };

    /// Exactly so many.
    pub const fn exactly(n: usize) -> Count {
        Count { min: n, max: n }
    }

    /// At least so many.
    pub const fn at_least(n: usize) -> Count {
        Count { min: n, max: usize::MAX }
    }

    /// Whether a number fits.
    pub fn holds(self, n: usize) -> bool {
        self.min <= n && n <= self.max
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (min, usize::MAX) => write!(f, "at least {min}"),
            (min, max) => write!(f, "{min} to {max}"),
        }
    }
}

/// An attribute that belongs to an op.
#[derive(Clone, Copy)]
pub struct AttrDef {
    /// Its name.
    pub name: Sym,
    /// What it may hold.
    pub kind: AttrKind,
    /// Whether it must be there.
    pub required: bool,
}

/// An attribute that must be there.
pub const fn required(name: Sym, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, required: true }
}

/// An attribute that may be left out.
pub const fn optional(name: Sym, kind: AttrKind) -> AttrDef {
    AttrDef { name, kind, required: false }
}

/// What an attribute may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "named as the variants of `Attr`")]
pub enum AttrKind {
    /// An integer of type `i64`.
    I64,
    /// An integer of type `i32`.
    I32,
    Bool,
    Unit,
    Str,
    /// `array<i64: …>`.
    I64s,
    /// `array<i1: …>`.
    Bools,
    /// `dense<…>`.
    Elements,
    Float,
    Enum(EnumKind),
    /// `[#stablehlo<precision DEFAULT>, …]`.
    Enums(EnumKind),
    Dot,
    DotAlgorithm,
    Conv,
    Gather,
    Scatter,
    Channel,
    /// A matrix `dense<…>`, or axes of a mesh.
    ReplicaGroups,
    RaggedDot,
    Symbol,
    Array,
    Dict,
    /// An attribute of Shardy.
    Sdy(SdyKind),
    /// Anything.
    Any,
}

impl AttrKind {
    /// Whether an attribute is of this kind.
    pub fn holds(self, attr: &Attr) -> bool {
        use crate::ir::attr::IntType;
        match self {
            AttrKind::I64 => matches!(attr, Attr::Int(_, IntType::Elem(Elem::Int(64)))),
            AttrKind::I32 => matches!(attr, Attr::Int(_, IntType::Elem(Elem::Int(32)))),
            AttrKind::Bool => matches!(attr, Attr::Bool(_)),
            AttrKind::Unit => matches!(attr, Attr::Unit),
            AttrKind::Str => matches!(attr, Attr::Str(_) | Attr::Bytes(_)),
            AttrKind::I64s => matches!(attr, Attr::I64s(_)),
            AttrKind::Bools => matches!(attr, Attr::Bools(_)),
            AttrKind::Elements => matches!(attr, Attr::Elements(_)),
            AttrKind::Float => matches!(attr, Attr::Float(..)),
            AttrKind::Enum(kind) => matches!(attr, Attr::Enum(e) if kind.holds(*e)),
            AttrKind::Enums(kind) => match attr {
                Attr::Array(list) => list.iter().all(|a| AttrKind::Enum(kind).holds(a)),
                _ => false,
            },
            AttrKind::Dot => matches!(attr, Attr::Dot(_)),
            AttrKind::DotAlgorithm => matches!(attr, Attr::DotAlgorithm(_)),
            AttrKind::Conv => matches!(attr, Attr::Conv(_)),
            AttrKind::Gather => matches!(attr, Attr::Gather(_)),
            AttrKind::Scatter => matches!(attr, Attr::Scatter(_)),
            AttrKind::Channel => matches!(attr, Attr::Channel(_)),
            AttrKind::RaggedDot => matches!(attr, Attr::RaggedDot(_)),
            AttrKind::ReplicaGroups => matches!(attr, Attr::Elements(_) | Attr::MeshAxes(_)),
            AttrKind::Symbol => matches!(attr, Attr::Symbol(_)),
            AttrKind::Array => matches!(attr, Attr::Array(_)),
            AttrKind::Dict => matches!(attr, Attr::Dict(_)),
            AttrKind::Sdy(kind) => matches!(attr, Attr::Sdy(a) if kind.holds(a)),
            AttrKind::Any => true,
        }
    }

    /// What it is, for messages.
    pub fn describe(self) -> String {
        match self {
            AttrKind::I64 => "an i64 integer".into(),
            AttrKind::I32 => "an i32 integer".into(),
            AttrKind::Bool => "`true` or `false`".into(),
            AttrKind::Unit => "without a value".into(),
            AttrKind::Str => "a string".into(),
            AttrKind::I64s => "a list `array<i64: …>`".into(),
            AttrKind::Bools => "a list `array<i1: …>`".into(),
            AttrKind::Elements => "a constant `dense<…>`".into(),
            AttrKind::Float => "a float".into(),
            AttrKind::Enum(kind) => format!("one of {}", kind.names().join(", ")),
            AttrKind::Enums(kind) => format!("a list of {}", kind.names().join(", ")),
            AttrKind::Dot => "`#stablehlo.dot<…>`".into(),
            AttrKind::DotAlgorithm => "`#stablehlo.dot_algorithm<…>`".into(),
            AttrKind::Conv => "`#stablehlo.conv<…>`".into(),
            AttrKind::Gather => "`#stablehlo.gather<…>`".into(),
            AttrKind::Scatter => "`#stablehlo.scatter<…>`".into(),
            AttrKind::Channel => "`#stablehlo.channel_handle<…>`".into(),
            AttrKind::RaggedDot => "`#chlo.ragged_dot<…>`".into(),
            AttrKind::ReplicaGroups => "a matrix such as `dense<[[0, 1]]> : tensor<1x2xi64>`".into(),
            AttrKind::Symbol => "a symbol such as `@f`".into(),
            AttrKind::Array => "a list `[…]`".into(),
            AttrKind::Dict => "a dictionary `{…}`".into(),
            AttrKind::Sdy(kind) => kind.describe().into(),
            AttrKind::Any => "anything".into(),
        }
    }
}

/// What a broken constraint says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpError {
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub fix: Option<String>,
}

impl OpError {
    /// An error without advice.
    pub fn new(message: impl Into<String>) -> Self {
        OpError { message: message.into(), fix: None }
    }

    /// Adds how to mend it.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// How an op is evaluated by the reference interpreter.
#[derive(Clone, Copy)]
pub enum Eval {
    /// Element by element: the specification's formula on scalars. Operands have the result's shape, or
    /// none: those are repeated.
    Elementwise(fn(&ElementCx<'_>, &[Scalar]) -> Scalar),
    /// From whole tensors to whole tensors.
    Kernel(fn(OpRef<'_>, &[Tensor]) -> Result<Vec<Tensor>, EvalError>),
    /// As a kernel, with regions to call.
    Regions(RegionKernel),
    /// By the interpreter itself: control flow, tuples, tokens, communication.
    Driver(crate::interpret::DriverOp),
    /// Not at all, for the reason given.
    Refuse(&'static str),
}

/// What an elementwise formula may look at besides the elements.
pub struct ElementCx<'m> {
    /// The operation.
    pub op: OpRef<'m>,
    /// The element type of the first operand.
    pub operand: Elem,
    /// The element type of the result.
    pub result: Elem,
}

/// How much an op computes and moves on one device.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Work {
    /// Floating-point (or integer) operations.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
}

/// One operation per element of the results; all operands read and all results written once.
pub fn elementwise_work(op: OpRef<'_>) -> Work {
    let elements: f64 = op.result_types().filter_map(|t| t.as_tensor()).map(|t| t.count() as f64).sum();
    Work { flops: elements, bytes: bytes_moved(op) }
}

/// Nothing computed; all operands read and all results written once.
pub fn moving_work(op: OpRef<'_>) -> Work {
    Work { flops: 0.0, bytes: bytes_moved(op) }
}

/// Nothing computed; as much read as is written, whatever else there is.
pub fn result_work(op: OpRef<'_>) -> Work {
    let bytes: f64 = op.result_types().map(|t| t.bytes() as f64).sum();
    Work { flops: 0.0, bytes: 2.0 * bytes }
}

/// Neither computes nor moves anything.
pub fn no_work(_: OpRef<'_>) -> Work {
    Work::default()
}

/// Bytes of all operands and results.
pub fn bytes_moved(op: OpRef<'_>) -> f64 {
    op.operand_types().chain(op.result_types()).map(|t| t.bytes() as f64).sum()
}

impl OpDef {
    /// A row to start from: no operands, one result, nothing to check.
    pub const BASE: OpDef = OpDef {
        name: "",
        doc: "",
        form: Form::Generic,
        operands: Count::exactly(0),
        results: Count::exactly(1),
        regions: Count::exactly(0),
        region_end: OpKind::Return,
        attrs: &[],
        infer: None,
        verify: |_| Ok(()),
        eval: Eval::Refuse("it has no evaluation"),
        work: moving_work,
        unit: Unit::Memory,
        spread: Spread::Whole(""),
        linear: linear::none,
        localise: local::unchanged,
        edge: Edge::Unknown,
        adds_to: None,
        lookups: lookup::none,
        ordered: ordered::unknown,
        stages: stages::none,
        traits: Traits::NONE,
    };

    /// The attribute of the op with this name.
    pub fn attr(&self, name: Sym) -> Option<&AttrDef> {
        self.attrs.iter().find(|a| a.name == name)
    }

    /// The dialect, `stablehlo`.
    pub fn dialect(&self) -> &'static str {
        self.name.split('.').next().unwrap_or("")
    }
}

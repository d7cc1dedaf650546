//! Regions of elementwise operations on scalars, flattened: what `reduce` and `sort` call once per element.

use crate::ir::{Elem, Module, OpRef, RegionId, ValueId};
use crate::ops::{ElementCx, Eval};
use crate::value::Scalar;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A region as a list of formulas on registers.
///
/// The registers hold the arguments, the constants and the result of each operation. Values are rounded to
/// their types at each step, so that the results are the interpreter's to the last bit.
pub(super) struct ScalarProgram<'m> {
    args: SmallVec<[Elem; 4]>,
    steps: Vec<Step<'m>>,
    results: SmallVec<[usize; 2]>,
    registers: Vec<Scalar>,
}

struct Step<'m> {
    formula: fn(&ElementCx<'_>, &[Scalar]) -> Scalar,
    cx: ElementCx<'m>,
    operands: Operands,
    result: usize,
}

/// The registers that a formula reads.
enum Operands {
    One(usize),
    Two(usize, usize),
    Three(usize, usize, usize),
}

impl Operands {
    /// Nothing where there are more than any elementwise op has.
    fn new(registers: &[usize]) -> Option<Operands> {
        match *registers {
            [a] => Some(Operands::One(a)),
            [a, b] => Some(Operands::Two(a, b)),
            [a, b, c] => Some(Operands::Three(a, b, c)),
            _ => None,
        }
    }
}

impl<'m> ScalarProgram<'m> {
    /// The program of a region. Nothing where the region has other operations than elementwise ones on scalars
    /// and constants, or uses values from outside.
    pub(super) fn compile(module: &'m Module, region: RegionId) -> Option<Self> {
        let region = &module.regions[region];
        let mut program = ScalarProgram {
            args: SmallVec::new(),
            steps: Vec::new(),
            results: SmallVec::new(),
            registers: Vec::new(),
        };
        let mut places: FxHashMap<ValueId, usize> = FxHashMap::default();
        for arg in region.args.iter() {
            let elem = scalar_elem(module, arg)?;
            places.insert(arg, program.register(Scalar::zero(elem)));
            program.args.push(elem);
        }
        let (end, body) = region.ops.split_last()?;
        for id in body {
            let op = module.op(*id);
            let result = program.operation(op, &places)?;
            places.insert(op.op().results.at(0), result);
        }
        let end = module.op(*end);
        if !end.def().traits.terminator {
            return None;
        }
        program.results =
            end.operands().iter().map(|value| places.get(value).copied()).collect::<Option<_>>()?;
        Some(program)
    }

    fn register(&mut self, value: Scalar) -> usize {
        self.registers.push(value);
        self.registers.len() - 1
    }

    /// Adds an operation and gives the register of its result.
    fn operation(&mut self, op: OpRef<'m>, places: &FxHashMap<ValueId, usize>) -> Option<usize> {
        if op.op().results.len() != 1 || !op.regions().is_empty() {
            return None;
        }
        let result = scalar_elem(op.module, op.op().results.at(0))?;
        match op.def().eval {
            Eval::Elementwise(formula) => {
                let operands: Vec<usize> =
                    op.operands().iter().map(|value| places.get(value).copied()).collect::<Option<_>>()?;
                let operands = Operands::new(&operands)?;
                let operand = scalar_elem(op.module, *op.operands().first()?)?;
                let register = self.register(Scalar::zero(result));
                let cx = ElementCx { op, operand, result };
                self.steps.push(Step { formula, cx, operands, result: register });
                Some(register)
            }
            // What has no operands is a constant.
            Eval::Kernel(kernel) if op.operands().is_empty() => {
                let value = kernel(op, &[]).ok()?.first()?.item();
                Some(self.register(value))
            }
            _ => None,
        }
    }

    /// Runs the program on as many arguments as the region has.
    pub(super) fn run(&mut self, args: &[Scalar]) -> SmallVec<[Scalar; 2]> {
        for ((register, elem), arg) in self.registers.iter_mut().zip(&self.args).zip(args) {
            *register = arg.stored_as(*elem);
        }
        for step in &self.steps {
            let r = &self.registers;
            let value = match step.operands {
                Operands::One(a) => (step.formula)(&step.cx, &[r[a]]),
                Operands::Two(a, b) => (step.formula)(&step.cx, &[r[a], r[b]]),
                Operands::Three(a, b, c) => (step.formula)(&step.cx, &[r[a], r[b], r[c]]),
            };
            self.registers[step.result] = value.stored_as(step.cx.result);
        }
        let mut results = SmallVec::new();
        self.results.iter().for_each(|register| results.push(self.registers[*register]));
        results
    }
}

/// The element type of a value that is a tensor without dimensions.
fn scalar_elem(module: &Module, value: ValueId) -> Option<Elem> {
    module.tensor_type(value).filter(|ty| ty.rank() == 0).map(|ty| ty.elem)
}

//! Regions of elementwise operations on scalars, flattened: what `reduce` and `sort` call once per element.

use crate::ir::{Elem, Module, OpRef, RegionId, ValueId};
use crate::ops::{ElementCx, Eval, Formula};
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
    formula: Formula,
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
    /// The program of a region. Nothing where the region has other operations than formulas on scalars and constants, or uses
    /// values from outside that are no constants.
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
            let result = program.operation(op, &mut places)?;
            places.insert(op.op().results.at(0), result);
        }
        let end = module.op(*end);
        if !end.def().traits.terminator {
            return None;
        }
        program.results = end
            .operands()
            .iter()
            .map(|value| program.place(module, *value, &mut places))
            .collect::<Option<_>>()?;
        Some(program)
    }

    fn register(&mut self, value: Scalar) -> usize {
        self.registers.push(value);
        self.registers.len() - 1
    }

    /// The register of a value. A constant from outside of the region gets one.
    fn place(
        &mut self,
        module: &'m Module,
        value: ValueId,
        places: &mut FxHashMap<ValueId, usize>,
    ) -> Option<usize> {
        if let Some(&register) = places.get(&value) {
            return Some(register);
        }
        let register = self.register(constant(module.made_by(value)?)?);
        places.insert(value, register);
        Some(register)
    }

    /// Adds an operation and gives the register of its result.
    fn operation(&mut self, op: OpRef<'m>, places: &mut FxHashMap<ValueId, usize>) -> Option<usize> {
        if op.op().results.len() != 1 || !op.regions().is_empty() {
            return None;
        }
        let result = scalar_elem(op.module, op.op().results.at(0))?;
        let Some(formula) = op.def().formula() else { return Some(self.register(constant(op)?)) };
        let operands: Vec<usize> =
            op.operands().iter().map(|value| self.place(op.module, *value, places)).collect::<Option<_>>()?;
        let operands = Operands::new(&operands)?;
        let operand = scalar_elem(op.module, *op.operands().first()?)?;
        let register = self.register(Scalar::zero(result));
        let cx = ElementCx { op, operand, result };
        self.steps.push(Step { formula, cx, operands, result: register });
        Some(register)
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

/// The scalar that an operation without operands makes.
fn constant(op: OpRef<'_>) -> Option<Scalar> {
    match op.def().eval {
        Eval::Kernel(kernel) if op.operands().is_empty() && !op.has_effect() => {
            scalar_elem(op.module, op.results().next()?)?;
            Some(kernel(op, &[]).ok()?.first()?.item())
        }
        _ => None,
    }
}

/// The element type of a value that is a tensor without dimensions.
fn scalar_elem(module: &Module, value: ValueId) -> Option<Elem> {
    module.tensor_type(value).filter(|ty| ty.rank() == 0).map(|ty| ty.elem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::OpKind;
    use crate::text::parse::parse;

    /// The program of the first reduction's body.
    fn compiled<R>(text: &str, use_it: impl FnOnce(Option<ScalarProgram<'_>>) -> R) -> R {
        let module = parse(text).unwrap();
        let reduce = module.ops.ids().find(|id| module.op(*id).kind() == OpKind::Reduce).unwrap();
        use_it(ScalarProgram::compile(&module, module.op(reduce).region_id(0)))
    }

    fn reduction(elem: &str, body: &str) -> String {
        format!(
            "func.func @f(%x: tensor<4x{elem}>, %c: tensor<{elem}>) {{
              %0 = stablehlo.reduce(%x init: %c) across dimensions = [0]
                : (tensor<4x{elem}>, tensor<{elem}>) -> tensor<{elem}>
                reducer(%p: tensor<{elem}>, %q: tensor<{elem}>) {{ {body} }}
              return
            }}"
        )
    }

    #[test]
    fn each_step_is_rounded_to_its_type() {
        // 2048 + 1 is 2048 in f16, so that nothing is left of the one.
        let text = reduction(
            "f16",
            "%s = stablehlo.add %p, %q : tensor<f16>
             %t = stablehlo.subtract %s, %p : tensor<f16>
             stablehlo.return %t : tensor<f16>",
        );
        compiled(&text, |program| {
            let results = program.unwrap().run(&[Scalar::Float(2048.0), Scalar::Float(1.0)]);
            assert_eq!(results[..], [Scalar::Float(0.0)]);
        });
    }

    #[test]
    fn constants_and_several_operands_are_compiled() {
        let text = reduction(
            "i8",
            "%c1 = stablehlo.constant dense<100> : tensor<i8>
             %less = stablehlo.compare LT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
             %s = stablehlo.select %less, %q, %c1 : tensor<i1>, tensor<i8>
             %t = stablehlo.add %s, %c1 : tensor<i8>
             stablehlo.return %t : tensor<i8>",
        );
        compiled(&text, |program| {
            let mut program = program.unwrap();
            assert_eq!(program.run(&[Scalar::Int(1), Scalar::Int(2)])[..], [Scalar::Int(102)]);
            assert_eq!(program.run(&[Scalar::Int(2), Scalar::Int(1)])[..], [Scalar::Int(-56)]);
        });
    }

    #[test]
    fn arguments_are_promoted() {
        let text = reduction("f32", "stablehlo.return %q : tensor<f32>");
        compiled(&text, |program| {
            let results = program.unwrap().run(&[Scalar::Int(1), Scalar::Float(0.1)]);
            assert_eq!(results[..], [Scalar::Float(f64::from(0.1f32))]);
        });
    }

    #[test]
    fn bits_and_constants_from_outside_are_compiled() {
        let body = "%b = stablehlo.bitcast_convert %p : (tensor<f32>) -> tensor<i32>
             %s = stablehlo.add %b, %k : tensor<i32>
             %t = stablehlo.bitcast_convert %s : (tensor<i32>) -> tensor<f32>
             stablehlo.return %t : tensor<f32>";
        let text = reduction("f32", body).replace(
            "%0 = stablehlo.reduce",
            "%k = stablehlo.constant dense<1> : tensor<i32>\n%0 = stablehlo.reduce",
        );
        compiled(&text, |program| {
            let results = program.unwrap().run(&[Scalar::Float(1.0), Scalar::Float(0.0)]);
            assert_eq!(results[..], [Scalar::Float(f64::from(1.0 + f32::EPSILON))]);
        });
    }

    #[test]
    fn values_from_outside_are_left_to_the_interpreter() {
        let text = reduction(
            "f32",
            "%s = stablehlo.add %p, %c : tensor<f32>
             stablehlo.return %s : tensor<f32>",
        );
        compiled(&text, |program| assert!(program.is_none()));
    }
}

//! Regions as functions of tensors, for kernels such as `reduce` and `sort`.

use super::EvalError;
use super::scalar_program::ScalarProgram;
use crate::ir::{Module, RegionId};
use crate::value::{Scalar, Tensor};
use smallvec::SmallVec;

/// How the interpreter runs a region on tensors.
pub type RunRegion<'a> = dyn FnMut(RegionId, &[Tensor]) -> Result<Vec<Tensor>, EvalError> + 'a;

/// Calls the regions of an op on behalf of its kernel.
pub struct RegionCaller<'a, 'm> {
    /// The program.
    pub module: &'m Module,
    run: &'a mut RunRegion<'a>,
    /// The regions called with scalars so far; an op has one or two. Nothing stands for a region that has no
    /// flat program.
    programs: SmallVec<[(RegionId, Option<ScalarProgram<'m>>); 1]>,
}

impl<'a, 'm> RegionCaller<'a, 'm> {
    /// A caller that runs regions with a function.
    pub fn new(module: &'m Module, run: &'a mut RunRegion<'a>) -> Self {
        RegionCaller { module, run, programs: SmallVec::new() }
    }

    /// Runs a region on tensors and gives what it returns.
    pub fn call(&mut self, region: RegionId, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
        (self.run)(region, args)
    }

    /// Runs a region of tensors without dimensions on scalars. Cheap where the region is made of elementwise
    /// operations only.
    pub fn call_scalars(
        &mut self,
        region: RegionId,
        args: &[Scalar],
    ) -> Result<SmallVec<[Scalar; 2]>, EvalError> {
        let known = self.programs.iter().position(|(known, _)| *known == region);
        let index = known.unwrap_or_else(|| {
            self.programs.push((region, ScalarProgram::compile(self.module, region)));
            self.programs.len() - 1
        });
        match &mut self.programs[index].1 {
            Some(program) => Ok(program.run(args)),
            None => self.interpret_scalars(region, args),
        }
    }

    fn interpret_scalars(
        &mut self,
        region: RegionId,
        args: &[Scalar],
    ) -> Result<SmallVec<[Scalar; 2]>, EvalError> {
        let module = self.module;
        let types = module.regions[region].args.iter().map(|v| module.tensor_type(v).cloned());
        let tensors: Option<Vec<Tensor>> =
            types.zip(args).map(|(ty, value)| Some(Tensor::splat(ty?, *value))).collect();
        let tensors =
            tensors.ok_or_else(|| EvalError::new("the region takes something else than tensors"))?;
        Ok(self.call(region, &tensors)?.iter().map(Tensor::item).collect())
    }
}

//! Regions as functions of tensors, for kernels such as `reduce` and `sort`.

use super::EvalError;
use crate::ir::{Module, RegionId};
use crate::value::{Scalar, Tensor};
use smallvec::SmallVec;

/// Calls the regions of an op on behalf of its kernel.
pub struct RegionCaller<'a, 'm> {
    /// The program.
    pub module: &'m Module,
    run: &'a mut dyn FnMut(RegionId, &[Tensor]) -> Result<Vec<Tensor>, EvalError>,
}

impl<'a, 'm> RegionCaller<'a, 'm> {
    /// A caller that runs regions with a function.
    pub fn new(
        module: &'m Module,
        run: &'a mut dyn FnMut(RegionId, &[Tensor]) -> Result<Vec<Tensor>, EvalError>,
    ) -> Self {
        RegionCaller { module, run }
    }

    /// Runs a region on tensors and gives what it returns.
    pub fn call(&mut self, region: RegionId, args: &[Tensor]) -> Result<Vec<Tensor>, EvalError> {
        (self.run)(region, args)
    }

    /// Runs a region of tensors without dimensions on scalars.
    pub fn call_scalars(
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

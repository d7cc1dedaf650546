//! Running a program from global arrays to global arrays.

use crate::buffer::Buffer;
use crate::client::Client;
use crate::error::{Error, ErrorKind};
use crate::executable::{Executable, Memory};
use partita::ir::{Module, TensorType, Type};
use partita::partition::{Signature, shard};
use partita::text;
use partita::value::Tensor;
use std::time::{Duration, Instant};

/// A program compiled for the devices of a client.
pub struct Program<'c> {
    client: &'c Client,
    executable: Executable,
    signature: Option<Signature>,
    results: Vec<TensorType>,
}

/// How long the parts of a run took.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// Arrays to the devices.
    pub upload: Duration,
    /// Each step.
    pub steps: Vec<Duration>,
    /// Arrays from the devices.
    pub download: Duration,
}

impl<'c> Program<'c> {
    /// Compiles a module, a per-device program with its signature or one for one device. What runs is `@main`.
    pub fn compile(
        client: &'c Client,
        module: &Module,
        signature: Option<Signature>,
    ) -> Result<Program<'c>, Error> {
        let Some(main) = module.func_named("main").map(|func| &module.funcs[func]) else {
            return Err(Error::new(ErrorKind::Compile, "the program has no function `@main`"));
        };
        let tensor = |ty: &Type| {
            ty.as_tensor().cloned().ok_or_else(|| {
                Error::new(
                    ErrorKind::Compile,
                    format!("a result of type `{ty}` cannot be taken from an engine"),
                )
            })
        };
        let results = main.results.iter().map(|&ty| tensor(&module.types[ty])).collect::<Result<_, _>>()?;
        let partitions = signature.as_ref().map_or(1, |s| s.mesh.device_count() as usize);
        let executable = client.compile(&text::print(module), partitions)?;
        Ok(Program { client, executable, signature, results })
    }

    /// What the program takes on one device, where the platform knows.
    pub fn memory(&self) -> Option<Memory> {
        self.executable.memory()
    }

    /// Runs the program on global arrays this many times, at least once, always on the same arrays; gives the results of the
    /// last time.
    pub fn run(&self, arguments: &[Tensor], steps: usize) -> Result<(Vec<Tensor>, Timing), Error> {
        let (outputs, mut timing) = self.execute(arguments, steps)?;
        let start = Instant::now();
        let results = self.download(&outputs)?;
        timing.download = start.elapsed();
        Ok((results, timing))
    }

    /// The same for the time that it takes alone: results stay where they are.
    pub fn time(&self, arguments: &[Tensor], steps: usize) -> Result<Timing, Error> {
        Ok(self.execute(arguments, steps)?.1)
    }

    /// The results of the last step on each device.
    fn execute(&self, arguments: &[Tensor], steps: usize) -> Result<(Vec<Vec<Buffer>>, Timing), Error> {
        let mut timing = Timing::default();
        let start = Instant::now();
        let uploaded = self.upload(arguments)?;
        timing.upload = start.elapsed();
        // Donated arguments are given away in the last step only: those before it leave them for the next.
        let all: Vec<i64> = (0..arguments.len() as i64).collect();
        let mut outputs = Vec::new();
        for step in 0..steps.max(1) {
            drop(std::mem::take(&mut outputs));
            let start = Instant::now();
            let keep = if step + 1 < steps { &all[..] } else { &[] };
            outputs = self.executable.execute(&uploaded, keep)?;
            timing.steps.push(start.elapsed());
        }
        Ok((outputs, timing))
    }

    /// The shards of the arguments on the devices that have them.
    fn upload(&self, arguments: &[Tensor]) -> Result<Vec<Vec<Buffer>>, Error> {
        let devices = self.executable.devices();
        let Some(signature) = &self.signature else {
            let upload = |tensor: &Tensor| self.client.upload(tensor, devices[0]);
            return Ok(vec![arguments.iter().map(upload).collect::<Result<_, _>>()?]);
        };
        let mut lists: Vec<Vec<Buffer>> =
            devices.iter().map(|_| Vec::with_capacity(arguments.len())).collect();
        signature.place(arguments, shard, |device, shard| {
            lists[device].push(self.client.upload(&shard, devices[device])?);
            Ok(())
        })?;
        Ok(lists)
    }

    /// The global results that shards on the devices make up.
    fn download(&self, outputs: &[Vec<Buffer>]) -> Result<Vec<Tensor>, Error> {
        let download = |device: usize, n: usize| outputs[device][n].download(&self.results[n]);
        match &self.signature {
            Some(signature) => signature.collect(download),
            None => (0..self.results.len()).map(|n| download(0, n)).collect(),
        }
    }
}

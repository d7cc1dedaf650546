//! Compiled programs.

use crate::buffer::Buffer;
use crate::client::{Client, Device, Handle};
use crate::error::{Error, ErrorKind};
use crate::options;
use crate::raw::{self, Opaque};
use std::sync::Arc;

/// A program that is compiled for certain devices.
pub struct Executable {
    handle: Arc<Handle>,
    loaded: Opaque,
    devices: Vec<Device>,
    outputs: usize,
    memory: Option<Memory>,
}

/// What a compiled program takes on one device, in bytes, as its compiler says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The arguments.
    pub arguments: i64,
    /// The results.
    pub results: i64,
    /// How much of the results lies in the arguments' place.
    pub aliased: i64,
    /// Everything between.
    pub temporaries: i64,
}

impl Drop for Executable {
    fn drop(&mut self) {
        let mut destroy = raw::LoadedExecutableDestroy::new();
        destroy.executable = self.loaded;
        self.handle.plugin.release(destroy);
    }
}

impl Client {
    /// Compiles a program in StableHLO text for the first devices of the client, one partition each, as it is: XLA's own
    /// partitioner stays out of it.
    pub fn compile(&self, text: &str, partitions: usize) -> Result<Executable, Error> {
        let Some(devices) = self.devices().get(..partitions) else {
            let message = format!("{partitions} devices are needed, and there are {}", self.devices().len());
            return Err(Error::new(ErrorKind::Devices, message));
        };
        let ids: Vec<i64> = devices.iter().map(|device| device.id).collect();
        let options = options::compile_options(&ids);
        let format = "mlir";
        let mut program = raw::Program::new();
        program.code = text.as_ptr().cast();
        program.code_size = text.len();
        program.format = format.as_ptr().cast();
        program.format_size = format.len();
        let mut compile = raw::ClientCompile::new();
        compile.client = self.handle.client;
        compile.program = &program;
        compile.compile_options = options.as_ptr().cast();
        compile.compile_options_size = options.len();
        let loaded = self.handle.plugin.call(compile)?.executable;
        let mut executable = Executable {
            handle: Arc::clone(&self.handle),
            loaded,
            devices: devices.to_vec(),
            outputs: 0,
            memory: None,
        };
        executable.describe()?;
        Ok(executable)
    }
}

impl Executable {
    fn describe(&mut self) -> Result<(), Error> {
        let plugin = &self.handle.plugin;
        let mut ask = raw::LoadedExecutableGetExecutable::new();
        ask.loaded = self.loaded;
        let executable = plugin.call(ask)?.executable;
        let mut ask = raw::ExecutableNumOutputs::new();
        ask.executable = executable;
        let outputs = plugin.call(ask);
        let mut ask = raw::CompiledMemoryStats::new();
        ask.executable = executable;
        // Not every platform knows.
        let memory = plugin.call(ask).ok();
        let mut destroy = raw::ExecutableDestroy::new();
        destroy.executable = executable;
        plugin.release(destroy);
        self.outputs = outputs?.num_outputs;
        self.memory = memory.map(|stats| Memory {
            arguments: stats.argument,
            results: stats.output,
            aliased: stats.alias,
            temporaries: stats.temp,
        });
        Ok(())
    }

    /// The devices it runs on, in the order of partitions.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// What it takes on one device, where the platform knows.
    pub fn memory(&self) -> Option<Memory> {
        self.memory
    }

    /// Runs on all devices and waits for all of them. `arguments` has the arguments of each device; so has the result.
    ///
    /// Arguments that the program donates are gone afterwards, unless `keep` names them by their number.
    pub fn execute(&self, arguments: &[Vec<Buffer>], keep: &[i64]) -> Result<Vec<Vec<Buffer>>, Error> {
        let count = arguments.first().map_or(0, Vec::len);
        if arguments.len() != self.devices.len() || arguments.iter().any(|list| list.len() != count) {
            let message =
                format!("arguments for {} devices, not for {}", arguments.len(), self.devices.len());
            return Err(Error::new(ErrorKind::Run, message));
        }
        let lists: Vec<Vec<Opaque>> =
            arguments.iter().map(|list| list.iter().map(|buffer| buffer.buffer).collect()).collect();
        let lists: Vec<*const Opaque> = lists.iter().map(|list| list.as_ptr()).collect();
        let mut outputs = vec![vec![std::ptr::null_mut(); self.outputs]; self.devices.len()];
        let output_lists: Vec<*mut Opaque> = outputs.iter_mut().map(|list| list.as_mut_ptr()).collect();
        let mut events = vec![std::ptr::null_mut(); self.devices.len()];
        let mut options = raw::ExecuteOptions::new();
        options.non_donatable_input_indices = keep.as_ptr();
        options.num_non_donatable_input_indices = keep.len();
        let mut execute = raw::LoadedExecutableExecute::new();
        execute.executable = self.loaded;
        execute.options = &options;
        execute.argument_lists = lists.as_ptr();
        execute.num_devices = self.devices.len();
        execute.num_args = count;
        execute.output_lists = output_lists.as_ptr();
        execute.device_complete_events = events.as_mut_ptr();
        self.handle.plugin.call(execute)?;
        let own = |buffer| Buffer { handle: Arc::clone(&self.handle), buffer };
        let results = outputs.into_iter().map(|list| list.into_iter().map(own).collect()).collect();
        // Every event is waited for, whatever the others say.
        let outcomes: Vec<_> = events.into_iter().map(|event| self.handle.plugin.wait(event)).collect();
        outcomes.into_iter().collect::<Result<(), Error>>()?;
        Ok(results)
    }
}

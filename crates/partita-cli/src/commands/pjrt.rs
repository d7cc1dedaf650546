//! Running on devices behind a PJRT plug-in.

use crate::arguments::Arguments;
use crate::error::Failure;
use partita::interpret::Value;
use partita::ir::{FuncId, Module};
use partita::partition::Signature;
use partita::value::Tensor;
use partita_pjrt::{Client, Error, Plugin, Program, find_plugin};
use std::path::Path;

/// Compiles a program for the devices that its signature names, or for one, and runs it on global arrays.
pub fn run(
    module: &Module,
    func: FuncId,
    signature: Option<Signature>,
    arguments: Arguments,
    plugin: Option<&Path>,
) -> Result<Vec<Value>, Failure> {
    if module.func_named("main") != Some(func) {
        return Err(Failure::new("no-function", "an engine runs `@main` only")
            .fix("rename the function, or use `--engine embedded`"));
    }
    let run = || -> Result<Vec<Tensor>, Error> {
        let plugin = Plugin::load(&find_plugin(plugin)?)?;
        let devices = signature.as_ref().map_or(1, |s| s.mesh.device_count() as usize);
        let client = Client::new(&plugin, devices)?;
        let program = Program::compile(&client, module, signature)?;
        let tensors: Vec<Tensor> = arguments.values.into_iter().filter_map(Value::into_tensor).collect();
        Ok(program.run(&tensors, 1)?.0)
    };
    let results = run()?;
    Ok(results.into_iter().map(Value::Tensor).collect())
}

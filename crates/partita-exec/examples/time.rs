//! How long a program takes on the executor: `time FILE.mlir [RUNS] [THREADS]`, on inputs made from a seed.
//!
//! Prints one line of JSON: microseconds for compiling and for each run, and the most memory the process had, in kilobytes. The
//! benchmark `scripts/bench_exec.py` reads it.

use partita::interpret::{GridSize, RunOptions};
use partita::value::{Scalar, Tensor, sample};
use partita_exec::Program;
use std::time::Instant;

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: time FILE.mlir [RUNS] [THREADS]")?;
    let mut number = |default: usize| args.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (runs, threads) = (number(5), number(1));
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
    let first = |errors: Vec<partita::Diagnostic>| {
        errors.first().map_or(String::new(), |error| error.message.to_string())
    };
    let module = partita::text::parse(&text).map_err(first)?;
    partita::verify::verify(&module).map_err(first)?;
    let main = module.func_named("main").ok_or("there is no @main")?;
    let start = Instant::now();
    let program = Program::compile(&module, main).map_err(|why| why.0)?;
    let compile = start.elapsed().as_micros();
    let types = module.funcs[main].inputs.iter().map(|ty| module.types[*ty].as_tensor());
    let inputs: Option<Vec<Tensor>> =
        types.enumerate().map(|(n, ty)| Some(small(sample(ty?.clone(), 0, n as u64)))).collect();
    let inputs = inputs.ok_or("an argument is no tensor")?;
    let size = GridSize { replicas: 1, partitions: 1 };
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        let results = program
            .run_devices(size, vec![inputs.clone()], threads, &mut RunOptions::default())
            .map_err(|error| error.to_string())?;
        times.push(start.elapsed().as_micros());
        drop(results);
    }
    println!("{{\"compile_us\": {compile}, \"run_us\": {times:?}, \"peak_kb\": {}}}", peak_kb());
    Ok(())
}

/// Floats as small as weights are: large ones drive deep models to the ends of functions, and gradients to numbers that processors are
/// slow with.
fn small(tensor: Tensor) -> Tensor {
    if !tensor.elem().is_float() {
        return tensor;
    }
    Tensor::from_fn(tensor.ty().clone(), |i| Scalar::Float(tensor.get(i).real() / 32.0))
}

/// The most memory the process had, where the system tells.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

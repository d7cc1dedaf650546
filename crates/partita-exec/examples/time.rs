//! How long a program takes on the executor: `time FILE.mlir [THREADS] [DEVICES]`, on inputs made from a seed.
//!
//! Speaks with `scripts/bench_exec.py`: each line that comes in is one run, and is answered by a line of JSON with the microseconds that
//! passed and the milliseconds that all threads worked. Where the program says that a result takes the place of an argument, the next run
//! goes on from there, as training does. At the end comes the most memory that the runs took, in kilobytes, beyond what was there before.

use partita::interpret::{GridSize, RunOptions};
use partita::ir::{Attr, names};
use partita::value::{Scalar, Tensor, sample};
use partita_exec::Program;
use std::io::BufRead;
use std::time::Instant;

/// The one of the command-line tool.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: time FILE.mlir [THREADS] [DEVICES]")?;
    let mut number = || args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (threads, devices) = (number(), number());
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
    let first = |errors: Vec<partita::Diagnostic>| {
        errors.first().map_or(String::new(), |error| error.message.to_string())
    };
    let module = partita::text::parse(&text).map_err(first)?;
    partita::verify::verify(&module).map_err(first)?;
    let main = module.func_named("main").ok_or("there is no @main")?;
    let program = Program::compile(&module, main).map_err(|why| why.0)?;
    let before = memory_kb("VmRSS:");
    // From here on the most is what the runs take.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let func = &module.funcs[main];
    let types = func.inputs.iter().map(|ty| module.types[*ty].as_tensor());
    let inputs: Option<Vec<Tensor>> =
        types.enumerate().map(|(n, ty)| Some(small(sample(ty?.clone(), 0, n as u64)))).collect();
    let inputs = inputs.ok_or("an argument is no tensor")?;
    let takes: Vec<Option<usize>> = func
        .arg_attrs
        .iter()
        .map(|attrs| usize::try_from(attrs.get(names::TF_ALIASING_OUTPUT).and_then(Attr::as_int)?).ok())
        .collect();
    // What is given away is kept nowhere else.
    let mut given: Vec<Vec<Option<Tensor>>> = Vec::new();
    given.resize_with(devices, || inputs.iter().cloned().map(Some).collect());
    let kept: Vec<Option<Tensor>> = inputs
        .into_iter()
        .zip(&takes)
        .map(|(input, takes)| if takes.is_some() { None } else { Some(input) })
        .collect();
    for line in std::io::stdin().lock().lines() {
        line.map_err(|error| error.to_string())?;
        let args = given.iter_mut().map(|list| list.iter_mut().filter_map(Option::take).collect()).collect();
        let size = GridSize { replicas: 1, partitions: devices };
        let (start, worked) = (Instant::now(), worked_ms());
        let results = program
            .run_devices(size, args, threads, &mut RunOptions::default())
            .map_err(|error| error.to_string())?;
        println!("{{\"us\": {}, \"work_ms\": {}}}", start.elapsed().as_micros(), worked_ms() - worked);
        for (list, mut results) in given.iter_mut().zip(results) {
            let empty = Tensor::from_i64s(&[]);
            for ((slot, kept), takes) in list.iter_mut().zip(&kept).zip(&takes) {
                let result = takes.and_then(|n| results.get_mut(n));
                *slot = result.map(|r| std::mem::replace(r, empty.clone())).or_else(|| kept.clone());
            }
        }
    }
    println!("{{\"memory_kb\": {}}}", memory_kb("VmHWM:").saturating_sub(before));
    Ok(())
}

/// Floats as small as weights are: large ones drive deep models to the ends of functions.
fn small(tensor: Tensor) -> Tensor {
    if !tensor.elem().is_float() {
        return tensor;
    }
    Tensor::from_fn(tensor.ty().clone(), |i| Scalar::Float(tensor.get(i).real() / 32.0))
}

/// A line about the memory of this process, where the system tells.
fn memory_kb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// How long all threads of this process have worked, where the system tells.
fn worked_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything, come the fields from the third on; ticks are hundredths of a second.
    let fields = stat.rsplit(") ").next().unwrap_or("");
    fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10
}

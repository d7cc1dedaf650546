//! Partita reads StableHLO programs, checks, prints and runs them, and partitions them over device meshes.
//!
//! The library takes text and values and gives text and values: it opens no files and starts no threads.
//! See `ARCHITECTURE.md` for the map.
//!
//! [`Compiler`] is the whole pipeline:
//!
//! ```
//! use partita::sharding::spec::{MeshSpec, ShardSpec};
//!
//! let text = "func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
//!   %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
//!   return %0 : tensor<8x6xf32>
//! }";
//! let program = partita::read(text)?;
//! let (mesh, weight) = (MeshSpec::parse("data=2,model=2")?, ShardSpec::parse("arg1=model,_")?);
//! let compiler = partita::Compiler::new().mesh(mesh).shard(ShardSpec::parse("arg0=data,_")?).shard(weight);
//! let mut compiled = compiler.compile(&program)?;
//! compiled.emit();
//! assert!(compiled.text().contains("all_reduce") || compiled.text().contains("all_gather"));
//! # Ok::<(), partita::Errors>(())
//! ```

pub mod compiler;
pub mod complete;
pub mod device;
pub mod diagnostic;
pub mod equal;
pub mod inline;
pub mod interpret;
pub mod ir;
pub mod ledger;
pub mod ops;
pub mod optimise;
pub mod partition;
pub mod propagate;
pub mod sharding;
pub mod simulate;
#[cfg(test)]
mod test_programs;
pub mod text;
pub mod value;
pub mod verify;

pub use compiler::{Compiled, Compiler, Device};
pub use diagnostic::{Diagnostic, Errors};
pub use ir::Module;

/// Reads a program from StableHLO text and verifies it.
pub fn read(text: &str) -> Result<Module, Errors> {
    let module = text::parse(text)?;
    verify::verify(&module)?;
    Ok(module)
}

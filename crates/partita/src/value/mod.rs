//! Tensors in memory and their elements: constants in the program, values in the interpreter.

mod field;
pub mod minifloat;
mod sample;
pub mod scalar;
pub mod special;
pub mod strided;
pub mod tensor;
pub mod walk;

pub use field::Field;
pub use sample::{sample, spread};
pub use scalar::Scalar;
pub use tensor::{Tensor, TensorBuilder};
pub use walk::Offsets;

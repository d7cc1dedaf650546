//! What a per-device program holds in the memory of a device.

use super::device_bytes;
use crate::interpret::device_memory;
use crate::ir::{FuncId, Id, Module, TypeId};

/// Bytes on one device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Its arguments.
    pub arguments: u64,
    /// Its results.
    pub results: u64,
    /// The most at any time, arguments included: by the life of values, each with room of its own, but for those that are
    /// another under a new name, splats, and results that take the room of a donated argument.
    pub peak: u64,
}

impl Memory {
    /// What the first function of a per-device program holds. Linear in its size.
    pub fn new(module: &Module) -> Memory {
        let Some(func) = module.funcs.iter().next() else { return Memory::default() };
        let sum = |types: &[TypeId]| {
            types.iter().map(|ty| device_bytes(&module.types[*ty])).fold(0, u64::saturating_add)
        };
        let peak = device_memory(module, FuncId::from_index(0), device_bytes).peak;
        Memory { arguments: sum(&func.inputs), results: sum(&func.results), peak }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(arg: &str, body: &str) -> Memory {
        let text = format!("func.func @main(%a: tensor<256xf32>{arg}) -> tensor<256xf32> {{\n{body}\n}}");
        Memory::new(&crate::text::parse(&text).unwrap_or_else(|e| panic!("{e:?}")))
    }

    const DOUBLE: &str = "%0 = stablehlo.add %a, %a : tensor<256xf32>\nreturn %0 : tensor<256xf32>";

    #[test]
    fn donated_buffers_count_once() {
        let kept = Memory { arguments: 1024, results: 1024, peak: 2048 };
        assert_eq!(memory("", DOUBLE), kept);
        assert_eq!(memory(" {tf.aliasing_output = 0 : i32}", DOUBLE), Memory { peak: 1024, ..kept });
    }

    #[test]
    fn values_die_at_their_last_use() {
        let chain = "%0 = stablehlo.add %a, %a : tensor<256xf32>
            %1 = stablehlo.add %0, %0 : tensor<256xf32>
            %2 = stablehlo.reshape %1 : (tensor<256xf32>) -> tensor<16x16xf32>
            %3 = stablehlo.reshape %2 : (tensor<16x16xf32>) -> tensor<256xf32>
            %c = stablehlo.constant dense<1.0> : tensor<256xf32>
            %4 = stablehlo.add %3, %c : tensor<256xf32>
            return %4 : tensor<256xf32>";
        assert_eq!(memory("", chain).peak, 3 * 1024);
    }

    #[test]
    fn what_a_loop_carries_counts_once_beside_what_its_body_makes() {
        let repeat = "%c = stablehlo.constant dense<0> : tensor<i32>
            %0:2 = stablehlo.while(%i = %c, %x = %a) : tensor<i32>, tensor<256xf32>
            cond {
              %n = stablehlo.constant dense<9> : tensor<i32>
              %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %1 : tensor<i1>
            } do {
              %one = stablehlo.constant dense<1> : tensor<i32>
              %1 = stablehlo.add %i, %one : tensor<i32>
              %2 = stablehlo.sine %x : tensor<256xf32>
              %3 = stablehlo.add %x, %2 : tensor<256xf32>
              stablehlo.return %1, %3 : tensor<i32>, tensor<256xf32>
            }
            return %0#1 : tensor<256xf32>";
        let peak = memory("", repeat).peak;
        // The argument, the carried value, and two values of the body.
        assert!((4 * 1024..4 * 1024 + 64).contains(&peak), "{peak}");
    }
}

//! How much memory a program will need on one device, by the lives of its values as its steps have them.
//!
//! The program is walked through once, as a device would, with buffers that only know their size: views share, steps write over what nobody
//! reads afterwards, loops run once. What kernels use inside is not counted.

use crate::program::{Action, Operand, Program, Step};
use partita::ir::{Id, ValueId};

impl Program<'_> {
    /// Bytes that the values of one device hold at most, its arguments and constants among them.
    pub fn memory(&self) -> u64 {
        let mut plan = Plan {
            program: self,
            values: vec![None; self.module.values.len()],
            buffers: Vec::new(),
            live: 0,
            most: 0,
        };
        for (value, array) in &self.constants {
            let bytes = array.clone().into_memory().memory() as u64;
            plan.values[value.index()] = Some(plan.buffer(bytes));
        }
        let inputs = &self.module.funcs[self.func].inputs;
        let args: Vec<Held> =
            inputs.iter().map(|ty| Some(plan.buffer(self.module.types[*ty].bytes() as u64))).collect();
        plan.block(self.entry, args);
        plan.most
    }
}

/// Which buffer holds a value.
type Held = Option<usize>;

struct Plan<'p> {
    program: &'p Program<'p>,
    values: Vec<Held>,
    /// Size and number of holders.
    buffers: Vec<(u64, u32)>,
    live: u64,
    most: u64,
}

impl Plan<'_> {
    fn buffer(&mut self, bytes: u64) -> usize {
        self.live = self.live.saturating_add(bytes);
        self.most = self.most.max(self.live);
        self.buffers.push((bytes, 1));
        self.buffers.len() - 1
    }

    fn release(&mut self, held: Held) {
        let Some((bytes, holders)) = held.and_then(|n| self.buffers.get_mut(n)) else { return };
        *holders -= 1;
        if *holders == 0 {
            self.live = self.live.saturating_sub(*bytes);
        }
    }

    fn share(&mut self, held: Held) -> Held {
        if let Some((_, holders)) = held.and_then(|n| self.buffers.get_mut(n)) {
            *holders += 1;
        }
        held
    }

    /// What a step reads, as its own.
    fn operand(&mut self, operand: &Operand) -> Held {
        let slot = operand.value.index();
        if operand.dies { self.values[slot].take() } else { self.share(self.values[slot]) }
    }

    fn set(&mut self, value: ValueId, held: Held) {
        let before = std::mem::replace(&mut self.values[value.index()], held);
        self.release(before);
    }

    /// Runs a block on arguments that it owns, and gives what it returns.
    fn block(&mut self, number: usize, args: Vec<Held>) -> Vec<Held> {
        let block = &self.program.blocks[number];
        for (arg, held) in block.args.iter().zip(args) {
            match arg {
                Some(arg) => self.set(*arg, held),
                None => self.release(held),
            }
        }
        for step in &block.steps {
            self.step(step);
        }
        block.results.iter().map(|operand| self.operand(operand)).collect()
    }

    fn step(&mut self, step: &Step) {
        let mut operands: Vec<Held> = step.operands.iter().map(|operand| self.operand(operand)).collect();
        let results: Vec<Held> = match &step.action {
            Action::View(_) | Action::DynamicSlice { copy: false } => vec![operands[0].take()],
            Action::While(test, body) => {
                let shared = operands.iter().map(|held| self.share(*held)).collect();
                let flags = self.block(*test, shared);
                flags.into_iter().for_each(|held| self.release(held));
                self.block(*body, std::mem::take(&mut operands))
            }
            Action::Inline(block) => self.block(*block, std::mem::take(&mut operands)),
            Action::Branch(blocks) => {
                let mut results = Vec::new();
                for block in blocks {
                    let other = self.block(*block, Vec::new());
                    std::mem::replace(&mut results, other).into_iter().for_each(|held| self.release(held));
                }
                results
            }
            action => {
                // What is written over: any operand of a loop, the first one of an update.
                let over = match action {
                    Action::Loop(fused) => fused.inputs.len(),
                    Action::DynamicUpdateSlice => 1,
                    _ => 0,
                };
                step.results.iter().map(|result| self.made(*result, &mut operands[..over])).collect()
            }
        };
        for (place, held) in step.results.iter().zip(results) {
            match place {
                Some(value) => self.set(*value, held),
                None => self.release(held),
            }
        }
        operands.into_iter().for_each(|held| self.release(held));
        for value in &step.drops {
            let held = self.values[value.index()].take();
            self.release(held);
        }
    }

    /// The buffer of a result: that of an operand which nobody else has, or a new one.
    fn made(&mut self, result: Option<ValueId>, operands: &mut [Held]) -> Held {
        let value = result?;
        let bytes = self.program.module.type_of(value).bytes() as u64;
        let free = operands.iter_mut().find(|held| held.is_some_and(|n| self.buffers[n] == (bytes, 1)));
        match free {
            Some(held) => held.take(),
            None => Some(self.buffer(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Program;

    fn memory(text: &str) -> u64 {
        let module = partita::text::parse(text).expect("a program");
        let main = module.func_named("main").expect("@main");
        Program::compile(&module, main).map(|program| program.memory()).expect("a compiled program")
    }

    #[test]
    fn elementwise_chains_need_the_memory_of_their_argument() {
        let text = "func.func @main(%0: tensor<256xf32>) -> tensor<256xf32> {
            %1 = stablehlo.add %0, %0 : tensor<256xf32>
            %2 = stablehlo.tanh %1 : tensor<256xf32>
            %3 = stablehlo.transpose %2, dims = [0] : (tensor<256xf32>) -> tensor<256xf32>
            return %3 : tensor<256xf32>
        }";
        assert_eq!(memory(text), 1024);
    }

    #[test]
    fn what_is_read_later_is_kept() {
        let text = "func.func @main(%0: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
            %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
            %2 = stablehlo.add %0, %1 : tensor<16x16xf32>
            return %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
        }";
        assert_eq!(memory(text), 2048);
    }
}

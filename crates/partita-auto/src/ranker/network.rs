//! The network: two rounds in which classes hear of those they share tensors and products with, then a score for each decision.

use super::matrices::Matrices;
use super::scene::{CLASS_FEATURES, Edge, MOVE_FEATURES, Scene};

/// What is known of a class while it is passed on: so many numbers.
const WIDTH: usize = 16;

/// Numbers between a decision and its score.
const HIDDEN: usize = 32;

/// How often classes hear of each other.
const ROUNDS: usize = 2;

type State = [f32; WIDTH];

/// A matrix with a row for each input, and what is added to the sum.
#[derive(Clone, Debug)]
struct Layer {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    fn new(matrices: &Matrices<'_>, name: &str, inputs: usize, outputs: usize) -> Option<Layer> {
        Some(Layer {
            weights: matrices.of_size(name, inputs, outputs)?,
            bias: matrices.of_size(&format!("{name}_bias"), 1, outputs)?,
        })
    }

    /// What comes of some inputs, none below zero.
    fn apply<const N: usize>(&self, inputs: impl Iterator<Item = f32>) -> [f32; N] {
        let mut sums = [0.0; N];
        sums.iter_mut().zip(&self.bias).for_each(|(sum, bias)| *sum = *bias);
        for (input, row) in inputs.zip(self.weights.chunks_exact(N)) {
            // Many inputs say nothing.
            if input != 0.0 {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += input * weight);
            }
        }
        sums.map(|sum| sum.max(0.0))
    }
}

/// The weights.
#[derive(Clone, Debug)]
pub(super) struct Network {
    enter: Layer,
    /// From what a class was, what those it shares bytes with were, and what those it shares work with were.
    rounds: [Layer; ROUNDS],
    decide: Layer,
    score: Vec<f32>,
}

impl Network {
    /// The network with these weights; nothing if they do not fit it.
    pub(super) fn new(matrices: &Matrices<'_>) -> Option<Network> {
        let round = |n: usize| Layer::new(matrices, &format!("round{n}"), 3 * WIDTH, WIDTH);
        Some(Network {
            enter: Layer::new(matrices, "enter", CLASS_FEATURES, WIDTH)?,
            rounds: [round(0)?, round(1)?],
            decide: Layer::new(matrices, "decide", WIDTH + MOVE_FEATURES, HIDDEN)?,
            score: matrices.of_size("score", HIDDEN, 1)?,
        })
    }

    /// A score for each decision.
    pub(super) fn scores(&self, edges: &[Edge], scene: &Scene) -> Vec<f32> {
        let mut states: Vec<State> =
            scene.classes.iter().map(|class| self.enter.apply(class.iter().copied())).collect();
        for round in &self.rounds {
            let mut bytes = vec![[0.0; WIDTH]; states.len()];
            let mut work = bytes.clone();
            for edge in edges {
                let from = states[edge.from];
                add(&mut bytes[edge.to], &from, edge.bytes);
                add(&mut work[edge.to], &from, edge.work);
            }
            let heard = states.iter().zip(bytes.iter().zip(&work));
            states = heard
                .map(|(own, (bytes, work))| round.apply(own.iter().chain(bytes).chain(work).copied()))
                .collect();
        }
        let mut mean = [0.0; WIDTH];
        states.iter().for_each(|state| add(&mut mean, state, 1.0 / states.len() as f32));
        let score = |(class, features): &(Option<usize>, [f32; MOVE_FEATURES])| {
            let state = class.map_or(&mean, |class| &states[class]);
            let hidden: [f32; HIDDEN] = self.decide.apply(state.iter().chain(features).copied());
            hidden.iter().zip(&self.score).map(|(value, weight)| value * weight).sum()
        };
        scene.moves.iter().map(score).collect()
    }
}

fn add(to: &mut State, from: &State, times: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from * times);
}

//! The learned ranker: which of the decisions that a plan leaves open to try first.
//!
//! A small graph network looks at the classes of the space, at what they share, and at what the plan did with them ([`scene`]), and gives each
//! open decision a score ([`network`]). It was trained on searches of Partita itself (`scripts/train_ranker.py`, which reads what
//! [`Lessons`] tell); nothing that it sees depends on names, on the order of arguments or on absolute sizes. It only
//! orders: whatever it says, a search that has the time tries everything.

mod matrices;
mod network;
mod scene;

pub use scene::{Edge, Scene, Surroundings};

use matrices::Matrices;
use network::Network;

/// The weights that the training script wrote.
const WEIGHTS: &str = include_str!("weights.txt");

/// A trained network.
#[derive(Clone, Debug)]
pub struct Ranker {
    network: Network,
}

impl Ranker {
    /// The ranker that is part of Partita.
    pub fn built_in() -> Option<Ranker> {
        Ranker::parse(WEIGHTS)
    }

    /// Reads weights; nothing if they are none, or are for other features than these.
    pub fn parse(text: &str) -> Option<Ranker> {
        Some(Ranker { network: Network::new(&Matrices::parse(text)?)? })
    }

    /// A score for each decision of a scene: those with high ones are worth trying first.
    pub fn scores(&self, edges: &[Edge], scene: &Scene) -> Vec<f32> {
        self.network.scores(edges, scene)
    }
}

/// What a search without a ranker found out, for training one.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// What the classes share.
    pub edges: Vec<Edge>,
    /// Plans that the search went on from.
    pub plans: Vec<Lesson>,
}

/// What a search found out about one plan.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// What a ranker sees of it.
    pub scene: Scene,
    /// What the plan costs itself.
    pub cost: f64,
    /// For each decision of the scene, the least cost of a plan that was looked at and has it too.
    pub least: Vec<f64>,
    /// Whether the best plan that was found has all the decisions of this one.
    pub leads: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The training script writes one scene beside the weights, with the scores that it computes for it.
    #[test]
    fn scores_are_those_of_the_training_script() {
        let check = Matrices::parse(include_str!("check.txt")).expect("matrices");
        let edges = check.rows("edges").expect("edges").map(|row| {
            let [from, to, bytes, work] = row else { panic!("{row:?}") };
            Edge { from: *from as usize, to: *to as usize, bytes: *bytes, work: *work }
        });
        let classes =
            check.rows("classes").expect("classes").map(|row| row.try_into().expect("its features"));
        let moves = check.rows("moves").expect("moves").map(|row| {
            let class = (row[0] >= 0.0).then_some(row[0] as usize);
            (class, row[1..].try_into().expect("its features"))
        });
        let scene = Scene { classes: classes.collect(), moves: moves.collect() };
        let edges: Vec<Edge> = edges.collect();
        let scores = Ranker::built_in().expect("the weights are whole").scores(&edges, &scene);
        let expected: Vec<f32> = check.rows("scores").expect("scores").map(|row| row[0]).collect();
        assert!(scores.len() > 3);
        assert_eq!(scores.len(), expected.len());
        for (score, expected) in scores.iter().zip(&expected) {
            assert!((score - expected).abs() < 1e-3, "{scores:?} {expected:?}");
        }
    }

    #[test]
    fn weights_that_are_cut_short_are_none() {
        assert!(Ranker::parse("").is_none());
        assert!(Ranker::parse(&WEIGHTS[..WEIGHTS.len() / 2]).is_none());
    }
}

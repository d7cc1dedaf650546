//! A walk through the tree of plans: which of them to look at next, by what was found below (UCT).
//!
//! Without a ranker a walk tries everything that a plan leaves open, by work, before it looks below. With one it goes where there is hope (UCT with
//! priors), and finds good plans soon; but what there is no hope for it may not try in any time.

use super::moves::Move;
use super::tree::Plans;
use crate::ranker::Ranker;
use partita::complete::Assignment;

/// How much what was seldom looked at is preferred.
const CURIOSITY: f64 = 0.3;

/// How much what is hoped for and was seldom looked at is preferred.
const TRUST: f64 = 2.0;

/// The part of all hope that decisions share alike, whatever a ranker says.
const DOUBT: f64 = 0.25;

/// What a walk knows of a plan.
#[derive(Default)]
struct Place {
    /// The least cost below it.
    best: f64,
    /// How often it was passed; never where only others have been.
    visits: u32,
    /// Decisions that were not tried yet with the hope there is for them, the most promising last; nothing before the first is tried.
    untried: Option<Vec<(f64, Move)>>,
    /// Plans with a decision more, with the hope there was for it.
    children: Vec<(f64, usize)>,
    /// Whether everything below was looked at.
    complete: bool,
}

/// A plan that nobody looked at.
pub(super) struct New {
    pub(super) plan: Assignment,
    /// The plans on the way to it.
    path: Vec<usize>,
    hope: f64,
}

/// One walk. Several can go through the same plans.
pub(super) struct Walk<'s> {
    ranker: Option<&'s Ranker>,
    random: u64,
    places: Vec<Place>,
}

impl<'s> Walk<'s> {
    /// Starts at the first plan.
    pub(super) fn new(ranker: Option<&'s Ranker>, seed: u64, cost: f64) -> Walk<'s> {
        let root = Place { best: cost, visits: 1, ..Place::default() };
        Walk { ranker, random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, places: vec![root] }
    }

    /// Whether there is nothing left to look at.
    pub(super) fn is_complete(&self) -> bool {
        self.places[0].complete
    }

    /// The least cost that it found.
    fn best(&self) -> f64 {
        self.places[0].best
    }

    /// How often it went on from a plan; nothing where it did not.
    pub(super) fn went_on(&self, from: usize) -> Option<u32> {
        self.places.get(from).filter(|place| place.untried.is_some()).map(|place| place.visits)
    }

    /// Goes on to a plan that nobody looked at; none where there is none left.
    pub(super) fn advance(&mut self, plans: &Plans<'_>) -> Option<New> {
        self.places.resize_with(plans.list.len(), Place::default);
        let mut path = vec![0];
        loop {
            let at = *path.last()?;
            let hope = self.untried(at, plans).last().map(|(hope, _)| *hope);
            if let Some(child) = self.choose(at, hope, plans) {
                path.push(child);
                continue;
            }
            let Some((hope, next)) = self.untried(at, plans).pop() else {
                // Everything below was looked at.
                self.settle(&path, plans);
                path.pop();
                continue;
            };
            let plan = next.apply(&plans.list[at].plan, plans.space);
            match plans.known.get(&plan) {
                Some(&known) if self.places[known].visits > 0 => {
                    if !self.places[at].children.iter().any(|(_, child)| *child == known) {
                        self.places[at].children.push((hope, known));
                    }
                    self.settle(&path, plans);
                }
                Some(&known) => {
                    self.arrive(New { plan, path, hope }, known, plans);
                    path = vec![0];
                }
                None => return Some(New { plan, path, hope }),
            }
        }
    }

    /// Takes in what came of a plan, which has this number now.
    pub(super) fn arrive(&mut self, New { mut path, hope, .. }: New, number: usize, plans: &Plans<'_>) {
        self.places.resize_with(plans.list.len(), Place::default);
        if let Some(&at) = path.last() {
            self.places[at].children.push((hope, number));
        }
        self.places[number].visits = 1;
        path.push(number);
        self.settle(&path, plans);
        for at in path {
            self.places[at].visits += 1;
        }
    }

    /// The decisions of a plan that were not tried yet.
    fn untried(&mut self, at: usize, plans: &Plans<'_>) -> &mut Vec<(f64, Move)> {
        if self.places[at].untried.is_none() {
            let hopes = self.hopes(at, plans);
            self.places[at].untried = Some(hopes);
        }
        self.places[at].untried.get_or_insert_default()
    }

    /// The decisions that a plan leaves open with the hope there is for each, the most promising last.
    fn hopes(&mut self, at: usize, plans: &Plans<'_>) -> Vec<(f64, Move)> {
        let looked = &plans.list[at];
        let mut moves = plans.open(&looked.plan);
        let alike = 1.0 / moves.len().max(1) as f64;
        let Some(ranker) = self.ranker else {
            // Classes with the most work are tried first; the seed turns the order.
            moves.reverse();
            self.turn(&mut moves);
            return moves.into_iter().map(|next| (alike, next)).collect();
        };
        let scene = plans.surroundings.scene(&looked.plan, &looked.estimate, &moves);
        let scores = ranker.scores(&plans.surroundings.edges, &scene);
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = scores.iter().map(|score| f64::from(score - highest).exp()).collect();
        let all: f64 = weights.iter().sum();
        let hope = |weight: f64| DOUBT * alike + (1.0 - DOUBT) * weight / all;
        let mut hopes: Vec<(f64, Move)> = weights.into_iter().map(hope).zip(moves).collect();
        hopes.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        hopes
    }

    /// Turns the order of decisions by the seed.
    fn turn(&mut self, moves: &mut [Move]) {
        if self.random > 1 && !moves.is_empty() {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            let turn = (self.random % moves.len() as u64) as usize;
            moves.rotate_left(turn);
        }
    }

    /// The child to look below next; none where a decision that was not tried, with so much hope for it, comes first.
    fn choose(&self, at: usize, untried: Option<f64>, plans: &Plans<'_>) -> Option<usize> {
        let (place, least) = (&self.places[at], self.best());
        let guided = self.ranker.is_some();
        if untried.is_some() && !guided {
            return None;
        }
        let visits = f64::from(place.visits);
        let hopeful =
            |best: f64, hope: f64, times: f64| least / best + TRUST * hope * visits.sqrt() / (1.0 + times);
        let worth = |&(hope, child): &(f64, usize)| {
            let child = &self.places[child];
            let times = f64::from(child.visits);
            if guided {
                hopeful(child.best, hope, times)
            } else {
                least / child.best + CURIOSITY * (visits.ln() / times).sqrt()
            }
        };
        let is_open = |child: usize| !self.places[child].complete && !plans.is_hopeless(child);
        let open = place.children.iter().filter(|(_, child)| is_open(*child));
        let best = open.max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.1.cmp(&a.1)))?;
        // What is not known is taken for as good as what is.
        let new = untried.map(|hope| hopeful(place.best, hope, 0.0));
        new.is_none_or(|new| new < worth(best)).then_some(best.1)
    }

    /// Tells the plans of a path what is below them.
    fn settle(&mut self, path: &[usize], plans: &Plans<'_>) {
        for &at in path.iter().rev() {
            let place = &self.places[at];
            let below = place.children.iter().map(|(_, child)| &self.places[*child]);
            let best = below.clone().map(|child| child.best).fold(plans.list[at].cost, f64::min);
            let none_left = place.untried.as_ref().is_some_and(Vec::is_empty);
            let is_done = |child: usize| self.places[child].complete || plans.is_hopeless(child);
            let complete = none_left && place.children.iter().all(|(_, child)| is_done(*child));
            let place = &mut self.places[at];
            (place.best, place.complete) = (best, complete);
        }
    }
}

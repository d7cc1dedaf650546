//! Devices and the networks between them, as numbers: what a plan costs on hardware that is not at hand.
//!
//! A [`Profile`] is read from a file; those that come with Partita are named by [`BUILT_IN`]. A [`Placement`] says where on the
//! network of a profile the devices of a mesh lie, and how long a collective takes there.

mod network;
mod placement;
mod profile;
mod read;
mod search;
mod topology;
mod windows;

pub use network::{Exchange, Shape};
pub use placement::Placement;
pub use profile::{Asynchronous, BUILT_IN, Profile, built_in};
pub use read::read;
pub use search::{Traffic, place};
pub use topology::{Level, Links, Side};
pub use windows::{Laying, Windows};

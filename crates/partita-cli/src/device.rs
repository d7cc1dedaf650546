//! The device that a command is told about.

use crate::error::Failure;
use crate::{format, input};
use partita::compiler::{Device, Topology};
use partita::device::{BUILT_IN, Placement, Profile, Side, built_in, read};
use partita::sharding::Mesh;
use std::path::{Path, PathBuf};

/// The most that a profile may take.
const MOST_BYTES: usize = 1 << 20;

/// A kind of device, and where on its network the mesh lies.
#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// What the program runs on: tpu-v3, tpu-v4, tpu-v5e, tpu-v5p, tpu-v6e, a100, h100, cpu, or a profile of your own as a TOML file
    #[arg(long, value_name = "D")]
    pub device: Option<String>,

    /// The sides of the network that the devices take, the innermost level first, as `4x8x16`; as compact as can be otherwise
    #[arg(long, value_name = "SIDES", requires = "device")]
    pub topology: Option<String>,

    /// Along which sides the axes of the mesh lie, as `data=0,model=1+2`; the best there is otherwise
    #[arg(long, value_name = "AXIS=SIDES", requires = "device", conflicts_with = "topology")]
    pub layout: Option<String>,

    /// The bytes that a device may hold, such as `64G`, where that is not what the profile says
    ///
    /// Gathered weights are gathered again, and cheap work is done again, where the program would hold more.
    #[arg(long, value_name = "BYTES", value_parser = format::parse_bytes)]
    pub memory: Option<u64>,
}

impl DeviceArgs {
    /// Returns whether a device or its memory was given.
    pub fn is_given(&self) -> bool {
        self.device.is_some() || self.memory.is_some()
    }

    /// The profile that is named, where one is.
    pub fn profile(&self) -> Result<Option<Profile>, Failure> {
        self.device.as_deref().map(profile).transpose()
    }

    /// The device that was given, as the library takes it.
    pub fn device(&self) -> Result<Device, Failure> {
        let profile = self.profile()?;
        let topology = match (&profile, &self.layout, &self.topology) {
            (Some(profile), Some(layout), _) => Topology::Layout(parse_layout(layout, &profile.sides())?),
            (Some(profile), None, Some(sides)) => Topology::Sides(parse_sides(sides, profile)?),
            _ => Topology::Best,
        };
        Ok(Device { profile, topology, memory: self.memory })
    }
}

/// A profile by its name, or by the path of its file.
fn profile(name: &str) -> Result<Profile, Failure> {
    if let Some(text) = built_in(name) {
        return Ok(read(text)?);
    }
    let path = PathBuf::from(name);
    if !path.exists() && !name.ends_with(".toml") {
        let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new("device", format!("there is no device `{name}`"))
            .fix(format!("name one of {}, or a profile as a TOML file", known.join(", "))));
    }
    let text = text(&path)?;
    read(&text).map_err(|error| Failure::in_program(input::name(&path), text, vec![error]))
}

fn text(path: &Path) -> Result<String, Failure> {
    let bytes = input::read_bytes(path, MOST_BYTES)?;
    let not_text =
        || Failure::new("profile", format!("`{}` is no profile: it is not text", input::name(path)));
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(not_text)
}

fn parse_sides(text: &str, profile: &Profile) -> Result<Vec<i64>, Failure> {
    let sides: Option<Vec<i64>> = text.split('x').map(|n| n.parse().ok().filter(|n| *n > 0)).collect();
    let wanted = profile.sides().len();
    match sides {
        Some(sides) if sides.len() == wanted => Ok(sides),
        Some(sides) => {
            let message = format!(
                "`{text}` has {} sides, but the network of {} has {wanted}",
                sides.len(),
                profile.name
            );
            Err(Failure::new("topology", message))
        }
        None => Err(Failure::new("topology", format!("`{text}` is no topology")).fix("write it as `4x8x16`")),
    }
}

fn parse_layout(text: &str, sides: &[Side]) -> Result<Vec<(String, Vec<usize>)>, Failure> {
    let wrong = |part: &str| {
        Failure::new("layout", format!("`{part}` is no part of a layout")).fix(format!(
            "write an axis and the numbers of sides, 0 to {}: `data=0,model=1+2`",
            sides.len() - 1
        ))
    };
    let part = |part: &str| {
        let (axis, list) = part.split_once('=').ok_or_else(|| wrong(part))?;
        let side = |n: &str| n.parse::<usize>().ok().filter(|n| *n < sides.len());
        let list: Option<Vec<usize>> = list.split('+').map(side).collect();
        Ok((axis.to_string(), list.ok_or_else(|| wrong(part))?))
    };
    text.split(',').map(part).collect()
}

/// Where a mesh lies, in words: `data=16 along 0, model=32 along 1 and 2`.
pub fn describe(mesh: &Mesh, profile: &Profile, placement: &Placement) -> String {
    let sides = profile.sides();
    let name = |n: usize| {
        let level = &profile.levels[sides[n].level];
        let first = sides.iter().position(|s| s.level == sides[n].level).unwrap_or(n);
        let count = sides.iter().filter(|s| s.level == sides[n].level).count();
        if count == 1 { level.name.clone() } else { format!("{}.{}", level.name, n - first) }
    };
    let axis = |axis: &partita::sharding::mesh::Axis| {
        let along = (0..sides.len()).filter(|&n| axis.atoms().any(|a| placement.atoms[n].contains(&a)));
        let along: Vec<String> = along.map(name).collect();
        format!("{}={} along {}", axis.name, axis.size, along.join("+"))
    };
    let axes = mesh.axes().iter().filter(|a| a.size > 1).map(axis);
    axes.collect::<Vec<_>>().join(", ")
}

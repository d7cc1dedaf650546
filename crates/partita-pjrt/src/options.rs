//! What the compiler behind a plug-in is told, as the protocol buffers it takes.
//!
//! Only the fields that are set are declared, under the numbers that XLA's `CompileOptionsProto` gives them.

use prost::Message;
use std::collections::HashMap;

/// XLA's passes that must not run: the program is one for each device already.
const PASSES_OFF: &str = "spmd-partitioner";

#[derive(Message)]
struct CompileOptions {
    #[prost(message, optional, tag = "3")]
    build: Option<BuildOptions>,
    #[prost(map = "string, message", tag = "7")]
    overrides: HashMap<String, Override>,
}

#[derive(Message)]
struct BuildOptions {
    #[prost(int64, tag = "1")]
    device_ordinal: i64,
    #[prost(int64, tag = "4")]
    replicas: i64,
    #[prost(int64, tag = "5")]
    partitions: i64,
    #[prost(bool, tag = "6")]
    use_spmd_partitioning: bool,
    #[prost(message, optional, tag = "9")]
    device_assignment: Option<DeviceAssignment>,
}

#[derive(Message)]
struct DeviceAssignment {
    #[prost(int32, tag = "1")]
    replicas: i32,
    #[prost(int32, tag = "2")]
    computations: i32,
    #[prost(message, repeated, tag = "3")]
    devices: Vec<ComputationDevices>,
}

#[derive(Message)]
struct ComputationDevices {
    #[prost(int64, repeated, tag = "1")]
    replicas: Vec<i64>,
}

#[derive(Message, PartialEq)]
struct Override {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
}

/// The options for a program that runs on these devices, one partition each in this order.
pub(crate) fn compile_options(devices: &[i64]) -> Vec<u8> {
    let assignment = DeviceAssignment {
        replicas: 1,
        computations: devices.len() as i32,
        devices: devices.iter().map(|&id| ComputationDevices { replicas: vec![id] }).collect(),
    };
    let build = BuildOptions {
        device_ordinal: -1,
        replicas: 1,
        partitions: devices.len() as i64,
        use_spmd_partitioning: devices.len() > 1,
        device_assignment: Some(assignment),
    };
    let passes_off = Override { text: Some(PASSES_OFF.into()) };
    CompileOptions {
        build: Some(build),
        overrides: HashMap::from([("xla_disable_hlo_passes".into(), passes_off)]),
    }
    .encode_to_vec()
}

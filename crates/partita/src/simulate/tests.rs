use super::*;
use crate::device::{Windows, built_in, read};

/// A profile with round numbers: matrices 1e12, elements 1e9, memory and network 1e9 per second.
const ROUND: &str = r#"
name = "round"
asynchronous = "all"
[compute]
matrix = { f32 = 1e12 }
vector = 1e9
tile = [1, 1, 1]
[memory]
size = 1e9
bandwidth = 1e9
[network]
[[network.level]]
name = "ring"
torus = [8]
wrap = 1
bandwidth = 0.5e9
"#;

fn run(body: &str, profile: &Profile) -> Simulation {
    let module = crate::text::parse(body).unwrap_or_else(|e| panic!("{e:?}"));
    let mesh = Mesh::new([("x", 4)]).unwrap();
    let program = Program { module: &module, mesh: &mesh, collectives: &[] };
    let placement = placement(&program, profile, None).unwrap();
    simulate(&program, profile, &placement)
}

fn round() -> Profile {
    read(ROUND).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

const GATHER: &str = r#"%g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<250xf32>) -> tensor<1000xf32>"#;

#[test]
fn a_chain_on_elements_reads_and_writes_once() {
    let chain = "func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
        %0 = stablehlo.add %a, %a : tensor<1000xf32>
        %1 = stablehlo.multiply %0, %a : tensor<1000xf32>
        %2 = stablehlo.negate %1 : tensor<1000xf32>
        return %2 : tensor<1000xf32>
    }";
    // 4000 bytes in, 4000 out; three operations on each of 1000 elements take less.
    assert!(close(run(chain, &round()).step_seconds, 8e-6));
}

#[test]
fn a_reduction_ends_a_chain() {
    let chain = "func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.exponential %a : tensor<1000xf32>
        %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
        %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1000xf32>
        %3 = stablehlo.divide %0, %2 : tensor<1000xf32>
        return %3 : tensor<1000xf32>
    }";
    // Read once, written as exponentials for the second chain, which reads and writes again.
    let seconds = run(chain, &round()).step_seconds;
    assert!((16e-6..16.1e-6).contains(&seconds), "{seconds}");
}

#[test]
fn what_is_needed_late_waits_for_the_chain_that_needs_it() {
    let chain = "func.func @main(%a: tensor<1000xf32>, %b: tensor<1000x2xf32>, %c: tensor<2xf32>) -> tensor<1000xf32> {
        %0 = stablehlo.add %a, %a : tensor<1000xf32>
        %1 = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<1000x2xf32>, tensor<2xf32>) -> tensor<1000xf32>
        %2 = stablehlo.add %0, %1 : tensor<1000xf32>
        return %2 : tensor<1000xf32>
    }";
    // The product takes 12008 bytes; both sums together read two vectors and write one.
    assert!(close(run(chain, &round()).step_seconds, 24.008e-6));
}

#[test]
fn products_pay_for_whole_tiles() {
    let product = "func.func @main(%a: tensor<100x100xf32>, %b: tensor<100x100xf32>) -> tensor<100x100xf32> {
        %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
        return %0 : tensor<100x100xf32>
    }";
    let mut profile = round();
    profile.memory_bandwidth = 1e15;
    let plain = run(product, &profile);
    assert!(close(plain.step_seconds, 2e6 / 1e12) && close(plain.hardware_flops_utilization, 1.0));
    profile.tile = [8, 128, 128];
    let padded = 104.0 * 128.0 * 128.0 * 2.0;
    assert!(close(run(product, &profile).step_seconds, padded / 1e12));
}

#[test]
fn a_product_is_joined_with_cuts_and_sums_where_the_device_can() {
    let body = "func.func @main(%a: tensor<200x10xf32>, %b: tensor<10x10xf32>, %s: tensor<100x10xf32>) -> tensor<100x10xf32> {
        %0 = stablehlo.slice %a [0:100, 0:10] : (tensor<200x10xf32>) -> tensor<100x10xf32>
        %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<100x10xf32>, tensor<10x10xf32>) -> tensor<100x10xf32>
        %2 = stablehlo.add %s, %1 : tensor<100x10xf32>
        return %2 : tensor<100x10xf32>
    }";
    // Cut out, 8000 bytes; multiplied, 8400; added, 12000.
    assert!(close(run(body, &round()).step_seconds, 28.4e-6));
    // Two operands and the sum are read, the new sum is written.
    let fuses = Profile { fuses: true, ..round() };
    assert!(close(run(body, &fuses).step_seconds, 12.4e-6));
}

#[test]
fn a_collective_hides_behind_what_does_not_need_it() {
    let body = format!(
        "func.func @main(%a: tensor<250xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> {{
        {GATHER}
        %0 = stablehlo.sine %b : tensor<1000xf32>
        %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<f32>
        %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1000xf32>
        %3 = stablehlo.add %g, %2 : tensor<1000xf32>
        return %3 : tensor<1000xf32>
    }}"
    );
    let beside = run(&body, &round());
    // 3000 bytes arrive, from both sides of the ring.
    assert!(close(beside.communication_seconds, 3e-6));
    assert_eq!(beside.exposed_communication_seconds, 0.0);
    let mut profile = round();
    profile.asynchronous = crate::device::Asynchronous::None;
    let waiting = run(&body, &profile);
    assert!(close(waiting.exposed_communication_seconds, 3e-6));
    assert!(close(waiting.step_seconds, beside.step_seconds + 3e-6));
}

/// A loop of ten rounds; in each the next block is gathered while this one is used, or only then.
fn loop_of(ahead: bool) -> String {
    let used = if ahead { "%x" } else { "%g" };
    format!(
        "func.func @main(%a: tensor<250xf32>, %s: tensor<1000xf32>) -> tensor<1000xf32> {{
        %c = stablehlo.constant dense<0> : tensor<i32>
        %0:3 = stablehlo.while(%i = %c, %x = %s, %y = %s) : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
        cond {{
          %n = stablehlo.constant dense<10> : tensor<i32>
          %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        }} do {{
          %one = stablehlo.constant dense<1> : tensor<i32>
          %1 = stablehlo.add %i, %one : tensor<i32>
          {GATHER}
          %2 = stablehlo.add %y, {used} : tensor<1000xf32>
          stablehlo.return %1, %g, %2 : tensor<i32>, tensor<1000xf32>, tensor<1000xf32>
        }}
        return %0#2 : tensor<1000xf32>
    }}"
    )
}

#[test]
fn loops_count_as_often_as_they_run() {
    let simulation = run(&loop_of(false), &round());
    assert!(close(simulation.communication_seconds, 30e-6));
    // Every round waits for its block, reads two tensors and writes one; counters take next to nothing.
    assert!((150e-6..151e-6).contains(&simulation.step_seconds), "{}", simulation.step_seconds);
    assert!(close(simulation.exposed_communication_seconds, 30e-6));
}

#[test]
fn what_is_under_way_at_the_end_of_a_round_is_waited_for_in_the_next() {
    let simulation = run(&loop_of(true), &round());
    assert!(close(simulation.communication_seconds, 30e-6));
    assert!((120e-6..121e-6).contains(&simulation.step_seconds), "{}", simulation.step_seconds);
    assert_eq!(simulation.exposed_communication_seconds, 0.0);
}

#[test]
fn one_branch_runs_and_the_longest_counts() {
    let branches = "func.func @main(%p: tensor<i1>, %a: tensor<1000xf32>) -> tensor<1000xf32> {
        %0 = \"stablehlo.if\"(%p) ({
          %1 = stablehlo.sine %a : tensor<1000xf32>
          stablehlo.return %1 : tensor<1000xf32>
        }, {
          stablehlo.return %a : tensor<1000xf32>
        }) : (tensor<i1>) -> tensor<1000xf32>
        return %0 : tensor<1000xf32>
    }";
    assert!(close(run(branches, &round()).step_seconds, 8e-6));
}

#[test]
fn a_running_sum_does_not_pay_for_its_window() {
    let sums = "func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = \"stablehlo.reduce_window\"(%a, %z) <{padding = dense<[[999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1000>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %1 = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }) : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
        return %0 : tensor<1000xf32>
    }";
    let seconds = run(sums, &round()).step_seconds;
    assert!((8e-6..8.1e-6).contains(&seconds), "{seconds}");
}

#[test]
fn devices_of_one_computer_share_it() {
    let chain = "func.func @main(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
        %0 = stablehlo.negate %a : tensor<1000000xf32>
        return %0 : tensor<1000000xf32>
    }";
    let cpu = read(built_in("cpu").unwrap()).unwrap();
    let alone = Profile { shared: false, ..cpu.clone() };
    assert!(close(run(chain, &cpu).compute_seconds, 4.0 * run(chain, &alone).compute_seconds));
}

#[test]
fn what_is_computed_again_is_no_part_of_the_model() {
    let text = "func.func @main(%a: tensor<10x10xf32>) -> tensor<10x10xf32> {
        %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32> loc(\"jit(f)/dot_general\")
        %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32> loc(\"jit(f)/rematted_computation/dot_general\")
        return %1 : tensor<10x10xf32>
    }";
    assert_eq!(model_flops(&crate::text::parse(text).unwrap()), 2000.0);
}

#[test]
fn dimensions_that_change_places_take_time_where_the_profile_says_so() {
    let turn = "func.func @main(%a: tensor<10x25x4xf32>, %b: tensor<10x1x25xf32>) -> tensor<4x10x25xf32> {
        %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<10x25x4xf32>) -> tensor<4x10x25xf32>
        %1 = stablehlo.reshape %b : (tensor<10x1x25xf32>) -> tensor<10x25xf32>
        return %0 : tensor<4x10x25xf32>
    }";
    assert!(close(run(turn, &round()).step_seconds, 0.0));
    let slow = Profile { memory_turn: Some(1e8), ..round() };
    assert!(close(run(turn, &slow).step_seconds, 80e-6));
    // Pairs of matrices are in the middle of the first operand, and first in the second.
    let product = "func.func @main(%a: tensor<25x10x4xf32>, %b: tensor<10x4x5xf32>) -> tensor<10x25x5xf32> {
        %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<25x10x4xf32>, tensor<10x4x5xf32>) -> tensor<10x25x5xf32>
        return %0 : tensor<10x25x5xf32>
    }";
    let turned = run(product, &slow).step_seconds - run(product, &round()).step_seconds;
    assert!(close(turned, 80e-6), "{turned}");
}

#[test]
fn windows_are_laid_out_where_the_profile_says_so() {
    let product = "func.func @main(%a: tensor<2x10x10x4xf32>, %b: tensor<3x3x4x5xf32>) -> tensor<2x8x8x5xf32> {
        %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x10x4xf32>, tensor<3x3x4x5xf32>) -> tensor<2x8x8x5xf32>
        return %0 : tensor<2x8x8x5xf32>
    }";
    // Two images, 64 windows of each, with nine runs of four elements: whatever the kernel makes of them.
    let slow = Profile { windows: vec![Windows { dims: 2, runs: 1e6, elements: 1e7 }], ..round() };
    let laid = run(product, &slow).step_seconds - run(product, &round()).step_seconds;
    assert!(close(laid, 1152e-6 + 460.8e-6), "{laid}");
}

#[test]
fn memory_that_a_run_takes_anew_takes_time_where_the_profile_says_so() {
    let sum = "func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
        %0 = stablehlo.add %a, %a : tensor<1000xf32>
        return %0 : tensor<1000xf32>
    }";
    let slow = Profile { memory_fresh: Some(1e8), ..round() };
    assert!(close(run(sum, &slow).step_seconds, 8e-6 + 40e-6));
}

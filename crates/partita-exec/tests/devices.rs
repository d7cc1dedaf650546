//! What many devices do together: what they compute once, what they hold, and how they end.

use partita::interpret::{Event, GridSize, RunErrorKind, RunOptions};
use partita::ir::{Elem, TensorType};
use partita::value::{Scalar, Tensor};
use partita_exec::Program;

const DEVICES: usize = 4;

fn parsed(text: &str) -> partita::Module {
    let module = partita::text::parse(text).expect("a program");
    partita::verify::verify(&module).expect("a valid program");
    module
}

fn tensor(shape: &[i64], first: f64) -> Tensor {
    Tensor::from_fn(TensorType::new(Elem::F32, shape.iter().copied()), |i| {
        Scalar::Float(first + i as f64 / 64.0)
    })
}

/// Runs a program on all devices, and gives the results and how often each operation was computed, by name.
fn run(text: &str, args: Vec<Vec<Tensor>>, threads: usize) -> (Vec<Vec<Tensor>>, Vec<String>) {
    let module = parsed(text);
    let main = module.func_named("main").expect("a function");
    let program = Program::compile(&module, main).expect("a compiled program");
    let mut names = Vec::new();
    let mut trace = |event: Event| names.push(module.op(event.op).def().name.to_string());
    let size = GridSize { replicas: 1, partitions: args.len() };
    let mut options = RunOptions { trace: Some(&mut trace), ..RunOptions::default() };
    let results = program.run_devices(size, args, threads, &mut options).expect("results");
    (results, names)
}

fn error(text: &str, args: Vec<Vec<Tensor>>, threads: usize) -> (RunErrorKind, String) {
    let module = parsed(text);
    let main = module.func_named("main").expect("a function");
    let program = Program::compile(&module, main).expect("a compiled program");
    let size = GridSize { replicas: 1, partitions: args.len() };
    let failed = program.run_devices(size, args, threads, &mut RunOptions::default()).expect_err("an error");
    (failed.kind, failed.to_string())
}

/// The gradient differs between devices until it is summed; the weights are the same everywhere.
const UPDATE: &str = "func.func @main(%w: tensor<64x128xf32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %g = stablehlo.cosine %x : tensor<64x128xf32>
    %s = \"stablehlo.all_reduce\"(%g) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    %t = stablehlo.tanh %w : tensor<64x128xf32>
    %u = stablehlo.subtract %t, %s : tensor<64x128xf32>
    return %u : tensor<64x128xf32>
}";

/// Values as large as make it worth while to look for what is alike.
fn large(text: &str) -> String {
    text.replace("64x128", "512x128")
}

fn count(names: &[String], name: &str) -> usize {
    names.iter().filter(|other| *other == name).count()
}

#[test]
fn what_devices_compute_alike_is_computed_once() {
    for threads in [1, 2, 3] {
        let shared = tensor(&[512, 128], 0.5);
        let args = |n: usize| vec![shared.clone(), tensor(&[512, 128], n as f64)];
        let (results, names) = run(&large(UPDATE), (0..DEVICES).map(args).collect(), threads);
        assert_eq!(count(&names, "stablehlo.cosine"), DEVICES);
        assert_eq!(count(&names, "stablehlo.subtract"), 1);
        assert!(results.iter().all(|list| list[0] == results[0][0]));
        // The same as with weights in memory of their own, where nothing is known to be alike.
        let args = |n: usize| vec![tensor(&[512, 128], 0.5), tensor(&[512, 128], n as f64)];
        let (alone, names) = run(&large(UPDATE), (0..DEVICES).map(args).collect(), threads);
        assert_eq!(count(&names, "stablehlo.subtract"), DEVICES);
        assert!(alone == results);
    }
}

#[test]
fn devices_that_differ_in_the_number_of_rounds_share_nothing_of_the_loop() {
    let text = "func.func @main(%w: tensor<512x128xf32>) -> tensor<512x128xf32> {
        %id = stablehlo.partition_id : tensor<ui32>
        %zero = stablehlo.constant dense<0> : tensor<ui32>
        %one = stablehlo.constant dense<1> : tensor<ui32>
        %r:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<ui32>, tensor<512x128xf32>
        cond {
          %go = stablehlo.compare LT, %i, %id : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %next = stablehlo.add %i, %one : tensor<ui32>
          %t = stablehlo.tanh %v : tensor<512x128xf32>
          stablehlo.return %next, %t : tensor<ui32>, tensor<512x128xf32>
        }
        return %r#1 : tensor<512x128xf32>
    }";
    let shared = tensor(&[512, 128], 0.5);
    let (results, names) = run(text, vec![vec![shared.clone()]; DEVICES], 2);
    assert_eq!(count(&names, "stablehlo.tanh"), 1 + 2 + 3);
    assert!(results[0][0] == shared && results[1][0] != results[2][0]);
}

#[test]
fn a_device_that_fails_stops_the_others() {
    // Two devices are in no group; the others would wait in the next collective for ever.
    let text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %s = \"stablehlo.all_to_all\"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
        %g = \"stablehlo.all_gather\"(%s) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<16xf32>
        %p = stablehlo.slice %g [0:4] : (tensor<16xf32>) -> tensor<4xf32>
        return %p : tensor<4xf32>
    }";
    for threads in [1, 2] {
        let args = vec![vec![tensor(&[4], 0.0)]; DEVICES];
        let (kind, message) = error(text, args, threads);
        assert_eq!(kind, RunErrorKind::Program);
        assert!(message.contains("in none of the replica groups"), "{message}");
    }
}

#[test]
fn a_stall_says_who_waits_for_whom() {
    let text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %id = stablehlo.partition_id : tensor<ui32>
        %zero = stablehlo.constant dense<0> : tensor<ui32>
        %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
        %r = \"stablehlo.if\"(%first) ({
          stablehlo.return %x : tensor<4xf32>
        }, {
          %s = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<16xf32>
          %p = stablehlo.slice %s [0:4] : (tensor<16xf32>) -> tensor<4xf32>
          stablehlo.return %p : tensor<4xf32>
        }) : (tensor<i1>) -> tensor<4xf32>
        return %r : tensor<4xf32>
    }";
    for threads in [1, 2] {
        let (kind, message) = error(text, vec![vec![tensor(&[4], 0.0)]; DEVICES], threads);
        assert_eq!(kind, RunErrorKind::Deadlock);
        assert!(message.contains("no device can go on") && message.contains("waits for"), "{message}");
        assert!(message.contains("all_gather"), "{message}");
    }
}

#[test]
fn many_devices_run_on_few_threads() {
    let text = UPDATE
        .replace("[[0, 1, 2, 3]]", &format!("[{:?}]", (0..64).collect::<Vec<_>>()))
        .replace("1x4xi64", "1x64xi64");
    let args: Vec<_> = (0..64).map(|n| vec![tensor(&[64, 128], 0.5), tensor(&[64, 128], n as f64)]).collect();
    let (one, _) = run(&text, args.clone(), 1);
    let (two, _) = run(&text, args, 2);
    assert!(one == two && one.iter().all(|list| list[0] == one[0][0]));
}

/// What a result of a gather takes in memory: the devices of a group share it.
#[test]
fn what_is_gathered_is_in_memory_once() {
    let text = "func.func @main(%x: tensor<1024xf32>) -> tensor<4096xf32> {
        %s = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<1024xf32>) -> tensor<4096xf32>
        return %s : tensor<4096xf32>
    }";
    let (results, _) = run(text, (0..DEVICES).map(|n| vec![tensor(&[1024], n as f64)]).collect(), 1);
    let place = |list: &Vec<Tensor>| list[0].dense_bytes().map(<[u8]>::as_ptr);
    assert!(results.iter().all(|list| place(list) == place(&results[0])));
}

/// An update of a part of what a loop carries writes that part and nothing else.
#[test]
fn loops_write_over_what_they_carry() {
    let text = "func.func @main(%x: tensor<4096x64xf32>, %row: tensor<1x64xf32>) -> tensor<4096x64xf32> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %end = stablehlo.constant dense<4096> : tensor<i32>
        %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4096x64xf32>
        cond {
          %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %next = stablehlo.add %i, %one : tensor<i32>
          %u = stablehlo.dynamic_update_slice %v, %row, %i, %zero : (tensor<4096x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4096x64xf32>
          stablehlo.return %next, %u : tensor<i32>, tensor<4096x64xf32>
        }
        return %r#1 : tensor<4096x64xf32>
    }";
    let argument = tensor(&[4096, 64], 0.0);
    let place = argument.dense_bytes().map(<[u8]>::as_ptr);
    let (results, _) = run(text, vec![vec![argument, tensor(&[1, 64], 2.0)]], 1);
    assert_eq!(results[0][0].dense_bytes().map(<[u8]>::as_ptr), place);
    assert_eq!(results[0][0].get(64), Scalar::Float(2.0));
}

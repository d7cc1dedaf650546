//! Profiles of devices that are at hand, from a few small programs that are timed on all of them at once.
//!
//! Each program does one thing many times over, so that what it takes besides (a run that does nothing) is a small part. Of
//! several runs the fastest counts: everything that disturbs a run makes it longer.

use crate::error::Failure;
use partita::ir::{Elem, TensorType};
use partita::value::sample;
use partita_pjrt::{Buffer, Client, Error, Plugin, find_plugin};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// How often each program is timed.
const RUNS: usize = 7;

/// The side of the matrices that are multiplied, and how often.
const SIDE: i64 = 384;
const PRODUCTS: usize = 8;

/// Elements that are read and written from memory, and how often.
const LARGE: i64 = 1 << 20;
const PASSES: usize = 8;

/// An array of which the two dimensions in the middle change places.
const TURNED: [i64; 4] = [2, 128, 128, 32];

/// Convolutions with windows of three points along each dimension, by how many dimensions there are with the side of the input; with few and with many features; how often.
const WINDOWS: [(usize, i64); 2] = [(2, 96), (3, 24)];
const FEATURES: [i64; 2] = [1, 16];
const CONVOLUTIONS: usize = 2;

/// The side of a matrix that is made, used once and given back.
const FRESH: i64 = 4096;

/// Elements that stay near the processor, and operations on each of them.
const NEAR: i64 = 1 << 14;
const OPERATIONS: usize = 256;

/// Collectives on next to nothing, and the side of the matrices that are multiplied between them.
const STARTS: usize = 64;
const BETWEEN: i64 = 192;

/// Rounds of a loop with few or many operations on next to nothing.
const ROUNDS: usize = 256;
const FEW: usize = 1;
const MANY: usize = 17;

/// Elements of a collective that takes long.
const SENT: i64 = 1 << 18;

/// Measures so many devices of a plug-in together; gives the text of a profile.
pub fn measure(devices: usize, plugin: Option<&Path>) -> Result<String, Failure> {
    let plugin = Plugin::load(&find_plugin(plugin)?)?;
    let client = Client::new(&plugin, devices)?;
    let bench = Bench { client: &client, devices };
    let all = devices as f64;
    let nothing = bench.seconds(Elem::F32, &[8], "", "%a")?;
    let each = |seconds: f64, times: usize| ((seconds - nothing) / times as f64).max(1e-9);

    let (mut peaks, mut products) = (String::new(), 0.0);
    for elem in [Elem::F32, Elem::F64, Elem::BF16] {
        let ty = format!("tensor<{SIDE}x{SIDE}x{}>", elem.name());
        let product = |from: &str| {
            format!("stablehlo.dot_general {from}, %a, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}")
        };
        let body = chain("%a", PRODUCTS, product);
        let seconds = bench.seconds(elem, &[SIDE, SIDE], &body, &last(PRODUCTS))?;
        let flops = 2.0 * (SIDE * SIDE * SIDE) as f64;
        let peak = all * flops / each(seconds, PRODUCTS);
        products = if elem == Elem::F32 { peak } else { products };
        let _ = write!(peaks, "{}{} = {peak:.4e}", if peaks.is_empty() { "" } else { ", " }, elem.name());
    }

    let mut windows = String::new();
    for (dims, side) in WINDOWS {
        let runs = (side * 3).pow(dims as u32) as f64;
        let mut laid = [0.0; 2];
        for (seconds, features) in laid.iter_mut().zip(FEATURES) {
            let (shape, body) = convolutions(dims, side, features);
            let whole = each(bench.seconds(Elem::F32, &shape, &body, &last(CONVOLUTIONS))?, CONVOLUTIONS);
            *seconds = whole - all * runs * 2.0 * (features * features) as f64 / products;
        }
        let element = ((laid[1] - laid[0]) / (runs * (FEATURES[1] - FEATURES[0]) as f64)).max(1e-13);
        let run = (laid[0] / runs - element).max(1e-13);
        let _ = write!(
            windows,
            "
[[compute.windows]]
dims = {dims}
runs = {:.4e}
elements = {:.4e}
",
            all / run,
            all / element
        );
    }

    let seconds = bench.seconds(Elem::F32, &[LARGE], &passes(), "%v#1")?;
    let bandwidth = all * 8.0 * LARGE as f64 / each(seconds, PASSES);

    let seconds = bench.seconds(Elem::F32, &TURNED, &turns(), "%v#1")?;
    let turn = all * 8.0 * TURNED.iter().product::<i64>() as f64 / each(seconds, PASSES);

    let seconds = bench.seconds(Elem::F32, &[FRESH], &fresh(), "%v")?;
    let taken = 4.0 * (FRESH * FRESH) as f64;
    let fresh = all * taken / (seconds - nothing - all * 2.0 * taken / bandwidth).max(1e-9);

    let near = format!("tensor<{NEAR}xf32>");
    let operation = |from: &str| format!("stablehlo.add {from}, %a : {near}");
    let seconds =
        bench.seconds(Elem::F32, &[NEAR], &chain("%a", OPERATIONS, operation), &last(OPERATIONS))?;
    let vector = all * NEAR as f64 / each(seconds, OPERATIONS);

    // What a round of a loop takes by itself is the same for few and for many.
    let few = bench.seconds(Elem::F32, &[8], &small_products(FEW), "%v#1")?;
    let many = bench.seconds(Elem::F32, &[8], &small_products(MANY), "%v#1")?;
    let operation_start = ((many - few) / (ROUNDS * (MANY - FEW)) as f64).max(1e-9);

    let (mut collective_start, mut sent) = (0.0, bandwidth);
    if devices > 1 {
        let short = bench.seconds(Elem::F32, &[8], &bench.reductions(8, STARTS), &last(STARTS))?;
        let long = bench.seconds(Elem::F32, &[SENT], &bench.reductions(SENT, PASSES), &last(PASSES))?;
        let moved = 2.0 * 4.0 * SENT as f64 * (all - 1.0) / all;
        let links = if is_shared(&client) { all } else { 1.0 };
        sent = links * moved / (each(long, PASSES) - each(short, STARTS)).max(1e-9);
        // Between products, where devices that share processors wait for the last of them.
        let between =
            |sums: bool| bench.seconds(Elem::F32, &[BETWEEN, BETWEEN], &bench.products(sums), &last(STARTS));
        collective_start = ((between(true)? - between(false)?) / STARTS as f64).max(each(short, STARTS));
    }
    Ok(format!(
        "# Measured: {devices} devices of the platform `{platform}`, together.
name = \"{platform} here\"
shared = {shared}
asynchronous = \"none\"
combine = 0

[compute]
matrix = {{ {peaks} }}
vector = {vector:.4e}
tile = [1, 1, 1]
start = {operation_start:.3e}
{windows}
[memory]
size = {memory}
bandwidth = {bandwidth:.4e}
turn = {turn:.4e}
fresh = {fresh:.4e}

[network]
start = {collective_start:.3e}
leading = {shared}

[[network.level]]
name = \"all\"
switch = 4096
bandwidth = {sent:.4e}
",
        platform = client.platform(),
        shared = is_shared(&client),
        memory = crate::memory::to_spare(),
    ))
}

/// Whether the devices of a platform are virtual, so that they share one computer.
fn is_shared(client: &Client) -> bool {
    client.platform() == "cpu"
}

/// An operation on what the one before gave, so many times.
fn chain(first: &str, times: usize, op: impl Fn(&str) -> String) -> String {
    let from = |n: usize| if n == 0 { first.to_string() } else { format!("%v{}", n - 1) };
    (0..times).map(|n| format!("%v{n} = {}\n", op(&from(n)))).collect()
}

/// Passes through memory, as a loop, so that none are joined.
fn passes() -> String {
    let ty = format!("tensor<{LARGE}xf32>");
    let pass = format!(
        "%half = stablehlo.constant dense<0.5> : {ty}
  %y = stablehlo.multiply %x, %half : {ty}
"
    );
    rounds(PASSES, &ty, &pass, "%y")
}

/// Dimensions that change places, again and again.
fn turns() -> String {
    let ty = format!("tensor<{}xf32>", TURNED.map(|size| size.to_string()).join("x"));
    let turn = format!("%y = stablehlo.transpose %x, dims = [0, 2, 1, 3] : ({ty}) -> {ty}\n");
    rounds(PASSES, &ty, &turn, "%y")
}

/// The shape of an input, and convolutions that each make another of its shape.
fn convolutions(dims: usize, side: i64, features: i64) -> (Vec<i64>, String) {
    let shape: Vec<i64> = [1].into_iter().chain(vec![side; dims]).chain([features]).collect();
    let tensor = |shape: &[i64]| {
        let sizes: Vec<String> = shape.iter().map(i64::to_string).collect();
        format!("tensor<{}xf32>", sizes.join("x"))
    };
    let kernel: Vec<i64> = vec![3; dims].into_iter().chain([features; 2]).collect();
    let (input, kernel) = (tensor(&shape), tensor(&kernel));
    let along: Vec<String> = (0..dims).map(|n| n.to_string()).collect();
    let (along, pad) = (along.join(", "), vec!["[1, 1]"; dims].join(", "));
    let one = |from: &str| {
        format!(
            "stablehlo.convolution({from}, %k) dim_numbers = [b, {along}, f]x[{along}, i, o]->[b, {along}, f], window = {{pad = [{pad}]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({input}, {kernel}) -> {input}"
        )
    };
    (shape, format!("%k = stablehlo.iota dim = 0 : {kernel}\n{}", chain("%a", CONVOLUTIONS, one)))
}

/// A matrix of all products of two elements, and its product with all of them.
fn fresh() -> String {
    let (vector, matrix) = (format!("tensor<{FRESH}xf32>"), format!("tensor<{FRESH}x{FRESH}xf32>"));
    format!(
        "%m = stablehlo.dot_general %a, %a, contracting_dims = [] x [] : ({vector}, {vector}) -> {matrix}
%v = stablehlo.dot_general %m, %a, contracting_dims = [1] x [0] : ({matrix}, {vector}) -> {vector}
"
    )
}

/// A loop whose rounds are so many products of next to nothing, one after the other.
fn small_products(count: usize) -> String {
    let (vector, matrix) = ("tensor<8xf32>", "tensor<8x8xf32>");
    let product = |from: &str| {
        format!(
            "stablehlo.dot_general {from}, %m, contracting_dims = [0] x [0] : ({vector}, {matrix}) -> {vector}"
        )
    };
    let round = format!("%m = stablehlo.iota dim = 0 : {matrix}\n{}", chain("%x", count, product));
    rounds(ROUNDS, vector, &round, &last(count))
}

/// So many rounds of a loop that makes `%x` into another value of its type.
fn rounds(count: usize, ty: &str, round: &str, result: &str) -> String {
    format!(
        "%zero = stablehlo.constant dense<0> : tensor<i32>
%v:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, {ty}
cond {{
  %n = stablehlo.constant dense<{count}> : tensor<i32>
  %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %t : tensor<i1>
}} do {{
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  {round}stablehlo.return %j, {result} : tensor<i32>, {ty}
}}
"
    )
}

/// What a chain of so many operations gives.
fn last(times: usize) -> String {
    format!("%v{}", times - 1)
}

/// Programs that run on all devices at once.
struct Bench<'c> {
    client: &'c Client,
    devices: usize,
}

impl Bench<'_> {
    /// How long a program takes at best: the body of a function of `%a` that gives a value of
    /// the same type.
    fn seconds(&self, elem: Elem, shape: &[i64], body: &str, result: &str) -> Result<f64, Error> {
        let ty = TensorType::new(elem, shape.iter().copied());
        let text = format!(
            "module @bench attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32}} {{
func.func @main(%a: {ty}) -> {ty} {{
{body}return {result} : {ty}
}}
}}",
            self.devices
        );
        let executable = self.client.compile(&text, self.devices)?;
        let tensor = sample(ty, 0, 0);
        let upload = |&device: &partita_pjrt::Device| Ok(vec![self.client.upload(&tensor, device)?]);
        let arguments: Vec<Vec<Buffer>> =
            executable.devices().iter().map(upload).collect::<Result<_, Error>>()?;
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let start = Instant::now();
            executable.execute(&arguments, &[0])?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// All-reduces of so many elements over all devices, one after the other.
    fn reductions(&self, elements: i64, times: usize) -> String {
        let ty = format!("tensor<{elements}xf32>");
        let from = |n: usize| if n == 0 { "%a".to_string() } else { format!("%v{}", n - 1) };
        (0..times).map(|n| self.all_reduce(&format!("%v{n}"), &from(n), &ty, n + 1)).collect()
    }

    /// Products one after the other, each with an all-reduce of a few of its elements, or with the same elements as they are.
    fn products(&self, sums: bool) -> String {
        let (ty, few) = (format!("tensor<{BETWEEN}x{BETWEEN}xf32>"), "tensor<1x8xf32>");
        let mut body = String::from("%zero = stablehlo.constant dense<0> : tensor<i32>\n");
        for n in 0..STARTS {
            let from = if n == 0 { "%a".to_string() } else { format!("%v{}", n - 1) };
            let sum = match sums {
                true => self.all_reduce(&format!("%r{n}"), &format!("%s{n}"), few, n + 1),
                false => format!("%r{n} = stablehlo.negate %s{n} : {few}\n"),
            };
            let _ = write!(
                body,
                "%p{n} = stablehlo.dot_general {from}, %a, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}
%s{n} = stablehlo.slice %p{n} [0:1, 0:8] : ({ty}) -> {few}
{sum}%v{n} = stablehlo.dynamic_update_slice %p{n}, %r{n}, %zero, %zero : ({ty}, {few}, tensor<i32>, tensor<i32>) -> {ty}
"
            );
        }
        body
    }

    /// An all-reduce over all devices.
    fn all_reduce(&self, name: &str, from: &str, ty: &str, channel: usize) -> String {
        let group: Vec<String> = (0..self.devices).map(|n| n.to_string()).collect();
        format!(
            "{name} = \"stablehlo.all_reduce\"({from}) <{{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = 1>, replica_groups = dense<[[{}]]> : tensor<1x{}xi64>, use_global_device_ids}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32>
}}) : ({ty}) -> {ty}
",
            group.join(", "),
            self.devices
        )
    }
}

//! What the interpreter promises beyond results: errors, order, memory, depth.

use super::*;
use crate::ir::Elem;
use crate::value::Scalar;

fn module(text: &str) -> Module {
    let module = crate::text::parse::parse(text).unwrap_or_else(|errors| panic!("{}", errors[0]));
    crate::verify::verify(&module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    module
}

fn run_text(text: &str, options: &mut RunOptions<'_>) -> Result<Vec<Value>, RunError> {
    let module = module(text);
    let main = module.func_named("main").unwrap();
    run(&module, main, Vec::new(), options)
}

fn run_error(text: &str) -> RunError {
    run_text(text, &mut RunOptions::default()).unwrap_err()
}

fn scalar(value: i64) -> Value {
    Value::Tensor(Tensor::scalar(Elem::Int(32), Scalar::Int(value)))
}

#[test]
fn recursion_is_refused() {
    // The verifier refuses it too; a program that was not verified must not run for ever.
    let text = "func.func @main() { call @f() : () -> () return }
                func.func @f() { call @main() : () -> () return }";
    let module = crate::text::parse::parse(text).unwrap();
    let main = module.func_named("main").unwrap();
    let error = run(&module, main, Vec::new(), &mut RunOptions::default()).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Refused);
    assert!(error.to_string().contains("`@main` calls itself"), "{error}");
}

#[test]
fn declarations_are_refused() {
    let error = run_error(
        "func.func private @f()
         func.func @main() { call @f() : () -> () return }",
    );
    assert!(error.to_string().contains("`@f` has no body to run"), "{error}");
}

#[test]
fn arguments_must_fit() {
    let module = module("func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }");
    let main = module.func_named("main").unwrap();
    let mut options = RunOptions::default();
    assert_eq!(run(&module, main, vec![scalar(7)], &mut options).unwrap(), [scalar(7)]);
    let error = run(&module, main, Vec::new(), &mut options).unwrap_err();
    assert!(error.to_string().contains("takes 1 arguments, not 0"), "{error}");
    let error = run(&module, main, vec![Value::Token], &mut options).unwrap_err();
    assert!(error.to_string().contains("argument 0 of `@main` must be `tensor<i32>`"), "{error}");
}

#[test]
fn all_failed_checks_are_reported() {
    let error = run_error(
        "func.func @main() {
           %0 = stablehlo.constant dense<1> : tensor<i32>
           check.expect_eq_const %0, dense<2> : tensor<i32>
           check.expect_eq_const %0, dense<1> : tensor<i32>
           check.expect_eq_const %0, dense<3> : tensor<i32>
           check.expect_serialized_eq %0, probe_id = \"never\" : tensor<i32>
           return
         }",
    );
    assert_eq!((error.kind, error.failures.len()), (RunErrorKind::Checks, 3));
    assert_eq!(error.failures[0].function.as_deref(), Some("main"));
    assert!(error.failures.iter().all(|failure| failure.span.end > 0 && failure.device.is_none()));
}

const GATHER: &str =
    "func.func private @gather(%x: tensor<1xi32>) -> tensor<2xi32> {
       %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi32>) -> tensor<2xi32>
       return %0 : tensor<2xi32>
     }
     func.func private @idle(%x: tensor<1xi32>) -> tensor<2xi32> {
       %0 = stablehlo.constant dense<0> : tensor<2xi32>
       return %0 : tensor<2xi32>
     }
     func.func @main() {
       %x = stablehlo.constant dense<1> : tensor<1xi32>
       %0:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@gather], [@idle]]} : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>)
       return
     }";

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let error = run_error(GATHER);
    assert_eq!(error.kind, RunErrorKind::Deadlock);
    let expected = "device (0, 0) waits for device (1, 0) in `stablehlo.all_gather`";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_message_that_never_comes_is_a_deadlock() {
    let error = run_error(
        "func.func @main() {
           %t = stablehlo.create_token : !stablehlo.token
           %0 = \"stablehlo.recv\"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
           return
         }",
    );
    assert!(error.to_string().contains("a message of the host on channel 4"), "{error}");
}

#[test]
fn grids_that_do_not_fit_the_groups_are_errors() {
    let module = module(GATHER);
    let gather = module.func_named("gather").unwrap();
    let arg = || Value::Tensor(Tensor::splat(crate::ir::TensorType::new(Elem::Int(32), [1]), Scalar::Int(1)));
    let programs = |count: usize| (0..count).map(|_| vec![(gather, vec![arg()])]).collect::<Vec<_>>();
    let mut options = RunOptions::default();
    let results = run_grid(&module, programs(2), &mut options).unwrap();
    assert_eq!(results.len(), 2);
    let error = run_grid(&module, programs(3), &mut options).unwrap_err();
    assert!(error.to_string().contains("this device is in none of the replica groups"), "{error}");
    assert_eq!(error.failures[0].device, Some(Device { replica: 2, partition: 0 }));
    let error = run_grid(&module, programs(1), &mut options).unwrap_err();
    assert!(error.to_string().contains("1 is not one of the 1 ids of the 1×1 grid"), "{error}");
}

#[test]
fn queues_come_from_the_options_and_go_to_the_sink() {
    let mut seen = Vec::new();
    let mut sink = |output: Output<'_>| {
        seen.push(match output {
            Output::Outfeed { tensors, .. } => format!("outfeed {:?}", tensors[0].to_i64s()),
            Output::HostSend { channel, tensors } => format!("channel {channel} {:?}", tensors[0].to_i64s()),
            Output::Print { name, tensor } => format!("{name} = {}", render_tensor(tensor)),
            Output::Probe { id, iteration, .. } => format!("{id} {iteration}"),
        });
    };
    let infeed = VecDeque::from([vec![Tensor::from_i64s(&[1, 2])], vec![Tensor::from_i64s(&[3, 4])]]);
    let mut options = RunOptions { infeed, output: Some(&mut sink), ..RunOptions::default() };
    let text = "func.func @main() {
        %t = stablehlo.create_token : !stablehlo.token
        %0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
        %1:2 = \"stablehlo.infeed\"(%0#1) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
        %2 = \"stablehlo.outfeed\"(%1#0, %1#1) : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
        %3 = \"stablehlo.send\"(%0#0, %2) <{channel_handle = #stablehlo.channel_handle<handle = 9, type = 2>, is_host_transfer = true}> : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
        %4 = interpreter.probe %0#0, probe_id = \"p\" : tensor<2xi64>
        interpreter.print %4 : tensor<2xi64>
        return
      }";
    run_text(text, &mut options).unwrap();
    let empty = run_text(text, &mut RunOptions::default()).unwrap_err();
    assert!(empty.to_string().contains("nothing is left in the infeed"), "{empty}");
    assert_eq!(seen, ["outfeed [3, 4]", "p 0", "%4 = tensor<2xi64> {\n  [1, 2]\n}", "channel 9 [1, 2]"]);
}

const DOUBLING: &str = "func.func @main() -> tensor<1000xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<1000xf64>
    %1 = stablehlo.add %0, %0 : tensor<1000xf64>
    %2 = stablehlo.add %1, %1 : tensor<1000xf64>
    %3 = stablehlo.add %2, %2 : tensor<1000xf64>
    return %3 : tensor<1000xf64>
  }";

#[test]
fn values_are_freed_at_their_last_use() {
    let module = module(DOUBLING);
    let main = module.func_named("main").unwrap();
    assert_eq!(estimate_memory(&module, main), 16_000);
    let mut options = RunOptions { memory_limit: Some(16_000), ..RunOptions::default() };
    run(&module, main, Vec::new(), &mut options).unwrap();
    options.memory_limit = Some(15_999);
    let error = run(&module, main, Vec::new(), &mut options).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Memory);
    assert!(error.to_string().contains("16000 bytes, but only 15999"), "{error}");
}

/// A loop that carries 8 kB needs twice that, however often it runs.
#[test]
fn loops_do_not_keep_old_values() {
    let text = "func.func @main() {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %end = stablehlo.constant dense<50> : tensor<i32>
        %x = stablehlo.iota dim = 0 : tensor<1000xf64>
        %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<1000xf64> cond {
          %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %z = stablehlo.negate %y : tensor<1000xf64>
          stablehlo.return %j, %z : tensor<i32>, tensor<1000xf64>
        }
        return
      }";
    let module = module(text);
    let main = module.func_named("main").unwrap();
    let estimate = estimate_memory(&module, main);
    assert!((16_000..17_000).contains(&estimate), "{estimate}");
    let mut options = RunOptions { memory_limit: Some(estimate), ..RunOptions::default() };
    run(&module, main, Vec::new(), &mut options).unwrap();
}

#[test]
fn huge_results_are_refused_before_they_are_made() {
    let text = "func.func @main() {
        %0 = stablehlo.iota dim = 0 : tensor<1000000x1000000xf32>
        return
      }";
    let mut options = RunOptions { memory_limit: Some(1 << 30), ..RunOptions::default() };
    let error = run_text(text, &mut options).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Memory);
}

/// A chain of calls far deeper than any stack, and regions as deep as the parser allows.
#[test]
fn depth_is_no_danger() {
    let mut text = String::from("func.func @main() { call @f0() : () -> () return }\n");
    let depth = 20_000;
    for n in 0..depth {
        text.push_str(&format!("func.func private @f{n}() {{ call @f{}() : () -> () return }}\n", n + 1));
    }
    text.push_str(&format!("func.func private @f{depth}() {{ return }}\n"));
    run_text(&text, &mut RunOptions::default()).unwrap();

    let levels = 150;
    let mut text = String::from("func.func @main() { %p = stablehlo.constant dense<true> : tensor<i1>\n");
    text.push_str(&"\"stablehlo.if\"(%p) ({\n".repeat(levels));
    text.push_str(&"stablehlo.return }, { stablehlo.return }) : (tensor<i1>) -> ()\n".repeat(levels));
    text.push_str("return }");
    run_text(&text, &mut RunOptions::default()).unwrap();
}

/// Kernels that call regions nest on the stack; both bounds, the parser's and the interpreter's, hold in the
/// two megabytes of a test's thread.
#[test]
fn kernels_may_nest_as_deep_as_the_parser_allows() {
    let levels = 190;
    let mut text =
        String::from("func.func @main() {\n  %v = stablehlo.constant dense<1.0> : tensor<2xf32>\n");
    for n in 0..levels {
        let operand = if n == 0 { "%v".to_string() } else { format!("%w{n}") };
        text.push_str(&format!("%r{n} = \"stablehlo.map\"({operand}) <{{dimensions = array<i64: 0>}}> ({{\n^bb0(%a{n}: tensor<f32>):\n"));
        text.push_str(&format!(
            "%w{} = stablehlo.broadcast_in_dim %a{n}, dims = [] : (tensor<f32>) -> tensor<2xf32>\n",
            n + 1
        ));
    }
    for n in (0..levels).rev() {
        text.push_str(&format!(
            "stablehlo.return %a{n} : tensor<f32>\n}}) : (tensor<2xf32>) -> tensor<2xf32>\n"
        ));
    }
    text.push_str("return }");
    let module = module(&text);
    let main = module.func_named("main").unwrap();
    // Each level calls the next one for a splat, so once.
    run(&module, main, Vec::new(), &mut RunOptions::default()).unwrap();
}

#[test]
fn kernels_that_nest_too_deep_are_an_error() {
    let depth = 300;
    let mut text = String::from(
        "func.func @main() { %0 = stablehlo.constant dense<1.0> : tensor<f32>
         %1 = call @f0(%0) : (tensor<f32>) -> tensor<f32> return }\n",
    );
    for n in 0..depth {
        text.push_str(&format!(
            "func.func private @f{n}(%x: tensor<f32>) -> tensor<f32> {{
               %0 = \"stablehlo.map\"(%x) <{{dimensions = array<i64>}}> ({{
               ^bb0(%a: tensor<f32>):
                 %1 = func.call @f{}(%a) : (tensor<f32>) -> tensor<f32>
                 stablehlo.return %1 : tensor<f32>
               }}) : (tensor<f32>) -> tensor<f32>
               return %0 : tensor<f32>
             }}\n",
            n + 1
        ));
    }
    text.push_str(&format!(
        "func.func private @f{depth}(%x: tensor<f32>) -> tensor<f32> {{ return %x : tensor<f32> }}"
    ));
    let error = run_error(&text);
    assert!(error.to_string().contains("nest more than 256 deep"), "{error}");
}

#[test]
fn progress_is_reported() {
    let mut reports = Vec::new();
    let mut report = |progress: Progress| reports.push(progress.operations);
    let text = "func.func @main() {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %end = stablehlo.constant dense<5000> : tensor<i32>
        %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
          %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j : tensor<i32>
        }
        return
      }";
    run_text(text, &mut RunOptions { progress: Some(&mut report), ..RunOptions::default() }).unwrap();
    assert_eq!(reports, [4096, 8192, 12288, 16384]);
}

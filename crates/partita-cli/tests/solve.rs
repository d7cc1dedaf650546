//! `partita solve` as users meet it.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Two nodes that would both hold 8 of 10, a cost where they differ.
const PROBLEM: &str = r#"{"problem": {"name": "two",
  "nodes": {"intervals": [[0, 2], [1, 3]], "costs": [[0, 5], [0, 3]], "usages": [[8, 1], [8, 1]]},
  "edges": {"nodes": [[0, 1]], "costs": [[0, 1, 1, 0]]},
  "usage_limit": 10}}"#;

fn solve(problem: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(["solve", "-"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that fails early does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(problem.as_bytes());
    child.wait_with_output().expect("the command ends")
}

#[track_caller]
fn refused(problem: &str) -> (String, String) {
    let output = solve(problem, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |key: &str| json["error"][key].as_str().unwrap_or_default().to_string();
    (text("message"), text("fix"))
}

#[test]
fn the_strategies_stand_last() {
    let output = solve(PROBLEM, &[]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["cost 4", "lower bound 4 (0.00 % less)", "peak usage 9 of 10"]);
    assert!(lines[3].starts_with("optimal after "));
    assert_eq!(lines[4..], ["[0, 1]"]);
    assert!(output.status.success());
}

#[test]
fn json_has_the_solution_and_the_bound() {
    let output = solve(PROBLEM, &["--json", "--time-limit", "5"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["cost"], &json["lower_bound"], &json["peak_usage"]), (&4.into(), &4.into(), &9.into()));
    assert_eq!((&json["feasible"], &json["solution"]), (&true.into(), &serde_json::json!([0, 1])));
    assert!(json["seconds"].as_f64().expect("a number") < 5.0);
}

#[test]
fn bad_files_are_refused_with_the_reason() {
    let (message, _) = refused("{\"problem\": {\"nodes\": [1,\n  2}");
    assert_eq!(message, "`<stdin>` is no problem: expected an object, found `[` (line 1, column 23)");
    let (message, _) = refused("{}");
    assert!(message.contains("the file has no `problem`"), "{message}");
    let (message, _) = refused(&PROBLEM.replace("\"usage_limit\": 10", "\"limit\": 10"));
    assert!(message.contains("the problem has no `usage_limit`"), "{message}");
    let (message, _) = refused(&PROBLEM.replace("[0, 5]", "[0.5, 5]"));
    assert!(message.contains("fraction") && message.contains("line 2"), "{message}");
    let (message, _) = refused(&PROBLEM.replace("[0, 5]", "[0, 99999999999999999999]"));
    assert!(message.contains("does not fit 64 bits"), "{message}");
    let (message, _) = refused(PROBLEM.trim_end_matches('}'));
    assert!(message.contains("found the end of the text"), "{message}");
}

#[test]
fn numbers_must_fit_together() {
    let (message, fix) = refused(&PROBLEM.replace("[[0, 1]]", "[[0, 2]]"));
    assert_eq!(message, "`<stdin>`: edge 0 names node 2, but there are 2");
    assert_eq!(fix, "nodes are counted from 0");
    let (message, fix) = refused(&PROBLEM.replace("[0, 1, 1, 0]", "[0, 1, 1]"));
    assert_eq!(message, "`<stdin>`: edge 0 has 3 costs, but its nodes have 2 and 2 strategies");
    assert_eq!(fix, "give 4 costs, row by row");
    let (message, _) = refused(&PROBLEM.replace("[8, 1]]", "[8, 1, 1]]"));
    assert_eq!(message, "`<stdin>`: node 1 has 2 costs but 3 usages");
    let (message, _) = refused(&PROBLEM.replace("[0, 5]", "[0, -5]"));
    assert_eq!(message, "`<stdin>`: strategy 1 of node 0 has the cost -5");
    let (message, _) = refused(&PROBLEM.replace("[0, 2]", "[2, 0]"));
    assert_eq!(message, "`<stdin>`: the interval of node 0 ends before it begins: [2, 0)");
    let (message, _) = refused(&PROBLEM.replace("[0, 5], [0, 3]", "[0, 5], [0, 3], [1]"));
    assert!(message.contains("`nodes.intervals` and `nodes.costs`"), "{message}");
    let large = "999999999999999999";
    let (message, fix) = refused(
        &PROBLEM
            .replace("[0, 5], [0, 3]", &format!("[{large}], [{large}]"))
            .replace("[8, 1]", "[1]")
            .replace("[0, 1, 1, 0]", "[0]"),
    );
    assert!(message.contains("cannot be told from a forbidden choice"), "{message}");
    assert!(fix.starts_with("divide all costs"), "{fix}");
}

#[test]
fn without_a_solution_the_least_excess_is_told() {
    let (message, fix) = refused(&PROBLEM.replace("\"usage_limit\": 10", "\"usage_limit\": 1"));
    assert_eq!(
        message,
        "no choice of strategies fits in memory: the closest that was found is 1 above the limit"
    );
    assert_eq!(fix, "raise the usage limit to 2");
    let forbidden = "1000000000000000000";
    let never = format!("[{forbidden}, {forbidden}, {forbidden}, {forbidden}]");
    let (message, _) = refused(&PROBLEM.replace("[0, 1, 1, 0]", &never));
    assert_eq!(message, "every choice of strategies has a forbidden cost, of a node or between two");
}

#[test]
fn a_time_limit_must_be_positive() {
    assert_eq!(solve(PROBLEM, &["--time-limit", "0"]).status.code(), Some(2));
}

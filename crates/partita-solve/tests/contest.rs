//! Two problems of a contest that are solved to the end in seconds, where the files are present: beside the repository in
//! `shared/iopddl`, or in the folder that `PARTITA_IOPDDL` names. `scripts/iopddl.py` runs all of them.

use partita_solve::{Limits, StopReason, read, solve};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[test]
fn transformers_are_solved_to_the_optimum() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/iopddl");
    let folder = std::env::var_os("PARTITA_IOPDDL").map_or(beside, PathBuf::from);
    for (name, optimum) in [("B", 532_843), ("G", 217_039)] {
        let Ok(bytes) = std::fs::read(folder.join(format!("{name}.json.gz"))) else {
            eprintln!("{name} is not present");
            continue;
        };
        let problem = read(&bytes).expect("a problem");
        let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Limits::default() };
        let outcome = solve(&problem, limits, |_| {});
        assert!(outcome.feasible);
        assert_eq!((outcome.cost, outcome.lower_bound), (optimum, optimum), "{name}");
        assert_eq!(outcome.stop_reason, StopReason::Optimal, "{name}");
        assert_eq!(problem.evaluate(&outcome.solution).cost, optimum, "{name}");
    }
}

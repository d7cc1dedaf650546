//! How much memory a run may use.

use crate::error::Failure;
use crate::format;
use std::fs;

/// Used where the system does not tell.
const FALLBACK: u64 = 16 << 30;

/// Refuses a run that needs more memory than it may use.
pub fn check(file: &str, estimate: u64, limit: u64) -> Result<(), Failure> {
    if estimate <= limit {
        return Ok(());
    }
    let message = format!(
        "the program needs about {} of memory, but the limit is {}",
        format::bytes(estimate),
        format::bytes(limit)
    );
    Err(Failure::new("memory", message)
        .file(file)
        .fix("raise it with `--memory-limit`, or use smaller sizes"))
}

/// Bytes that the system can give without swapping, and that the process's control group still allows.
pub fn to_spare() -> u64 {
    let allowed = control_group_rest().unwrap_or(u64::MAX);
    available().unwrap_or(FALLBACK).min(allowed)
}

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// In a container the limit of its group is often far below what the machine has.
fn control_group_rest() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = number("/sys/fs/cgroup/memory.max")?;
    Some(limit.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)))
}

//! How figures are taken: the fastest of interleaved rounds, and callgrind's counts.

use std::fmt::Display;
use std::process::Command;
use std::time::{Duration, Instant};

/// The fastest of `rounds` runs of each case. The cases take turns, so that a busy machine is busy
/// for all of them; whatever else the machine does only adds.
pub fn fastest<T>(rounds: usize, cases: &[T], mut run: impl FnMut(&T)) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; cases.len()];
    for _ in 0..rounds {
        for (case, best) in cases.iter().zip(&mut best) {
            let begun = Instant::now();
            run(case);
            *best = (*best).min(begun.elapsed());
        }
    }
    best
}

/// The instructions that this program executes with these arguments, where there is a valgrind.
pub fn instructions(args: &[String]) -> Option<f64> {
    instructions_of(Command::new(std::env::current_exe().ok()?).args(args))
}

/// The instructions that a program executes, where there is a valgrind.
pub fn instructions_of(program: &Command) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program.get_program())
        .args(program.get_args())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let (_, rest) = text.split_once("Collected : ")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Runs a program to its end; gives its CPU time, to a hundredth of a second, and its peak memory
/// in megabytes.
///
/// # Panics
/// When it cannot be started, or fails.
#[allow(clippy::expect_used, reason = "a figure of a failed run would mislead")]
pub fn spent(program: &mut Command) -> (Duration, f64) {
    let before = children();
    let mut child = program.spawn().expect("the program starts");
    let id = child.id().to_string();
    let mut peak: f64 = 0.0;
    let status = loop {
        peak = peak_of(&id).unwrap_or(0.0).max(peak);
        match child.try_wait().expect("the program can be waited for") {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(status.success(), "{program:?} failed");
    (children().saturating_sub(before), peak)
}

/// The CPU time of the children that have ended. The kernel counts hundredths of a second.
fn children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.filter_map(|text| text.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// A figure with one digit, or a dash.
pub fn shown(figure: Option<impl Display>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.1}"))
}

/// The CPU time of this process so far. Zero where the system does not say.
pub fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|text| text.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The most memory that this process ever had, in megabytes. Zero where the system does not say.
pub fn peak_megabytes() -> f64 {
    peak_of("self").unwrap_or(0.0)
}

fn peak_of(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let (_, rest) = status.split_once("VmHWM:")?;
    let kilobytes: f64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

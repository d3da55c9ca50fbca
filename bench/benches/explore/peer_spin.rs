//! The ring as a model of SPIN: one array, each move in one step, breadth first, no reduction.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use space_bench::measure::spent;

use super::Ring;

/// States, seconds and megabytes; `None` where there is no SPIN or no C compiler.
pub(crate) fn explore(ring: Ring) -> Option<[f64; 3]> {
    let dir = Folder::new();
    fs::write(dir.0.join("ring.pml"), promela(ring)).unwrap();
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(&dir.0);
        let output = command.output().ok()?;
        assert!(output.status.success(), "{program}: {output:?}");
        Some(())
    };
    run("cc", &["--version"])?;
    run("spin", &["-a", "ring.pml"])?;
    let flags = [
        "-O2",
        "-w",
        "-DNOREDUCE",
        "-DBFS",
        "-DSAFETY",
        "-DMEMLIM=20000",
    ];
    run("cc", &[&flags[..], &["-o", "pan", "pan.c"]].concat())?;
    let report = dir.0.join("report");
    let mut pan = Command::new(dir.0.join("pan"));
    pan.args(["-E", "-w26"])
        .current_dir(&dir.0)
        .stdout(Stdio::from(File::create(&report).unwrap()));
    let start = Instant::now();
    let (_, megabytes) = spent(&mut pan);
    let seconds = start.elapsed().as_secs_f64();
    let said = fs::read_to_string(report).unwrap();
    let (before, _) = said.split_once(" states, stored").unwrap();
    let states: f64 = before.split_whitespace().last()?.parse().ok()?;
    // It also stores the state before the machines are where they start.
    Some([states - 1.0, seconds, megabytes])
}

fn promela(ring: Ring) -> String {
    let Ring { k, n, h, t } = ring;
    let last = n - 1;
    let mut text = format!("byte x[{k}];\n\ninit {{\n  d_step {{\n");
    for at in 0..t {
        let _ = writeln!(text, "    x[{at}] = {};", h + 1);
    }
    text.push_str("    skip\n  };\n  do\n");
    for at in 0..k {
        let next = (at + 1) % k;
        let _ = writeln!(
            text,
            "  :: d_step {{ x[{at}] != {h} && x[{at}] != {last} -> x[{at}]++ }}\n  \
             :: d_step {{ x[{at}] == {h} && x[{next}] == {last} -> x[{at}]++; x[{next}] = 0 }}"
        );
    }
    text.push_str("  od\n}\n");
    text
}

/// A folder that goes away again.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("space-bench-spin-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

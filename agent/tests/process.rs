//! Programs that misbehave in every way that has hung or fooled a test harness.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agent::process::{Command, Finished, Limits, RunError, Status, Stdin};
use tempfile::TempDir;

/// A shell script with limits short enough for a test.
fn sh(script: &str, folder: &Path) -> Command {
    let mut command = Command::new(["sh", "-c", script], folder);
    command.timeout = Duration::from_secs(20);
    command.limits = Limits {
        grace: Duration::from_millis(300),
        drain: Duration::from_millis(300),
        ..Limits::default()
    };
    command
}

async fn finish(command: Command) -> (Finished, Duration) {
    let started = Instant::now();
    let finished = command.run().await.unwrap();
    (finished, started.elapsed())
}

/// Whether the process whose number the script wrote to `file` is gone or a zombie.
async fn is_gone(file: &Path) -> bool {
    let pid = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    for _ in 0..100 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        let zombie = stat.is_ok_and(|stat| stat.contains(") Z "));
        if zombie || rustix::process::test_kill_process(pid).is_err() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn streams_and_status_are_told_apart() {
    let folder = TempDir::new().unwrap();
    let (finished, _) = finish(sh("echo out; echo err >&2; exit 3", folder.path())).await;
    assert_eq!(finished.status, Status::Exited(3));
    assert_eq!(finished.stdout.head, b"out\n");
    assert_eq!(finished.stderr.head, b"err\n");
    assert!(!finished.timed_out && !finished.held_by_descendant && !finished.output_exceeded);
}

#[tokio::test]
async fn a_signal_is_not_an_exit_status() {
    let folder = TempDir::new().unwrap();
    let (finished, _) = finish(sh("kill -9 $$", folder.path())).await;
    assert_eq!(finished.status, Status::Signaled(9));
}

#[tokio::test]
async fn the_timeout_ends_the_grandchildren_too() {
    let folder = TempDir::new().unwrap();
    let mut command = sh(
        "sleep 60 & echo $! > pid; echo started; sleep 60",
        folder.path(),
    );
    command.timeout = Duration::from_millis(500);
    let (finished, took) = finish(command).await;
    assert!(finished.timed_out);
    assert_eq!(finished.stdout.head, b"started\n");
    assert!(took < Duration::from_secs(10), "took {took:?}");
    assert!(is_gone(&folder.path().join("pid")).await);
}

#[tokio::test]
async fn a_program_that_ignores_term_is_killed() {
    let folder = TempDir::new().unwrap();
    let mut command = sh(
        "trap '' TERM; echo up; while :; do sleep 60; done",
        folder.path(),
    );
    command.timeout = Duration::from_millis(500);
    let (finished, took) = finish(command).await;
    assert!(finished.timed_out);
    assert_eq!(finished.status, Status::Signaled(9));
    assert!(took < Duration::from_secs(10), "took {took:?}");
}

#[tokio::test]
async fn a_program_may_use_the_grace_to_tidy_up() {
    let folder = TempDir::new().unwrap();
    let script = "trap 'echo tidy; exit 7' TERM; echo up; while :; do sleep 0.05; done";
    let mut command = sh(script, folder.path());
    command.timeout = Duration::from_millis(500);
    command.limits.grace = Duration::from_secs(10);
    let (finished, _) = finish(command).await;
    assert!(finished.timed_out);
    assert_eq!(finished.status, Status::Exited(7));
    assert_eq!(finished.stdout.head, b"up\ntidy\n");
}

#[tokio::test]
async fn a_descendant_that_holds_the_pipe_is_a_fact_of_its_own() {
    let folder = TempDir::new().unwrap();
    let (finished, took) = finish(sh("sleep 60 & echo $! > pid; echo done", folder.path())).await;
    assert_eq!(finished.status, Status::Exited(0));
    assert!(finished.held_by_descendant && !finished.timed_out);
    assert_eq!(finished.stdout.head, b"done\n");
    assert!(took < Duration::from_secs(10), "took {took:?}");
    assert!(is_gone(&folder.path().join("pid")).await);
}

#[tokio::test]
async fn a_descendant_that_ends_in_time_holds_nothing() {
    let folder = TempDir::new().unwrap();
    let mut command = sh("(sleep 0.1; echo late) & echo early", folder.path());
    command.limits.drain = Duration::from_secs(10);
    let (finished, _) = finish(command).await;
    assert!(!finished.held_by_descendant);
    assert_eq!(finished.stdout.head, b"early\nlate\n");
}

#[tokio::test]
async fn a_silent_background_process_does_not_outlive_the_run() {
    let folder = TempDir::new().unwrap();
    let script = "sleep 60 >/dev/null 2>&1 & echo $! > pid";
    let (finished, _) = finish(sh(script, folder.path())).await;
    assert!(!finished.held_by_descendant);
    assert!(is_gone(&folder.path().join("pid")).await);
}

#[tokio::test]
async fn a_descendant_outside_the_group_cannot_hang_the_run() {
    let folder = TempDir::new().unwrap();
    let script =
        "setsid sh -c 'echo $$ > pid; exec sleep 4' & while ! [ -s pid ]; do sleep 0.02; done";
    let (finished, took) = finish(sh(script, folder.path())).await;
    assert!(finished.held_by_descendant);
    assert!(took < Duration::from_secs(4), "took {took:?}");
}

#[tokio::test]
async fn dropping_the_run_ends_the_group() {
    let folder = TempDir::new().unwrap();
    let pid = folder.path().join("pid");
    let run = sh(
        "sleep 60 & echo $! > pid.new; mv pid.new pid; sleep 60",
        folder.path(),
    )
    .run();
    tokio::select! {
        _ = run => panic!("the program should outlast its file"),
        () = async { while !pid.exists() { tokio::time::sleep(Duration::from_millis(10)).await } } => {}
    }
    assert!(is_gone(&pid).await);
}

#[tokio::test]
async fn a_hundred_megabytes_stay_on_disk() {
    let folder = TempDir::new().unwrap();
    let mut command = sh("head -c 104857600 /dev/zero", folder.path());
    command.folder = Some(folder.path().into());
    command.limits.memory = 1000;
    let (finished, _) = finish(command).await;
    let stdout = finished.stdout;
    assert_eq!(
        (stdout.head.len(), stdout.len, stdout.is_whole()),
        (1000, 104_857_600, false)
    );
    assert_eq!(
        fs::metadata(stdout.file.unwrap()).unwrap().len(),
        104_857_600
    );
}

#[tokio::test]
async fn endless_output_ends_at_the_limit() {
    let folder = TempDir::new().unwrap();
    let mut command = sh("yes", folder.path());
    command.limits.output = 1 << 20;
    let (finished, _) = finish(command).await;
    assert!(finished.output_exceeded && !finished.timed_out);
    assert!(finished.stdout.len > 1 << 20 && finished.stdout.len < 2 << 20);
}

#[tokio::test]
async fn a_held_open_stdin_never_ends_and_an_empty_one_does() {
    let folder = TempDir::new().unwrap();
    for (stdin, hangs) in [
        (Stdin::HeldOpen, true),
        (Stdin::Null, false),
        (Stdin::Bytes(vec![]), false),
    ] {
        let mut command = sh("cat; echo end", folder.path());
        command.timeout = Duration::from_millis(if hangs { 500 } else { 20_000 });
        command.stdin = stdin.clone();
        let (finished, _) = finish(command).await;
        assert_eq!(finished.timed_out, hangs, "{stdin:?}");
        assert_eq!(finished.stdout.head == b"end\n", !hangs, "{stdin:?}");
    }
}

#[tokio::test]
async fn stdin_larger_than_a_pipe_arrives_and_may_be_ignored() {
    let folder = TempDir::new().unwrap();
    for (script, expected) in [("wc -c", "1000000"), ("exec <&-; echo ignored", "ignored")] {
        let mut command = sh(script, folder.path());
        command.stdin = Stdin::Bytes(vec![b'x'; 1_000_000]);
        let (finished, _) = finish(command).await;
        assert_eq!(finished.status, Status::Exited(0));
        assert_eq!(
            String::from_utf8(finished.stdout.head).unwrap().trim(),
            expected
        );
    }
}

#[tokio::test]
async fn the_environment_is_clean_and_the_locale_fixed() {
    let folder = TempDir::new().unwrap();
    let mut command = sh("env", folder.path());
    command.env.insert("ADDED".into(), "1".into());
    let (finished, _) = finish(command).await;
    let env = String::from_utf8(finished.stdout.head).unwrap();
    assert!(env.contains("ADDED=1\n") && env.contains("LC_ALL=C.UTF-8\n") && env.contains("PATH="));
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !env.contains("CARGO_MANIFEST_DIR")
    );
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let folder = TempDir::new().unwrap();
    let nothing = Command::new(Vec::<String>::new(), folder.path())
        .run()
        .await;
    assert!(matches!(nothing, Err(RunError::EmptyArgv)));
    let missing = Command::new(["no-such-program"], folder.path())
        .run()
        .await
        .unwrap_err();
    assert_eq!(
        missing.to_string(),
        "no program `no-such-program` is there to run"
    );
    fs::write(folder.path().join("plain"), "text").unwrap();
    let plain = Command::new(["./plain"], folder.path()).run().await;
    assert!(matches!(plain, Err(RunError::NotFound { .. })));
}

#[tokio::test]
async fn a_file_may_wait_until_memory_is_full() {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("output");
    for (script, file) in [
        ("printf 1234", false),
        ("printf 123; sleep 0.1; printf 45", true),
    ] {
        let mut command = sh(script, folder.path());
        command.folder = Some(output.clone());
        command.overflow_only = true;
        command.limits.memory = 4;
        let (finished, _) = finish(command).await;
        assert_eq!(finished.stdout.head, &b"1234"[..4]);
        assert_eq!(finished.stdout.file.is_some(), file, "{script}");
        assert_eq!(finished.stdout.is_whole(), !file, "{script}");
        assert_eq!(output.exists(), file, "{script}");
        assert_eq!(finished.stderr.file, None);
    }
    assert_eq!(fs::read(output.join("stdout")).unwrap(), b"12345");
}

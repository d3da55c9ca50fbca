use std::future::{Future, pending};
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::{sleep, timeout};

use super::capture::{PourError, Sink};
use super::keeper::Keeper;
use super::run::{Command, Stdin};

/// How long the system may take to deliver a KILL before the program counts as unkillable.
const KILL_DELIVERY: Duration = Duration::from_secs(5);
/// How long the output may take to end once everybody in the group is killed. A process that left
/// the group survives that and is given up.
const LAST_DRAIN: Duration = Duration::from_millis(200);

/// Our ends of the program's streams.
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

/// What happened on the way to the end.
#[derive(Debug, Default)]
pub(super) struct End {
    pub(super) timed_out: bool,
    pub(super) output_exceeded: bool,
    pub(super) held_by_descendant: bool,
}

/// Why a program could not be followed to its end.
#[derive(Debug)]
pub(super) enum Lost {
    Output(io::Error),
    Process,
}

/// Follows a program until it has exited and its output has ended or is given up.
pub(super) async fn follow(
    command: &Command,
    keeper: &mut Keeper,
    pipes: Pipes,
    stdout: &mut Sink,
    stderr: &mut Sink,
) -> Result<End, Lost> {
    let pouring = pin!(pour(pipes.stdout, pipes.stderr, stdout, stderr));
    let feeding = Some(Box::pin(feed(pipes.stdin, &command.stdin)));
    let mut streams = Streams {
        pouring,
        poured: false,
        feeding,
    };
    let mut end = End::default();

    let stop = streams.until_exit(keeper, command.timeout).await?;
    if stop != Stop::Exited {
        end.timed_out = stop == Stop::TimeOver;
        end.output_exceeded = stop == Stop::OverLimit;
        keeper.terminate();
        if !streams.exits_within(keeper, command.limits.grace).await? {
            keeper.kill();
            if !streams.exits_within(keeper, KILL_DELIVERY).await? {
                return Err(Lost::Process);
            }
        }
    }

    // A descendant may wait for the end of the input that it inherited.
    streams.feeding = None;
    if !streams.end_within(command.limits.drain).await? {
        end.held_by_descendant = true;
        keeper.terminate();
        if !streams.end_within(command.limits.grace).await? {
            keeper.kill();
            streams.end_within(LAST_DRAIN).await?;
        }
    }
    Ok(end)
}

#[derive(Debug, PartialEq, Eq)]
enum Stop {
    Exited,
    TimeOver,
    OverLimit,
}

struct Streams<'a, P, F> {
    pouring: Pin<&'a mut P>,
    poured: bool,
    feeding: Option<Pin<Box<F>>>,
}

impl<P, F> Streams<'_, P, F>
where
    P: Future<Output = Result<(), PourError>>,
    F: Future<Output = ()>,
{
    async fn until_exit(&mut self, keeper: &mut Keeper, time: Duration) -> Result<Stop, Lost> {
        let mut time_over = pin!(sleep(time));
        loop {
            tokio::select! {
                biased;
                () = keeper.exited() => return Ok(Stop::Exited),
                result = &mut self.pouring, if !self.poured => {
                    self.poured = true;
                    match result {
                        Ok(()) => {}
                        Err(PourError::OverLimit) => return Ok(Stop::OverLimit),
                        Err(PourError::Io(error)) => return Err(Lost::Output(error)),
                    }
                }
                () = fed(&mut self.feeding) => self.feeding = None,
                () = &mut time_over => return Ok(Stop::TimeOver),
            }
        }
    }

    async fn exits_within(&mut self, keeper: &mut Keeper, time: Duration) -> Result<bool, Lost> {
        // The limit may be passed only now: it ends the pouring, not the waiting.
        match self.until_exit(keeper, time).await? {
            Stop::OverLimit => self
                .until_exit(keeper, time)
                .await
                .map(|stop| stop == Stop::Exited),
            stop => Ok(stop == Stop::Exited),
        }
    }

    async fn end_within(&mut self, time: Duration) -> Result<bool, Lost> {
        if self.poured {
            return Ok(true);
        }
        let Ok(result) = timeout(time, &mut self.pouring).await else {
            return Ok(false);
        };
        self.poured = true;
        match result {
            Ok(()) | Err(PourError::OverLimit) => Ok(true),
            Err(PourError::Io(error)) => Err(Lost::Output(error)),
        }
    }
}

async fn fed<F: Future<Output = ()>>(feeding: &mut Option<Pin<Box<F>>>) {
    match feeding {
        Some(feeding) => feeding.await,
        None => pending().await,
    }
}

async fn feed(pipe: Option<ChildStdin>, stdin: &Stdin) {
    let Some(mut pipe) = pipe else { return };
    match stdin {
        Stdin::Null => {}
        Stdin::HeldOpen => pending().await,
        // A program that ends, or closes its input, before having read everything is fine.
        Stdin::Bytes(bytes) => drop(pipe.write_all(bytes).await),
    }
}

async fn pour(
    stdout: Option<impl AsyncRead + Unpin>,
    stderr: Option<impl AsyncRead + Unpin>,
    stdout_sink: &mut Sink,
    stderr_sink: &mut Sink,
) -> Result<(), PourError> {
    tokio::try_join!(stdout_sink.pour(stdout), stderr_sink.pour(stderr))?;
    Ok(())
}

use std::io;
use std::process::{Child, ExitStatus};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::oneshot;

/// Keeps a child and its process group until released; dropping it kills the group.
///
/// The exit is observed without reaping, so the leader stays a zombie and its number stays taken:
/// a signal to the group can never reach a stranger that got the same number. Only after the
/// release, and a last KILL for whoever is left in the group, is the leader reaped.
pub(super) struct Keeper {
    group: Pid,
    exited: Option<oneshot::Receiver<()>>,
    release: Option<oneshot::Sender<()>>,
    reaped: Option<oneshot::Receiver<io::Result<ExitStatus>>>,
}

impl Keeper {
    /// Takes over a child that leads its own group.
    pub(super) fn new(mut child: Child) -> io::Result<Self> {
        let group = Pid::from_child(&child);
        let (exited_sender, exited) = oneshot::channel();
        let (release, released) = oneshot::channel::<()>();
        let (reaped_sender, reaped) = oneshot::channel();
        let keep = move || {
            wait_without_reaping(group);
            let _ = exited_sender.send(());
            let _ = released.blocking_recv();
            signal(group, Signal::KILL);
            let _ = reaped_sender.send(child.wait());
        };
        let started = thread::Builder::new()
            .name("process-keeper".into())
            .spawn(keep);
        if let Err(error) = started {
            signal(group, Signal::KILL);
            return Err(error);
        }
        Ok(Self {
            group,
            exited: Some(exited),
            release: Some(release),
            reaped: Some(reaped),
        })
    }

    /// Waits until the leader has exited. Cancel-safe; returns at once when it is known already.
    pub(super) async fn exited(&mut self) {
        if let Some(exited) = &mut self.exited {
            let _ = exited.await;
            self.exited = None;
        }
    }

    /// Asks the whole group to end.
    pub(super) fn terminate(&self) {
        signal(self.group, Signal::TERM);
    }

    /// Ends the whole group.
    pub(super) fn kill(&self) {
        signal(self.group, Signal::KILL);
    }

    /// Kills what is left of the group and reaps the leader, which has to have exited.
    pub(super) async fn reap(mut self) -> io::Result<ExitStatus> {
        self.release = None;
        match self.reaped.take() {
            Some(reaped) => reaped
                .await
                .unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into())),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Unreleased means cancelled: the leader may live, and its number is still its own.
        if self.release.is_some() {
            self.kill();
        }
    }
}

fn wait_without_reaping(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
}

// Fails only when nobody is left to signal, or for a program that changed its user: neither is
// something the caller could act on.
fn signal(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}

//! When the person, or the system, asks a run to end.

use std::time::Duration;

/// How long the end may wait for what the runtime still does.
pub(super) const LAST: Duration = Duration::from_secs(2);

/// Waits until somebody asks.
pub(super) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

//! How a run's tools are told to stop.

use std::sync::Arc;

use tokio::sync::watch;

/// Asks a handler to end the tool that is at work. Clones ask the same one.
///
/// A run that is asked to suspend awaits the tools in flight, because what they do must be known.
/// This makes that wait short: the tool is ended, and its result says so.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: Arc<watch::Sender<bool>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            asked: Arc::new(watch::Sender::new(false)),
        }
    }
}

impl Stop {
    /// Ends the tool that is at work, and lets no other start.
    pub fn ask(&self) {
        self.asked.send_replace(true);
    }

    /// Waits until somebody has asked.
    pub(super) async fn asked(&self) {
        // The sender lives as long as this value, so the wait can only end with the question.
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }

    pub(super) fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }
}

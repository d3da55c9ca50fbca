//! What the outside may say to a run.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::machine::Space;

/// The outside's end of a run: external events, and the two ways to stop it.
///
/// What is sent is handled in the order it was sent. The run looks at it after an outcome is
/// stepped and before the next effect starts, while a `query` is in flight, and while it waits
/// for nothing else. A handled event drops the effect that has not started, and cancels the query
/// in flight; an ignored or rejected one changes nothing, and the query goes on. Other effects
/// are awaited, and their outcomes are stepped first. A run that has reached its end no longer
/// listens.
///
/// A run that waits for an external event when the last handle is gone ends suspended, because
/// nobody is left to move it.
pub struct Handle<S: Space> {
    space: S,
    inbox: Arc<Inbox<S::Event>>,
}

impl<S: Space> Handle<S> {
    /// How many events may wait.
    pub const CAPACITY: usize = 1024;

    pub(super) fn new(space: S, inbox: Arc<Inbox<S::Event>>) -> Self {
        inbox.join();
        Self { space, inbox }
    }

    /// Sends an external event.
    ///
    /// # Errors
    /// Only events that the contract declares external may come from outside: all that is proved
    /// of the contract rests on that. Refused as well when [`Handle::CAPACITY`] events wait, and
    /// when the run has ended. The event is handed back.
    pub fn send(&self, event: S::Event) -> Result<(), SendError<S::Event>> {
        let row = &self.space.model().events[self.space.event_index(&event)];
        if !row.external {
            let name = row.name.clone();
            return Err(SendError::NotExternal { event, name });
        }
        self.inbox.send(event, Self::CAPACITY)
    }

    /// Asks the run to stop where it can be resumed. A query in flight is dropped, to be run again
    /// on resume; any other effect is awaited and its outcome stepped, so that nothing is in doubt.
    /// Nothing happens when the run has ended.
    pub fn suspend(&self) {
        self.inbox.tell(Message::Suspend);
    }

    /// Ends the run for good, at the places where [`Handle::suspend`] would. For contracts that
    /// have no word for it: a contract's own `Cancel` event goes through [`Handle::send`], and the
    /// run completes by its rules. Nothing happens when the run has ended.
    pub fn cancel(&self) {
        self.inbox.tell(Message::Cancel);
    }
}

impl<S: Space + Clone> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Self::new(self.space.clone(), Arc::clone(&self.inbox))
    }
}

impl<S: Space> Drop for Handle<S> {
    fn drop(&mut self) {
        self.inbox.leave();
    }
}

impl<S: Space> fmt::Debug for Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("space", &self.space.model().name)
            .finish_non_exhaustive()
    }
}

/// Why an event did not reach a run. Holds the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError<V> {
    /// The contract does not declare it external.
    NotExternal {
        /// What was sent.
        event: V,
        /// Its name.
        name: String,
    },
    /// Too many events wait.
    Full {
        /// What was sent.
        event: V,
    },
    /// The run has ended.
    Ended {
        /// What was sent.
        event: V,
    },
}

impl<V> fmt::Display for SendError<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotExternal { name, .. } => {
                write!(f, "`{name}` is not an external event of the contract")
            }
            Self::Full { .. } => f.write_str("too many events wait for the run"),
            Self::Ended { .. } => f.write_str("the run has ended"),
        }
    }
}

impl<V: fmt::Debug> std::error::Error for SendError<V> {}

/// What a handle says.
pub(super) enum Message<V> {
    Event(V),
    Suspend,
    Cancel,
}

/// The queue between handles and run. Not a channel of the executor's, whose first block alone
/// would be most of what an idle run may take.
pub(super) struct Inbox<V> {
    queue: Mutex<Queue<V>>,
    /// Whether messages wait: all that a round with nothing to hear looks at.
    waiting: AtomicBool,
    handles: AtomicUsize,
}

struct Queue<V> {
    messages: VecDeque<Message<V>>,
    waker: Option<Waker>,
    closed: bool,
}

impl<V> Inbox<V> {
    /// One more handle.
    pub(super) fn join(&self) {
        self.handles.fetch_add(1, Ordering::Relaxed);
    }

    /// One handle fewer; without the last the run is alone.
    pub(super) fn leave(&self) {
        if self.handles.fetch_sub(1, Ordering::AcqRel) == 1 {
            wake(self.lock());
        }
    }

    /// Adds an event, unless so many messages wait.
    pub(super) fn send(&self, event: V, most: usize) -> Result<(), SendError<V>> {
        let queue = self.lock();
        if queue.closed {
            return Err(SendError::Ended { event });
        }
        if queue.messages.len() >= most {
            return Err(SendError::Full { event });
        }
        self.push(queue, Message::Event(event));
        Ok(())
    }

    /// Adds any message, unless the run has ended.
    pub(super) fn tell(&self, message: Message<V>) {
        let queue = self.lock();
        if !queue.closed {
            self.push(queue, message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<V>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, mut queue: MutexGuard<'_, Queue<V>>, message: Message<V>) {
        queue.messages.push_back(message);
        self.waiting.store(true, Ordering::Release);
        wake(queue);
    }
}

/// Wakes the run once the lock is gone, which it is going to take.
fn wake<V>(mut queue: MutexGuard<'_, Queue<V>>) {
    let waker = queue.waker.take();
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The run's end of its inbox; closes it when dropped.
pub(super) struct Receiver<V> {
    inbox: Arc<Inbox<V>>,
}

impl<V> Receiver<V> {
    pub(super) fn new() -> Self {
        let queue = Queue {
            messages: VecDeque::new(),
            waker: None,
            closed: false,
        };
        Self {
            inbox: Arc::new(Inbox {
                queue: Mutex::new(queue),
                waiting: AtomicBool::new(false),
                handles: AtomicUsize::new(0),
            }),
        }
    }

    pub(super) fn inbox(&self) -> Arc<Inbox<V>> {
        Arc::clone(&self.inbox)
    }

    /// The next message, if one waits.
    pub(super) fn take(&self) -> Option<Message<V>> {
        if !self.inbox.waiting.load(Ordering::Acquire) {
            return None;
        }
        let mut queue = self.inbox.lock();
        let message = queue.messages.pop_front();
        let more = !queue.messages.is_empty();
        self.inbox.waiting.store(more, Ordering::Release);
        message
    }

    /// The next message; `None` when there is none and never will be.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Option<Message<V>>> {
        let mut queue = self.inbox.lock();
        if let Some(message) = queue.messages.pop_front() {
            let more = !queue.messages.is_empty();
            self.inbox.waiting.store(more, Ordering::Release);
            return Poll::Ready(Some(message));
        }
        if self.inbox.handles.load(Ordering::Acquire) == 0 {
            return Poll::Ready(None);
        }
        match &mut queue.waker {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Refuses further messages, and gives back the events that nobody has looked at.
    pub(super) fn close(&self) -> Vec<V> {
        let mut queue = self.inbox.lock();
        queue.closed = true;
        queue.waker = None;
        let messages = std::mem::take(&mut queue.messages);
        drop(queue);
        messages
            .into_iter()
            .filter_map(|message| match message {
                Message::Event(event) => Some(event),
                Message::Suspend | Message::Cancel => None,
            })
            .collect()
    }
}

impl<V> Drop for Receiver<V> {
    fn drop(&mut self) {
        self.close();
    }
}

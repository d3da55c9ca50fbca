//! What the outside may say to a run of a composition.

use std::fmt;
use std::sync::Arc;

use crate::compose::{Product, Tagged};
use crate::machine::Space;
use crate::runtime::inbox::{Inbox, Message};
use crate::runtime::{Handle, SendError};

/// The outside's end of a run: external events of its components, and the two ways to stop it.
///
/// As [`Handle`], for each component: an event waits while one of those it would move has an effect
/// in flight that must not be dropped, and meanwhile others go ahead that would move none of them.
pub struct ComposedHandle {
    product: Arc<Product>,
    inbox: Arc<Inbox<Tagged>>,
}

impl ComposedHandle {
    pub(super) fn new(product: Arc<Product>, inbox: Arc<Inbox<Tagged>>) -> Self {
        inbox.join();
        Self { product, inbox }
    }

    /// Sends an external event of a component. A sync event may be sent to any of its participants
    /// that declares it external: it moves all of them, or none.
    ///
    /// # Errors
    /// As [`Handle::send`].
    pub fn send(&self, event: Tagged) -> Result<(), SendError<Tagged>> {
        let model = self.product.space(event.component).model();
        let row = &model.events[event.event.index];
        if !row.external {
            let name = row.name.clone();
            return Err(SendError::NotExternal { event, name });
        }
        self.inbox
            .send(event, Handle::<crate::machine::EffectSpace>::CAPACITY)
    }

    /// Asks the run to stop where it can be resumed: queries in flight are dropped, other effects
    /// awaited and their outcomes stepped. Nothing happens when the run has ended.
    pub fn suspend(&self) {
        self.inbox.tell(Message::Suspend);
    }

    /// Ends the run for good, at the places where [`ComposedHandle::suspend`] would. Nothing happens
    /// when the run has ended.
    pub fn cancel(&self) {
        self.inbox.tell(Message::Cancel);
    }
}

impl Clone for ComposedHandle {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.product), Arc::clone(&self.inbox))
    }
}

impl Drop for ComposedHandle {
    fn drop(&mut self) {
        self.inbox.leave();
    }
}

impl fmt::Debug for ComposedHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComposedHandle")
            .field("composition", &self.product.composed().name)
            .finish_non_exhaustive()
    }
}

//! Who is told what a run does.

use super::Record;
use crate::machine::Space;

/// Is told every fact of a run, in order, while the run waits. Watches only: what must be able to
/// stop a run is no observer.
///
/// `()` watches nothing, a pair tells both.
pub trait Observer<S: Space> {
    /// Takes note of a fact.
    fn record(&mut self, space: &S, record: &Record<'_, S>);
}

impl<S: Space> Observer<S> for () {
    #[inline]
    fn record(&mut self, _: &S, _: &Record<'_, S>) {}
}

impl<S: Space, A: Observer<S>, B: Observer<S>> Observer<S> for (A, B) {
    fn record(&mut self, space: &S, record: &Record<'_, S>) {
        self.0.record(space, record);
        self.1.record(space, record);
    }
}

impl<S: Space, O: Observer<S> + ?Sized> Observer<S> for &mut O {
    fn record(&mut self, space: &S, record: &Record<'_, S>) {
        (**self).record(space, record);
    }
}

impl<S: Space, O: Observer<S> + ?Sized> Observer<S> for Box<O> {
    fn record(&mut self, space: &S, record: &Record<'_, S>) {
        (**self).record(space, record);
    }
}

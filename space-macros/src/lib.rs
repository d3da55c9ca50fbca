//! `#[space]`: a contract as a module. A thin front of [`space_core::attribute`].

use std::path::PathBuf;

use proc_macro::{Span, TokenStream};
use space_core::attribute::{Here, expand};

/// Fills a module with the machine of a contract.
///
/// ```
/// #[space_macros::space(domain = "../domain/reasoning")]
/// pub mod reasoning {}
///
/// use space_core::machine::Space;
///
/// let reasoning = reasoning::Reasoning;
/// assert_eq!(reasoning.initial(), reasoning::ReasoningState::Waiting);
/// assert_eq!(reasoning.model().events.len(), 5);
/// ```
///
/// Spaces put together, as generated types, beside their own modules:
///
/// ```
/// mod spaces {
///     #[space_macros::space(domain = "../domain/retrieval")]
///     pub mod retrieval {}
///     #[space_macros::space(domain = "../domain/reasoning")]
///     pub mod reasoning {}
///     #[space_macros::space(composition = "../domain/composition", name = "lookup")]
///     pub mod lookup {}
/// }
///
/// use space_core::compose::ComposedSpace;
///
/// let run = spaces::lookup::Lookup.start();
/// assert_eq!(run.state.retrieval, spaces::retrieval::RetrievalState::Idle);
/// ```
///
/// `domain` is the stem of `<stem>_base.toml` and `<stem>_domain.toml`, relative to the crate's
/// manifest, or to this file if it starts with `./`. A change of either file expands again.
///
/// `composition` is the path of `composition.toml` without its ending, and `name` picks from it; a
/// change of any contract of its folder expands again.
///
/// | option | means | without it |
/// |---|---|---|
/// | `spaces = path` | the module that has the modules of a composition's spaces, by their names | `super` |
/// | `crate = path` | where `space_core` is | `::space_core` |
/// | `serde` | serde impls; wants the feature `serde` of `space-core`, and the crate `serde` | none |
/// | `handler = false` | no handler trait, outcomes and dispatch | they are there |
/// | `form = "match"` or `"table"` | how the step is written | chosen by the number of states |
/// | `derive(..)` | further derives on state, event, effect and context | none |
///
/// Items in the module's body stay in it, after the generated ones.
///
/// A contract that is wrong is one compile error with all its findings, whatever the crate does with the
/// module: where the vocabulary is right its types are there all the same, and where it is not the
/// compiler is silent about its names.
#[proc_macro_attribute]
pub fn space(args: TokenStream, item: TokenStream) -> TokenStream {
    let here = Here {
        manifest: std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from),
        file: Span::call_site().local_file(),
    };
    expand(args.into(), item.into(), &here).into()
}

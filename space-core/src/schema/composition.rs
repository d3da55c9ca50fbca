//! The form of `composition.toml`.

use super::describe::{Form, Key, Kind, Table, may, must};
use super::forms::PATTERNS;

pub(super) static COMPOSITION: Form = Form {
    name: "composition",
    title: "Spaces put together: composition.toml",
    root: Table::new(
        "composition",
        &[
            may(
                "parallel",
                Kind::List(&Kind::Table(&PARALLEL)),
                "Spaces side by side.",
            ),
            may(
                "series",
                Kind::List(&Kind::Table(&SERIES)),
                "One space after another.",
            ),
            may(
                "feedback",
                Kind::List(&Kind::Table(&FEEDBACK)),
                "A space that is asked again.",
            ),
            may(
                "invariants",
                Kind::List(&Kind::Table(&INVARIANT)),
                "Promises about every run of a composition.",
            ),
        ],
    ),
};

const NAME: Key = must("name", Kind::Snake, "The composition's name.");
const DOC: Key = may("doc", Kind::Text, "Prose; becomes rustdoc.");

const SPACES: Key = must(
    "spaces",
    Kind::AtLeast(2, &Kind::Snake),
    "Spaces or compositions, at least two.",
);

const PARALLEL: Table = Table::new(
    "parallel",
    &[
        NAME,
        DOC,
        SPACES,
        may(
            "sync",
            Kind::List(&Kind::Camel),
            "Events that move all participants that declare them at once, or none.",
        ),
        may(
            "merge_effects",
            Kind::Merge,
            "How effects come together; `union` when absent.",
        ),
    ],
);

const SERIES: Table = Table::new(
    "series",
    &[
        NAME,
        DOC,
        SPACES,
        may(
            "adapter",
            Kind::List(&Kind::Table(&BRIDGE)),
            "When the first reaches a point, an event for the second.",
        ),
    ],
);

const FEEDBACK: Table = Table {
    some_above_0: &["max_rounds", "timeout_ms"],
    ..Table::new(
        "feedback",
        &[
            NAME,
            DOC,
            must("space", Kind::Snake, "The space that is asked again."),
            may(
                "router",
                Kind::List(&Kind::Table(&BRIDGE)),
                "When it reaches a point, an event for itself.",
            ),
            may(
                "max_rounds",
                Kind::Count,
                "How many times at most; 0 is no limit.",
            ),
            may(
                "timeout_ms",
                Kind::Count,
                "How long at most, in milliseconds; 0 is no limit.",
            ),
        ],
    )
};

const BRIDGE: Table = Table::new(
    "bridge",
    &[
        must("when", Kind::Point, "The point that is reached."),
        must("to_event", Kind::Camel, "The event that follows."),
        may(
            "map",
            Kind::List(&Kind::Table(&MAP)),
            "Where its fields come from; slots with the field's name when absent.",
        ),
    ],
);

const MAP: Table = Table::new(
    "map",
    &[
        must("field", Kind::Snake, "The event's field."),
        must("slot", Kind::Snake, "The slot it is read from."),
    ],
);

const INVARIANT: Table = Table {
    one_of: &[
        "absence",
        "existence",
        "precedence",
        "response",
        "bounded_existence",
        "exclusion",
        "reachable",
    ],
    ..Table::new(
        "invariant",
        &[
            must("composition", Kind::Snake, "The composition it is about."),
            must("name", Kind::Snake, "The invariant's name."),
            DOC,
            PATTERNS[0],
            PATTERNS[1],
            PATTERNS[2],
            PATTERNS[3],
            PATTERNS[4],
            PATTERNS[5],
            PATTERNS[6],
        ],
    )
};

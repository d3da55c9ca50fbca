//! The forms of the contract.

use super::composition::COMPOSITION;
use super::describe::{Form, Key, Kind, Table, may, must};

/// The forms, in the order of the format's description.
pub static FORMS: [&Form; 3] = [&BASE, &DOMAIN, &COMPOSITION];

const DOC: Key = may("doc", Kind::Text, "Prose; becomes rustdoc.");

const META: Table = Table::new(
    "meta",
    &[
        must("name", Kind::Snake, "The space's name: the file's stem."),
        may(
            "prefix",
            Kind::Camel,
            "The prefix of type names; UpperCamel of the name when absent.",
        ),
        may("version", Kind::Text, "A version for people."),
    ],
);

const FIELD: Table = Table::new(
    "field",
    &[
        must("name", Kind::Snake, "The field's name."),
        may("type", Kind::Type, "Its type; `text` when absent."),
        DOC,
    ],
);

/// A bare string is a field of type text.
const FIELDS: Kind = Kind::List(&Kind::Either(&[Kind::Snake, Kind::Table(&FIELD)]));

static BASE: Form = Form {
    name: "base",
    title: "The vocabulary of a space: <name>_base.toml",
    root: Table::new(
        "base",
        &[
            must("meta", Kind::Table(&META), "Whose vocabulary it is."),
            may(
                "space",
                Kind::Table(&Table::new("space", &[DOC])),
                "What the space is for.",
            ),
            may("states", Kind::List(&Kind::Table(&STATE)), "The states."),
            may(
                "events",
                Kind::List(&Kind::Table(&EVENT)),
                "What may happen.",
            ),
            may(
                "effects",
                Kind::List(&Kind::Table(&EFFECT)),
                "What may be asked of the world.",
            ),
            may(
                "guards",
                Kind::List(&Kind::Table(&GUARD)),
                "Pure predicates of context and event.",
            ),
            may("ctx", Kind::List(&Kind::Table(&SLOT)), "Context slots."),
        ],
    ),
};

const STATE: Table = Table::new(
    "state",
    &[
        must("name", Kind::Camel, "The state's name."),
        DOC,
        may(
            "is_initial",
            Kind::Flag,
            "Whether runs start here; exactly one state says so.",
        ),
        may(
            "is_terminal",
            Kind::Flag,
            "Whether runs end here; \"has no outgoing rule\" when absent.",
        ),
    ],
);

const EVENT: Table = Table::new(
    "event",
    &[
        must("name", Kind::Camel, "The event's name."),
        DOC,
        may("payload", FIELDS, "What it carries."),
        may(
            "external",
            Kind::Flag,
            "Whether it may arrive at any time: cancel, pause, deadline.",
        ),
    ],
);

const EFFECT: Table = Table::new(
    "effect",
    &[
        must("name", Kind::Camel, "The effect's name."),
        DOC,
        may("args", FIELDS, "What its handler is given."),
        may(
            "semantics",
            Kind::Semantics,
            "What it does to the world; `command` when absent.",
        ),
        may(
            "returns",
            Kind::List(&Kind::Camel),
            "The only events that its handler may answer with.",
        ),
        may(
            "sentinel",
            Kind::Camel,
            "What a handler's own failure becomes; one of `returns`.",
        ),
    ],
);

const GUARD: Table = Table::new(
    "guard",
    &[must("name", Kind::Snake, "The guard's name."), DOC],
);

const SLOT: Table = Table::new(
    "slot",
    &[
        must("name", Kind::Snake, "The slot's name."),
        may("type", Kind::Type, "Its type; `text` when absent."),
        may(
            "default",
            Kind::Json,
            "What it holds at the start; empty when absent.",
        ),
        DOC,
    ],
);

static DOMAIN: Form = Form {
    name: "domain",
    title: "The behaviour of a space: <name>_domain.toml",
    root: Table::new(
        "domain",
        &[
            must("meta", Kind::Table(&META), "Whose behaviour it is."),
            may(
                "transitions",
                Kind::List(&Kind::Table(&TRANSITION)),
                "The rules, in their order.",
            ),
            may(
                "ignored",
                Kind::List(&Kind::Table(&IGNORED)),
                "External events that states deliberately leave unanswered.",
            ),
            may(
                "invariants",
                Kind::List(&Kind::Table(&INVARIANT)),
                "Promises about every run.",
            ),
        ],
    ),
};

const FROM: Kind = Kind::Either(&[Kind::Any, Kind::OneOrMore(&Kind::Camel)]);

const TRANSITION: Table = Table::new(
    "transition",
    &[
        must(
            "from",
            FROM,
            "A state, a list of states, or `*`: every non-terminal state.",
        ),
        must("on", Kind::Camel, "The event it answers."),
        must("to", Kind::Camel, "The state it enters."),
        may(
            "guard",
            Kind::Guard,
            "A condition; when refused, the event is rejected and nothing changes. `!name` negates.",
        ),
        may("effect", Kind::Camel, "What it asks of the world."),
        may(
            "args",
            Kind::List(&Kind::Snake),
            "Effect arguments from same-named payload fields.",
        ),
        may(
            "args_from",
            Kind::List(&Kind::Table(&SLOT_ARG)),
            "Effect arguments from slots, as they were before this rule.",
        ),
        may(
            "assign",
            Kind::List(&Kind::Snake),
            "Slots written from same-named payload fields.",
        ),
        may(
            "assign_from",
            Kind::List(&Kind::Table(&SLOT_ASSIGN)),
            "Slots written from differently named payload fields.",
        ),
        DOC,
    ],
);

const SLOT_ARG: Table = Table::new(
    "slot_arg",
    &[
        must("arg", Kind::Snake, "The effect's argument."),
        must("slot", Kind::Snake, "The slot it is read from."),
    ],
);

const SLOT_ASSIGN: Table = Table::new(
    "slot_assign",
    &[
        must("slot", Kind::Snake, "The slot written."),
        must(
            "from_field",
            Kind::Snake,
            "The payload field it is written from.",
        ),
    ],
);

const IGNORED: Table = Table::new(
    "ignored",
    &[
        must("from", FROM, "A state, a list of states, or `*`."),
        must(
            "on",
            Kind::OneOrMore(&Kind::Camel),
            "An external event, or a list.",
        ),
        DOC,
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
    ..Table::new("invariant", INVARIANT_KEYS)
};

const INVARIANT_KEYS: &[Key] = &[
    must("name", Kind::Snake, "The invariant's name."),
    DOC,
    PATTERNS[0],
    PATTERNS[1],
    PATTERNS[2],
    PATTERNS[3],
    PATTERNS[4],
    PATTERNS[5],
    PATTERNS[6],
];

/// A point, or a list: any of them.
const POINTS: Kind = Kind::OneOrMore(&Kind::Point);

/// The specification patterns, which invariants of spaces and of compositions share.
pub(super) const PATTERNS: [Key; 7] = [
    may(
        "absence",
        Kind::Table(&Table::new(
            "absence",
            &[
                must("of", POINTS, "What never occurs."),
                may("after", POINTS, "Where the scope starts."),
                may("until", POINTS, "Where the scope ends."),
            ],
        )),
        "The point never occurs, in the scope.",
    ),
    may(
        "existence",
        Kind::Table(&Table::new(
            "existence",
            &[must("of", POINTS, "What occurs.")],
        )),
        "Every complete run passes the point.",
    ),
    may(
        "precedence",
        Kind::Table(&Table::new(
            "precedence",
            &[
                must("first", POINTS, "What must come first."),
                must("then", POINTS, "What may come only then."),
                may("reset", POINTS, "What undoes `first`."),
            ],
        )),
        "`then` occurs only if `first` occurred since the last `reset`.",
    ),
    may(
        "response",
        Kind::Table(&Table::new(
            "response",
            &[
                must("after", POINTS, "What asks."),
                must("must", POINTS, "What answers."),
            ],
        )),
        "After `after`, every complete run reaches `must`.",
    ),
    may(
        "bounded_existence",
        Kind::Table(&Table::new(
            "bounded_existence",
            &[
                must("of", POINTS, "What is counted."),
                must("at_most", Kind::Count, "The most."),
            ],
        )),
        "At most so many times in a run.",
    ),
    may(
        "exclusion",
        Kind::Table(&Table::new(
            "exclusion",
            &[must("points", POINTS, "What excludes each other.")],
        )),
        "Never true together, in compositions.",
    ),
    may(
        "reachable",
        Kind::Table(&Table::new(
            "reachable",
            &[must("point", POINTS, "What stays reachable.")],
        )),
        "From every reachable non-terminal state the point can still be reached.",
    ),
];

//! Events that move several participants at once.

use super::{Composed, Report, clip};
use crate::contract::Parallel;
use crate::diagnostic::{Code, Diagnostic};
use crate::explore::{Bound, Joint, JointJudge};
use crate::graph::{Cell, SyncRow};

/// Every sync event is declared by at least two participants, with one payload. Whether it is.
pub(super) fn declare(composed: &mut Composed, row: &Parallel, out: &mut Report<'_>) -> bool {
    let mut sound = true;
    for name in &row.sync {
        let components = composed.components.iter().enumerate();
        let parts = components.filter_map(|(at, one)| Some((at, one.model.event(name)?)));
        let parts: Vec<_> = parts.collect();
        if parts.len() < 2 {
            let who = match parts.first() {
                Some((only, _)) => format!("only `{}` declares", composed.components[*only].name),
                None => "no participant declares".to_owned(),
            };
            let message = format!("{who} sync event `{}`", clip(name));
            let help = "a sync event is declared by at least two participants";
            out.push(Diagnostic::new(Code::SYNC_UNSHARED, name.span, message).help(help));
            sound = false;
            continue;
        }
        let payload = |(component, event): (usize, usize)| {
            let fields = composed.components[component].model.events[event]
                .payload
                .iter();
            let fields = fields.map(|field| format!("{}: {}", field.name, field.ty));
            fields.collect::<Vec<_>>().join(", ")
        };
        let first = payload(parts[0]);
        if let Some(other) = parts.iter().find(|part| payload(**part) != first) {
            let name_of = |component: usize| &composed.components[component].name;
            let message = format!("`{}` has two payloads", clip(name));
            let finding = Diagnostic::new(Code::SYNC_PAYLOAD, name.span, message);
            out.push(finding.help(format!(
                "in `{}` it carries ({first}), in `{}` ({})",
                name_of(parts[0].0),
                name_of(other.0),
                payload(*other)
            )));
            sound = false;
            continue;
        }
        // The participants of a composition that is named are among these.
        composed.syncs.retain(|row| row.name != name.value);
        composed.syncs.push(SyncRow {
            name: name.value.clone(),
            parts,
            span: name.span,
        });
    }
    sound
}

/// Sync events are accepted wherever they may come, and none is fed into one participant alone.
/// Whether that is so.
pub(super) fn accepted(composed: &Composed, judge: &mut JointJudge, out: &mut Report<'_>) -> bool {
    let mut sound = true;
    let fed = |at: &usize| {
        let bridge = &composed.bridges[*at];
        composed.sync_of(bridge.to, bridge.event).is_some()
    };
    for at in (0..composed.bridges.len()).filter(fed) {
        let bridge = &composed.bridges[at];
        let target = &composed.components[bridge.to];
        let name = &target.model.events[bridge.event].name;
        let message = format!("sync event `{name}` is fed into `{}` alone", target.name);
        let finding = Diagnostic::new(Code::BRIDGE_EVENT, bridge.span, message);
        out.push(finding.help("feed an event of one space, or do not name it in `sync`"));
        sound = false;
    }
    let open: Vec<usize> = (0..composed.syncs.len())
        .filter(|at| !accepted_everywhere(composed, &composed.syncs[*at]))
        .collect();
    if !sound || open.is_empty() {
        return sound;
    }
    for at in open {
        let sync = &composed.syncs[at];
        let parts: Vec<_> = sync.parts.iter().map(|(component, _)| *component).collect();
        let joint = judge.around(&parts);
        let refused = joint.refused().get(&at);
        let finding = match (refused, joint.bound()) {
            (Some((node, by)), _) => refusal(&joint, sync, *node, *by),
            (None, Some(bound)) => undecided(composed, sync, bound),
            (None, None) => continue,
        };
        out.push(finding);
        sound = false;
    }
    sound
}

fn refusal(joint: &Joint, sync: &SyncRow, node: usize, by: usize) -> Diagnostic {
    let composed = joint.composed();
    let message = format!(
        "`{}` has no rule for `{}` in {}",
        composed.components[by].name,
        sync.name,
        composed.describe(&joint.states(node))
    );
    let run = joint.words(&joint.run_to(node));
    Diagnostic::new(Code::SYNC_REFUSED, sync.span, message).help(match run.as_slice() {
        [] => "that is where runs start".to_owned(),
        run => format!("the shortest way there: {}", run.join(", ")),
    })
}

fn undecided(composed: &Composed, sync: &SyncRow, bound: Bound) -> Diagnostic {
    let message = format!(
        "whether `{}` is accepted wherever it may come is not known: `{}` has more than the {} \
         configurations that were seen, {} of them on the frontier",
        sync.name, composed.name, bound.seen, bound.frontier
    );
    Diagnostic::new(Code::UNDECIDED, sync.span, message)
        .help("handle or ignore it in every state of every participant")
}

/// Whether no participant could refuse it, whatever the others do.
fn accepted_everywhere(composed: &Composed, sync: &SyncRow) -> bool {
    sync.parts.iter().all(|(component, event)| {
        let model = &composed.components[*component].model;
        let states = model
            .states
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.terminal);
        states
            .map(|(state, _)| model.cell(state, *event))
            .all(|cell| cell != Cell::Empty)
    })
}

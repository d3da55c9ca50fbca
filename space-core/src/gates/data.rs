//! S03: where the data of a rule comes from and goes to.

use std::collections::HashMap;

use super::report::{Report, Table, clip, listed};
use crate::contract::{Effect, Event, Span, Spanned, Transition, Type};
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{Row, Rules, Use};

pub(super) fn check(rules: &Rules<'_>, out: &mut Report<'_>) {
    for (row, written) in rules.rows.iter().zip(&rules.domain.transitions) {
        let rule = Rule {
            rules,
            written,
            on: row.on,
        };
        match (row.effect, &written.effect) {
            (Use::Row(effect), Some(name)) => rule.arguments(effect, name, out),
            (Use::Absent, _) => rule.no_effect(out),
            // What an undeclared effect takes is not known.
            _ => {}
        }
        rule.assignments(row, out);
    }
}

/// A row of `[[transitions]]` and its event.
struct Rule<'r, 'a> {
    rules: &'r Rules<'a>,
    written: &'a Transition,
    on: Option<usize>,
}

impl<'a> Rule<'_, 'a> {
    fn event(&self) -> Option<&'a Event> {
        self.on.map(|on| &self.rules.base.events[on])
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.rules.names.slots.get(name).copied()
    }

    /// The type of a slot. `None` when it is not declared or its type is unknown.
    fn slot_type(&self, name: &str) -> Option<(&'a Spanned<String>, &'a Type)> {
        let slot = &self.rules.base.ctx[self.slot(name)?];
        Some((&slot.name, slot.ty.value.as_ref()?))
    }

    /// The type of a payload field. `None` when the event does not carry it or its type is unknown.
    fn field_type(&self, name: &str) -> Option<(&'a Spanned<String>, &'a Type)> {
        let base = self.rules.base;
        let at = self.rules.names.field(base, self.on?, name)?;
        let field = &base.events[self.on?].payload[at];
        Some((&field.name, field.ty.value.as_ref()?))
    }

    fn no_effect(&self, out: &mut Report<'_>) {
        let args = self.written.args.iter();
        let mut args = args.chain(self.written.args_from.iter().map(|one| &one.arg));
        if let Some(first) = args.next() {
            let message = format!("argument `{}` is supplied to no effect", clip(first));
            out.push(
                Diagnostic::new(Code::ARGUMENTS, first.span, message)
                    .help("name the rule's `effect`, or remove the arguments"),
            );
        }
    }

    /// Every argument that the effect declares is supplied exactly once, by a value of its type.
    fn arguments(&self, effect: usize, name: &Spanned<String>, out: &mut Report<'_>) {
        let (base, names) = (self.rules.base, &self.rules.names);
        let declared: &Effect = &base.effects[effect];
        let mut supplied: HashMap<usize, Span> = HashMap::new();
        let mut unknown = false;
        let from_payload = self.written.args.iter().map(|arg| (arg, None));
        let from_slots = self
            .written
            .args_from
            .iter()
            .map(|one| (&one.arg, Some(&one.slot)));
        // Slots first: a second supply from the payload is then not asked what the event carries.
        for (arg, slot) in from_slots.chain(from_payload) {
            let Some(at) = names.arg(base, effect, arg) else {
                unknown = true;
                no_argument(arg, declared, out);
                continue;
            };
            if let Some(before) = supplied.insert(at, arg.span) {
                let message = format!("argument `{}` is supplied twice", clip(arg));
                out.push(
                    Diagnostic::new(Code::ARGUMENTS, arg.span, message)
                        .related(before, "it is supplied here, too")
                        .help("remove one of them"),
                );
                continue;
            }
            let param = &declared.args[at];
            let (source, place) = if let Some(slot) = slot {
                self.known_slot(slot, out);
                (self.slot_type(slot), slot.span)
            } else {
                if let Some(event) = self.missing(arg) {
                    not_carried(arg, event, self.slot_for(arg), out);
                }
                (self.field_type(arg), arg.span)
            };
            if let (Some((from, source)), Some(target)) = (source, &param.ty.value) {
                differ(
                    place,
                    (from, source),
                    ("argument", &param.name, target),
                    out,
                );
            }
        }
        if !unknown {
            self.unsupplied(name, declared, &supplied, out);
        }
    }

    /// Reports the arguments that nothing supplies.
    fn unsupplied(
        &self,
        name: &Spanned<String>,
        declared: &Effect,
        supplied: &HashMap<usize, Span>,
        out: &mut Report<'_>,
    ) {
        let args = declared.args.iter().enumerate();
        let open = args.filter(|(at, _)| !supplied.contains_key(at));
        let open: Vec<_> = open.map(|(_, arg)| &arg.name).collect();
        let Some(first) = open.first() else { return };
        let arguments = listed(open.iter().map(|arg| arg.as_str()), open.len());
        let message = format!("effect `{}` is not given {arguments}", clip(name));
        let finding = Diagnostic::new(Code::ARGUMENTS, name.span, message)
            .related(first.span, "the argument is declared here");
        let carried = self.on.is_some_and(|on| {
            let (base, names) = (self.rules.base, &self.rules.names);
            names.field(base, on, first).is_some()
        });
        out.push(if carried {
            let finding = finding.help(format!("add `{}` to `args`", clip(first)));
            match self.written.args.last() {
                Some(last) if open.len() == 1 => {
                    let end = Span::new(last.span.file, last.span.end, last.span.end);
                    finding.edit(end, format!(", \"{}\"", first.value))
                }
                _ => finding,
            }
        } else if let Some(help) = self.slot_for(first) {
            finding.help(help)
        } else {
            finding.help("supply it from the payload with `args`, or from a slot with `args_from`")
        });
    }

    /// Slots are written from fields that the event carries, of the slot's type, in the form that is
    /// meant for their names, and each once.
    fn assignments(&self, row: &Row, out: &mut Report<'_>) {
        for slot in &self.written.assign {
            if self.known_slot(slot, out) {
                if let Some(event) = self.missing(slot) {
                    let fields = event.payload.first().map_or("…", |field| &field.name.value);
                    let help = format!(
                        "for a field of another name write `assign_from = [{{ slot = \"{}\", from_field = \"{}\" }}]`",
                        clip(slot),
                        clip(fields)
                    );
                    not_carried(slot, event, Some(help), out);
                }
                self.fits(slot, slot, out);
            }
        }
        for one in &self.written.assign_from {
            let known = self.known_slot(&one.slot, out);
            if let Some(event) = self.missing(&one.from_field) {
                not_carried(&one.from_field, event, None, out);
            }
            if one.slot.value == one.from_field.value {
                let name = clip(&one.slot);
                let message = format!("slot and field are both `{name}`");
                out.push(
                    Diagnostic::new(Code::ASSIGN_FORM, one.slot.span, message)
                        .help(format!("write `assign = [\"{name}\"]`")),
                );
            }
            if known {
                self.fits(&one.slot, &one.from_field, out);
            }
        }
        if row.assigns.len() > 1 {
            self.once(out);
        }
    }

    fn once(&self, out: &mut Report<'_>) {
        let slots = self.written.assign.iter();
        let slots = slots.chain(self.written.assign_from.iter().map(|one| &one.slot));
        let mut first = HashMap::new();
        for slot in slots {
            if let Some(before) = first.insert(slot.value.as_str(), slot.span) {
                // A slot that is not declared has been reported.
                if self.slot(slot).is_none() {
                    continue;
                }
                let message = format!("slot `{}` is written twice", clip(slot));
                out.push(
                    Diagnostic::new(Code::ASSIGNED_TWICE, slot.span, message)
                        .related(before, "it is written here, too")
                        .help("remove one of them"),
                );
            }
        }
    }

    /// The event, when it does not carry a field.
    fn missing(&self, field: &str) -> Option<&'a Event> {
        let (base, names) = (self.rules.base, &self.rules.names);
        let event = self.event()?;
        names
            .field(base, self.on?, field)
            .is_none()
            .then_some(event)
    }

    /// How an argument that the event does not carry is read from a slot of its name.
    fn slot_for(&self, arg: &str) -> Option<String> {
        self.slot(arg)?;
        let arg = clip(arg);
        Some(format!(
            "read it from the slot: `args_from = [{{ arg = \"{arg}\", slot = \"{arg}\" }}]`"
        ))
    }

    fn known_slot(&self, slot: &Spanned<String>, out: &mut Report<'_>) -> bool {
        let known = self.slot(slot).is_some();
        if !known {
            let name = (slot.as_str(), slot.span);
            out.unknown(Code::UNDECLARED, Table::Slots, name, str::to_owned);
        }
        known
    }

    fn fits(&self, slot: &Spanned<String>, field: &Spanned<String>, out: &mut Report<'_>) {
        if let (Some((name, target)), Some(source)) = (self.slot_type(slot), self.field_type(field))
        {
            differ(field.span, source, ("slot", name, target), out);
        }
    }
}

fn no_argument(arg: &Spanned<String>, effect: &Effect, out: &mut Report<'_>) {
    let name = clip(&effect.name);
    let message = format!("effect `{name}` has no argument `{}`", clip(arg));
    let finding = Diagnostic::new(Code::UNDECLARED, arg.span, message)
        .related(effect.name.span, "the effect is declared here");
    let meant = out.near(arg, effect.args.iter().map(|arg| &arg.name));
    out.push(match meant {
        Some(meant) => finding
            .help(format!("did you mean `{meant}`?"))
            .edit(arg.span, format!("\"{meant}\"")),
        None => finding.help(format!("remove it, or add it to the `args` of `{name}`")),
    });
}

fn not_carried(
    field: &Spanned<String>,
    event: &Event,
    other: Option<String>,
    out: &mut Report<'_>,
) {
    let name = clip(&event.name);
    let message = format!("event `{name}` does not carry `{}`", clip(field));
    let finding = Diagnostic::new(Code::NOT_IN_PAYLOAD, field.span, message)
        .related(event.name.span, "the event is declared here");
    let meant = out.near(field, event.payload.iter().map(|field| &field.name));
    out.push(match (other, meant) {
        (Some(help), _) => finding.help(help),
        (None, Some(meant)) => finding
            .help(format!("did you mean `{meant}`?"))
            .edit(field.span, format!("\"{meant}\"")),
        (None, None) => finding.help(format!("add it to the `payload` of `{name}`")),
    });
}

/// Reports a value that is stored where another type is declared.
fn differ(
    place: Span,
    (from, source): (&Spanned<String>, &Type),
    (what, to, target): (&str, &Spanned<String>, &Type),
    out: &mut Report<'_>,
) {
    if target.accepts(source) {
        return;
    }
    let message = format!(
        "`{}` is `{source}`, and {what} `{}` is `{target}`",
        clip(from),
        clip(to)
    );
    let mut finding = Diagnostic::new(Code::TYPES_DIFFER, place, message)
        .related(from.span, format!("`{source}` is declared here"))
        .related(to.span, format!("`{target}` is declared here"));
    finding.help = Some(if source.is_optional() && !target.is_optional() {
        format!("make {what} `{}` optional, too: `{target}?`", clip(to))
    } else {
        "give both the same type".to_owned()
    });
    out.push(finding);
}

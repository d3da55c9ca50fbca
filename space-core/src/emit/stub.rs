//! Text for consumers to copy: a handler to fill in, a scripted mock, a skeleton of properties.
//!
//! Written as text, not as tokens: what matters in it are the comments.

use std::fmt::Write as _;

use super::FORMAT;
use super::docs;
use super::handler::Outcome;
use super::names::{ident, snake};
use super::products::{MARK, Place};
use super::settings::{Cx, Settings};
use crate::contract::{Semantics, Type};
use crate::graph::{EffectRow, Model};

/// A handler whose every method says what it may and must do.
pub(super) fn handler(model: &Model, settings: &Settings, place: &Place) -> String {
    let cx = Cx::new(model, settings);
    let (trait_name, prefix, name) = (&cx.names.handler, &model.prefix, &model.name);
    let mut imports = vec![trait_name.to_string()];
    imports.extend(outcomes(&cx));
    let mut out = head(&cx, place, "fill its bodies in", &imports, &["Fault"]);
    let _ = write!(
        out,
        "\n/// Answers the effects of `{name}`.\n#[derive(Debug, Default)]\npub struct {prefix}HandlerStub;\n\nimpl {trait_name} for {prefix}HandlerStub {{"
    );
    for (at, row) in model.effects.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { "\n\n" });
        method(&cx, at, row, &mut out);
    }
    out.push_str(if model.effects.is_empty() {
        "}\n"
    } else {
        "\n}\n"
    });
    out
}

fn method(cx: &Cx<'_>, at: usize, row: &EffectRow, out: &mut String) {
    let model = cx.model;
    let name = ident(&snake(&row.name));
    let prose = docs::prose(row.doc.as_ref(), &format!("`{}`.", row.name));
    for line in prose.lines() {
        let _ = writeln!(out, "{}", format!("    /// {line}").trim_end());
    }
    let _ = writeln!(out, "    ///\n    /// {}", instruction(row.semantics));
    let outcome = Outcome::of(cx, at);
    let ty = outcome.ty(cx).to_string().replace("( )", "()");
    match &outcome {
        Outcome::Nothing => {}
        Outcome::AnyEvent => {
            let _ = writeln!(out, "    ///\n    /// Answer with any event of [`{ty}`].");
        }
        Outcome::Own(_) | Outcome::SameAs(..) => {
            let _ = writeln!(out, "    ///\n    /// Answer with one of:");
            for event in row.returns.iter().flatten() {
                let event = &model.events[*event];
                let fields: Vec<_> = event.payload.iter().map(|one| ident(&one.name)).collect();
                let fields = if fields.is_empty() {
                    String::new()
                } else {
                    let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
                    format!(" {{ {} }}", fields.join(", "))
                };
                let _ = writeln!(out, "    /// * `{ty}::{}{fields}`", event.name);
            }
        }
    }
    let args = row
        .args
        .iter()
        .map(|arg| format!(", {}: {}", ident(&arg.name), lent(&arg.ty)));
    let args: String = args.collect();
    let _ = writeln!(
        out,
        "    async fn {name}(&mut self{args}) -> Result<{ty}, Fault> {{"
    );
    if row.semantics != Semantics::Stop {
        match row.sentinel {
            Some(sentinel) => {
                let _ = writeln!(
                    out,
                    "        // A failure of the domain becomes `{}`: `Err(Fault::domain(error))`.",
                    model.events[sentinel].name
                );
            }
            None => out.push_str(
                "        // The contract names no sentinel: a failure is one of the answers, or an escape.\n",
            ),
        }
    }
    out.push_str(
        "        // A failure that the contract has no word for ends the run: `Err(Fault::escape(error))`.\n",
    );
    let names: Vec<_> = row
        .args
        .iter()
        .map(|arg| ident(&arg.name).to_string())
        .collect();
    match &names[..] {
        [] => {}
        [one] => {
            let _ = writeln!(out, "        let _ = {one};");
        }
        names => {
            let _ = writeln!(out, "        let _ = ({});", names.join(", "));
        }
    }
    let _ = write!(out, "        todo!(\"{}\")\n    }}", snake(&row.name));
}

/// The label as an instruction to whoever fills the method in.
const fn instruction(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Query => "Query: read only. It may be run again on resume and on retry.",
        Semantics::Command => {
            "Command: change the world once. It is never silently run twice; say what happened."
        }
        Semantics::Commit => {
            "Commit: make the earlier commands final. It is never silently run twice."
        }
        Semantics::Rollback => {
            "Rollback: undo the earlier commands. It is never silently run twice."
        }
        Semantics::Stop => "Stop: the run ends here. Deliver, and change nothing else.",
    }
}

/// A handler that answers from a script and keeps what it was asked.
pub(super) fn mock(model: &Model, settings: &Settings, place: &Place) -> String {
    let cx = Cx::new(model, settings);
    let (prefix, effect) = (&model.prefix, &cx.names.effect);
    let mut imports = vec![cx.names.handler.to_string(), effect.to_string()];
    imports.extend(outcomes(&cx));
    let scripted = scripted(&cx);
    let mut out = head(&cx, place, "use it in tests", &imports, &["Fault"]);
    if !scripted.is_empty() {
        out = out.replacen("\nuse ", "\nuse std::collections::VecDeque;\n\nuse ", 1);
    }
    let _ = write!(
        out,
        "\n/// Answers the effects of `{}` from a script, and keeps what it was asked.\n///\n/// A script that runs dry ends the run with an escape that names the effect: assert on how the\n/// run ended.\n#[derive(Debug, Default)]\npub struct {prefix}Mock {{\n    /// The effects, in the order asked.\n    pub calls: Vec<{effect}>,\n",
        model.name
    );
    for (method, ty) in &scripted {
        let _ = writeln!(out, "    {method}_answers: VecDeque<Result<{ty}, Fault>>,");
    }
    out.push_str("}\n");
    if !scripted.is_empty() {
        let _ = write!(out, "\nimpl {prefix}Mock {{");
        for (method, ty) in &scripted {
            let _ = write!(
                out,
                "\n    /// The next answer of `{method}`.\n    #[must_use]\n    pub fn on_{method}(mut self, answer: Result<{ty}, Fault>) -> Self {{\n        self.{method}_answers.push_back(answer);\n        self\n    }}\n"
            );
        }
        out.push_str("}\n");
    }
    let _ = write!(out, "\nimpl {} for {prefix}Mock {{", cx.names.handler);
    for (at, row) in model.effects.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { "\n\n" });
        mocked(&cx, at, row, &mut out);
    }
    out.push_str(if model.effects.is_empty() {
        "}\n"
    } else {
        "\n}\n"
    });
    out
}

fn mocked(cx: &Cx<'_>, at: usize, row: &EffectRow, out: &mut String) {
    let (effect, prefix) = (&cx.names.effect, &cx.model.prefix);
    let plain = snake(&row.name);
    let ty = Outcome::of(cx, at).ty(cx).to_string().replace("( )", "()");
    let args = row
        .args
        .iter()
        .map(|arg| format!(", {}: {}", ident(&arg.name), lent(&arg.ty)));
    let args: String = args.collect();
    let _ = writeln!(
        out,
        "    async fn {}(&mut self{args}) -> Result<{ty}, Fault> {{",
        ident(&plain)
    );
    if row.args.is_empty() {
        let _ = writeln!(
            out,
            "        self.calls.push({effect}::{});",
            ident(&row.name)
        );
    } else {
        let _ = writeln!(
            out,
            "        self.calls.push({effect}::{} {{",
            ident(&row.name)
        );
        for arg in &row.args {
            let name = ident(&arg.name);
            let value = kept(&arg.ty, &name.to_string());
            let value = if value == arg.name {
                String::new()
            } else {
                format!(": {value}")
            };
            let _ = writeln!(out, "            {name}{value},");
        }
        out.push_str("        });\n");
    }
    if row.semantics == Semantics::Stop {
        out.push_str("        Ok(())\n    }");
    } else {
        let _ = write!(
            out,
            "        let answer = self.{plain}_answers.pop_front();\n        answer.unwrap_or_else(|| Err(Fault::escape(\"{prefix}Mock: `{plain}` has no scripted answer left\")))\n    }}"
        );
    }
}

/// A first property of the consumer's own.
pub(super) fn properties(model: &Model, settings: &Settings, place: &Place) -> String {
    let cx = Cx::new(model, settings);
    let mut imports = vec![cx.names.space.to_string()];
    if !model.guards.is_empty() {
        imports.extend([&cx.names.ctx, &cx.names.event, &cx.names.guards].map(ToString::to_string));
    }
    let mut out = head(
        &cx,
        place,
        "say what your business promises",
        &imports,
        &["Step"],
    );
    let krate = settings.krate.trim_start_matches("::");
    let place_line = format!("\nuse {}::", place.krate);
    let verify = format!("\nuse {krate}::verify::{{Triple, check_triple}};{place_line}");
    out = out.replacen(&place_line, &verify, 1);
    let (space, ctx, event, guards) = (
        &cx.names.space,
        &cx.names.ctx,
        &cx.names.event,
        &cx.names.guards,
    );
    let make = if model.guards.is_empty() {
        "|_| Box::new(())".to_owned()
    } else {
        let _ = write!(
            out,
            "\n/// Your guards: the real ones, if you have them.\nstruct Guards;\n\nimpl {guards} for Guards {{\n"
        );
        for row in &model.guards {
            let _ = writeln!(
                out,
                "    fn {}(&self, _ctx: &{ctx}, _event: &{event}) -> bool {{\n        true\n    }}",
                ident(&row.name)
            );
        }
        out.push_str("}\n");
        "|_| Box::new(Guards)".to_owned()
    };
    let _ = write!(
        out,
        "\n/// `{{before}} step {{after}}`: wherever the first holds, the second holds after the step.\n#[test]\nfn an_end_is_an_end() {{\n    check_triple(\n        &{space},\n        {make},\n        |before: &Triple<'_, {space}>| before.state.is_terminal(),\n        |_before, step, _ctx| !matches!(step, Step::Handled {{ .. }}),\n    );\n}}\n"
    );
    out
}

/// Comment and imports of a stub.
fn head(cx: &Cx<'_>, place: &Place, what: &str, imports: &[String], machine: &[&str]) -> String {
    let model = cx.model;
    let mut machine: Vec<_> = machine.to_vec();
    let json = |ty: &Type| ty.to_string().starts_with("json");
    let lends_json = model
        .effects
        .iter()
        .flat_map(|row| &row.args)
        .any(|arg| json(&arg.ty) || arg.ty.to_string().contains("list<json"));
    if lends_json && machine.contains(&"Fault") {
        machine.push("Json");
    }
    let machine = match &machine[..] {
        [one] => (*one).to_owned(),
        several => format!("{{{}}}", several.join(", ")),
    };
    let mut imports = imports.to_vec();
    imports.sort();
    imports.dedup();
    let imports = match &imports[..] {
        [one] => format!("{one};"),
        several if several.join(", ").len() < 60 => format!("{{{}}};", several.join(", ")),
        several => format!("{{\n    {},\n}};", wrapped(several)),
    };
    let krate = cx.settings.krate.trim_start_matches("::");
    let place = format!("{}::{}", place.krate, ident(&model.name));
    format!(
        "// {MARK}\n// Format {FORMAT}, contract {}.\n//\n// Copy this file into your crate, and {what}. Nobody writes to the copy.\n\nuse {krate}::machine::{machine};\nuse {place}::{imports}\n",
        model.hash
    )
}

/// Names by commas, in lines of a readable length.
fn wrapped(names: &[String]) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            text.push(',');
            if width + name.len() > 90 {
                text.push_str("\n    ");
                width = 0;
            } else {
                text.push(' ');
            }
        }
        text.push_str(name);
        width += name.len() + 2;
    }
    text
}

/// The types that methods answer with, as they must be imported.
fn outcomes(cx: &Cx<'_>) -> Vec<String> {
    let all = (0..cx.model.effects.len()).map(|at| Outcome::of(cx, at));
    all.filter(|outcome| !matches!(outcome, Outcome::Nothing))
        .map(|outcome| outcome.ty(cx).to_string())
        .collect()
}

/// Methods that need a script, and what they answer with.
fn scripted(cx: &Cx<'_>) -> Vec<(String, String)> {
    let effects = cx.model.effects.iter().enumerate();
    effects
        .filter(|(_, row)| row.semantics != Semantics::Stop)
        .map(|(at, row)| (snake(&row.name), Outcome::of(cx, at).ty(cx).to_string()))
        .collect()
}

/// A type as people write it.
fn held(ty: &Type) -> String {
    match ty {
        Type::Text => "String".to_owned(),
        Type::Int => "i64".to_owned(),
        Type::Float => "f64".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Json => "Json".to_owned(),
        Type::List(inner) => format!("Vec<{}>", held(inner)),
        Type::Optional(inner) => format!("Option<{}>", held(inner)),
    }
}

fn lent(ty: &Type) -> String {
    match ty {
        Type::Text => "&str".to_owned(),
        Type::Json => "&Json".to_owned(),
        Type::List(inner) => format!("&[{}]", held(inner)),
        Type::Optional(inner) => format!("Option<{}>", lent(inner)),
        Type::Int | Type::Float | Type::Bool => held(ty),
    }
}

/// An owned value of a lent one.
fn kept(ty: &Type, name: &str) -> String {
    match ty {
        Type::Text => format!("{name}.to_owned()"),
        Type::Json => format!("{name}.clone()"),
        Type::List(_) => format!("{name}.to_vec()"),
        Type::Int | Type::Float | Type::Bool => name.to_owned(),
        Type::Optional(inner) => match **inner {
            Type::Text => format!("{name}.map(ToOwned::to_owned)"),
            Type::Json => format!("{name}.cloned()"),
            Type::List(_) => format!("{name}.map(<[_]>::to_vec)"),
            _ => name.to_owned(),
        },
    }
}

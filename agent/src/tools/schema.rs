//! JSON Schemas of argument types, in the plain form that every server takes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of `A`, an object.
///
/// Strict servers and grammar compilers stumble over references, `null` types and `format`, so
/// there are none; an optional field is one that is not `required`.
pub fn schema_of<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = Value::from(settings.into_generator().into_root_schema_for::<A>());
    plain(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        // The tool has a description of its own.
        root.remove("description");
    }
    schema
}

fn plain(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    for noise in ["title", "format", "default"] {
        object.remove(noise);
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_mut_slice() {
            let kind = kind.take();
            object.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(cases)) = object.get_mut("anyOf") {
        cases.retain(|case| case["type"] != "null");
        if let [Value::Object(case)] = cases.as_mut_slice() {
            let case = std::mem::take(case);
            object.remove("anyOf");
            object.extend(case);
            return plain(schema);
        }
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            // Below `properties` the keys are names, one of which may be `title`.
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(plain),
            (_, Value::Array(cases)) => cases.iter_mut().for_each(plain),
            (_, value) => plain(value),
        }
    }
}

/// The fields of an object schema in a line: `path: string, start?: integer`.
pub(super) fn signature(schema: &Value) -> String {
    let empty = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&empty);
    let required = |name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|required| required == name))
    };
    let field = |(name, field): (&String, &Value)| {
        let mark = if required(name) { "" } else { "?" };
        format!("{name}{mark}: {}", kind(field))
    };
    fields.iter().map(field).collect::<Vec<_>>().join(", ")
}

fn kind(schema: &Value) -> String {
    match schema["type"].as_str() {
        Some("array") => format!("[{}]", kind(&schema["items"])),
        Some("object") => format!("{{ {} }}", signature(schema)),
        Some(kind) => kind.to_owned(),
        None => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    #[schemars(deny_unknown_fields)]
    struct Arguments {
        /// Where.
        path: String,
        title: Option<String>,
        start: Option<usize>,
        edits: Vec<Edit>,
        one: Option<Edit>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Edit {
        old: String,
    }

    #[test]
    fn schemas_are_plain() {
        let schema = schema_of::<Arguments>();
        let edit = json!({
            "type": "object", "properties": { "old": { "type": "string" } }, "required": ["old"],
        });
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "path": { "description": "Where.", "type": "string" },
                    "title": { "type": "string" },
                    "start": { "type": "integer", "minimum": 0 },
                    "edits": { "type": "array", "items": edit },
                    "one": edit,
                },
                "additionalProperties": false,
                "required": ["path", "edits"],
            })
        );
        assert_eq!(
            signature(&schema),
            "path: string, title?: string, start?: integer, edits: [{ old: string }], \
             one?: { old: string }"
        );
    }
}

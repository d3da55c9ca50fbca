//! Generated types through serde, without a derive.

#[space_macros::space(domain = "fronts/domain/odd", serde)]
mod odd {}

use odd::{Odd, OddCtx, OddEffect, OddEvent, OddState};
use space_core::contract::Json;
use space_core::machine::Space;

#[test]
fn values_come_back() {
    let event = OddEvent::Some {
        state: i64::MIN,
        ctx: "\u{0}\"".to_owned(),
        event: true,
        guards: vec![String::new()],
        effect: Json::object([("a", Json::Float(-0.0))]),
        kind: 5e-324,
        found: None,
        deep: vec![vec![None, Some(1)], Vec::new()],
    };
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(serde_json::from_str::<OddEvent>(&text).unwrap(), event);
    assert!(!text.contains("found"), "what is none is left out: {text}");

    // An optional JSON tells nothing from null.
    for on in [None, Some(Json::Null)] {
        let event = OddEvent::String { on };
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<OddEvent>(&text).unwrap(), event);
    }
    let text = serde_json::to_string(&(OddState::Some, OddEffect::Default)).unwrap();
    assert_eq!(text, r#"["Some",{"Default":{}}]"#);
    let back: (OddState, OddEffect) = serde_json::from_str(&text).unwrap();
    assert_eq!(back, (OddState::Some, OddEffect::Default));
    let text = serde_json::to_string(&Odd.context()).unwrap();
    assert_eq!(
        serde_json::from_str::<OddCtx>(&text).unwrap(),
        Odd.context()
    );
}

#[test]
fn what_is_wrong_is_said() {
    for (text, expected) in [
        (r#"{"Nope":{}}"#, "there is no event `Nope`"),
        (
            r#"{"Ok":{"event":1,"rule":""}}"#,
            "event: expected text, found 1",
        ),
        (
            r#"{"Ok":{"event":"","rule":"","more":1}}"#,
            "a field is not declared",
        ),
        (r#"{"Ok":{"event":""}}"#, "expected text, found null"),
        (r#"{"Vec":{},"Box":{}}"#, "an object of one member"),
        (
            r#"{"String":{"on":18446744073709551615}}"#,
            "beyond 64 bits",
        ),
    ] {
        let error = serde_json::from_str::<OddEvent>(text)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    assert!(serde_json::from_str::<OddState>("\"Nope\"").is_err());
}

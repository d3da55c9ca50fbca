//! Rust types and expressions of the contract's types and values.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::settings::Cx;
use crate::contract::{Json, Type, Value};
use crate::graph::SlotRow;

/// The type that holds a value.
pub(super) fn owned(cx: &Cx<'_>, ty: &Type) -> TokenStream {
    let machine = &cx.machine;
    match ty {
        Type::Text => quote!(::std::string::String),
        Type::Int => quote!(i64),
        Type::Float => quote!(f64),
        Type::Bool => quote!(bool),
        Type::Json => quote!(#machine::Json),
        Type::List(inner) => {
            let inner = owned(cx, inner);
            quote!(::std::vec::Vec<#inner>)
        }
        Type::Optional(inner) => {
            let inner = owned(cx, inner);
            quote!(::core::option::Option<#inner>)
        }
    }
}

/// The type that lends a value to a handler.
pub(super) fn borrowed(cx: &Cx<'_>, ty: &Type) -> TokenStream {
    match ty {
        Type::Text => quote!(&str),
        Type::Int | Type::Float | Type::Bool => owned(cx, ty),
        Type::Json => {
            let json = owned(cx, ty);
            quote!(&#json)
        }
        Type::List(inner) => {
            let inner = owned(cx, inner);
            quote!(&[#inner])
        }
        Type::Optional(inner) => {
            let inner = borrowed(cx, inner);
            quote!(::core::option::Option<#inner>)
        }
    }
}

/// What lends the value behind a reference.
pub(super) fn lend(ty: &Type, reference: &Ident) -> TokenStream {
    match ty {
        Type::Text | Type::Json | Type::List(_) => quote!(#reference),
        Type::Optional(inner) => match **inner {
            Type::Text | Type::List(_) => quote!(#reference.as_deref()),
            Type::Json => quote!(#reference.as_ref()),
            _ => quote!(*#reference),
        },
        Type::Int | Type::Float | Type::Bool => quote!(*#reference),
    }
}

/// Whether its Rust type is `Copy`.
pub(super) fn is_copy(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Float | Type::Bool => true,
        Type::Optional(inner) => is_copy(inner),
        Type::Text | Type::Json | Type::List(_) => false,
    }
}

/// Whether a slot is an `Option` in Rust: it can be empty.
pub(super) fn is_option(slot: &SlotRow) -> bool {
    slot.can_be_empty()
}

/// The type of a slot's field.
pub(super) fn slot(cx: &Cx<'_>, slot: &SlotRow) -> TokenStream {
    let ty = owned(cx, &slot.ty);
    if is_option(slot) && !slot.ty.is_optional() {
        quote!(::core::option::Option<#ty>)
    } else {
        ty
    }
}

/// Whether the slot's start is what `Default` gives.
pub(super) fn is_default(slot: &SlotRow) -> bool {
    match &slot.default {
        None | Some(Value::None | Value::Int(0) | Value::Bool(false)) => true,
        Some(value) if slot.ty.is_optional() => *value == Value::None,
        Some(Value::Text(text)) => text.is_empty(),
        Some(Value::List(items)) => items.is_empty(),
        Some(Value::Json(json)) => *json == Json::Null,
        Some(Value::Float(value)) => value.to_bits() == 0,
        Some(_) => false,
    }
}

/// The expression of what a slot holds at the start.
pub(super) fn start(cx: &Cx<'_>, slot: &SlotRow) -> TokenStream {
    match &slot.default {
        None => quote!(::core::option::Option::None),
        Some(value) => literal(cx, value, &slot.ty),
    }
}

/// The expression of a value in its Rust type.
fn literal(cx: &Cx<'_>, value: &Value, ty: &Type) -> TokenStream {
    match (value, ty) {
        (Value::None, _) => quote!(::core::option::Option::None),
        (value, Type::Optional(inner)) => {
            let inner = literal(cx, value, inner);
            quote!(::core::option::Option::Some(#inner))
        }
        (Value::Text(text), _) => string(text),
        (Value::Int(value), _) => int(*value),
        (Value::Float(value), _) => float(*value),
        (Value::Bool(value), _) => quote!(#value),
        (Value::Json(value), _) => json(cx, value),
        (Value::List(items), ty) => {
            let Type::List(inner) = ty else {
                return quote!(::std::vec::Vec::new());
            };
            vector(
                &items
                    .iter()
                    .map(|item| literal(cx, item, inner))
                    .collect::<Vec<_>>(),
            )
        }
    }
}

/// The expression of a value as the machine's `Value`.
pub(super) fn value(cx: &Cx<'_>, value_: &Value) -> TokenStream {
    let machine = &cx.machine;
    let (variant, inner) = match value_ {
        Value::None => return quote!(#machine::Value::None),
        Value::Text(text) => (quote!(Text), string(text)),
        Value::Int(value) => (quote!(Int), int(*value)),
        Value::Float(value) => (quote!(Float), float(*value)),
        Value::Bool(value) => (quote!(Bool), quote!(#value)),
        Value::Json(value) => (quote!(Json), json(cx, value)),
        Value::List(items) => (
            quote!(List),
            vector(&items.iter().map(|item| value(cx, item)).collect::<Vec<_>>()),
        ),
    };
    quote!(#machine::Value::#variant(#inner))
}

fn json(cx: &Cx<'_>, json_: &Json) -> TokenStream {
    let machine = &cx.machine;
    let (variant, inner) = match json_ {
        Json::Null => return quote!(#machine::Json::Null),
        Json::Bool(value) => (quote!(Bool), quote!(#value)),
        Json::Int(value) => (quote!(Int), int(*value)),
        Json::Float(value) => (quote!(Float), float(*value)),
        Json::Text(text) => (quote!(Text), string(text)),
        Json::List(items) => (
            quote!(List),
            vector(&items.iter().map(|item| json(cx, item)).collect::<Vec<_>>()),
        ),
        Json::Object(members) => {
            let members = members.iter().map(|(key, member)| {
                let member = json(cx, member);
                quote!((#key, #member))
            });
            return quote!(#machine::Json::object::<&str>([#(#members),*]));
        }
    };
    quote!(#machine::Json::#variant(#inner))
}

fn string(text: &str) -> TokenStream {
    if text.is_empty() {
        quote!(::std::string::String::new())
    } else {
        quote!(::std::string::String::from(#text))
    }
}

fn vector(items: &[TokenStream]) -> TokenStream {
    if items.is_empty() {
        quote!(::std::vec::Vec::new())
    } else {
        quote!(::std::vec![#(#items),*])
    }
}

/// `i64::MIN` has no literal; digits are grouped so that long numbers read well.
fn int(value: i64) -> TokenStream {
    if value == i64::MIN {
        return quote!(i64::MIN);
    }
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 5 {
            text.push('_');
        }
        text.push(digit);
    }
    let literal: TokenStream = text.parse().unwrap_or_default();
    if value < 0 {
        quote!(-#literal)
    } else {
        literal
    }
}

fn float(value: f64) -> TokenStream {
    let literal = Literal::f64_unsuffixed(value.abs());
    if value.is_sign_negative() {
        quote!(-#literal)
    } else {
        quote!(#literal)
    }
}

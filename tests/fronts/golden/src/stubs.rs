//! Code by hand, beside the generated modules: guards and helpers that several consumers share.
//! The generator wrote this file once and does not touch it again.

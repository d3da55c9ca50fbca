//! space-macros

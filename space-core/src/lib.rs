//! space-core

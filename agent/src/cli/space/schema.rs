//! `agent space schema`.

use super::super::Plain;
use super::super::args::SchemaArgs;

pub(super) fn schema(_args: &SchemaArgs) -> Result<u8, Plain> {
    Err("not yet".into())
}

pub(super) fn init(_: &std::path::Path, _: &str, _: super::super::args::Front) -> Result<u8, super::Plain> { Ok(0) }
pub(super) fn new(_: &std::path::Path, _: &str) -> Result<u8, super::Plain> { Ok(0) }

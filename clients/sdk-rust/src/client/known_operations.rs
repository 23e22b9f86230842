//! The catalogue at build time: each protocol's version, and which operations only read.

use crate::protocols::row;

/// For a protocol unknown to the catalogue, the latest of the first major version.
pub(crate) fn version_of(protocol: &str) -> &'static str {
    row(protocol).map_or("v1", |row| row.version)
}

/// An operation unknown to the catalogue, or of another major version, may write: it is sent once.
pub(crate) fn is_read(protocol: &str, operation: &str, version: Option<&str>) -> bool {
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    row(protocol).is_some_and(|row| {
        let is_same_major = version.is_none_or(|version| major(version) == major(row.version));
        is_same_major && row.operations.iter().any(|&(name, is_read)| name == operation && is_read)
    })
}

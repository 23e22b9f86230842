//! What the catalogue knew when this client was made: the version of each protocol, and what only reads.

use crate::protocols::row;

/// Of a protocol that the catalogue does not know, the best of the first major version.
pub(crate) fn version_of(protocol: &str) -> &'static str {
    row(protocol).map_or("v1", |row| row.version)
}

/// What the catalogue does not know, also in another major version, may change something: it is sent once.
pub(crate) fn is_read(protocol: &str, operation: &str, version: Option<&str>) -> bool {
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    row(protocol).is_some_and(|row| {
        let is_same_major = version.is_none_or(|version| major(version) == major(row.version));
        is_same_major && row.operations.iter().any(|&(name, is_read)| name == operation && is_read)
    })
}

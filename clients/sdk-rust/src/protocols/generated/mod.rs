// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
pub(crate) mod catalogue;
pub mod macs;
pub mod marc;
pub mod mata;

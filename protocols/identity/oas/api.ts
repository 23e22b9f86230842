// OAS: resolving identities and lineages with an identity node.

// The client of the remote service behind an adapter.
export { remoteSide } from './remote-side.ts'
// Judges a lineage offline and asks the node for revocations.
export { judgeLineage } from './resolution.ts'

// The registry behind MARS: signed, versioned entries.

// The body, states and cursor of an entry, without I/O.
export {
  bodyAt,
  type EntryBody,
  type EntryKind,
  EntrySignature,
  EntryState,
  entry_kinds,
  placeAfter,
  readCursor,
  registrationInput,
  type Statement,
  stateAt,
  stateNow,
  visibilities,
  withdrawalInput,
  writeCursor,
} from './entry.ts'
// The tables of the registry, and the SQL that decides which entries a reader may see.
export { openEntriesBy, registry_migrations } from './migrations.ts'
// Finds entries that are visible to the reader.
export {
  type EntryFilter,
  type EntryHealth,
  type FoundEntry,
  findCandidates,
  findPage,
  findPublicAgent,
  isOffered,
} from './reads.ts'
// Requires and verifies the signature of an entry.
export { type Proof, requireSignature, verifySignature } from './signature.ts'
// Adds, extends, supersedes and withdraws entries.
export {
  endByWithdrawal,
  extendEntry,
  findNewest,
  insertEntry,
  lockSubject,
  type NewestEntry,
  supersedeEntry,
} from './store.ts'

// What others may use of registry.
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
export { openEntriesBy, registry_migrations } from './migrations.ts'
export { type EntryFilter, type EntryHealth, type FoundEntry, findCandidates, findPage } from './reads.ts'
export { type Proof, requireSignature, verifySignature } from './signature.ts'
export {
  endByWithdrawal,
  extendEntry,
  findNewest,
  insertEntry,
  lockSubject,
  type NewestEntry,
  supersedeEntry,
} from './store.ts'

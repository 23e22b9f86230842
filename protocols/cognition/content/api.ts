// Sealed, versioned content with links, a search index and redaction.

// Whether a reference is derived from the content, so that the content cannot change.
export { isContentAddressed } from './address.ts'
// Adds content to the search index and removes it.
export { type Indexing, indexContent, indexContents, withdrawFromIndex } from './content-index.ts'
// Schema and normalisation of subject-predicate-object triples.
export {
  aliasKeys,
  entityId,
  entityKey,
  isAlias,
  isFunctionalWord,
  isName,
  isType,
  nameKey,
  normaliseName,
  normalisePredicate,
  normaliseValue,
  predicateKey,
  type Span,
  spanOf,
  Triple,
  TripleValue,
  triple_fields,
  typeKeys,
} from './knowledge-triple.ts'
// Links content to what it uses, and finds what depends on it.
export { dependentsOf, linkContent } from './link.ts'
// Tables of content.
export { content_migrations } from './migrations.ts'
// Who may read content, and work over all of it.
export { amongAll, type Readers, reader_migrations } from './readers.ts'
// Destroys versions of content, unless a legal hold protects them.
export {
  type ContentVersion,
  contentsAbout,
  destroyVersions,
  lockVersions,
  noteCall,
  requireNoHold,
  tombstonesOf,
} from './redaction.ts'
// Removes redacted text from database files and retained inputs.
export { sweepRedactions } from './redaction-sweep.ts'
// Seals and opens JSON with the tenant's keys.
export { openJson, sealJson } from './sealed-json.ts'
// Stores, reads and replaces versions of content.
export {
  authorsOf,
  type ContentRow,
  type ContentStatus,
  commitTo,
  content_columns,
  type InsertedVersion,
  keepContent,
  keepContentOf,
  keepUnindexed,
  openRow,
  readContent,
  readContents,
  replaceContent,
  type StoredContent,
} from './store.ts'

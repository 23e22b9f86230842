// What others may use of content.
export { isContentAddressed } from './address.ts'
export { type Indexing, indexContent, indexContents, withdrawFromIndex } from './content-index.ts'
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
export { dependentsOf, linkContent } from './link.ts'
export { content_migrations } from './migrations.ts'
export {
  type ContentVersion,
  contentsAbout,
  destroyVersions,
  lockVersions,
  noteCall,
  requireNoHold,
  tombstonesOf,
} from './redaction.ts'
export { sweepRedactions } from './redaction-sweep.ts'
export { openJson, sealJson } from './sealed-json.ts'
export {
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

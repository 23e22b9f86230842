// Full-text and vector search over content.

// Merges several rankings into one.
export { fuseRanks } from './rank-fusion.ts'
// Rebuilds the index of a tenant that has none, page by page.
export { rebuildPage, tenantsWithoutIndex } from './rebuild.ts'
// Searches or lists content.
export { type FoundContent, listContents, searchContents } from './search.ts'
// Loads the in-memory copies of indexes before they are needed.
export { warmCopies } from './search-cache.ts'
// Computes embeddings of content that waits for them.
export { embedPending } from './vectors.ts'

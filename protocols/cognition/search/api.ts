// What others may use of search.
export { fuseRanks } from './rank-fusion.ts'
export { rebuildPage, tenantsWithoutIndex } from './rebuild.ts'
export { type FoundContent, listContents, searchContents } from './search.ts'
export { warmCopies } from './search-cache.ts'
export { embedPending } from './vectors.ts'

// Memory cells: how memories are stored, read, linked and ranked.

// Schemas, references and the text of a memory.
export {
  CellRef,
  cellRef,
  MemoryKind,
  memory_kinds,
  memoryIdOf,
  Namespace,
  refuseWithoutSteps,
  Share,
  textOf,
} from './cell.ts'
// Counts reads of cells, and writes the counts in batches.
export { noteAccess, writeAccesses } from './cell-access.ts'
// Finds cells linked to others and ranks them by the graph.
export { linkedTo, mentionsOf, rankByGraph } from './cell-edges.ts'
// Reads several cells at once.
export { type ReadCell, readCells } from './cell-reading.ts'
// Stores a cell; the key of a namespace.
export { keepCell, type NewCell, namespaceKey } from './cell-store.ts'
// Tables of cells.
export { memory_migrations, memory_reader_migrations } from './memory-migrations.ts'
// Who may read a memory, and who may change it.
export { readersOf, requireAuthor, scope_fields } from './memory-scope.ts'

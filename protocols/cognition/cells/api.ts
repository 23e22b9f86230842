// What others may use of cells.

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
export { noteAccess, writeAccesses } from './cell-access.ts'
export { linkedTo, mentionsOf, rankByGraph } from './cell-edges.ts'
export { type ReadCell, readCells } from './cell-reading.ts'
export { keepCell, type NewCell, namespaceKey } from './cell-store.ts'
export { memory_migrations } from './memory-migrations.ts'

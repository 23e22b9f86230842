// MIND: stores and recalls memories, queries knowledge and fuses sources.

// Marks expired working memories.
export { expireCells } from './working-memory.ts'

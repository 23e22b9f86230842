// What others may use of mind.
export { expireCells } from './working-memory.ts'

// What others may use of mat.
export { isToolId } from './tool-id.ts'
export { tool_migrations } from './tool-migrations.ts'
export { askTool } from './tool-question.ts'
export { findServers, findTools } from './tool-store.ts'

// MAT: registered tools, their discovery and invocation.

// Whether a text is the id of a tool.
export { isToolId } from './tool-id.ts'
// The tables of tool servers and tools.
export {
  a2a_server_migrations,
  own_call_migrations,
  tool_approval_migrations,
  tool_migrations,
} from './tool-migrations.ts'
// An operation of this engine as a tool.
export { operationAsTool } from './tool-operation.ts'
// Put a question in words to a tool and read its answer.
export { askTool } from './tool-question.ts'
// Read registered servers and their tools, and what was approved.
export { approvedTools, findServers, findTools } from './tool-store.ts'

// What callers of tests hold beside what a test is about: enough to look at the audit log and the registry, and to prove themselves.
import type { AgentCapability } from '@svc/contract/authority/capability'

export const basic_capabilities: readonly AgentCapability[] = [
  'svc.macs.*',
  'svc.oas.*',
  'svc.max.audit_query',
  'svc.mars.query_registry',
].map((name) => ({ name, caveats: [] }))

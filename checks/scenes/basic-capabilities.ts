// Default capabilities of test callers: enough to read the audit log and the registry, and to prove their
// identity.
import type { AgentCapability } from '@svc/contract/authority/capability'

export const basic_capabilities: readonly AgentCapability[] = [
  'svc.macs.*',
  'svc.oas.*',
  'svc.max.audit_query',
  'svc.mars.query_registry',
].map((name) => ({ name, caveats: [] }))

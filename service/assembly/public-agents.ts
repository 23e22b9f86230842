// Agents whose cards everybody may read.
import type { Database } from '@svc/contract/database'
import type { AgentEntry, PublicAgents } from '@svc/gateway/a2a/card'
import { findPublicAgent } from '@svc/protocols/awareness/registry/api'

export function publicAgents(db: Database): PublicAgents {
  return {
    async find(did) {
      const entry = await findPublicAgent(db, did)
      return entry && { ...entry, content: entry.content as unknown as AgentEntry['content'] }
    },
  }
}

// GET /v1/whoami: the caller's identity, and what it may call. Clients ask before they offer anything.
import { type Static, Type } from 'typebox'
import { Closed, Did, ListOf, OneOf, TenantId } from '../schema.ts'

/** The catalogue has about a hundred; plugins may add more. */
const operations_max = 10_000

export const Whoami = Closed(
  {
    agent_did: Did,
    tenant_id: TenantId,
    tier: Type.String(),
    credential: Type.String({
      description: 'How the caller proved who it is: api_key, own_key, token or session.',
    }),
    mcp_url: Type.Union([Type.String(), Type.Null()], { description: 'Where this engine serves MCP.' }),
    identity: Closed({
      entity_kind: Type.String(),
      name: Type.Optional(Type.String()),
      conformance_level: Type.String(),
      lineage_verified: Type.Boolean(),
      lineage_depth: Type.Integer({ minimum: 0, description: 'Links between the identity and its root.' }),
      creator_did: Type.Optional(Did),
      human_root_did: Type.Optional(Did),
      revoked: Type.Boolean(),
    }),
    operations: ListOf(
      Closed({
        protocol: Type.String(),
        operation: Type.String(),
        version: Type.String({
          description: 'The version this describes: the default one, where it has the operation.',
        }),
        capability: Type.String(),
        effect: OneOf('read', 'write'),
        may: OneOf('yes', 'no', 'depends'),
        reason: Type.Optional(Type.String()),
        why_not: Type.Optional(Type.String({ description: 'The sentence the call would be refused with.' })),
      }),
      0,
      operations_max,
    ),
  },
  { description: 'Who the caller is here, and what it may call.' },
)
export type Whoami = Static<typeof Whoami>

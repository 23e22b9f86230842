// A protocol with countable effects: each commits an event with its call, so the audit log shows how often it
// happened.
import { operation, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { Type } from 'typebox'
import { pace } from '../suite/real-time.ts'

export const effects = protocol({
  id: 'EFFECTS',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Effects that can be counted, for tests of how often they happen.',

  operations: {
    happen: operation({
      summary: 'Happen once, after a while.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      keep_input: false,
      input: Closed({
        name: Type.String(),
        after_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
      }),
      output: Closed({ name: Type.String() }),
      example: { name: 'once' },

      async handle({ name, after_ms = 0 }, context) {
        context.audit('custom.effect', { name })
        if (after_ms > 0) await pace(after_ms)
        return { name }
      },
    }),
    occupy: operation({
      summary: 'Keep a connection to the database for a while.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ for_ms: Type.Integer({ minimum: 0, maximum: 60_000 }) }),
      output: Closed({}),
      example: { for_ms: 1 },

      async handle({ for_ms }, context) {
        await sql`SELECT pg_sleep(${for_ms / 1000})`.execute(context.db)
        return {}
      },
    }),
    look: operation({
      summary: 'Change nothing.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: Closed({}),
      example: {},
      handle: () => ({}),
    }),
  },
})

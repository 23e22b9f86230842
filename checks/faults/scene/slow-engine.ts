// Run as its own process by a test: `svc-engine up` with a protocol whose operations do what a test needs.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import { up } from '@svc/service/up'
import { Type } from 'typebox'
import { pace } from '../../suite/real-time.ts'

const poll_ms = 20
let changes = 0

const slow = protocol({
  id: 'SLOW',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Operations that take their time, or can be counted, for tests of what happens meanwhile.',

  operations: {
    wait: operation({
      summary: 'Wait until a file is there.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ gate: Type.String() }),
      output: Closed({ opened: Type.Boolean() }),
      example: { gate: '/nowhere' },

      async handle({ gate }, context) {
        context.progress({ message: 'waiting' })
        while (!existsSync(gate)) await pace(poll_ms)
        return { opened: true }
      },
    }),
    count: operation({
      summary: 'Change something that can be counted.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      keep_input: false,
      input: Closed({}),
      output: Closed({ changes: Type.Integer() }),
      example: {},
      handle: () => ({ changes: ++changes }),
    }),
    counted: operation({
      summary: 'How often something was changed.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: Closed({ changes: Type.Integer() }),
      example: {},
      handle: () => ({ changes }),
    }),
    hang: operation({
      summary: 'Never answer.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: Closed({}),
      example: {},
      handle: () => Promise.withResolvers<Record<never, never>>().promise,
    }),
  },
})

// The command line of `svc-engine up`, preceded by the name of its program.
const { values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, port: { type: 'string' }, 'data-dir': { type: 'string' } },
})
await up({ data_dir: values['data-dir']!, port: Number(values.port), json: true }, process.env, {
  more_protocols: [slow],
})

// The engine under attack: `svc-engine up` in which callers have only what their keys carry, with one
// protocol that inspects it.
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { localAdmin } from '@svc/contract/identity/identity'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import type { IdentityResolver } from '@svc/engine/ports'
import { up } from '@svc/service/up'
import { Type } from 'typebox'
import { probe } from './probe-protocol.ts'

/** Separate from PROBE, whose breaker opens when it is made to fail. */
const scale = protocol({
  id: 'SCALE',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Says how much memory the engine uses.',
  operations: {
    weigh: operation({
      summary: 'Collect garbage, and say what is left in use.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: Closed({
        heap: Type.Integer(),
        outside: Type.Integer(),
        resident: Type.Integer(),
        descriptors: Type.Integer(),
        resources: Type.Integer(),
      }),
      example: {},
      handle() {
        // Twice: what the first round finalizes is freed by the second. Only with --expose-gc.
        for (let round = 0; round < 2; round++) globalThis.gc?.()
        const { heapUsed: heap, external: outside, rss: resident } = process.memoryUsage()
        const descriptors = readdirSync('/proc/self/fd').length
        const resources = process.getActiveResourcesInfo().length
        return { heap, outside, resident, descriptors, resources }
      },
    }),
  },
})

/** Known, verified, and declaring nothing: a caller may do what its key carries. */
const identity: IdentityResolver = {
  resolve: (did) => ({ outcome: 'Resolved', identity: { ...localAdmin(did), capabilities: [] } }),
}

// Started as `target-engine.ts service/main.ts up --json …`, so that code that starts an engine can start
// this one.
const { values } = parseArgs({
  args: process.argv.slice(4),
  options: { json: { type: 'boolean' }, port: { type: 'string' }, 'data-dir': { type: 'string' } },
})
await up({ data_dir: values['data-dir'] ?? '.svc', port: Number(values.port), json: true }, process.env, {
  identity,
  more_protocols: [probe, scale],
})

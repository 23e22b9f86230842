import { operation, protocol } from '@svc/contract/protocol'
import { ConsolidateInput, ConsolidateOutput, consolidateMemory } from './consolidate.ts'

const late_deliveries = ['pumps', 'valves', 'seals'].map((goods) => ({
  call: 'MIND.store_memory',
  input: {
    kind: 'episodic',
    payload: { text: `Acme delivered the ${goods} late.` },
    triples: [{ subject: 'Acme', predicate: 'delivers', object: 'late' }],
  },
}))

export const mantle = protocol({
  id: 'MANTLE',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Consolidation: repeated experience becomes knowledge, unused memories are archived.',

  operations: {
    consolidate: operation({
      summary: 'Turn recent experience into lasting knowledge.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: 120_000,
      rate_cost: 25,
      secret_output: true,
      needs: ['audit_log', 'compute', 'embedder', 'model', 'tokens', 'vault'],
      input: ConsolidateInput,
      output: ConsolidateOutput,
      scene: late_deliveries,
      example: { namespace: 'default', min_support: 3 },
      handle: consolidateMemory,
    }),
  },
})

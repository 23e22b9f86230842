import { operation, protocol } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import { SurfaceInput, SurfaceOutput } from './pattern-input.ts'
import { surfacePatterns } from './pattern-surfacing.ts'
import { FormalizeInput, FormalizeOutput } from './proposal-input.ts'
import { formalize } from './proposal-making.ts'

const mining_ms_max = 120_000
const pattern_id = `sha256:${'3f'.repeat(32)}`
const search = { window_days: 30, min_recurrences: 3, scope: 'protocol:MARS' }

/** The same decision three times. */
const registry_read: readonly SceneStep[] = ['translation', 'invoicing', 'support'].map((tag) => ({
  call: 'MARS.query_registry',
  input: { kind: 'agent', tag },
}))

export const mimesis = protocol({
  id: 'MIMESIS',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-governance',
  summary: 'Precedent: find recurring decisions of an organization and propose policies from them.',

  operations: {
    surface: operation({
      summary: 'Find recurring decisions of your organization.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'watts'],
      deadline_ms: mining_ms_max,
      needs: ['audit_log', 'charter', 'policies'],
      input: SurfaceInput,
      output: SurfaceOutput,
      example: search,
      scene: registry_read,
      handle: surfacePatterns,
    }),

    formalize: operation({
      summary: 'Propose a policy from a precedent and backtest it; nothing is enacted.',
      effect: 'write',
      level: 'L1',
      // Tokens for the text of the motion, if one is convened.
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: mining_ms_max,
      needs: ['audit_log', 'authority', 'charter', 'compute', 'notify', 'policies', 'tokens'],
      input: FormalizeInput,
      output: FormalizeOutput,
      example: {
        pattern_id,
        proposed_maxim:
          '@reason("all our agents have always read the registry")\n' +
          'permit(principal, action, resource) when { resource.protocol == "MARS" };',
        proposal_target: 'MAXIM',
      },
      scene: [
        ...registry_read,
        { call: 'MIMESIS.surface', input: search, answer: { patterns: [{ pattern_id }] } },
      ],
      handle: formalize,
    }),
  },
})

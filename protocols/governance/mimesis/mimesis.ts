import { operation, protocol } from '@svc/contract/protocol'
import { SurfaceInput, SurfaceOutput } from './pattern-input.ts'
import { surfacePatterns } from './pattern-surfacing.ts'
import { FormalizeInput, FormalizeOutput } from './proposal-input.ts'
import { formalize } from './proposal-making.ts'

const mining_ms_max = 120_000

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
      example: { window_days: 30, min_recurrences: 20, scope: 'tenant' },
      handle: surfacePatterns,
    }),

    formalize: operation({
      summary: 'Propose a policy from a precedent and backtest it; nothing is enacted.',
      effect: 'write',
      level: 'L1',
      // Tokens for the text of the motion, if one is convened.
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: mining_ms_max,
      needs: ['audit_log', 'charter', 'compute', 'policies', 'tokens'],
      input: FormalizeInput,
      output: FormalizeOutput,
      example: {
        pattern_id: `sha256:${'0'.repeat(64)}`,
        proposed_maxim: 'forbid(principal in Svc::Tenant::"globex", action, resource);',
        proposal_target: 'MAXIM',
      },
      handle: formalize,
    }),
  },
})

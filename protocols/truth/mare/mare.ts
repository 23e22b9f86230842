import { operation, protocol } from '@svc/contract/protocol'
import { ScoreInput } from './risk-input.ts'
import { ScoreOutput, scoreRisk } from './risk-scoring.ts'

export const mare = protocol({
  id: 'MARE',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Risk in money and on a scale of 0 to 100.',

  operations: {
    score: operation({
      summary: 'Score a risk from its factors, its CVSS vector, or the audit log.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds', 'tokens', 'watts'],
      rate_cost: 5,
      deadline_ms: 30_000,
      budget_default: { tokens: 5_000, deadline_ms: 30_000 },
      needs: ['audit_log', 'budgets', 'compute', 'model', 'tokens', 'vault'],
      input: ScoreInput,
      output: ScoreOutput,
      example: {
        subject: 'Moving the warehouse to a new supplier',
        factors: [
          {
            id: 'late_delivery',
            frequency: { low: 1, mode: 3, high: 8 },
            loss_usd: { p5: 200, p95: 5_000 },
            controls: [{ name: 'second supplier', effectiveness: 0.6 }],
          },
          { id: 'wrong_goods', frequency: 0.5, loss_usd: { low: 100, mode: 400, high: 2_000 } },
        ],
        appetite: { expected_loss_usd: 10_000, var95_usd: 50_000 },
        horizon_days: 180,
      },
      handle: scoreRisk,
    }),
  },
})

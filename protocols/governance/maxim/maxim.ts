import { operation, protocol } from '@svc/contract/protocol'
import { DilemmaInput, DilemmaOutput, deliberate } from './dilemma-deliberation.ts'
import { AuthorInput, AuthorOutput, author } from './policy-authoring.ts'
import { backtestPolicy } from './policy-backtest.ts'
import { InterpretationInput, InterpretationOutput, interpret } from './policy-interpretation.ts'
import { ListInput, ListOutput, listOwn } from './policy-list.ts'

export const maxim = protocol({
  id: 'MAXIM',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-governance',
  summary: 'Policies: the Cedar rules of an organization, evaluated on every call.',

  operations: {
    author: operation({
      summary: 'Enact a policy, replace it with a new version, or retire it.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      // Tests every member at up to every hour of a week.
      rate_cost: 25,
      needs: ['authority', 'charter', 'compute', 'policies', 'register', 'requireAuthority'],
      input: AuthorInput,
      output: AuthorOutput,
      example: {
        policy_id: 'market-hours',
        policy_body:
          '@reason("the market is open from 9 to 17 UTC") @appeal("MOOT")\n' +
          'forbid(principal, action, resource)\n' +
          'when { resource.protocol == "MARKET" && (context.hour < 9 || context.hour >= 17) };',
        version: '1.0.0',
        active_from: '2026-12-01T00:00:00Z',
        rationale: 'Nobody watches the audit log at night.',
      },
      handle: author,
    }),

    constitutional_interpretation: operation({
      summary:
        'Ask how the policies in force decide a case, which of them apply, and which facts are missing.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'charter', 'policies'],
      input: InterpretationInput,
      output: InterpretationOutput,
      example: {
        question: 'May our trader sell after hours?',
        scenario: {
          principal_did: 'did:oas:dev:agent:3b1f4c1d9c0c5f5a1f0e7f2c6d8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f',
          protocol: 'MARKET',
          operation: 'create_order',
          at: '2026-12-01T08:00:00Z',
        },
      },
      handle: interpret,
    }),

    deliberate_dilemma: operation({
      summary: 'Rank the options of a dilemma by the policies in force and by the values they serve.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'policies'],
      input: DilemmaInput,
      output: DilemmaOutput,
      example: {
        dilemma: 'A customer asks for data that would help it and harm another.',
        options: [
          { id: 'tell', description: 'Hand the data over.', effects: [{ value: 'service', weight: 60 }] },
          {
            id: 'refuse',
            description: 'Keep it back, and say why.',
            effects: [{ value: 'privacy', weight: 80 }],
          },
        ],
        values: [
          { name: 'privacy', priority: 90 },
          { name: 'service', priority: 40 },
        ],
      },
      handle: deliberate,
    }),

    backtest: backtestPolicy,

    list: operation({
      summary: 'List the policies of your organization by version, or read one in full with its Cedar text.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['compute', 'policies'],
      input: ListInput,
      output: ListOutput,
      example: { state: 'ACTIVE', limit: 10 },
      handle: listOwn,
    }),
  },
})

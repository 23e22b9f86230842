import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { DecideInput, decide } from './approval-deciding.ts'
import { ApprovalGetInput, ApprovalsInput, ApprovalsOutput, getApproval, listMine } from './approval-list.ts'
import { ApprovalWhole } from './approval-view.ts'
import { DilemmaInput, DilemmaOutput, deliberate } from './dilemma-deliberation.ts'
import { AuthorInput, AuthorOutput, author } from './policy-authoring.ts'
import { backtestPolicy } from './policy-backtest.ts'
import { InterpretationInput, InterpretationOutput, interpret } from './policy-interpretation.ts'
import { ListInput, ListOutput, listOwn } from './policy-list.ts'
import {
  approval_asked,
  approval_example,
  approval_needed,
  late_order,
  market_hours,
  policy_in_force,
} from './scenes.ts'

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
      example: { ...market_hours, active_from: stand_ins.tomorrow },
      handle: author,
    }),

    constitutional_interpretation: operation({
      summary:
        'Ask how the policies in force decide a case, which of them apply, and which facts are missing.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'charter', 'policies', 'served'],
      input: InterpretationInput,
      output: InterpretationOutput,
      example: {
        question: 'May our trader sell after hours?',
        scenario: late_order,
      },
      scene: policy_in_force,
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
        dilemma: 'A good customer wants to buy at eight in the evening.',
        options: [
          {
            id: 'sell',
            description: 'Sell at once.',
            scenario: late_order,
            effects: [{ value: 'service', weight: 60 }],
          },
          {
            id: 'wait',
            description: 'Sell tomorrow morning, and say why.',
            effects: [
              { value: 'safety', weight: 80 },
              { value: 'service', weight: -20 },
            ],
          },
        ],
        values: [
          { name: 'safety', priority: 90 },
          { name: 'service', priority: 40 },
        ],
      },
      scene: policy_in_force,
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
      scene: policy_in_force,
      handle: listOwn,
    }),

    approvals: operation({
      summary: 'List the calls that wait for your approval, or your own calls that wait for others.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs_no_approval: true,
      needs: ['authority'],
      input: ApprovalsInput,
      output: ApprovalsOutput,
      example: { side: 'to_decide', state: 'PENDING', limit: 10 },
      handle: listMine,
    }),

    approval_get: operation({
      summary: 'Read one approval: what was asked, what it may cost and do, who can decide and who has.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs_no_approval: true,
      secret_output: true,
      needs: ['authority', 'charter', 'vault'],
      input: ApprovalGetInput,
      output: ApprovalWhole,
      example: { approval_id: approval_example },
      example_needs: approval_needed,
      scene: approval_asked,
      handle: getApproval,
    }),

    approval_decide: operation({
      summary: 'Approve or refuse one call of somebody else that waits for your consent.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs_no_approval: true,
      secret_output: true,
      needs: ['authority', 'charter', 'notify', 'vault'],
      input: DecideInput,
      output: ApprovalWhole,
      example: { approval_id: approval_example, decision: 'approve', note: 'Checked against the order.' },
      example_needs: approval_needed,
      scene: approval_asked,
      handle: decide,
    }),
  },
})

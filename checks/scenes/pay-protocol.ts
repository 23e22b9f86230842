// Payments that can be counted: for tests of calls that need the consent of others.
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { Type } from 'typebox'

const facts = { level: 'L0', meters: ['seconds'], effect: 'write' } as const
const PayInput = Closed({ to: Type.String(), amount: Type.Integer(), fails: Type.Optional(Type.Boolean()) })

/** Each payment is an event in the audit log. */
export const pay = protocol({
  id: 'PAY',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-commerce',
  summary: 'Payments that can be counted.',
  operations: {
    send: operation({
      ...facts,
      summary: 'Pay somebody.',
      input: PayInput,
      output: Closed({ paid: Type.Integer() }),
      example: { to: 'bob', amount: 1 },
      handle({ to, amount, fails }, context) {
        if (fails)
          throw refuse('policy_denied', 'The account is empty; fill it.', { reason: 'account empty' })
        context.audit('custom.paid', { to, amount })
        return { paid: amount }
      },
    }),
    hidden: operation({
      ...facts,
      summary: 'Pay somebody whose name is not retained.',
      keep_input: false,
      input: PayInput,
      output: Closed({ paid: Type.Integer() }),
      example: { to: 'bob', amount: 1 },
      handle: ({ amount }) => ({ paid: amount }),
    }),
    twice: operation({
      ...facts,
      summary: 'Pay through another operation.',
      input: PayInput,
      output: Closed({ paid: Type.Integer() }),
      example: { to: 'bob', amount: 1 },
      handle: async (input, context) => (await context.call('PAY', 'send', input)) as { paid: number },
    }),
  },
})

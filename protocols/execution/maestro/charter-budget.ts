// The budget limit of a charter: what is left of its declarer's envelope, or of the whole runway.

import { tiers } from '@svc/contract/authority/tier'
import { type Books, envelopeOf } from '@svc/contract/money/books'
import { envelopeMonth, runway_counter } from '@svc/contract/money/budget-counter'
import { affordable, rateAt } from '@svc/contract/money/charge'
import { usdOf, usdText } from '@svc/contract/money/money'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Charter } from './charter-input.ts'

type Budget = NonNullable<NonNullable<Charter['resources']>['budget']>

/** Each part must be affordable alone: tokens and seconds are also paid from the dollars. */
export async function requireAffordable(
  context: OperationContext<'budgets' | 'tenants'>,
  budget: Budget,
): Promise<void> {
  const books = await context.budgets.rules()
  const room = await roomFor(context, books)
  const rates = rateAt(books.rates, Date.parse(context.now))
  const [tokens_max, seconds_max] = (['tokens', 'seconds'] as const).map((dimension) =>
    rates[dimension] > 0n ? affordable(room, dimension, rates) : undefined,
  )
  const amounts: [string, bigint, bigint | undefined][] = [
    ['usd', budget.usd === undefined ? 0n : usdOf(budget.usd)!, room],
    ['tokens', BigInt(budget.tokens ?? 0), tokens_max],
    ['seconds', BigInt(budget.seconds ?? 0), seconds_max],
  ]
  for (const [part, planned, most] of amounts) {
    if (most === undefined || planned <= most) continue
    const amount = (value: bigint) => (part === 'usd' ? `${usdText(value)} USD` : `${value} ${part}`)
    throw refuse(
      'policy_denied',
      `The charter plans with ${amount(planned)}, and ${amount(most)} are left for you; ask for less, or have the envelope raised.`,
      { reason: 'charter exceeds envelope', path: `/resources/budget/${part}` },
    )
  }
}

async function roomFor(context: OperationContext<'budgets' | 'tenants'>, books: Books): Promise<bigint> {
  const tier = await context.tenants.tierOf(context.tenant_id)
  const credit = books.credit_line_micro_usd ?? (tier ? tiers[tier].credit_line_micro_usd : 0n)
  const runway = leftOf(books.paid_in_micro_usd + credit, await context.budgets.counter(runway_counter))
  const envelope = envelopeOf(books, context.caller.did)
  if (!envelope) return runway
  const month = await context.budgets.counter(envelopeMonth(envelope.envelope_id, context.now))
  const room = leftOf(envelope.month_limit_micro_usd, month)
  if (room < runway) return room
  return runway
}

function leftOf(limit: bigint, { spent_micro_usd, reserved_micro_usd }: BudgetCounterState): bigint {
  const left = limit - spent_micro_usd - reserved_micro_usd
  return left > 0n ? left : 0n
}

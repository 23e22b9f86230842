// Special prices of one tenant, set by the operator's charter: append-only, never retroactive.

import { base_rate, type RateVersion, rateAt } from '@svc/contract/money/charge'
import { Usd, usdOf, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, Ref, TenantId, Timestamp } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { tellBooks } from '../ledger/api.ts'
import { momentOf } from './billing-period.ts'
import { requireBillingRight } from './billing-right.ts'
import { keepRate, lockRates, ratesOf, versions_max } from './rate-store.ts'

export const RateInput = Closed({
  tenant_id: described(TenantId, 'Organization whose rate changes.'),
  overrides: Closed(
    {
      tokens_per_million_usd: Type.Optional(Usd),
      seconds_per_million_usd: Type.Optional(Usd),
      watts_per_kwh_usd: Type.Optional(Usd),
    },
    { minProperties: 1, description: 'What is left out stays as it is.' },
  ),
  effective_from: described(Timestamp, 'From when the new rate counts.'),
  authority: described(Ref, 'Charter verdict of the operator for exactly this change.'),
})

export const RateOutput = Closed({
  rate_version: Type.Integer({ minimum: 1, description: 'Number of the new rate.' }),
  previous: Type.Integer({
    minimum: 0,
    description: 'The version it takes the place of; 0 is the base rate.',
  }),
  effective_from: described(Timestamp, 'From when the new rate counts.'),
})

/** Sums priced by it must always fit their columns: the audit log's writer adds them up. */
const rate_micro_usd_max = 10n ** 15n

const fields = {
  tokens: 'tokens_per_million_usd',
  seconds: 'seconds_per_million_usd',
  watts: 'watts_per_kwh_usd',
} as const

export async function setRate(
  input: Static<typeof RateInput>,
  context: OperationContext<'authority' | 'engine' | 'requireAuthority' | 'tenants'>,
): Promise<Static<typeof RateOutput>> {
  await requireBillingRight(context)
  const { authority, ...subject } = input
  const { tenant_id } = input
  if ((await context.tenants.tierOf(tenant_id)) === undefined) throw notFound('tenant', tenant_id)
  const from_ms = momentOf(input.effective_from, '/effective_from')
  if (from_ms < Date.parse(context.now)) throw retroactive(input.effective_from)
  await lockRates(context.db, tenant_id)
  const versions = await ratesOf(context.db, tenant_id)
  if (versions.length >= versions_max) throw tooMany(tenant_id)
  const previous = rateAt(versions, from_ms)
  const version = Math.max(0, ...versions.map((rate_version) => rate_version.version)) + 1
  const rate = overridden(previous, input.overrides, version, from_ms)
  const verdict = await context.requireAuthority('MEAL.admin_set_rate', contentHash(subject), authority)
  await keepRate(context.db, tenant_id, rate, {
    authority: verdict,
    set_by: context.caller.did,
    set_at: context.now,
  })
  await tellBooks(context.db, tenant_id)
  const effective_from = new Date(from_ms).toISOString()
  context.audit('RateChanged', changeOf(tenant_id, rate, previous.version, verdict), { also: [tenant_id] })
  return { rate_version: version, previous: previous.version, effective_from }
}

/** Enough to price usage again from the audit log alone. */
function changeOf(tenant_id: string, rate: RateVersion, previous: number, authority: string) {
  return {
    tenant_id,
    rate_version: rate.version,
    previous,
    effective_from: new Date(rate.from_ms).toISOString(),
    rates: { tokens: String(rate.tokens), seconds: String(rate.seconds), watts: String(rate.watts) },
    authority,
  }
}

function overridden(
  previous: RateVersion,
  overrides: Static<typeof RateInput>['overrides'],
  version: number,
  from_ms: number,
): RateVersion {
  const priced = (name: keyof typeof fields) => {
    const override = overrides[fields[name]]
    if (override === undefined) return previous[name]
    const micro_usd = usdOf(override)
    if (micro_usd !== undefined && micro_usd <= rate_micro_usd_max) return micro_usd
    const message = `is at most ${usdText(rate_micro_usd_max)} USD, with six decimal places at most`
    throw refuse('invalid_payload', `${fields[name]} ${message}; give it as a string.`, {
      reason: 'bad_amount',
      faults: [{ pointer: `/overrides/${fields[name]}`, message }],
    })
  }
  return { version, from_ms, tokens: priced('tokens'), seconds: priced('seconds'), watts: priced('watts') }
}

export const RateView = Closed({
  version: Type.Integer({ minimum: 0, description: 'Number of the rate; 0 is the base rate.' }),
  effective_from: Type.Optional(described(Timestamp, 'From when it counts; absent for the base rate.')),
  tokens_per_million_usd: Type.String({ description: 'USD for a million tokens.' }),
  seconds_per_million_usd: Type.String({ description: 'USD for a million seconds.' }),
  watts_per_kwh_usd: Type.String({ description: 'USD for a kilowatt-hour.' }),
})

export function viewRate(rate: RateVersion): Static<typeof RateView> {
  return {
    version: rate.version,
    ...(rate.version !== base_rate.version && { effective_from: new Date(rate.from_ms).toISOString() }),
    tokens_per_million_usd: usdText(rate.tokens),
    seconds_per_million_usd: usdText(rate.seconds),
    watts_per_kwh_usd: usdText(rate.watts),
  }
}

function retroactive(effective_from: string): Refusal {
  return refuse(
    'policy_denied',
    `Prices do not change for the past, and ${effective_from} is past; name a time in the future.`,
    { reason: 'rates are never retroactive' },
  )
}

function tooMany(tenant_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${tenant_id} has ${versions_max} rate versions, which is all it may have; agree on prices that last.`,
    { reason: 'too many rate versions' },
  )
}

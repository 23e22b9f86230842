// Input of MOAT and the terms made from it. Terms that could never hold are refused here.
import { requireKnownCaveats } from '@svc/contract/authority/caveat'
import { type TreatyBody, TreatyLimits, TreatyRates } from '@svc/contract/authority/treaty'
import { isMoment } from '@svc/contract/moment'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, Did, ListOf, OneOf, TenantId, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const life_years_max = 5
const not_grantable = /^svc\.admin\./

export const Party = Type.Union([TenantId, Did], { description: 'A tenant, or one of its DIDs.' })

export const CapabilitySchedule = ListOf(
  Closed({
    capability: CapabilityName,
    caveats: Type.Optional(ListOf(Text(200), 0, 16)),
    granted_to: Type.Optional(OneOf('counterparty', 'proposer', 'both')),
    limits: Type.Optional(TreatyLimits),
  }),
  1,
  128,
)
type Schedule = Static<typeof CapabilitySchedule>

export const SettlementTerms = Closed({
  rail: Type.Optional(Text(64, { default: 'internal' })),
  currency: Type.Optional(Text(32, { default: 'usd' })),
  clearing_fee_bps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "Share of each settlement; default: the tier's.",
    }),
  ),
})

export const DisputeClause = Closed({ via: OneOf('MOOT'), venue: Party })
export const Rates = TreatyRates

interface Sides {
  /** The caller's side. */
  readonly proposer: string
  readonly counterparty: string
}

type Grant = TreatyBody['grants'][number]

/** A grant to both parties becomes two grants. */
export function grantsOf(schedule: Schedule, { proposer, counterparty }: Sides): Grant[] {
  return schedule.flatMap(({ capability, caveats, granted_to = 'both', limits }, place) => {
    requireGrantable(capability, place)
    requireKnownCaveats(caveats, `/capability_schedule/${place}/caveats`)
    const terms = { capability, ...(caveats?.length && { caveats }), ...(limits && { limits }) }
    return [
      ...(granted_to === 'proposer' ? [] : [{ to: counterparty, ...terms }]),
      ...(granted_to === 'counterparty' ? [] : [{ to: proposer, ...terms }]),
    ]
  })
}

function requireGrantable(capability: string, place: number): void {
  if (!not_grantable.test(capability)) return
  throw refuse(
    'policy_denied',
    `${capability} administers the engine and cannot be granted by treaty; remove it.`,
    {
      reason: `capability not grantable: ${capability}`,
      denying_policy: 'MOAT grants',
      faults: [{ pointer: `/capability_schedule/${place}/capability`, message: 'cannot be granted' }],
    },
  )
}

/** A treaty lasts at most five years and must not have expired. */
export function requireSpan(effective_from: string, expires_at: string, now: string): void {
  for (const [name, moment] of Object.entries({ effective_from, expires_at }))
    if (!isMoment(moment)) throw badMoment(name, 'is not a valid time')
  const [from_ms, to_ms, now_ms] = [effective_from, expires_at, now].map(Date.parse) as [
    number,
    number,
    number,
  ]
  if (to_ms <= now_ms) throw badMoment('expires_at', `has passed; it is ${now}`)
  if (to_ms <= from_ms) throw badMoment('expires_at', 'must be later than effective_from')
  const latest = new Date(now_ms)
  latest.setUTCFullYear(latest.getUTCFullYear() + life_years_max)
  if (to_ms > latest.getTime()) throw badMoment('expires_at', 'must be at most five years in the future')
}

function badMoment(name: string, why: string): Refusal {
  return refuse('invalid_payload', `${name} ${why}; choose another time.`, {
    reason: 'terms do not hold',
    faults: [{ pointer: `/${name}`, message: why }],
  })
}

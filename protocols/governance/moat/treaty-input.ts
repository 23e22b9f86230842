// Input of MOAT and the terms made from it. Terms that could never hold are refused here.
import { requireKnownCaveats } from '@svc/contract/authority/caveat'
import { type TreatyBody, TreatyLimits, TreatyRates } from '@svc/contract/authority/treaty'
import { closest } from '@svc/contract/closest'
import { isMoment } from '@svc/contract/moment'
import type { ServedOperations } from '@svc/contract/needs/served-operations'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, Did, described, ListOf, OneOf, TenantId, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const life_years_max = 5
const not_grantable = /^svc\.admin\./

export const Party = Type.Union([TenantId, Did], { description: 'A tenant, or one of its DIDs.' })

export const CapabilitySchedule = ListOf(
  Closed({
    capability: described(
      CapabilityName,
      'Capability that the treaty grants, or svc.<protocol>.* for a whole protocol.',
    ),
    caveats: Type.Optional(
      described(
        ListOf(Text(200), 0, 16),
        'Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call.',
      ),
    ),
    granted_to: described(
      OneOf('counterparty', 'proposer', 'both'),
      'Who may call the other with it; always stated, since it opens one side to the other.',
    ),
    limits: Type.Optional(described(TreatyLimits, "Bounds on this grant's use; absent: none.")),
  }),
  1,
  128,
)
type Schedule = Static<typeof CapabilitySchedule>

export const SettlementTerms = Closed({
  rail: Type.Optional(
    Text(64, {
      default: 'internal',
      description: 'How payments move; internal is the ledger of this engine.',
    }),
  ),
  currency: Type.Optional(Text(32, { default: 'usd', description: 'Asset in which the parties settle.' })),
  clearing_fee_bps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: "Share of each settlement; default: the tier's.",
    }),
  ),
})

export const DisputeClause = Closed({
  via: described(OneOf('MOOT'), 'Protocol that hears disputes.'),
  venue: described(Party, 'Where disputes are heard: a tenant, or one of its DIDs.'),
})
export const Rates = TreatyRates

interface Sides {
  /** The caller's side. */
  readonly proposer: string
  readonly counterparty: string
}

type Grant = TreatyBody['grants'][number]

/** A grant to both parties becomes two grants. */
export function grantsOf(
  schedule: Schedule,
  { proposer, counterparty }: Sides,
  served: Pick<ServedOperations, 'all'>,
): Grant[] {
  return schedule.flatMap(({ capability, caveats, granted_to, limits }, place) => {
    requireGrantable(capability, place)
    requireServed(capability, place, served)
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

/** A grant of an operation that nobody serves opens nothing, and would open whatever later takes its name. */
function requireServed(capability: string, place: number, served: Pick<ServedOperations, 'all'>): void {
  const operations = served.all()
  const names = operations.map((one) => one.capability)
  const protocols = new Set(operations.map(({ protocol }) => `svc.${protocol.toLowerCase()}`))
  const [, of_protocol] = /^(svc\.[a-z]+)\.(?:\*|pre-release)$/.exec(capability) ?? []
  if (of_protocol === undefined ? names.includes(capability) : protocols.has(of_protocol)) return
  const hint = closest(capability, names)
  throw refuse(
    'invalid_payload',
    `This engine serves no ${capability}; ${hint ? `did you mean ${hint}?` : 'look up its name with MARS query_registry.'}`,
    {
      reason: 'unknown operation',
      faults: [{ pointer: `/capability_schedule/${place}/capability`, message: 'is not served here' }],
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

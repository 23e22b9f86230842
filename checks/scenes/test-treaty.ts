// A treaty as stages and protocols see it, for tests that need one without both councils.
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import type { Treaties } from '@svc/engine/ports'

type Party = StandingTreaty['parties'][number]

/** In force all of 2026, whatever else is set. */
export function testTreaty(
  parties: readonly [Party, Party],
  grants: StandingTreaty['grants'],
  more: Partial<StandingTreaty> = {},
): StandingTreaty {
  const id = `sha256:${'7'.repeat(64)}`
  const at = '2026-01-01T00:00:00Z'
  return {
    id,
    root_id: id,
    state: 'ACTIVE',
    parties: [...parties],
    grants,
    rate_limits: {},
    settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: 25 },
    dispute_resolution: { via: 'MOOT', venue: 'operator' },
    effective_from: at,
    expires_at: '2027-01-01T00:00:00Z',
    activated_at: at,
    suspended: null,
    ended_at: null,
    signatures: parties.map(({ did }) => ({ signed_by: did, timestamp: at, signature: 'x'.repeat(86) })),
    ...more,
  }
}

/** Every organization grants this to every other. */
export function openBorders(...capabilities: string[]): Treaties {
  const between = (from: string, to: string) => [
    testTreaty(
      [from, to].map((tenant) => ({ tenant, did: `did:oas:${tenant}:agent:${'a'.repeat(64)}` })) as [
        Party,
        Party,
      ],
      [from, to].flatMap((tenant) => capabilities.map((capability) => ({ to: tenant, capability }))),
    ),
  ]
  return { find: async () => undefined, between }
}

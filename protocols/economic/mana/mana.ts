import { MicroUsd, Qty, UsdText } from '@svc/contract/money/money'
import { operation, protocol } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import { CapabilityName, Closed, Did, Hash, ListOf, OneOf, Ref, Timestamp, Uuid } from '@svc/contract/schema'
import { Type } from 'typebox'
import { BidInput } from './bid-input.ts'
import { submit } from './bid-submission.ts'
import { EnvelopeInput, EnvelopeState, members_max } from './envelope.ts'
import { allocate } from './envelope-allocation.ts'
import { ListInput, ListOutput, listEnvelopesAndHolds } from './envelope-list.ts'
import { HoldInput } from './hold.ts'
import { setHold } from './hold-placing.ts'
import { BudgetInput, BudgetOutput, tellBudget } from './mana-budget.ts'
import { ProfileInput, ProfileOutput, tellProfile } from './profile.ts'
import { setThrottle, ThrottleInput } from './throttle-rules.ts'

const Factor = Closed({ match: Type.String(), factor_bps: Type.Integer({ minimum: 0, maximum: 10_000 }) })
/** With figures if it names one protocol that is served here. */
const Slowed = Closed({
  ...Factor.properties,
  protocol: Type.Optional(Type.String()),
  capacity: Type.Optional(Type.Number({ minimum: 0 })),
  refill: Type.Optional(Type.Number({ minimum: 0, description: 'Per second.' })),
})

const LotTerms = Closed({
  lot_id: Uuid,
  solicitor_did: Did,
  task: Type.String(),
  capability: CapabilityName,
  asset_id: Type.String(),
  reserve_price: Qty,
  visibility: OneOf('tenant', 'treaty'),
  closes_at: Timestamp,
})

const LosingBid = Closed({
  bid_id: Uuid,
  bidder_did: Did,
  price: Qty,
  eta_seconds: Type.Integer(),
  valid_until: Type.Optional(Timestamp),
  commitment: Hash,
  salt: Type.String(),
})

const allocation = {
  envelope: { department: 'research', max_per_month_usd: '20', max_per_day_usd: '1' },
  capabilities_granted: ['svc.mars.discovery'],
  authority: 'mace://sole-member',
}
const envelope_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
const research_allocated: readonly SceneStep[] = [
  { call: 'MANA.allocate', input: allocation, answer: { envelope_id } },
]
const buyer_did = `did:oas:acme:agent:${'b7'.repeat(32)}`

export const mana = protocol({
  id: 'MANA',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-commerce',
  summary: 'The treasury: what is left, who may spend how much of it, and work put out to tender.',

  operations: {
    agent_profile: operation({
      summary: "Read an agent's economic profile, or set what it says about itself.",
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      needs: ['budgets', 'charter'],
      input: ProfileInput,
      output: ProfileOutput,
      example: {
        set: {
          display_name: 'Translator',
          skills: ['german', 'english'],
          unit_prices: [{ capability: 'svc.mim.send', asset_id: 'usd', amount: '2500' }],
          capacity_per_hour: 40,
          accepts_bids: true,
        },
      },
      handle: tellProfile,
    }),

    bid_submission: operation({
      summary:
        'Put work out to tender, bid for it under seal, or award it to the lowest at the second price.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      // A retained input could be opened before the lot closes.
      keep_input: false,
      needs: ['authority', 'budgets', 'lineages', 'treaties'],
      input: BidInput,
      output: Closed({
        lot_id: Type.Optional(Uuid),
        state: Type.Optional(OneOf('OPEN', 'AWARDED', 'CANCELLED', 'EXPIRED')),
        bids_count: Type.Optional(Type.Integer({ minimum: 0 })),
        bid_id: Type.Optional(Uuid),
        commitment: Type.Optional(Hash),
        winner_did: Type.Optional(Did),
        clearing_price: Type.Optional(Qty),
        contract_id: Type.Optional(Hash),
        losing: Type.Optional(ListOf(LosingBid, 0, 1_000)),
        lots: Type.Optional(ListOf(LotTerms, 0, 100)),
        next_cursor: Type.Optional(Type.String()),
      }),
      example: {
        action: 'solicit',
        task: 'Translate a contract of twelve pages from German to English.',
        capability: 'svc.mana.agent_profile',
        asset_id: 'usd',
        reserve_price: '100000000',
        closes_at: stand_ins.tomorrow,
      },
      handle: submit,
    }),

    budget: operation({
      summary: 'Read what is left of the runway or of an envelope, and how long it lasts.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['budgets', 'tenants'],
      input: BudgetInput,
      output: BudgetOutput,
      example: { tenant_id: stand_ins.tenant, dimension: 'usd' },
      scene: research_allocated,
      handle: tellBudget,
    }),

    allocate: operation({
      summary: 'Give a department a budget and powers, change both, or close its envelope.',
      effect: 'write',
      level: 'L1',
      engages: true,
      hands_on: true,
      meters: ['seconds'],
      needs: ['authority', 'budgets', 'requireAuthority'],
      input: Closed({
        envelope: EnvelopeInput,
        capabilities_granted: ListOf(CapabilityName, 0, 64),
        authority: Ref,
      }),
      output: Closed({
        envelope_id: Uuid,
        version: Type.Integer({ minimum: 1 }),
        state: EnvelopeState,
        granted: ListOf(CapabilityName, 0, 64),
        members: Type.Integer({ minimum: 0, maximum: members_max }),
        effective_at: Timestamp,
        tenant_committed_usd: UsdText,
        tenant_committed_micro_usd: MicroUsd,
      }),
      example: allocation,
      handle: allocate,
    }),

    throttle: operation({
      summary: "Slow an envelope's members down by rules, without stopping them; an empty list lifts it.",
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      // Throttles must be removable even when everything is throttled.
      essential: true,
      needs: ['charter', 'served'],
      input: ThrottleInput,
      output: Closed({
        throttle_id: Uuid,
        rules: ListOf(Factor, 0, 64),
        in_force_from: Timestamp,
        effective: ListOf(Slowed, 0, 64),
        ignored_for: ListOf(Type.String(), 0, 8),
      }),
      example: { envelope_id, rules: [{ match: 'svc.marc.*', factor: 0.5 }] },
      scene: research_allocated,
      handle: setThrottle,
    }),

    hold: operation({
      summary: 'Freeze a tenant, envelope, agent or protocol until a moment, or release it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      // A hold on everything must not block its own release.
      essential: true,
      needs: ['charter'],
      input: HoldInput,
      output: Closed({
        hold_id: Uuid,
        state: OneOf('HELD', 'RELEASED'),
        affects: Closed({
          kind: OneOf('tenant', 'envelope', 'agent', 'protocol'),
          id: Type.Optional(Type.String()),
          members: Type.Optional(Type.Integer({ minimum: 0, maximum: members_max })),
        }),
        until: Type.Optional(Timestamp),
        released: Type.Optional(Type.Integer({ minimum: 1 })),
        still_held: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
      example: {
        reason: 'An order that this agent placed is being looked into.',
        scope: `agent:${buyer_did}`,
        until: stand_ins.tomorrow,
      },
      scene: [
        {
          call: 'MACS.derive',
          input: { entity_kind: 'Agent', label: 'buyer', name: 'Buyer' },
          answer: { did: buyer_did },
        },
      ],
      handle: setHold,
    }),

    list: operation({
      summary: 'List envelopes with budget, spending, throttles and holds, or list the holds themselves.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      // A hold on everything must not hide itself.
      essential: true,
      needs: ['budgets'],
      input: ListInput,
      output: ListOutput,
      example: { kind: 'envelopes', state: 'ACTIVE', limit: 10 },
      scene: research_allocated,
      handle: listEnvelopesAndHolds,
    }),
  },
})

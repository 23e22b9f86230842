import { MicroUsd, Qty, UsdText } from '@svc/contract/money/money'
import { operation, protocol } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import {
  CapabilityName,
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  Ref,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
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

const Factor = Closed({
  match: Type.String({ description: 'A capability, the wildcard of a protocol, or * for all.' }),
  factor_bps: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Share of the normal rate that is left, in basis points.',
  }),
})
/** With figures if it names one protocol that is served here. */
const Slowed = Closed({
  ...Factor.properties,
  protocol: Type.Optional(Type.String({ description: 'Protocol that is slowed; absent if it is not one.' })),
  capacity: Type.Optional(
    Type.Number({ minimum: 0, description: 'Calls in a burst that are left to its members.' }),
  ),
  refill: Type.Optional(Type.Number({ minimum: 0, description: 'Per second.' })),
})

const LotTerms = Closed({
  lot_id: described(Uuid, 'Names the lot, to bid for it.'),
  solicitor_did: described(Did, 'Who put it out to tender.'),
  task: Type.String({ description: 'The work, in words.' }),
  capability: described(CapabilityName, 'Capability a bidder must hold.'),
  asset_id: Type.String({ description: 'Asset in which bids are made and the work is paid.' }),
  reserve_price: described(Qty, 'The most that is paid, in the smallest unit of the asset.'),
  visibility: described(OneOf('tenant', 'treaty'), 'Who may bid; treaty includes treaty partners.'),
  closes_at: described(Timestamp, 'Bids are taken until then.'),
})

const LosingBid = Closed({
  bid_id: described(Uuid, 'Names the bid.'),
  bidder_did: described(Did, 'Who bid.'),
  price: described(Qty, 'What was asked, in the smallest unit of the asset.'),
  eta_seconds: Type.Integer({ description: 'Time needed for the work.' }),
  valid_until: Type.Optional(described(Timestamp, 'It counted until then; absent: until the award.')),
  commitment: described(Hash, 'Hash that the audit log has of the sealed bid.'),
  salt: Type.String({ description: 'Random part of the hash; with it anyone can verify the bid.' }),
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
        lot_id: Type.Optional(described(Uuid, 'The lot.')),
        state: Type.Optional(
          described(
            OneOf('OPEN', 'AWARDED', 'CANCELLED', 'EXPIRED'),
            'CANCELLED: withdrawn by who solicited it. EXPIRED: closed without a valid bid.',
          ),
        ),
        bids_count: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Bids that count; the bids themselves stay sealed until the award.',
          }),
        ),
        bid_id: Type.Optional(described(Uuid, 'Your bid.')),
        commitment: Type.Optional(described(Hash, 'Hash of your sealed bid, as the audit log has it.')),
        winner_did: Type.Optional(described(Did, 'Who won; after the award.')),
        clearing_price: Type.Optional(
          described(Qty, 'What is paid: the second-lowest bid, or the reserve price if there was one bid.'),
        ),
        contract_id: Type.Optional(described(Hash, 'MADE contract offered to the winner.')),
        losing: Type.Optional(
          described(ListOf(LosingBid, 0, 1_000), 'Bids that lost; after the award, to who solicited it.'),
        ),
        lots: Type.Optional(
          described(ListOf(LotTerms, 0, 100), 'Open lots, or the one asked for; for view.'),
        ),
        next_cursor: Type.Optional(Type.String({ description: 'There are more lots.' })),
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
        envelope: described(EnvelopeInput, 'Department, limits and members.'),
        capabilities_granted: described(
          ListOf(CapabilityName, 0, 64),
          'Capabilities its members get through it; never more than you hold.',
        ),
        authority: described(Ref, 'Verdict that binds MANA.allocate to the department.'),
      }),
      output: Closed({
        envelope_id: described(Uuid, 'Names the envelope.'),
        version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
        state: EnvelopeState,
        granted: described(ListOf(CapabilityName, 0, 64), 'Capabilities its members have through it.'),
        members: Type.Integer({ minimum: 0, maximum: members_max, description: 'Number of members.' }),
        effective_at: described(Timestamp, 'When it took effect.'),
        tenant_committed_usd: described(UsdText, 'Month limits of all envelopes together, in US dollars.'),
        tenant_committed_micro_usd: described(
          MicroUsd,
          'Month limits of all envelopes together, in whole millionths.',
        ),
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
        throttle_id: described(Uuid, 'Names this list of rules.'),
        rules: described(ListOf(Factor, 0, 64), 'The rules in force from now on.'),
        in_force_from: described(Timestamp, 'When they took effect.'),
        effective: described(ListOf(Slowed, 0, 64), 'For each name, what is left of the normal rate.'),
        ignored_for: described(
          ListOf(Type.String(), 0, 8),
          'What the rules cannot slow, such as reads of the audit log.',
        ),
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
        hold_id: described(Uuid, 'The hold; the first one if several were released.'),
        state: described(OneOf('HELD', 'RELEASED'), 'HELD: matching calls are refused.'),
        affects: Closed(
          {
            kind: described(OneOf('tenant', 'envelope', 'agent', 'protocol'), 'What the scope names.'),
            id: Type.Optional(Type.String({ description: 'Which one; absent for the tenant.' })),
            members: Type.Optional(
              Type.Integer({ minimum: 0, maximum: members_max, description: 'Members of the envelope.' }),
            ),
          },
          { description: 'What is frozen or released.' },
        ),
        until: Type.Optional(described(Timestamp, 'It ends by itself then; absent after a release.')),
        released: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Number of holds that were released.' }),
        ),
        still_held: Type.Optional(
          Type.Integer({ minimum: 0, description: 'Holds of this scope that remain.' }),
        ),
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

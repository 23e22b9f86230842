// Scenes of MADE, and of all who need something to pay with.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

/** Each organization that plays it publishes an asset of its own. */
export const compute_hours = {
  asset_id: stand_ins.asset,
  kind: 'service_unit',
  rail: 'internal',
  denomination: { code: 'HOUR', decimals: 0 },
  settlement_finality_seconds: 3600,
} as const

/** With the organization that runs the engine, a contract needs no treaty. */
const sale = {
  counterparty_did: stand_ins.operator_did,
  obligations: [
    {
      id: 'hours',
      from: 'proposer',
      asset_id: stand_ins.asset,
      amount: '40',
    },
    {
      id: 'price',
      from: 'counterparty',
      asset_id: 'usd',
      amount: '100000000',
    },
  ],
  memo: 'Forty compute hours for 100 USD.',
}
const sale_id = `sha256:${'5a1e'.repeat(16)}`

export const sale_agreed: readonly SceneStep[] = [
  { call: 'MADE.asset_definition_publish', input: compute_hours },
  { call: 'MADE.economic_contract_create', input: sale, answer: { contract_id: sale_id } },
  { as: 'operator', call: 'MADE.economic_contract_create', input: { contract_id: sale_id } },
]

/** Against a reference its issuer creates what it pays; each reference counts once. */
export const delivery = {
  contract_id: sale_id,
  obligation_ids: ['hours'],
  rail_reference: `delivery note ${sale_id}`,
}

/** You hold dollars. */
export const sale_paid: readonly SceneStep[] = [
  ...sale_agreed,
  {
    as: 'operator',
    call: 'MADE.economic_contract_settle',
    input: { contract_id: sale_id, rail_reference: `wire transfer ${sale_id}` },
  },
]

/** You hold dollars, and who runs the engine holds hours of yours. */
export const sale_done: readonly SceneStep[] = [
  ...sale_paid,
  { call: 'MADE.economic_contract_settle', input: delivery },
]

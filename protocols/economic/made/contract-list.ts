// MADE.list: an organization's contracts or assets, and the details of one of them.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import { Qty } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { AnyObject, Closed, Did, described, Hash, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  advance,
  contract_states,
  findTerms,
  type ListedContract,
  listContracts,
  obligationState,
  type StoredContract,
  settlementsOf,
  sides,
} from '../contracts/api.ts'
import { AssetId } from '../ledger/api.ts'
import { AssetItems, pageOfAssets } from './asset-list.ts'
import { answerOf } from './contract-input.ts'
import { ContractOutput, ObligationId, obligations_max } from './contract-schema.ts'

export const ListInput = Closed({
  kind: Type.Optional(
    Type.Enum(['contracts', 'assets'], { default: 'contracts', description: 'What to list.' }),
  ),
  state: Type.Optional(described(OneOf(...contract_states), 'Only contracts in this state.')),
  contract_id: Type.Optional(described(Hash, 'Only this contract.')),
  party_did: Type.Optional(described(Did, 'Only contracts of this party.')),
  asset_id: Type.Optional(AssetId),
  include_detail: Type.Optional(
    Type.Boolean({ default: false, description: 'With contract_id or asset_id: the whole of it.' }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Count = Type.Integer({ minimum: 0 })
/** Of as many as a contract may contain. */
const Sum = Type.String({ pattern: '^(0|[1-9]\\d{0,32})$', description: 'Whole minor units, added up.' })
const { obligations, escrowed, signatures } = ContractOutput.properties

const Settled = Closed({
  settlement_id: described(Uuid, 'Names the settlement.'),
  state: described(OneOf('POSTED', 'FINAL', 'REVERSED'), 'POSTED can still be reversed, FINAL cannot.'),
  settled_by: described(Did, 'Who paid.'),
  lines: described(
    ListOf(
      Closed({
        obligation_id: described(ObligationId, 'Obligation that was paid.'),
        asset_id: AssetId,
        amount: described(Qty, 'How much was paid, in whole minor units.'),
        fee: described(Qty, 'Fee the payer bore, in whole minor units.'),
      }),
      0,
      256,
    ),
    'What was paid.',
  ),
  journal_ids: described(ListOf(Uuid, 0, 256), 'Ledger journals that booked it.'),
  rail_reference: Type.Optional(Type.String({ description: 'What the outside rail calls the payment.' })),
  posted_at: described(Timestamp, 'When it was paid.'),
  final_at: described(Timestamp, 'From when it can no longer be reversed.'),
})

const ContractItem = Closed({
  contract_id: described(Hash, 'Names the contract: the hash of its terms.'),
  state: described(
    OneOf(...contract_states),
    'OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed.',
  ),
  proposer_did: described(Did, 'Who made the offer.'),
  counterparty_did: described(Did, 'Who the offer was made to.'),
  treaty_id: Type.Optional(
    described(Hash, 'Treaty the contract is made under; absent within one organization.'),
  ),
  escrow: Type.Boolean({ description: 'Amounts are moved into escrow on acceptance.' }),
  offered_at: described(Timestamp, 'When it was offered.'),
  activated_at: Type.Optional(described(Timestamp, 'When it was accepted; absent until then.')),
  expires_at: described(Timestamp, 'Until when the offer can be accepted.'),
  obligations: described(Count, 'Number of obligations.'),
  obligations_due: described(Count, 'How many of them are due now.'),
  next_due_at: Type.Optional(
    described(Timestamp, 'When the next open obligation is due; absent where none is open.'),
  ),
  owed: described(
    ListOf(
      Closed({ from: described(OneOf(...sides), 'Who pays.'), asset_id: AssetId, amount: Sum, settled: Sum }),
      0,
      2 * obligations_max,
    ),
    'Sums by payer and asset.',
  ),
  detail: Type.Optional(
    Closed(
      {
        terms: Type.Unsafe<Record<string, unknown>>({
          ...AnyObject,
          description: 'As they were hashed and signed.',
        }),
        obligations,
        escrowed,
        signatures,
        settlements: described(ListOf(Settled, 0, 256), 'Payments made under the contract.'),
      },
      { description: 'Only with include_detail.' },
    ),
  ),
})

export const ListOutput = Closed({
  contracts: Type.Optional(
    described(
      ListOf(ContractItem, 0, page_max),
      'Contracts your organization is a party of, newest first; absent where assets are listed.',
    ),
  ),
  assets: Type.Optional(
    described(AssetItems, 'Assets your organization issued or holds; absent where contracts are listed.'),
  ),
  next_cursor,
})

export function listContractsAndAssets(
  input: Static<typeof ListInput>,
  context: OperationContext<'charter'>,
) {
  requireAtHome(context, 'contracts and assets')
  const { kind = 'contracts' } = input
  const foreign = kind === 'assets' ? ['state', 'contract_id', 'party_did', 'since'] : ['asset_id']
  const odd = foreign.find((field) => field in input)
  if (odd !== undefined) throw listMisfit(odd, `${kind} are listed`)
  return kind === 'assets' ? pageOfAssets(input, context) : pageOfContracts(input, context)
}

async function pageOfContracts(input: ListInput, context: OperationContext) {
  const { db, tenant_id, now } = context
  const { contract_id, party_did, state } = input
  const at = new Date(now)
  const { items: contracts, ...next } = await listing(input, context, {
    id_form: /^sha256:[0-9a-f]{64}$/,
    async read(bounds) {
      const rows = await listContracts(db, tenant_id, { ...bounds, now, contract_id, party_did, state })
      return rows.map((row) => ({ ...row, contract: asOf(row.contract, at) }))
    },
    placeOf: ({ offered_at, contract: { contract_id: id } }) => ({ at: offered_at.toISOString(), id }),
    isWanted: ({ contract }) => state === undefined || contract.state === state,
    view: (rows) => rows.map((row) => contractView(row, at)),
    detail: { by: 'contract_id', of: ({ contract }) => wholeOf(contract, at, context) },
  })
  return { contracts, ...next }
}

/** Its state at this time, even if it is not stored yet. */
function asOf(contract: StoredContract, at: Date): StoredContract {
  return { ...contract, state: advance(contract, at).state }
}

function contractView({ contract, offered_at }: ListedContract, now: Date) {
  const { contract_id, state, proposer, counterparty, treaty_id, escrow, activated_at } = contract
  const open = contract.obligations.filter(({ ended }) => ended === null)
  const [next_due_at] = open.map(({ due_at }) => due_at).sort()
  return {
    contract_id,
    state,
    proposer_did: proposer.did,
    counterparty_did: counterparty.did,
    ...(treaty_id !== null && { treaty_id }),
    escrow,
    offered_at: offered_at.toISOString(),
    ...(activated_at && { activated_at: activated_at.toISOString() }),
    expires_at: contract.expires_at.toISOString(),
    obligations: contract.obligations.length,
    obligations_due: open.filter((one) => obligationState(one, now) === 'DUE').length,
    ...(next_due_at !== undefined && { next_due_at }),
    owed: owedUnder(contract),
  }
}

/** By payer and asset, in agreed order. */
function owedUnder({ obligations: all }: StoredContract) {
  const groups = Map.groupBy(all, ({ from, asset_id }) => `${from} ${asset_id}`)
  return [...groups.values()].map((group) => ({
    from: group[0]!.from,
    asset_id: group[0]!.asset_id,
    amount: String(group.reduce((sum, { amount }) => sum + amount, 0n)),
    settled: String(group.reduce((sum, { settled }) => sum + settled, 0n)),
  }))
}

async function wholeOf(contract: StoredContract, now: Date, { db }: OperationContext) {
  const { contract_id } = contract
  const { obligations: owed, escrowed: aside, signatures: words } = answerOf(contract, now)
  const settlements = await settlementsOf(db, contract_id)
  return {
    terms: { ...(await findTerms(db, contract_id)) },
    obligations: owed,
    escrowed: aside,
    signatures: words,
    settlements: settlements.map(({ lines, journal_ids, rail_reference, posted_at, final_at, ...rest }) => ({
      ...rest,
      lines: lines.map(({ obligation_id, asset_id, amount, fee }) => {
        return { obligation_id, asset_id, amount: String(amount), fee: String(fee) }
      }),
      journal_ids: [...journal_ids],
      ...(rail_reference !== null && { rail_reference }),
      posted_at: posted_at.toISOString(),
      final_at: final_at.toISOString(),
    })),
  }
}

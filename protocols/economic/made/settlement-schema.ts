// Input and answer of MADE.economic_contract_settle.
import { Qty } from '@svc/contract/money/money'
import {
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  PublicKey,
  Ref,
  Signature,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { contract_states } from '../contracts/api.ts'
import { AssetId } from '../ledger/api.ts'
import { ObligationId, obligations_max } from './contract-schema.ts'

export const SettleInput = Closed({
  contract_id: described(Hash, 'Contract to pay.'),
  obligation_ids: Type.Optional(
    described(ListOf(ObligationId, 1, obligations_max), 'What to pay. Default all that are due.'),
  ),
  amount: Type.Optional(
    described(Qty, 'Part of one obligation to pay, in whole minor units. Default all of it.'),
  ),
  rail_reference: Type.Optional(
    Text(128, { description: 'What the outside rail calls this payment. Each one counts once.' }),
  ),
  authority: Type.Optional(
    described(
      Ref,
      'Verdict that binds MADE.economic_contract_settle to the contract, to issue more usd in 24 hours than one member may. Default: the newest that does.',
    ),
  ),
  reverse: Type.Optional(described(Uuid, 'Settlement to take back, instead of paying.')),
  signature: Type.Optional(
    described(Signature, 'Your signature over the reversal, if you sign with your own key.'),
  ),
  public_key: Type.Optional(described(PublicKey, 'Key the signature was made with.')),
})
export type SettleInput = Static<typeof SettleInput>

export const SettleOutput = Closed({
  settlement_id: described(Uuid, 'Names this settlement.'),
  journal_ids: described(ListOf(Uuid, 0, obligations_max + 1), 'Ledger journals that booked it.'),
  settled: described(
    ListOf(
      Closed({
        obligation_id: described(ObligationId, 'Obligation that was paid.'),
        asset_id: AssetId,
        amount: described(Qty, 'How much was paid, in whole minor units.'),
        fee: described(Qty, 'Fee the payer bore, in whole minor units.'),
      }),
      0,
      obligations_max,
    ),
    'What was paid, by obligation.',
  ),
  state: Type.Enum(['POSTED', 'FINAL', 'REVERSED'], { description: 'Of this settlement.' }),
  contract_state: described(OneOf(...contract_states), 'State of the contract after this settlement.'),
  final_at: described(Timestamp, 'From when it can no longer be reversed.'),
  balances: described(
    ListOf(
      Closed({
        did: Type.Optional(described(Did, 'Holder of the account; absent for the organization itself.')),
        asset_id: AssetId,
        type: Type.String({ description: 'What the account is for, such as available or escrow.' }),
        balance: Type.String({ description: 'Whole minor units after the settlement.' }),
      }),
      0,
      256,
    ),
    'Balances of the accounts that changed, as far as they are yours.',
  ),
  /** Parties that agreed to reverse it. */
  reversal_signed_by: Type.Optional(
    described(ListOf(Did, 1, 2), 'Parties that agreed to reverse it; both are needed.'),
  ),
})
export type SettleOutput = Static<typeof SettleOutput>

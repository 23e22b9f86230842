// Input and output of MADE economic_contract_create.
import { Qty } from '@svc/contract/money/money'
import {
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { condition_kinds, contract_states, obligation_states, sides } from '../contracts/api.ts'
import { AssetId } from '../ledger/api.ts'

export const obligations_max = 64

export const ObligationId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' })

const Condition = Closed({
  kind: described(
    OneOf(...condition_kinds),
    'What must happen first: nothing, another obligation, an attestation or a trade.',
  ),
  ref: Type.Optional(Text(256, { description: 'The obligation, attestation or trade that it waits for.' })),
})

const ObligationInput = Closed({
  id: described(ObligationId, 'Name of the obligation within the contract.'),
  from: described(OneOf(...sides), 'Who pays; the other side receives.'),
  asset_id: AssetId,
  amount: described(Qty, 'How much is owed, in whole minor units of the asset.'),
  due_at: Type.Optional(
    described(Timestamp, 'When it has to be paid, not in the past. Default at once, when it is accepted.'),
  ),
  condition: Type.Optional(
    described(Condition, 'What must happen before it can be settled. Default nothing.'),
  ),
  credit_to: Type.Optional(
    Type.Enum(['available', 'runway'], {
      description: "Where the payee takes usd: its own account, or its organization's runway.",
    }),
  ),
  exchange: Type.Optional(
    described(
      ObligationId,
      'Goods against money: obligations of both sides with the same exchange are settled together, in one journal, or not at all. Needs escrow.',
    ),
  ),
})

export type ObligationInput = Static<typeof ObligationInput>

export const ContractInput = Closed({
  counterparty_did: Type.Optional(described(Did, 'The other party; needed for an offer.')),
  obligations: Type.Optional(
    described(ListOf(ObligationInput, 1, obligations_max), 'Who owes what to whom; needed for an offer.'),
  ),
  escrow: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Move all amounts into escrow when the contract is accepted.',
    }),
  ),
  treaty_id: Type.Optional(described(Hash, 'Treaty between the two organizations; absent within one.')),
  expires_at: Type.Optional(described(Timestamp, 'Until when the offer can be accepted.')),
  arbitration: Type.Optional(
    Closed(
      {
        via: Text(64, { description: 'Means of arbitration, such as MOOT.' }),
        venue: Text(256, { description: 'Place or organization that decides.' }),
      },
      { description: 'Where disputes are to be decided.' },
    ),
  ),
  memo: Type.Optional(Text(2000, { description: 'Text for both sides, part of the signed terms.' })),
  nonce: Type.Optional(Text(64, { description: 'Tells two offers of the same terms apart.' })),
  contract_id: Type.Optional(described(Hash, 'The contract to act on; absent for an offer.')),
  action: Type.Optional(
    described(
      OneOf('view', 'withdraw', 'cancel', 'waive'),
      'What to do with contract_id; absent means accept, and without contract_id offer.',
    ),
  ),
  obligation_ids: Type.Optional(
    described(
      ListOf(ObligationId, 1, obligations_max),
      'For waive: the obligations to waive. Default all owed to you.',
    ),
  ),
  signature: Type.Optional(
    described(Signature, 'Your signature over the terms, if you sign with your own key.'),
  ),
  public_key: Type.Optional(described(PublicKey, 'Key the signature was made with.')),
})

export type ContractInput = Static<typeof ContractInput>

export const ContractOutput = Closed({
  contract_id: described(Hash, 'Names the contract: the hash of its terms.'),
  state: described(
    OneOf(...contract_states),
    'OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed.',
  ),
  proposer_did: described(Did, 'Who made the offer.'),
  counterparty_did: described(Did, 'Who the offer was made to.'),
  expires_at: described(Timestamp, 'Until when the offer can be accepted.'),
  obligations: described(
    ListOf(
      Closed({
        id: described(ObligationId, 'Name of the obligation within the contract.'),
        from: described(OneOf(...sides), 'Who pays; the other side receives.'),
        asset_id: AssetId,
        amount: described(Qty, 'How much is owed, in whole minor units of the asset.'),
        settled: described(Qty, 'How much of it has been paid, in whole minor units.'),
        due_at: described(Timestamp, 'When it has to be paid; where none was agreed, when it was offered.'),
        condition: described(Condition, 'What must happen before it can be settled.'),
        credit_to: described(
          OneOf('available', 'runway'),
          "Where the payee takes it: its own account, or its organization's runway.",
        ),
        exchange: Type.Optional(
          described(ObligationId, 'Settled together with all others of this exchange, or not at all.'),
        ),
        state: described(
          OneOf(...obligation_states),
          'PENDING until due; SETTLED, WAIVED by the payee, or NOVATED to another payer.',
        ),
        fee_bps: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Fee its payer bears, in hundredths of a percent; absent until activation.',
          }),
        ),
      }),
      1,
      obligations_max,
    ),
    'Every obligation with what has been paid of it.',
  ),
  escrowed: described(
    ListOf(
      Closed({
        asset_id: AssetId,
        amount: described(Qty, 'How much of the asset is in escrow, in whole minor units.'),
      }),
      0,
      obligations_max,
    ),
    'What is in escrow now, by asset.',
  ),
  fee_bps: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The highest that a payer of this contract bears.' }),
  ),
  signatures: described(
    ListOf(
      Closed({
        purpose: described(OneOf('terms', 'cancel'), 'What was signed: the terms, or the cancellation.'),
        signed_by: described(Did, 'Party that signed.'),
        public_key: described(PublicKey, 'Key that verifies the signature.'),
        signature: described(Signature, 'The signature itself, base64url.'),
        method: described(
          OneOf('own', 'custodial'),
          "own: with the signer's key; custodial: by the engine for the signer.",
        ),
        signed_at: described(Timestamp, 'When it was signed.'),
      }),
      0,
      8,
    ),
    'Who signed what.',
  ),
})

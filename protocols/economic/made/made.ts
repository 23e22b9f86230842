import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { stand_ins } from '@svc/contract/scene'
import { Closed, described, Hash, Ref, TenantId } from '@svc/contract/schema'
import { Type } from 'typebox'
import {
  AssetId,
  AssetInput,
  assetHash,
  definitionOf,
  findAssets,
  keepAsset,
  publishedForm,
  requireStanding,
} from '../ledger/api.ts'
import { accountHistory, HistoryInput, HistoryOutput } from './account-history.ts'
import { accept, cancel, offer, view, waive, withdraw } from './contract-agreement.ts'
import { requireHome, requireL2 } from './contract-footing.ts'
import { answerOf, requireOneEffect } from './contract-input.ts'
import { ListInput, ListOutput, listContractsAndAssets } from './contract-list.ts'
import { ContractInput, ContractOutput } from './contract-schema.ts'
import { compute_hours, delivery, sale_agreed, sale_paid } from './scenes.ts'
import { settle } from './settlement-posting.ts'
import { reverse } from './settlement-reversal.ts'
import { SettleInput, SettleOutput } from './settlement-schema.ts'

export const made = protocol({
  id: 'MADE',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-commerce',
  summary: 'What can be owned, who owes what to whom, and the ledger in which it is paid.',

  operations: {
    asset_definition_publish: operation({
      summary: 'Define something that can be owned and paid.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['register'],
      input: AssetInput,
      output: Closed({
        asset_id: AssetId,
        asset_hash: described(Hash, 'Hash of the definition, which never changes.'),
        issuer_tenant: described(TenantId, 'Organization that published it: yours.'),
        decimals: Type.Integer({
          minimum: 0,
          maximum: 12,
          description: 'Digits after the point: a minor unit is 10^-decimals.',
        }),
        registered: described(Ref, 'Entry of the asset in the registry.'),
        created: Type.Boolean({ description: 'False if the same asset had been published before.' }),
      }),
      example: compute_hours,

      async handle(input, context) {
        requireHome(context)
        const asset = definitionOf(input)
        if (asset.kind === 'fiat') requireL2(context.caller, 'Publishing a fiat currency')
        const { asset_id, decimals } = asset
        const asset_hash = assetHash(asset)
        const { tenant_id, caller, now } = context
        const created = await keepAsset(context.db, asset, { tenant_id, did: caller.did, at: now })
        if (!created) await requireSame(context, asset_id, asset_hash)
        if (created) context.audit('AssetPublished', { asset_id, asset_hash, kind: asset.kind })
        const content = { ...publishedForm(asset), asset_hash }
        const entry = { kind: 'asset', subject: asset_id, visibility: 'public', content } as const
        const registered = await context.register(entry)
        return { asset_id, asset_hash, issuer_tenant: tenant_id, decimals, registered, created }
      },
    }),

    economic_contract_create: operation({
      summary: 'Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['budgets', 'custody', 'engine', 'tenants', 'treaties'],
      input: ContractInput,
      output: ContractOutput,
      example: {
        counterparty_did: stand_ins.operator_did,
        obligations: [
          { id: 'fee', from: 'proposer', asset_id: 'usd', amount: '2500000', due_at: stand_ins.in_a_month },
        ],
        memo: 'Support for one month.',
      },

      async handle(input, context) {
        requireHome(context)
        requireOneEffect(input)
        const chosen = input.contract_id === undefined ? offer : by_action[input.action ?? 'accept']
        if (chosen === offer || chosen === accept) await requireStanding(context, 'a new contract')
        return answerOf(await chosen(input, context), new Date(context.now))
      },
    }),

    economic_contract_settle: operation({
      summary: 'Pay what a contract owes, all of it or a part, or take a payment back while both agree.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['charter', 'custody', 'engine', 'requireAuthority'],
      input: SettleInput,
      output: SettleOutput,
      example: delivery,
      scene: sale_agreed,

      async handle(input, context) {
        requireHome(context)
        return input.reverse === undefined ? await settle(input, context) : await reverse(input, context)
      },
    }),

    list: operation({
      summary: 'List contracts with what is owed under them, or assets with what is held of them.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['charter'],
      input: ListInput,
      output: ListOutput,
      example: { kind: 'contracts', state: 'ACTIVE', limit: 10 },
      scene: sale_agreed,
      handle: listContractsAndAssets,
    }),

    account_history: operation({
      summary:
        'Read what moved an account, with the balance after each entry; also as CSV or for ledger-cli.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['charter'],
      input: HistoryInput,
      output: HistoryOutput,
      example: { asset_id: 'usd', holder_did: stand_ins.did, format: 'ledger' },
      scene: sale_paid,
      handle: accountHistory,
    }),
  },
})

const by_action = { accept, withdraw, cancel, waive, view }

/** A name never changes its meaning; publishing the same again is allowed. */
async function requireSame(context: OperationContext, asset_id: string, asset_hash: string): Promise<void> {
  const asset = (await findAssets(context.db, [asset_id])).get(asset_id)
  if (asset?.asset_hash === asset_hash && asset.tenant_id === context.tenant_id) return
  throw refuse(
    'policy_denied',
    `${asset_id} is defined already, and a definition never changes; publish under another asset_id.`,
    { reason: 'asset already defined', asset_id },
  )
}

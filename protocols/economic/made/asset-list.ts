// Assets for MADE.list: their definition, and the organization's balances by account type.
import { page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import { AccountType, account_types } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { placeOfName } from '@svc/contract/own-list'
import { Closed, Did, described, Hash, ListOf, TenantId } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  type Asset,
  AssetId,
  AssetInput,
  accountsIn,
  findAssets,
  namesOfAssets,
  publishedForm,
  type SummedBalance,
  sumBalances,
} from '../ledger/api.ts'

const accounts_max = 256
const asset_form = /^[a-z0-9][a-z0-9._-]{1,63}$/
/** Only an issuer's account is negative: by the amount issued. */
const Amount = Type.String({
  pattern: '^-?\\d{1,39}$',
  description: 'Whole minor units, as a decimal string.',
})
const { kind, rail, settlement_finality_seconds } = AssetInput.properties

export const AssetItem = Closed({
  asset_id: AssetId,
  asset_hash: described(Hash, 'Hash of the definition, which never changes.'),
  issuer_tenant: described(TenantId, 'Organization that published it.'),
  kind,
  rail,
  denomination: Closed(
    {
      code: Type.String({ description: 'Such as USD or GPUH.' }),
      decimals: Type.Integer({ description: 'Digits after the point: a minor unit is 10^-decimals.' }),
    },
    { description: 'Code and precision.' },
  ),
  settlement_finality_seconds,
  lot_size: Type.String({ description: 'Orders are for multiples of this many minor units.' }),
  tick_size: Type.String({ description: 'Prices are multiples of this.' }),
  max_supply: Type.Optional(
    Type.String({ description: 'The most minor units that can be issued; absent means no limit.' }),
  ),
  balances: Type.Array(
    Closed({
      type: described(
        AccountType,
        "available, or bound: reserved, escrow, runway and so on; issuance is the issuer's.",
      ),
      balance: Amount,
      accounts: Type.Integer({ minimum: 1, description: 'Number of accounts that were added up.' }),
    }),
    { maxItems: account_types.length, description: 'What your organization holds, by type of account.' },
  ),
  detail: Type.Optional(
    Closed(
      {
        accounts: Type.Array(
          Closed({
            holder_did: Type.Optional(described(Did, 'Who holds it; absent for the organization itself.')),
            type: described(AccountType, 'What the account is for.'),
            balance: Amount,
          }),
          {
            maxItems: accounts_max,
            description: 'The largest first; without a holder it is the organization’s.',
          },
        ),
      },
      { description: 'Only with include_detail.' },
    ),
  ),
})
type AssetItem = Static<typeof AssetItem>

export const AssetItems = ListOf(AssetItem, 0, page_max)

export interface AssetsAsked {
  readonly asset_id?: string
  readonly include_detail?: boolean
  readonly limit?: number
  readonly cursor?: string
}

/** Charter members see all balances; others see the organization's and their own. */
export async function pageOfAssets(input: AssetsAsked, context: OperationContext<'charter'>) {
  const { db, tenant_id, caller } = context
  const { asset_id } = input
  const only_did = (await context.charter.has(caller.did)) ? undefined : caller.did
  const { items: assets, ...next } = await listing(input, context, {
    id_form: asset_form,
    async read(bounds) {
      const names = asset_id === undefined ? await namesOfAssets(db, tenant_id, bounds) : [asset_id]
      const definitions = await findAssets(db, names)
      return names.flatMap((name) => definitions.get(name) ?? [])
    },
    placeOf: ({ asset_id: id }) => placeOfName(id),
    async view(rows) {
      const ids = rows.map(({ asset_id: id }) => id)
      const sums = await sumBalances(db, tenant_id, ids, only_did)
      return rows.map((asset) => assetView(asset, sums))
    },
    detail: {
      by: 'asset_id',
      async of({ asset_id: id }) {
        const accounts = await accountsIn(db, tenant_id, id, only_did, accounts_max)
        return { accounts: accounts.map(accountView) }
      },
    },
  })
  return { assets, ...next }
}

function assetView(asset: Asset, sums: readonly SummedBalance[]): AssetItem {
  const { tenant_id: issuer_tenant, asset_hash, ...definition } = asset
  const own = sums.filter(({ asset_id }) => asset_id === asset.asset_id)
  const balances = own.map(({ type, balance, accounts }) => ({ type, balance, accounts }))
  return { ...publishedForm(definition), asset_hash, issuer_tenant, balances }
}

function accountView({ did, type, balance }: Awaited<ReturnType<typeof accountsIn>>[number]) {
  return { ...(did && { holder_did: did }), type, balance }
}

// MADE.account_history: what moved an account, oldest first, each entry with the balance after it; also as a file.
import { isMoment } from '@svc/contract/moment'
import { AccountType } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, Timestamp, Uuid } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { type Asset, AssetId, balanceBefore, type EntryPlace, entriesOf, findAssets } from '../ledger/api.ts'
import { statementText, text_formats } from './statement-text.ts'

const limit_default = 100
const limit_max = 1_000
/** Only an issuer's account is negative: by the amount issued. */
const Amount = Type.String({ pattern: '^-?\\d{1,39}$', description: 'Whole minor units.' })

export const HistoryInput = Closed({
  asset_id: AssetId,
  type: Type.Optional({ ...AccountType, default: 'available', description: 'Which account of the asset.' }),
  holder_did: Type.Optional(
    described(Did, "Whose account; absent: the organization's own. Others' are shown to charter members."),
  ),
  from: Type.Optional(described(Timestamp, 'Only entries from this time on; absent: from the first.')),
  until: Type.Optional(described(Timestamp, 'Only entries before this time; absent: up to the newest.')),
  format: Type.Optional(
    Type.Enum([...text_formats], {
      description: 'Also return the page as text: csv (RFC 4180), or ledger for ledger-cli and hledger.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limit_max,
      default: limit_default,
      description: 'Entries per page.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,256}$', description: 'next_cursor of the previous page.' }),
  ),
})
type HistoryInput = Static<typeof HistoryInput>

export const HistoryOutput = Closed({
  asset_id: AssetId,
  decimals: Type.Integer({ description: 'Digits after the point: a minor unit is 10^-decimals.' }),
  opening_balance: described(Amount, 'Balance before the first entry of this page.'),
  closing_balance: described(Amount, 'Balance after the last entry of this page.'),
  entries: described(
    ListOf(
      Closed({
        posted_at: described(Timestamp, 'When it was booked.'),
        kind: Type.String({ description: 'What it was for, such as settlement, trade or top-up.' }),
        ref: Type.String({ description: 'What it belongs to: the id of a contract, a trade, an invoice.' }),
        amount: described(Amount, 'What it added; negative if it took.'),
        balance: described(Amount, 'Balance of the account after it.'),
        journal_id: described(Uuid, 'Ledger journal that booked it.'),
        correlation_id: described(Uuid, 'Call that caused it, as in the audit log.'),
      }),
      0,
      limit_max,
    ),
    'Oldest first.',
  ),
  text: Type.Optional(
    Type.String({ description: 'Only with format. The texts of all pages in order are one file.' }),
  ),
  next_cursor: Type.Optional(Type.String({ description: 'There are more entries.' })),
})

type Entry = Static<typeof HistoryOutput>['entries'][number]

export async function accountHistory(
  input: HistoryInput,
  context: OperationContext<'charter'>,
): Promise<Static<typeof HistoryOutput>> {
  requireAtHome(context, 'the accounts')
  await requireHolder(input, context)
  const { db, tenant_id } = context
  const { asset_id, holder_did, type = 'available', limit = limit_default, format } = input
  const asset = await requireAsset(context, asset_id)
  const account = { tenant_id, ...(holder_did && { did: holder_did }), asset_id, type }
  const span = { from: momentOf('from', input.from, 0), until: momentOf('until', input.until, last_ms) }
  if (span.from > span.until) throw backwards()
  const of = sha256Hex(canonicalJson([account, span.from.getTime(), span.until.getTime()])).slice(
    0,
    digest_chars,
  )
  const behind = input.cursor === undefined ? undefined : readCursor(input.cursor, of)
  const opening = behind?.balance ?? (await balanceBefore(db, account, span.from))
  const rows = await entriesOf(db, account, span, behind, limit + 1)
  let balance = opening
  const entries = rows.slice(0, limit).map(({ n: _, posted_at, amount, ...row }): Entry => {
    balance += BigInt(amount)
    return { ...row, posted_at: posted_at.toISOString(), amount, balance: String(balance) }
  })
  const last = rows[limit - 1]
  const page = { opening, entries, is_first: behind === undefined, from: input.from }
  return {
    asset_id,
    decimals: asset.decimals,
    opening_balance: String(opening),
    closing_balance: String(balance),
    entries,
    ...(format && { text: statementText(format, { decimals: asset.decimals, account }, page) }),
    ...(rows.length > limit && {
      next_cursor: writeCursor({ at: last!.posted_at, n: last!.n, balance }, of),
    }),
  }
}

async function requireHolder(
  { holder_did }: HistoryInput,
  context: OperationContext<'charter'>,
): Promise<void> {
  const { caller, charter } = context
  if (holder_did === undefined || holder_did === caller.did || (await charter.has(caller.did))) return
  throw refuse(
    'policy_denied',
    'That account belongs to another identity of your organization; ask a charter member for its history, or read your own.',
    { reason: 'not your account', denying_policy: 'MADE account_history' },
  )
}

async function requireAsset({ db }: OperationContext, asset_id: string): Promise<Asset> {
  const asset = (await findAssets(db, [asset_id])).get(asset_id)
  if (asset) return asset
  throw refuse(
    'not_found',
    `There is no asset ${asset_id}; MADE list with kind assets names those you hold.`,
    {
      reason: 'unknown asset',
      asset_id,
    },
  )
}

const last_ms = Date.parse('9999-12-31T23:59:59.999Z')

function momentOf(field: string, moment: string | undefined, absent_ms: number): Date {
  if (moment === undefined) return new Date(absent_ms)
  if (isMoment(moment)) return new Date(moment)
  throw refuse('invalid_payload', `${field} is ${moment}, a moment that does not exist; name a real one.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: `/${field}`, message: 'is no moment that exists' }],
  })
}

/** The balance goes with the place, so that a page is read without adding up all before it. */
interface Behind extends EntryPlace {
  readonly balance: bigint
}

/** A cursor names account and period: in others its balance would be wrong. */
const digest_chars = 16
const cursor_form = /^(\d{1,15})\|(\d{1,18})\|(-?\d{1,39})\|([0-9a-f]{16})$/

function writeCursor({ at, n, balance }: Behind, of: string): string {
  return Buffer.from(`${at.getTime()}|${n}|${balance}|${of}`).toString('base64url')
}

function readCursor(cursor: string, of: string): Behind {
  const parts = cursor_form.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const at_ms = Number(parts?.[1])
  if (parts?.[4] === of && at_ms <= last_ms)
    return { at: new Date(at_ms), n: parts[2]!, balance: BigInt(parts[3]!) }
  throw refuse(
    'invalid_payload',
    'This cursor is not of this account and period; send next_cursor of the page before, or leave it out.',
    {
      reason: 'cursor',
      faults: [{ pointer: '/cursor', message: 'is no cursor of this account and period' }],
    },
  )
}

function backwards() {
  return refuse('invalid_payload', 'until is before from; name a period that ends after it begins.', {
    reason: 'backwards period',
    faults: [{ pointer: '/until', message: 'must not be before from' }],
  })
}

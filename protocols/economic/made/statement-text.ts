// An account's entries as a text that other programs read: CSV (RFC 4180), or the journal format of ledger-cli and hledger.
import type { AccountType } from '@svc/contract/money/money'

export const text_formats = ['csv', 'ledger'] as const

interface Line {
  readonly posted_at: string
  readonly kind: string
  readonly ref: string
  readonly amount: string
  readonly balance: string
  readonly journal_id: string
  readonly correlation_id: string
}

interface Subject {
  readonly decimals: number
  /** Of the asset by its id: two assets may have the same code. */
  readonly account: {
    readonly tenant_id: string
    readonly did?: string
    readonly asset_id: string
    readonly type: AccountType
  }
}

interface Page {
  readonly opening: bigint
  readonly entries: readonly Line[]
  readonly is_first: boolean
  readonly from: string | undefined
}

export function statementText(format: (typeof text_formats)[number], subject: Subject, page: Page): string {
  return format === 'csv' ? csvOf(subject, page) : ledgerOf(subject, page)
}

/** Minor units as a decimal: 2500000 with six decimals is 2.500000. */
export function decimalOf(minor: string | bigint, decimals: number): string {
  const digits = String(minor)
    .replace('-', '')
    .padStart(decimals + 1, '0')
  const sign = String(minor).startsWith('-') ? '-' : ''
  const whole = digits.slice(0, digits.length - decimals)
  return `${sign}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ''}`
}

const columns = [
  'posted_at',
  'kind',
  'ref',
  'amount',
  'balance',
  'asset',
  'journal_id',
  'correlation_id',
] as const

function csvOf({ decimals, account }: Subject, { entries, is_first }: Page): string {
  const rows = entries.map((entry) => {
    const amounts = { amount: decimalOf(entry.amount, decimals), balance: decimalOf(entry.balance, decimals) }
    const cells = { ...entry, ...amounts, asset: account.asset_id }
    return columns.map((column) => (column in amounts ? cells[column] : cellOf(cells[column])))
  })
  return [...(is_first ? [columns] : []), ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Words of others must not become a formula in a spreadsheet. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Each entry asserts the balance after it, so a file with a missing page does not load. */
function ledgerOf({ decimals, account }: Subject, { opening, entries, is_first, from }: Page): string {
  const { tenant_id, did, asset_id, type } = account
  const money = (minor: string | bigint) => `${decimalOf(minor, decimals)} "${asset_id}"`
  const name = ['Assets', tenant_id, did?.replaceAll(':', '.') ?? 'organization', type].join(':')
  const transactionOf = (line: Omit<Line, 'correlation_id'>, from_account: string) =>
    `${line.posted_at.slice(0, 10)} * (${line.journal_id}) ${onOneLine(`${line.kind} ${line.ref}`)}\n` +
    `    ${name}  ${money(line.amount)} = ${money(line.balance)}\n    ${from_account}\n\n`
  const texts = entries.map((line) => transactionOf(line, `Counter:${onOneLine(line.kind)}`))
  if (!is_first || opening === 0n || from === undefined) return texts.join('')
  const carried = { posted_at: from, kind: 'opening balance', ref: '', journal_id: 'opening' }
  const amounts = { amount: String(opening), balance: String(opening) }
  return transactionOf({ ...carried, ...amounts }, 'Equity:Opening balances') + texts.join('')
}

/** A line break would begin another transaction, and two spaces or a semicolon end a name. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\s;|]+/g, ' ').trim()
}

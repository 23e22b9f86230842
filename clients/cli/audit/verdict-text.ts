// A verdict in the sentences of svc-engine verify, and what a person should know about pinned keys beside it.
import type { ExportVerdict } from '@svc/sdk/verify/export'
import type { Terminal } from '../command.ts'
import { type Colours, coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { type Format, printValue } from '../output/output.ts'
import { type LogPlace, pinPath } from './pin.ts'
import type { FileVerdict, OwnVerdict } from './verify.ts'

export interface Judged {
  readonly verdict: ExportVerdict
  readonly keys: readonly string[]
}

/** Where the log came from: it alone vouches where nothing else does. */
export type Source = 'file' | 'engine'

export async function printVerdict(
  { verdict, keys }: Judged,
  source: Source,
  format: Format,
  terminal: Terminal,
): Promise<void> {
  if (format !== 'human') return await printValue(verdict, format, terminal)
  terminal.out(`${verdictText(verdict, keys, source, coloursOf(terminal, 'stdout'))}\n`)
}

const signers_shown = 4

function verdictText(
  verdict: ExportVerdict,
  keys: readonly string[],
  source: Source,
  colours: Colours,
): string {
  const { ok, verified, roots_checked, records, tenant_id, first_bad_seq, reason = '' } = verdict
  if (!ok) {
    const what = first_bad_seq === undefined ? 'Invalid' : `Record ${first_bad_seq} is invalid`
    return `${colours.red(what)}: ${harmless(reason)}.`
  }
  if (!roots_checked)
    return (
      `${colours.yellow('Not proved')}: ${records} records of ${tenant_id} follow each other, but the export lacks ` +
      'the ones before them, so no signed root can be checked; export the whole log.'
    )
  const content = harmless(contentText(verdict))
  const signers = harmless(signersText(verdict))
  if (verified) return `${colours.green(harmless(vouchedText(verdict, keys)))}: ${content}\n${signers}`
  const doubt = `Consistent, but signed by a key that only this ${source} vouches for`
  return `${colours.yellow(doubt)}: ${content}\n${signers}${source === 'file' ? `\n${advice}` : ''}`
}

const advice =
  'Anyone can make such a file. Get the public key of this log from someone you trust, and pass it with --key.'

function vouchedText({ signed_by, vouched_by, witnessed }: ExportVerdict, keys: readonly string[]): string {
  const pinned = signed_by.filter(({ public_key }) => keys.includes(public_key))
  const saw_all = witnessed?.by.filter(({ size }) => size >= witnessed.size).map(({ name }) => name) ?? []
  const by = {
    key: `verified against pinned key ${pinned.map(({ key_id }) => key_id).join(' and ')}`,
    checkpoint: 'continues a kept checkpoint',
    witness: `not rewritten since ${saw_all.join(' and ')} saw its last record`,
  }
  const text = vouched_by.map((voucher) => by[voucher]).join(', ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function contentText({ records, tenant_id, checkpoints, sealed, head, witnessed }: ExportVerdict): string {
  const counted = `${records} records of ${tenant_id}, ${checkpoints} signed checkpoints`
  const names = witnessed?.by.map(({ name, size }) => `${name} up to ${size}`).join(', ')
  const seen = witnessed ? `witnessed up to record ${witnessed.size} (${names || 'nobody you named'}), ` : ''
  return `${counted}, ${seen}${sealed ? 'sealed at ' : ''}head ${head}`
}

function signersText({ signed_by, vouched_by }: ExportVerdict): string {
  const newest = signed_by.slice(-signers_shown).map(({ key_id, public_key }) => `${key_id} ${public_key}`)
  const older = signed_by.length - newest.length
  const keys = [...(older > 0 ? [`${older} earlier keys`] : []), ...newest].join(', then ')
  const is_proved = vouched_by.some((voucher) => voucher !== 'witness')
  const doubt =
    !is_proved && vouched_by.length > 0 ? ' A witness proves what it saw, not whose key it is.' : ''
  return `Signed by key ${keys}.${doubt}`
}

/** Beside the verdict on a file that was held against a pinned key. */
export function tellPinUsed({ verdict, pin }: FileVerdict, terminal: Terminal): void {
  if (!pin || verdict.ok) return
  const { dim } = coloursOf(terminal, 'stderr')
  const compared = `It was compared with the key pinned for ${pin.tenant_id} at ${pin.api_url}.`
  const other = 'A log of another engine, or from before a change of keys, needs its own --key.'
  terminal.err(`${dim(`${compared}\n${other}`)}\n`)
}

/** What this run pinned, and loudly where the key is another than before. */
export function tellPin(judged: OwnVerdict, place: LogPlace, accepted: boolean, terminal: Terminal): void {
  const { before, after, not_pinned, is_replaced } = judged
  const { dim, red, yellow } = coloursOf(terminal, 'stderr')
  const path = pinPath(terminal.home, place)
  const log = `${place.tenant_id} at ${place.api_url}`
  if (is_replaced && !accepted) {
    terminal.err(`${red('KEY CHANGED')}: ${harmless(replacedText(before!.public_key, log))}\n${dim(path)}\n`)
  } else if (not_pinned !== undefined) {
    const next = 'The next run compares with what was pinned before, if anything was.'
    terminal.err(`${yellow('Not pinned')}: ${harmless(not_pinned)} ${next}\n`)
  } else if (after) {
    const changed = before && before.public_key !== after.public_key
    if (changed && is_replaced)
      terminal.err(
        `${yellow('The pinned key was replaced')}, because you said so. It was ${before.public_key}.\n`,
      )
    else if (changed)
      terminal.err(
        `${yellow('The audit key has changed')}: the log holds the change, signed by the pinned key before it.\n`,
      )
    const pinned = `Pinned for ${log}: key ${after.public_key} and the newest checkpoint, in ${path}.`
    const next = before && !is_replaced ? '' : `\n${first_use}`
    terminal.err(`${dim(harmless(pinned) + next)}\n`)
  } else if (before) {
    const compared = `It was compared with the key and the checkpoint in ${path}, pinned when the log was last checked.`
    const other = 'Delete that file only where you know why the log is another, such as a restored backup.'
    terminal.err(`${dim(`${compared}\n${other}`)}\n`)
  }
}

const first_use =
  'The next run compares with it. To be sure of it now, get the key from the operator another way, and pass it with --key.'

function replacedText(public_key: string, log: string): string {
  return (
    `the log of ${log} is not signed by its pinned key ${public_key}, and no record signed by that key names another.\n` +
    'The engine at this address was replaced, or somebody answers in its place, or the log was rewritten.\n' +
    'If you know why, accept the new key with: svc audit verify --accept-new-key'
  )
}

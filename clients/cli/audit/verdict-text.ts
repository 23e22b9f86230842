// A verdict in the wording of svc-engine verify, with notes on pinned keys.
import type { ExportVerdict } from '@svc/sdk/verify/export'
import { type Source, verdictText } from '@svc/sdk/verify/verdict-text'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { type Format, printValue } from '../output/output.ts'
import { type LogPlace, pinPath } from './pin.ts'
import type { FileVerdict, OwnVerdict } from './verify.ts'

export interface Judged {
  readonly verdict: ExportVerdict
  readonly keys: readonly string[]
}

export async function printVerdict(
  { verdict, keys }: Judged,
  source: Source,
  format: Format,
  terminal: Terminal,
): Promise<void> {
  if (format !== 'human') return await printValue(verdict, format, terminal)
  const { kind, headline, lines } = verdictText(verdict, keys, source)
  const paint = coloursOf(terminal, 'stdout')[colour_of[kind]]
  terminal.out(`${paint(harmless(headline))}: ${lines.map(harmless).join('\n')}\n`)
}

const colour_of = { invalid: 'red', 'not proved': 'yellow', verified: 'green', unvouched: 'yellow' } as const

/** Added to the verdict on a file that was compared with a pinned key. */
export function tellPinUsed({ verdict, pin }: FileVerdict, terminal: Terminal): void {
  if (!pin || verdict.ok) return
  const { dim } = coloursOf(terminal, 'stderr')
  const compared = `It was compared with the key pinned for ${pin.tenant_id} at ${pin.api_url}.`
  const other = 'A log of another engine, or from before a change of keys, needs its own --key.'
  terminal.err(`${dim(`${compared}\n${other}`)}\n`)
}

/** What this run pinned, with a warning if the key changed. */
export function tellPin(judged: OwnVerdict, place: LogPlace, accepted: boolean, terminal: Terminal): void {
  const { verdict, before, after, not_pinned, is_replaced } = judged
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
      terminal.err(`${yellow('The pinned key was replaced')}, as requested. It was ${before.public_key}.\n`)
    else if (changed)
      terminal.err(
        `${yellow('The audit key has changed')}: the log holds the change, signed by the pinned key before it.\n`,
      )
    const pinned = `Pinned for ${log}: key ${after.public_key} and the newest checkpoint, in ${path}.`
    const is_first = before === undefined || is_replaced
    const next = is_first ? `\n${verdict.verified ? next_run : `${next_run} ${first_use}`}` : ''
    terminal.err(`${dim(harmless(pinned) + next)}\n`)
  } else if (before) {
    const compared = `It was compared with the key and the checkpoint in ${path}, pinned when the log was last checked.`
    const other = 'Delete that file only if you know why the log differs, such as a restored backup.'
    terminal.err(`${dim(`${compared}\n${other}`)}\n`)
  }
}

const next_run = 'The next run compares with it.'
const first_use = 'To be sure now, get the key from the operator another way, and pass it with --key.'

function replacedText(public_key: string, log: string): string {
  return (
    `the log of ${log} is not signed by its pinned key ${public_key}, and no record signed by that key names another.\n` +
    'The engine at this address was replaced or is being impersonated, or the log was rewritten.\n' +
    'If you know why, accept the new key with: svc audit verify --accept-new-key'
  )
}

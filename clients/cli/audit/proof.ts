// Checks an answer of MAZE prove locally.
import { isProof, type ProofVerdict } from '@svc/sdk/verify/proof'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { type Format, printValue } from '../output/output.ts'

/** More than any proof needs; anything larger is an audit log. */
export const proof_bytes_max = 2 * 1024 * 1024

/** The answer, bare or inside a dispatch response; undefined for any other text. */
export function proofIn(text: string): unknown {
  try {
    const value = JSON.parse(text) as { output?: unknown } | null
    return [value, value?.output].find(isProof)
  } catch {
    return undefined
  }
}

const shown = {
  inclusion: 'the record is in the log of',
  consistency: 'nothing before was changed in the log of',
  segment: 'the records are in this order in the log of',
}

export async function printProof(verdict: ProofVerdict, format: Format, terminal: Terminal): Promise<void> {
  if (format !== 'human') return await printValue(verdict, format, terminal)
  const { green, yellow, red } = coloursOf(terminal, 'stdout')
  const { ok, vouched, kind, tenant_id = 'nobody', tree_size, root_hash, reason = '' } = verdict
  if (!ok) return terminal.out(`${red('Invalid')}: ${harmless(reason)}.\n`)
  const what = `${shown[kind!]} ${tenant_id}, ${tree_size} records, root ${root_hash}`
  if (vouched) return terminal.out(`${green('Verified')}: ${harmless(what)}\n`)
  terminal.out(
    `${yellow('Consistent, but nothing you trust vouches for it')}: name a --key of ` +
      `${harmless(tenant_id)}, or a --checkpoint you kept.\n`,
  )
}

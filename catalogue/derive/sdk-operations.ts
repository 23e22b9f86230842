// What a client needs at run time: the operations, which of them are reads, and the meaning of each refusal.
import type { Declaration } from '@svc/contract/protocol'
import { type RefusalCode, refusals } from '@svc/contract/refusal'
import { stand_ins } from '@svc/contract/scene'
import { stages } from '@svc/contract/stage'
import { sortedOperations, sortedProtocols } from './names.ts'

const head = '// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.\n'

export function deriveSdkOperations(protocols: readonly Declaration[]): string {
  const rows = sortedProtocols(protocols).map(({ id, version, ...protocol }) => {
    const effects = sortedOperations({ id, version, ...protocol }).map(([name, { effect }]) => [name, effect])
    return [id, { version, category: protocol.category, operations: Object.fromEntries(effects) }]
  })
  const codes = (Object.keys(refusals) as RefusalCode[]).map((code) => {
    const { status, exit, retry } = refusals[code]
    return [code, { status, exit, retry }]
  })
  return [
    head,
    '/** Every protocol by its id: its version, and whether an operation reads or writes. */',
    `export const protocols = ${text(Object.fromEntries(rows))} as const\n`,
    '/** Every refusal code: HTTP status, exit code of the command line, and whether a retry helps. */',
    `export const refusals = ${text(Object.fromEntries(codes))} as const\n`,
    '/** The stages of a call by number: 0 comes before the pipeline, 1 to 8 are the pipeline. */',
    `export const stages = ${text(stages)} as const\n`,
    "/** Texts of examples and scenes that stand for the caller's own, for those of others, and for times from now. */",
    `export const stand_ins = ${text(stand_ins)} as const\n`,
  ].join('\n')
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

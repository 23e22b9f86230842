// svc explain: one call, from its request to the records that prove it.

import { explainPage } from '../audit/explain-page.ts'
import { readPin } from '../audit/pin.ts'
import { checkRecords, endingRecord, proved_max, showRecords } from '../audit/records.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { coloursOf } from '../output/colours.ts'
import { formatOf, printValue } from '../output/output.ts'
import { settingsOf } from '../settings.ts'
import { explainAccess } from './explain-access.ts'

const id_form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const explain: Command = {
  summary: 'Explain why a call was allowed or refused, or why somebody may call an operation.',
  usage: 'explain <correlation_id> | explain access <did|name|me> <protocol.operation>',
  help: `
Shows the request and the caller, the result of each stage, the rule that refused, what would have changed
it, where to appeal, and the audit records, verified locally.

With access: whether an identity of your organization may call an operation now, every path of authority
that leads there (its document, its keys, delegations from the first delegator down, treaties, envelopes), why
a path cannot be used, and the one a call would use.

Flags
  --json                   the answers of MAX explainability_request and audit_query, or of MACS
                           explain_access, unchanged

The correlation id is in every answer and every refusal. Exit code 1 if a record is invalid.

Examples
  svc explain 5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10
  svc explain access clerk MARS.query_registry
`,
  flags: {},
  run: runExplain,
}

async function runExplain(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (args[0] === 'access') return await explainAccess(args.slice(1), flags, terminal)
  const format = formatOf(flags, 'human')
  const correlation_id = idOf(args)
  const client = openClient(flags, terminal)
  const call = { signal: terminal.signal }
  const explanation = await client.max.explainability_request({ correlation_id }, call)
  const wish = { correlation_id, limit: proved_max, include_proofs: true }
  const page = await client.max.audit_query(wish, call)
  const pin = await readPin(terminal.home, settingsOf(flags, terminal))
  const records = await checkRecords(page, pin?.public_key)
  if (format === 'human') {
    terminal.out(`${explainPage(explanation, page.records, terminal)}\n`)
    terminal.out(`${coloursOf(terminal, 'stdout').bold('Records')}\n`)
    showRecords({ correlation_id, records, complete: endingRecord(page.records) !== undefined }, terminal)
    if (page.next_after_seq !== undefined) terminal.out(`Only the first ${proved_max} are shown.\n`)
  } else await printValue({ explainability_request: explanation, audit_query: page }, format, terminal)
  return records.every(({ mark }) => mark !== 'INVALID') ? 0 : 1
}

function idOf([raw_id, more]: readonly string[]): string {
  const hint = 'It is in every answer and refusal: svc explain <correlation_id>'
  if (raw_id === undefined) throw new UsageError('svc explain needs the correlation id of a call.', hint)
  if (more !== undefined) throw new UsageError(`svc explain takes one id; ${more} is one too many.`, hint)
  const id = raw_id.toLowerCase()
  if (!id_form.test(id)) throw new UsageError(`${raw_id} is not a correlation id, which is a UUID.`, hint)
  return id
}

// svc whoami: the caller's identity, the source of each setting, and the permissions.
import type { Whoami } from '@svc/sdk/answer'
import type { Command, Terminal } from '../command.ts'
import { keyIdOf } from '../login/own-keys.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { wrapToWidth } from '../output/text-width.ts'
import { refuseArguments } from '../profile.ts'
import { findSources, type SettingSources, shownSettings } from '../setting-sources.ts'

type Operation = Whoami['operations'][number]

export const whoami: Command = {
  summary: 'Show who you are here, and what you may call',
  usage: 'whoami [--operations] [flags]',
  help: `Shows who you are to the engine: DID, tenant, tier, level, lineage and credential. Shows where
each setting came from, and how much you may call. The key itself is never shown.

Flags
  --operations   every operation: yes, no, or depends (on the call's own input), and why not

Examples
  svc whoami
  svc whoami --operations
  svc whoami --json`,
  flags: { operations: { type: 'boolean' } },
  async run(args, flags, terminal) {
    refuseArguments(args, 'whoami')
    const format = formatOf(flags, 'human')
    const client = openClient(flags, terminal)
    const sources = findSources(flags, terminal)
    const caller = await client.whoami({ signal: terminal.signal })
    const is_listed = flags.operations === true
    if (format === 'human') printPage(caller, sources, is_listed, terminal)
    else await printValue(recordOf(caller, sources, is_listed), format, terminal)
    return 0
  },
}

function countsOf(operations: readonly Operation[]): Record<Operation['may'], number> {
  const counts = { yes: 0, depends: 0, no: 0 }
  for (const { may } of operations) counts[may]++
  return counts
}

const isOpen = ({ may }: Operation) => may !== 'no'

/** For programs: the engine's answer with the settings, without the key. */
function recordOf({ operations, ...known }: Whoami, sources: SettingSources, is_listed: boolean) {
  const settings = shownSettings(sources).map(({ name, shown, source }) => {
    if (name === 'private_key') return [name, { source }]
    return [
      name,
      name === 'api_key'
        ? { key_id: keyIdOf(sources.api_key?.value) ?? null, source }
        : { value: shown, source },
    ]
  })
  return {
    ...known,
    settings: Object.fromEntries(settings),
    operation_counts: countsOf(operations),
    can_call: operations.filter(isOpen).map(({ protocol, operation }) => `${protocol}.${operation}`),
    ...(is_listed ? { operations } : {}),
  }
}

const label_width = 13

function printPage(whoami: Whoami, sources: SettingSources, is_listed: boolean, terminal: Terminal): void {
  const { identity, operations } = whoami
  const line = (label: string, text: string) =>
    terminal.out(`${label.padEnd(label_width)}${harmless(text)}\n`)
  if (identity.name) line('name', identity.name)
  line('agent', whoami.agent_did)
  line('tenant', whoami.tenant_id)
  line('tier', whoami.tier)
  line(
    'level',
    `${identity.conformance_level}, ${identity.entity_kind}${identity.revoked ? ', REVOKED' : ''}`,
  )
  line('lineage', lineageOf(identity))
  if (identity.creator_did !== undefined) line('parent', identity.creator_did)
  line('credential', credentialOf(whoami.credential, sources))
  terminal.out('\nsettings\n')
  const settings = shownSettings(sources)
  const width = Math.max(label_width, ...settings.map(({ name }) => `  ${name}  `.length))
  for (const { name, shown, source } of settings) {
    const is_above = shown === whoami.agent_did || shown === whoami.tenant_id
    line(`  ${name}`.padEnd(width), `${is_above ? 'as above' : shown}, from ${source}`)
  }
  printCounts(operations, is_listed, terminal)
}

/** How many operations are named without being asked for: more would hide what is above. */
const listed_max = 20

function printCounts(operations: readonly Operation[], is_listed: boolean, terminal: Terminal): void {
  const { yes, depends, no } = countsOf(operations)
  const is_long = !is_listed && yes + depends > listed_max
  if (is_long && no + depends === 0) {
    terminal.out(`\nYou may call all ${yes} operations; svc operations lists them.\n`)
    return
  }
  terminal.out(`\nYou may call ${yes} of ${yes + depends + no} operations`)
  const mark = is_long || is_listed ? '' : ' (marked *)'
  terminal.out(depends === 0 ? '.' : `, and ${depends} more${mark} depending on the input.`)
  if (is_listed) {
    terminal.out('\n\n')
    printOperations(operations, terminal)
  } else if (is_long) terminal.out(' svc whoami --operations lists them, and says why not the others.\n')
  else {
    terminal.out(no === 0 ? '\n' : ' svc whoami --operations explains the others.\n')
    printOpen(operations, terminal)
  }
}

/** One paragraph for each protocol. */
function printOpen(operations: readonly Operation[], terminal: Terminal): void {
  const by_protocol = Map.groupBy(operations.filter(isOpen), ({ protocol }) => protocol)
  for (const [protocol, listed] of by_protocol) {
    const names = listed.map(({ operation, may }) => (may === 'depends' ? `${operation}*` : operation))
    const lines = wrapToWidth(harmless(names.join(', ')), line_width - label_width - 2)
    for (const [at, text] of lines.entries())
      terminal.out(`  ${(at === 0 ? harmless(protocol) : '').padEnd(label_width)}${text}\n`)
  }
}

function lineageOf({ lineage_verified, lineage_depth, human_root_did }: Whoami['identity']): string {
  if (!lineage_verified) return 'not verified'
  const depth = lineage_depth === undefined ? '' : `, depth ${lineage_depth}`
  return human_root_did === undefined ? `verified${depth}` : `verified${depth}, from ${human_root_did}`
}

function credentialOf(kind: string, { api_key }: SettingSources): string {
  const key_id = keyIdOf(api_key?.value)
  if (kind === 'own_key') return 'its own key, by a session'
  return kind === 'api_key' && key_id !== undefined ? `API key ${key_id}` : kind.replaceAll('_', ' ')
}

const line_width = 100
const why_not_indent = 13

function printOperations(operations: readonly Operation[], terminal: Terminal): void {
  for (const { may, protocol, operation, why_not = '' } of operations) {
    terminal.out(`${may.padEnd(9)}${harmless(`${protocol} ${operation}`)}\n`)
    // The reason gets its own line.
    for (const text of wrapToWidth(harmless(why_not), line_width - why_not_indent))
      if (text !== '') terminal.out(`${' '.repeat(why_not_indent)}${text}\n`)
  }
}

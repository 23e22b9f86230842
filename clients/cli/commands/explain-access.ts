// svc explain access: why an identity may call an operation, by every path of authority.
import type { Client } from '@svc/sdk/client'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { type Colours, coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { shortened } from '../output/human.ts'
import { formatOf, printValue } from '../output/output.ts'
import { wrapToWidth } from '../output/text-width.ts'

const usage = 'svc explain access <did|name> <protocol.operation>, such as: svc explain access me MIND.recall'
const page_size = 100
/** Names are searched in this many identities; a DID works for every one. */
const pages_max = 20

type Explanation = Awaited<ReturnType<Client['macs']['explain_access']>>
type Path = Explanation['paths'][number]

export async function explainAccess(
  args: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const format = formatOf(flags, 'human')
  const [who, what, more] = args
  const [, protocol, operation] = /^(?:svc\.)?([A-Za-z]{2,16})\.(.+)$/.exec(what ?? '') ?? []
  if (who === undefined || protocol === undefined || operation === undefined || more !== undefined)
    throw new UsageError('svc explain access needs an identity and an operation.', usage)
  const client = openClient(flags, terminal)
  const agent_did = await didOf(who, client, terminal)
  const request = { ...(agent_did !== undefined && { agent_did }), protocol, operation }
  const explanation = await client.macs.explain_access(request, { signal: terminal.signal })
  if (format === 'human') printPage(explanation, terminal)
  else await printValue(explanation, format, terminal)
  return 0
}

/** Undefined for the caller itself. */
async function didOf(who: string, client: Client, { signal }: Terminal): Promise<string | undefined> {
  if (who === 'me') return undefined
  if (who.startsWith('did:')) return who
  const matches: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < pages_max; page++) {
    const { items, next_cursor } = await client.macs.list(
      { limit: page_size, ...(cursor !== undefined && { cursor }) },
      { signal },
    )
    for (const { did, name } of items) if (name?.toLowerCase() === who.toLowerCase()) matches.push(did)
    cursor = next_cursor
    if (cursor === undefined) break
  }
  if (matches.length === 1) return matches[0]
  throw matches.length === 0
    ? new UsageError(`No identity of your organization is called ${who}.`, `Name its DID, or me: ${usage}`)
    : new UsageError(
        `${matches.length} identities are called ${who}.`,
        `Name one by its DID:\n${matches.join('\n')}`,
      )
}

function printPage(explanation: Explanation, terminal: Terminal): void {
  const colours = coloursOf(terminal, 'stdout')
  const { agent, allowed, depends_on_call, refusal, paths, capability } = explanation
  const who = nameOf(agent)
  const [, protocol = '', ...operation] = capability.split('.')
  const verdict = allowed ? colours.green('may') : colours.yellow(depends_on_call ? 'may' : 'may not')
  const condition = depends_on_call ? ', depending on the call. Without an input it would be refused:' : '.'
  terminal.out(`${who} ${verdict} call ${protocol.toUpperCase()} ${operation.join('.')}${condition}\n`)
  if (refusal) {
    const sentence = harmless(shortened(refusal.sentence.replaceAll(agent.did, who)))
    for (const line of wrapToWidth(sentence, terminal.columns - 2)) terminal.out(`  ${line}\n`)
  }
  terminal.out(paths.length === 0 ? '\nNo path of authority leads there.\n' : '\nPaths of authority\n')
  for (const path of paths) printPath(path, terminal, colours)
}

function printPath(path: Path, terminal: Terminal, colours: Colours): void {
  const end = path.expires_at === undefined ? '' : `, until ${path.expires_at}`
  const caveats = path.caveats.length === 0 ? '' : `, under ${path.caveats.join(' and ')}`
  const line = `${wordsOf(path)}: ${path.capability}${end}${caveats}`
  const mark = path.used ? colours.green('>') : ' '
  const [first = '', ...rest] = wrapToWidth(harmless(line), terminal.columns - 5)
  terminal.out(`${mark}  ${first}\n`)
  for (const text of rest) terminal.out(`     ${text}\n`)
  const state = path.blocked
    ? `not usable: ${path.blocked.sentence}`
    : path.used
      ? 'a call uses this one'
      : ''
  for (const text of wrapToWidth(harmless(shortened(state)), terminal.columns - 5))
    if (text !== '') terminal.out(`     ${text}\n`)
}

function wordsOf({ source, chain = [], department, source_ref = '' }: Path): string {
  if (source === 'open') return 'needs no capability'
  if (source === 'declared') return 'declared in its document'
  if (source === 'key') return 'carried by a key'
  if (source === 'treaty') return `treaty ${shortened(source_ref)}`
  if (source === 'role') return `role ${source_ref}`
  if (source === 'envelope') return `envelope of ${department ?? shortened(source_ref)}`
  const steps = chain.map(({ to }) => nameOf(to))
  return ['delegated', ...(chain[0] ? [[nameOf(chain[0].from), ...steps].join(' > ')] : [])].join(' ')
}

function nameOf({ did, name }: { readonly did: string; readonly name?: string }): string {
  return harmless(name ?? shortened(did))
}

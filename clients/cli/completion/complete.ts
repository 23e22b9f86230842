// Shell completions for the word being typed. The scripts of `svc completions` call this at every Tab, so only the
// names and fields are loaded, and a command only for its flags. Names of the catalogue are offered at
// once; the engine is queried only for unknown names.

import { type FieldFacts, loadCompletions } from '../calls/completions-data.ts'
import { common_flags, type Terminal } from '../command.ts'
import { commands } from '../commands.ts'
import { completeInput, type Offer } from './complete-input.ts'
import type { EngineProtocol } from './engine-names.ts'

/** `words` follow `svc`; the last is being typed. One offer per line: word, tab, summary. Without a terminal the engine is not queried. */
export async function complete(words: readonly string[], terminal?: Terminal): Promise<string> {
  // bash splits at =, others do not: --output=h is three words, or one.
  const parts = words.filter((word, i) => word !== '=' || i === words.length - 1)
  const last = (parts.at(-1) ?? '').replace(/^=$/, '')
  const [, joined = '', flag = '', value = last] = /^((--[a-z-]+)=)(.*)$/s.exec(last) ?? []
  const before = [...parts.slice(0, -1), ...(flag === '' ? [] : [flag])]
  const matches = await offersFor(before, value, asksEngine(before, terminal))
  const offers = matches.map((offer) => ({ ...offer, word: joined + offer.word }))
  return offers.map(({ word, about }) => `${word}\t${(about ?? '').replace(/\s+/g, ' ')}\n`).join('')
}

type AskEngine = () => Promise<readonly EngineProtocol[]>

function asksEngine(before: readonly string[], terminal: Terminal | undefined): AskEngine {
  return async () => (terminal ? (await import('./engine-names.ts')).engineNames(before, terminal) : [])
}

async function offersFor(
  before: readonly string[],
  word: string,
  askEngine: AskEngine,
): Promise<readonly Offer[]> {
  const typed = namesIn(before)
  const [command] = typed
  const previous = before.at(-1) ?? ''
  if (previous === '--input') return await offerInput(typed, word)
  if (Object.hasOwn(flag_values, previous)) return startingWith(word, flag_values[previous]!)
  const fields = await fieldsOf(typed)
  const field = fields.find(({ flag }) => flag === previous)
  if (field && field.facts.type !== 'boolean')
    return startingWith(
      word,
      (field.facts.values ?? []).map((value) => ({ word: String(value) })),
    )
  if (await takesValue(command, previous)) return []
  if (word.startsWith('-')) {
    const own = await flagsOf(command)
    const further = fields.filter(({ flag }) => own.every((offer) => offer.word !== flag))
    return startingWith(word, [...further.map(offerOf), ...own])
  }
  if (command === undefined || (typed.length === 1 && command === 'help'))
    return startingWith(word, [...aboutAll(commands), { word: 'help', about: 'Show the page of a command' }])
  if (command === 'invoke' || command === 'describe') return await offerNames(typed, word, askEngine)
  if (command === 'mcp' && typed[1] === 'call')
    return typed.length === 2 ? await offerTools(word, askEngine) : []
  const { subcommands = {} } = Object.hasOwn(commands, command) ? commands[command]! : {}
  const offers = Object.entries(subcommands).map(([name, about]) => ({ word: name, about }))
  return typed.length === 1 ? startingWith(word, offers) : []
}

const formats = ['json', 'yaml', 'human'].map((word) => ({ word }))
const flag_values: Readonly<Record<string, readonly Offer[]>> = { '--output': formats, '-o': formats }

/** The words that are neither flags nor their values. */
function namesIn(before: readonly string[]): string[] {
  return before.filter((word, i) => !word.startsWith('-') && !takes_value.has(before[i - 1] ?? ''))
}

/** Flags with a value that may precede what is completed. */
const takes_value: ReadonlySet<string> = new Set([
  ...Object.entries(common_flags)
    .filter(([, { type }]) => type === 'string')
    .map(([name]) => `--${name}`),
  ...['-o', '--input', '--input-file', '--version', '--idempotency-key', '--timeout'],
])

async function takesValue(command: string | undefined, flag: string): Promise<boolean> {
  if (!flag.startsWith('-')) return false
  if (takes_value.has(flag)) return true
  const option = (await loaded(command))?.flags[flag.slice(2)]
  return option?.type === 'string'
}

async function flagsOf(command: string | undefined): Promise<Offer[]> {
  const own = (await loaded(command))?.flags ?? {}
  return Object.keys({ ...own, ...common_flags }).map((name) => ({ word: `--${name}` }))
}

/** A command that fails to load offers no flags; completions never print errors. */
async function loaded(command: string | undefined) {
  if (command === undefined || !Object.hasOwn(commands, command)) return undefined
  return await commands[command]!.load().catch(() => undefined)
}

async function offerNames(
  typed: readonly string[],
  word: string,
  askEngine: AskEngine,
): Promise<readonly Offer[]> {
  const { protocols } = await loadCompletions()
  const [, protocol] = typed
  if (protocol === undefined) {
    const offers = startingWith(word, aboutAll(protocols))
    if (offers.length > 0) return offers
    return startingWith(
      word,
      (await askEngine()).map(({ id, summary }) => ({ word: id, about: summary })),
    )
  }
  if (typed.length > 2) return []
  const protocol_name = sameName(protocol, protocols)
  if (protocol_name) return startingWith(word, aboutAll(protocols[protocol_name]!.operations))
  const engine_protocol = (await askEngine()).find(({ id }) => id.toLowerCase() === protocol.toLowerCase())
  return startingWith(
    word,
    (engine_protocol?.operations ?? []).map((name) => ({ word: name })),
  )
}

async function offerTools(word: string, askEngine: AskEngine): Promise<readonly Offer[]> {
  const { protocols } = await loadCompletions()
  const tools = Object.entries(protocols).flatMap(([id, { operations }]) =>
    aboutAll(operations).map((offer) => ({ ...offer, word: `svc.${id.toLowerCase()}.${offer.word}` })),
  )
  const offers = startingWith(word, tools)
  if (offers.length > 0) return offers
  const others = (await askEngine()).flatMap(({ id, operations }) =>
    operations.map((name) => ({ word: `svc.${id.toLowerCase()}.${name}` })),
  )
  return startingWith(word, others)
}

async function offerInput(typed: readonly string[], word: string): Promise<Offer[]> {
  return completeInput(word, await inputOf(typed))
}

interface FieldOffer {
  /** With dashes. */
  readonly flag: string
  readonly facts: FieldFacts
}

/** The top-level fields of the operation as flags; nested ones are in its --help. */
async function fieldsOf(typed: readonly string[]): Promise<FieldOffer[]> {
  const is_call = typed[0] === 'invoke' || (typed[0] === 'mcp' && typed[1] === 'call')
  if (!is_call) return []
  return Object.entries(await inputOf(typed)).map(([name, facts]) => ({
    flag: `--${name.replaceAll('_', '-')}`,
    facts,
  }))
}

function offerOf({ flag, facts: { description } }: FieldOffer): Offer {
  return description === undefined ? { word: flag } : { word: flag, about: description }
}

/** After `invoke MAX audit_query`, `invoke svc.max.audit_query` and `mcp call svc.max.audit_query`. */
async function inputOf(typed: readonly string[]): Promise<Readonly<Record<string, FieldFacts>>> {
  const names = typed.slice(typed[0] === 'mcp' ? 2 : 1)
  // Only the first dot separates them: an operation may contain dots, such as charter.declare.
  const [protocol = '', operation = ''] =
    names.length === 1 ? names[0]!.replace(/^svc\./i, '').split(/\.(.*)/) : names
  const { protocols } = await loadCompletions()
  const operations = protocols[sameName(protocol, protocols) ?? '']?.operations ?? {}
  const facts = operations[sameName(operation, operations) ?? '']
  return facts?.input ?? {}
}

function aboutAll(table: Readonly<Record<string, { readonly summary: string }>>): Offer[] {
  return Object.entries(table).map(([word, { summary }]) => ({ word, about: summary }))
}

/** Names are case-insensitive. */
function startingWith(word: string, offers: readonly Offer[]): Offer[] {
  return offers.filter((offer) => offer.word.toLowerCase().startsWith(word.toLowerCase()))
}

function sameName(word: string, table: object): string | undefined {
  return Object.keys(table).find((name) => name.toLowerCase() === word.toLowerCase())
}

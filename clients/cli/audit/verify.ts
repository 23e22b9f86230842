// svc audit verify: checks an audit log locally, using only its lines and what the reader trusts.
import { type ExportOptions, type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { readNoteFile, splitLines } from './file.ts'
import { type LogPlace, type Pin, pinOfProfile, readPin, writePin } from './pin.ts'

type Lines = AsyncIterable<string>

/** Reads checkpoint notes from files. */
export async function readNotes(paths: readonly string[]): Promise<string[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const note = await readNoteFile(path)
      if (note === undefined) throw new UsageError(`There is no file ${path}; name a checkpoint you kept.`)
      return note
    }),
  )
}

/** What the verifier trusts besides the log. */
export type Trusted = Pick<ExportOptions, 'witnessKeys' | 'witnessesNeeded'> & {
  readonly keys: readonly string[]
  readonly checkpoints: readonly string[]
}

/** Standard input is read into memory, so its size is limited; a file is read line by line. */
export async function* stdinLines(terminal: Terminal): AsyncGenerator<string> {
  try {
    yield* splitLines([await terminal.readStdin()])
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, 'A file may have any size: svc audit verify audit-log.jsonl')
  }
}

export interface FileVerdict {
  readonly verdict: ExportVerdict
  /** The trusted keys. */
  readonly keys: readonly string[]
  /** Set if no key was named and one is pinned for the profile's engine and this tenant. */
  readonly pin: Pin | undefined
}

/** Verifies an export against the named keys, or the pinned one. */
export async function verifyLines(
  lines: Lines,
  trusted: Trusted,
  flags: Flags,
  terminal: Terminal,
): Promise<FileVerdict> {
  const { header, all } = await peek(lines)
  const pin = trusted.keys.length > 0 ? undefined : await pinOfProfile(header.tenant_id, flags, terminal)
  const keys = pin ? [pin.public_key] : trusted.keys
  return { verdict: await judge(all, { ...trusted, keys }), keys, pin }
}

export interface OwnVerdict {
  readonly verdict: ExportVerdict
  readonly keys: readonly string[]
  /** From an earlier run. */
  readonly before: Pin | undefined
  /** Written by this run; undefined if the log is invalid. */
  readonly after: Pin | undefined
  /** Why it could not be written; the verdict is not affected. */
  readonly not_pinned: string | undefined
  /** The engine returned a log that the pinned key does not vouch for. */
  readonly is_replaced: boolean
}

/** Verifies the engine's current log against the pin of the previous run, and pins a valid one for the next. */
export async function verifyOwn(
  lines: Lines,
  place: LogPlace,
  trusted: Trusted,
  accepts_new_key: boolean,
  terminal: Terminal,
): Promise<OwnVerdict> {
  const before = await readPin(terminal.home, place)
  const { header, all } = await peek(lines)
  const is_replaced = before !== undefined && !header.keys.includes(before.public_key)
  const pin = is_replaced && accepts_new_key ? undefined : before
  const keys = [...trusted.keys, ...(pin ? [pin.public_key] : [])]
  const checkpoints = [...trusted.checkpoints, ...(pin ? [pin.checkpoint] : [])]
  let checkpoint: string | undefined
  async function* watched() {
    for await (const line of all) {
      if (line.startsWith('{"checkpoint"'))
        checkpoint = (JSON.parse(line) as { checkpoint: string }).checkpoint
      yield line
    }
  }
  const judged = await judge(watched(), { ...trusted, keys, checkpoints })
  const verdict = judged.tenant_id === place.tenant_id || !judged.ok ? judged : ofAnother(judged, place)
  const public_key = verdict.signed_by.at(-1)?.public_key
  // Only a verified log may replace the pin.
  const holds = verdict.ok && verdict.roots_checked && public_key !== undefined && checkpoint !== undefined
  const { api_url, tenant_id } = place
  const after = holds ? { api_url, tenant_id, public_key, checkpoint: checkpoint! } : undefined
  const not_pinned = after && (await triedToPin(terminal.home, after))
  return { verdict, keys, before, after, not_pinned, is_replaced }
}

async function triedToPin(home: string, pin: Pin): Promise<string | undefined> {
  try {
    await writePin(home, pin)
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

function ofAnother({ head: _, ...verdict }: ExportVerdict, { tenant_id }: LogPlace): ExportVerdict {
  const reason = `the log is that of ${verdict.tenant_id}, not of ${tenant_id}`
  return { ...verdict, ok: false, verified: false, signed_by: [], vouched_by: [], reason }
}

/** A read error is not a verdict about the log: it is thrown. */
async function judge(lines: Lines, { keys, ...trusted }: Trusted): Promise<ExportVerdict> {
  const failed: unknown[] = []
  async function* watched() {
    try {
      yield* lines
    } catch (error) {
      failed.push(error)
      throw error
    }
  }
  const options = { ...trusted, ...(keys.length > 0 ? { trustedKeys: keys } : {}) }
  const verdict = await verifyExport(watched(), options)
  if (failed.length > 0) throw failed[0]
  return verdict
}

/** Only used to choose the pin: the verifier parses the line itself. */
async function peek(lines: Lines) {
  const iterator = lines[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all() {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { header: headerOf(first.done ? '' : first.value), all: all() }
}

function headerOf(line: string): { tenant_id: string | undefined; keys: unknown[] } {
  try {
    const { tenant_id, keys } = Object(JSON.parse(line)) as Record<string, unknown>
    const listed = Array.isArray(keys) ? keys.map((key) => Object(key).public_key) : []
    return { tenant_id: typeof tenant_id === 'string' ? tenant_id : undefined, keys: listed }
  } catch {
    return { tenant_id: undefined, keys: [] }
  }
}

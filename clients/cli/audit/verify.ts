// svc audit verify: a book checked on this machine, with nothing but its lines, public keys, and notes kept from before.
import { join } from 'node:path'
import { type ExportOptions, type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import type { Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { type Format, printValue } from '../output/output.ts'
import { linesOf, readNoteFile, splitLines, writeOwnFile } from './file.ts'

/** Links alone can be forged by anybody: what no signed root vouches for is not called valid. */
export function isProved({ ok, roots_checked }: ExportVerdict): boolean {
  return ok && roots_checked
}

/** Notes from files that somebody kept. */
export async function readNotes(paths: readonly string[]): Promise<string[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const note = await readNoteFile(path)
      if (note === undefined) throw new UsageError(`There is no file ${path}; name a checkpoint you kept.`)
      return note
    }),
  )
}

/** What whoever verifies knows beside the book. */
export type Known = Pick<ExportOptions, 'witnessKeys' | 'witnessesNeeded' | 'trustedKeys'> & {
  readonly checkpoints: readonly string[]
}

/** A file, or standard input for `-`. */
export async function verifyFile(file: string, known: Known, terminal: Terminal): Promise<ExportVerdict> {
  if (file === '-') return await verifyText(await readStdin(terminal), known)
  return await verifyFrom(linesOf(file), known)
}

/** An export that is at hand already. */
export async function verifyText(text: string, known: Known): Promise<ExportVerdict> {
  return await verifyFrom(splitLines([text]), known)
}

/** Standard input is read whole, and so only up to a size; a file is read line by line. */
async function readStdin(terminal: Terminal): Promise<string> {
  try {
    return await terminal.readStdin()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, 'A file may have any size: svc audit verify book.jsonl')
  }
}

/** A source that fails is no verdict about the book: its own fault is thrown. */
async function verifyFrom(
  lines: AsyncIterable<string> | Iterable<string>,
  known: Known,
): Promise<ExportVerdict> {
  const failed: unknown[] = []
  async function* watched() {
    try {
      yield* lines
    } catch (error) {
      failed.push(error)
      throw error
    }
  }
  const verdict = await verifyExport(watched(), known)
  if (failed.length > 0) throw failed[0]
  return verdict
}

const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Where the newest note of a tenant's book is kept between two runs. */
function keptNotePath(home: string, tenant_id: string): string {
  if (!tenant_form.test(tenant_id)) throw new UsageError(`${tenant_id} is not the id of a tenant.`)
  return join(home, '.svc', 'checkpoints', `${tenant_id}.note`)
}

export interface KeptVerdict {
  readonly verdict: ExportVerdict
  /** Where the note of this run was kept, or where the one it contradicts stands. */
  readonly note_path: string
  /** Whether an earlier run had left one to compare with. */
  readonly compared: boolean
}

/** The book as the engine hands it out now, against the note that the run before kept. */
export async function verifyNow(
  lines: AsyncIterable<string>,
  tenant_id: string,
  known: Known,
  terminal: Terminal,
): Promise<KeptVerdict> {
  const note_path = keptNotePath(terminal.home, tenant_id)
  const kept = await readNoteFile(note_path)
  let newest: string | undefined
  async function* watched() {
    for await (const line of lines) {
      if (line.startsWith('{"checkpoint"')) newest = (JSON.parse(line) as { checkpoint: string }).checkpoint
      yield line
    }
  }
  const checkpoints = [...known.checkpoints, ...(kept === undefined ? [] : [kept])]
  const said = await verifyFrom(watched(), { ...known, checkpoints })
  const verdict = said.tenant_id === tenant_id || !said.ok ? said : ofAnother(said, tenant_id)
  // Only what was proved replaces what was proved before.
  if (isProved(verdict) && newest !== undefined) await writeOwnFile(note_path, [newest], true)
  return { verdict, note_path, compared: kept !== undefined }
}

function ofAnother({ head: _, ...verdict }: ExportVerdict, tenant_id: string): ExportVerdict {
  return { ...verdict, ok: false, reason: `the book is that of ${verdict.tenant_id}, not of ${tenant_id}` }
}

/** The same sentences as svc-engine verify. */
export async function printVerdict(
  verdict: ExportVerdict,
  format: Format,
  terminal: Terminal,
): Promise<void> {
  if (format !== 'human') return await printValue(verdict, format, terminal)
  const { green, yellow, red } = coloursOf(terminal, 'stdout')
  const { ok, records, tenant_id, checkpoints, head, first_bad_seq, reason = '' } = verdict
  if (isProved(verdict)) {
    const counted = `${records} records of ${tenant_id}, ${checkpoints} signed checkpoints`
    terminal.out(`${green('ok')}: ${counted}, ${witnessedText(verdict)}head ${head}\n`)
  } else if (ok) {
    terminal.out(
      `${yellow('NOT PROVED')}: ${records} records of ${tenant_id} follow each other, but the export lacks the ones ` +
        'before them, so no signed root can be checked; export the whole chain.\n',
    )
  } else {
    const where = first_bad_seq === undefined ? '' : ` at record ${first_bad_seq}`
    terminal.out(`${red(`NOT VALID${where}`)}: ${harmless(reason)}\n`)
  }
}

function witnessedText({ witnessed }: ExportVerdict): string {
  if (!witnessed) return ''
  const names = witnessed.by.map(({ name, size }) => `${name} up to ${size}`)
  const who = names.length === 0 ? 'nobody you named' : names.join(', ')
  return harmless(`witnessed up to record ${witnessed.size} (${who}), `)
}

// Runs a hostile plugin as the engine does: translated, started and called once.
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { type CallHost, PluginProcess, sandbox_limits } from '@svc/adapters/plugins/plugin-process'
import type { Extent } from '@svc/adapters/plugins/sandbox/words'
import { type PluginCode, translate, Unloadable } from '@svc/adapters/plugins/translate'
import { type Files, translateComponent } from '@svc/adapters/plugins/translator/component'
import { hang_ms_max } from '../../suite/eventually.ts'
import { stopwatch } from '../../suite/real-time.ts'
import type { Fate, HostileCase } from './hostile-case.ts'

/** For those that never end; the others have as long as a busy machine may need. */
export const deadline_ms = 250

/** The observed outcome, in terms of `Fate`. */
export interface Seen {
  readonly how: 'refused' | 'unstarted' | 'trapped' | 'died' | 'late' | 'answered' | 'says_no'
  readonly what: string
  /** From the call to its answer, if it was killed at the deadline. */
  readonly took_ms?: number
}

const { memory_bytes_max } = sandbox_limits

/** Accepts everything, and stores nothing. */
export const quiet_host: CallHost = {
  call: async () => ({ ok: '{}' }),
  audit: async () => ({ ok: '' }),
  log: () => {},
  progress: () => {},
}

export async function runCase(hostile: HostileCase): Promise<Seen> {
  const component = await hostile.make()
  let code: PluginCode
  try {
    code = await (hostile.breaks_translator
      ? translate(component, memory_bytes_max, system_clock)
      : translateHere(component))
  } catch (error) {
    if (!(error instanceof Unloadable)) throw error
    return { how: 'refused', what: error.message }
  }
  try {
    return await runCode(code, hostile)
  } finally {
    await code.close()
  }
}

async function runCode(code: PluginCode, { wasi = [], start_ms_max, fate }: HostileCase): Promise<Seen> {
  const limits = { ...sandbox_limits, ...(start_ms_max ? { start_ms_max } : {}) }
  let started: PluginProcess
  try {
    started = (await PluginProcess.start(code, wasi, limits)).process
  } catch (error) {
    if (!(error instanceof Unloadable)) throw error
    return { how: 'unstarted', what: error.message }
  }
  const request = { tenant_id: 'alpha', operation: 'run', payload: '{}', context: '{}', config: '{}' }
  const elapsed_ms = stopwatch()
  const answer = await started.invoke(request, quiet_host, mayHang(fate) ? deadline_ms : hang_ms_max)
  const took_ms = elapsed_ms()
  started.kill('the test is over')
  if ('late_ms' in answer) return { how: 'late', what: '', took_ms }
  if ('refused' in answer) return { how: 'says_no', what: answer.refused.code }
  if ('answered' in answer) return { how: 'answered', what: answer.answered }
  return 'trapped' in answer ? { how: 'trapped', what: answer.trapped } : { how: 'died', what: answer.died }
}

/** Like the translator's own process, without starting one for each: the corpus is long. */
export async function translateHere(component: Uint8Array): Promise<PluginCode> {
  const translated = await translateComponent(component, memory_bytes_max)
  if ('fault' in translated) throw new Unloadable(translated.fault)
  return codeOf(translated.files)
}

/** `plugin.js` and modules, in an unnamed file. */
export async function codeOf(files: Files): Promise<PluginCode> {
  const path = join(tmpdir(), `svc-hostile-${system_clock.uuid()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  const extents: Record<string, Extent> = {}
  let offset = 0
  for (const [name, bytes] of files) {
    await file.write(bytes, 0, bytes.length, offset)
    extents[name] = { offset, length: bytes.length }
    offset += bytes.length
  }
  const { 'plugin.js': glue, ...modules } = extents
  return { file, glue: glue!, modules, close: () => file.close() }
}

const fatesOf = (fate: Fate | readonly Fate[]): readonly Fate[] =>
  Array.isArray(fate) ? fate : [fate as Fate]

const mayHang = (fate: Fate | readonly Fate[]) => fatesOf(fate).includes('killed at its deadline')

export function isFate({ how, what }: Seen, fate: Fate | readonly Fate[]): boolean {
  return fatesOf(fate).some((each) => {
    if (each === 'killed at its deadline') return how === 'late'
    const expected = (each as Readonly<Record<string, string | RegExp>>)[how]
    return typeof expected === 'string' ? expected === what : (expected?.test(what) ?? false)
  })
}

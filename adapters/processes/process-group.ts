// A program of the operator's list, in its own process group and empty folder. It ends with everything it started:
// when stopped, when it exits, and when this engine dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AllowedCommand } from '@svc/contract/needs/commands'
import { watchedBy } from './dead-man.ts'
import { groupMembers } from './group-members.ts'
import { keepOutput, type StoredOutput } from './stored-output.ts'

const poll_ms = 10
/** After SIGKILL only the kernel is waited for. */
const gone_ms_max = 2_000
/** From here on the members themselves are checked, not only whether there are any. */
const names_ms = 50
const output_bytes_max = 1024 * 1024
const complaints_bytes_max = 16 * 1024

/** The last of the four descriptors a program begins with. */
const switch_fd = 3

export interface GroupEnd {
  readonly how: 'exited' | 'SIGTERM' | 'SIGKILL'
  /** Null if a signal ended it. */
  readonly exit_code: number | null
  readonly signal: NodeJS.Signals | null
  /** False if members of the group were still seen after SIGKILL: then nothing is proven. */
  readonly gone: boolean
}

export interface ProcessGroup {
  readonly pid: number
  readonly stdin: Writable
  /** The beginning of its stdout, unless `onOutput` takes it. */
  readonly output: StoredOutput
  /** The end of its stderr. */
  readonly complaints: StoredOutput
  /** Resolves once the leader has exited and the group is empty; never rejects. */
  readonly ended: Promise<GroupEnd>
  /** SIGTERM to the group, SIGKILL after the grace period; resolves when the group is empty. Calling it twice is harmless. */
  stopGroup(grace_ms: number): Promise<GroupEnd>
}

export interface GroupOptions {
  readonly onOutput?: (chunk: Buffer) => void
  readonly output_bytes_max?: number
}

export async function startGroup(
  { command, args, env }: AllowedCommand,
  options: GroupOptions = {},
): Promise<ProcessGroup> {
  const jail = await mkdtemp(join(tmpdir(), 'svc-command-'))
  const child = spawn('/bin/sh', ['-c', watchedBy(switch_fd), 'svc-command', command, ...args], {
    cwd: jail,
    env: { ...env, HOME: jail, TMPDIR: jail },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  try {
    await hasStarted(child)
  } catch (error) {
    await rm(jail, { recursive: true, force: true })
    throw error
  }
  return new RunningGroup(child, jail, options)
}

function hasStarted(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('spawn', resolve)
  child.once('error', reject)
  return promise
}

// A class because it must be closed, and remembers its signal.
class RunningGroup implements ProcessGroup {
  readonly pid: number
  readonly stdin: Writable
  readonly output: StoredOutput
  readonly complaints: StoredOutput
  readonly ended: Promise<GroupEnd>
  readonly #exited: Promise<void>
  #has_exited = false
  #how: GroupEnd['how'] = 'exited'
  #stopping: Promise<GroupEnd> | undefined

  constructor(child: ChildProcess, jail: string, options: GroupOptions) {
    this.pid = child.pid!
    this.stdin = child.stdin!
    // A program may stop reading at any time; what is written then is lost, and its exit reports it.
    this.stdin.on('error', () => {})
    this.output = keepOutput(options.output_bytes_max ?? output_bytes_max, 'beginning')
    this.complaints = keepOutput(complaints_bytes_max, 'end')
    child.stdout!.on('data', options.onOutput ?? this.output.add)
    child.stderr!.on('data', this.complaints.add)
    for (const stream of child.stdio) stream?.on('error', () => {})
    this.#exited = once(child, 'exit').then(() => {
      this.#has_exited = true
    })
    const closed = once(child, 'close')
    this.ended = this.#exited.then(async () => {
      const gone = await this.#endLeftovers()
      // Output is complete once the pipes are closed; a process that left the group may hold them forever.
      await Promise.race([closed, sleep(gone_ms_max, undefined, { ref: false })])
      for (const stream of child.stdio) stream?.destroy()
      await rm(jail, { recursive: true, force: true, maxRetries: 2 }).catch(() => {})
      return { how: this.#how, exit_code: child.exitCode, signal: child.signalCode, gone }
    })
  }

  stopGroup(grace_ms: number): Promise<GroupEnd> {
    this.#stopping ??= this.#stop(grace_ms)
    return this.#stopping
  }

  async #stop(grace_ms: number): Promise<GroupEnd> {
    const timer = new AbortController()
    if (grace_ms > 0 && !this.#has_exited) {
      this.#how = 'SIGTERM'
      signalGroup(this.pid, 'SIGTERM')
      const late = sleep(grace_ms, undefined, { signal: timer.signal }).catch(() => {})
      await Promise.race([this.#exited, late])
      timer.abort()
    }
    if (!this.#has_exited) {
      this.#how = 'SIGKILL'
      signalGroup(this.pid, 'SIGKILL')
    }
    return this.ended
  }

  async #endLeftovers(): Promise<boolean> {
    for (let waited_ms = 0; waited_ms <= gone_ms_max; waited_ms += poll_ms) {
      if (!signalGroup(this.pid, 'SIGKILL')) return true
      // Without an init that reaps zombies, as in some containers, their entries stay although nothing runs.
      if (waited_ms >= names_ms && (await groupMembers(this.pid))?.length === 0) return true
      await sleep(poll_ms)
    }
    return false
  }
}

/** False if the group has no member left. */
function signalGroup(pgid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pgid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

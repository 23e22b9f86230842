// Plugins being loaded: translating one takes seconds, a bad one a minute, and nobody else waits for it.
import type { Declaration } from '@svc/contract/protocol'
import type { LoadedPlugin } from './loaded-plugin.ts'
import type { PluginPackage } from './plugin-folder.ts'

/** One exact build. */
export interface Wanted {
  readonly key: string
  readonly name: string
  readonly path: string
  readonly digest: string
  readonly declaration: Declaration
}

type Load =
  | { readonly state: 'queued' | 'loading' }
  | { readonly state: 'made'; readonly made: LoadedPlugin }
  | { readonly state: 'failed'; readonly why: string }

interface Job {
  readonly wanted: Wanted
  load: Load
  is_unwanted: boolean
}

interface Parts {
  read(path: string): Promise<PluginPackage>
  make(plugin: PluginPackage, load_request: Wanted): Promise<LoadedPlugin>
  /** One has ended, either way. */
  onDone(): void
}

/** Of different plugins, so that one that hangs does not block the rest. */
const at_once_max = 2

class Changed extends Error {}

// A class because it must be closed.
export class PluginLoads {
  readonly #parts: Parts
  readonly #jobs = new Map<string, Job>()
  /** Also unwanted ones: they cost as much as the others until they end. */
  readonly #running = new Set<Job>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get isBusy(): boolean {
    return [...this.#jobs.values()].some(isUnderWay)
  }

  isUnderWay(key: string): boolean {
    const job = this.#jobs.get(key)
    return job !== undefined && isUnderWay(job)
  }

  /** Begins the load if necessary; its result is returned once. */
  take(load_request: Wanted): Load {
    const { key, digest } = load_request
    const job = this.#jobs.get(key)
    if (job?.wanted.digest === digest) {
      if (!isUnderWay(job)) this.#jobs.delete(key)
      return job.load
    }
    if (job) this.#stop(job)
    const begun: Job = { wanted: load_request, load: { state: 'queued' }, is_unwanted: false }
    this.#jobs.set(key, begun)
    this.#begin()
    return begun.load
  }

  /** It is no longer wanted. */
  drop(key: string): void {
    const job = this.#jobs.get(key)
    if (job) this.#stop(job)
  }

  /** The others are no longer wanted. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, job] of this.#jobs) if (!keys.has(key)) this.#stop(job)
  }

  /** Does not wait: a translation ends with this process. */
  close(): void {
    this.keepOnly(new Set())
  }

  #stop(job: Job): void {
    const { key } = job.wanted
    if (this.#jobs.get(key) === job) this.#jobs.delete(key)
    job.is_unwanted = true
    if (job.load.state === 'made') void job.load.made.close()
  }

  /** In order of arrival; versions of one plugin in sequence, the older first. */
  #begin(): void {
    for (const job of this.#jobs.values()) {
      const running = [...this.#running]
      if (running.length >= at_once_max) return
      if (job.load.state !== 'queued') continue
      if (running.some(({ wanted }) => wanted.name === job.wanted.name)) continue
      job.load = { state: 'loading' }
      this.#running.add(job)
      void this.#run(job)
    }
  }

  async #run(job: Job): Promise<void> {
    try {
      const made = await this.#make(job.wanted)
      job.load = { state: 'made', made }
      if (job.is_unwanted) await made.close()
    } catch (error) {
      if (error instanceof Changed) this.#stop(job)
      job.load = { state: 'failed', why: (error as Error).message }
    }
    this.#running.delete(job)
    this.#begin()
    // A changed folder waits for the next scan: changing it endlessly must not keep the loader busy.
    if (!job.is_unwanted) this.#parts.onDone()
  }

  /** Read again, so that nobody's bytes wait in memory; the digest proves that they are the judged ones. */
  async #make(load_request: Wanted): Promise<LoadedPlugin> {
    const plugin = await this.#parts.read(load_request.path)
    if (plugin.digest !== load_request.digest) throw new Changed('it changed before it was loaded')
    return this.#parts.make(plugin, load_request)
  }
}

function isUnderWay({ load }: Job): boolean {
  return load.state === 'queued' || load.state === 'loading'
}

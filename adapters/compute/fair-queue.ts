// Fair scheduling: one line of waiting jobs per tenant; the tenant that has used the workers least comes first. Pure:
// it knows no worker and no clock.

export const waiting_max = 256
/** Of long jobs, and as many short ones: waiting long work does not block its tenant's short work. */
export const tenant_waiting_max = 64
/** A job that may take longer than this is long: long jobs never occupy every worker, so that short work always finds one. */
const short_ms_max = 10_000

export interface QueuedJob {
  readonly tenant_id: string
  readonly deadline_ms: number
}

/** How many workers may be occupied at once, by whom. */
export interface Shares {
  readonly tenant_max: number
  readonly tenant_long_max: number
  readonly long_max: number
}

/** Of three or more workers, one is always left to others and one to short work; with fewer, none can be. */
export function sharesOf(workers_max: number): Shares {
  const all_but_one = Math.max(1, workers_max - 1)
  return {
    tenant_max: all_but_one,
    tenant_long_max: Math.max(1, all_but_one >> 1),
    long_max: all_but_one,
  }
}

/** A tenant may use everything that nobody else waits for. */
export const no_shares: Shares = {
  tenant_max: Number.POSITIVE_INFINITY,
  tenant_long_max: Number.POSITIVE_INFINITY,
  long_max: Number.POSITIVE_INFINITY,
}

interface Line<Job> {
  readonly waiting: Job[]
  readonly running: Map<Job, number>
  /** Worker time of finished jobs, counted from the opening of the line. */
  served_ms: number
}

export type Admission<Job> =
  | { readonly refused: 'tenant' | 'total' }
  /** `dropped` gave way: its tenant had the most jobs waiting. */
  | { readonly dropped: Job | undefined }

export class FairQueue<Job extends QueuedJob> {
  readonly #shares: Shares
  readonly #tenant_waiting_max: number
  readonly #lines = new Map<string, Line<Job>>()
  #waiting = 0
  #long_running = 0

  constructor(shares: Shares, own_waiting_max = tenant_waiting_max) {
    this.#shares = shares
    this.#tenant_waiting_max = own_waiting_max
  }

  /** Tenants in memory: those with jobs, and those served while somebody waits. */
  get tenants(): number {
    return this.#lines.size
  }

  get waiting(): number {
    return this.#waiting
  }

  add(job: Job, now_ms: number): Admission<Job> {
    const ahead = this.#lines.get(job.tenant_id)?.waiting ?? []
    const alike = ahead.filter((other) => isLong(other) === isLong(job)).length
    if (alike >= this.#tenant_waiting_max) return { refused: 'tenant' }
    let dropped: Job | undefined
    if (this.#waiting >= waiting_max) {
      const longest = this.#longest()
      // If many tenants fill the queue together, it is shared as well: nobody is blocked by a tenant with more
      // waiting.
      if (longest.waiting.length <= ahead.length + 1) return { refused: 'total' }
      dropped = longest.waiting.pop()
      this.#waiting -= 1
    }
    this.#lineOf(job.tenant_id, now_ms).waiting.push(job)
    this.#waiting += 1
    return { dropped }
  }

  /** The next job that may have a worker; it counts as running from now on. */
  take(now_ms: number): Job | undefined {
    let next: { line: Line<Job>; at: number; served_ms: number } | undefined
    for (const line of this.#lines.values()) {
      const at = line.waiting.findIndex((job) => this.#mayRun(line, job))
      if (at < 0) continue
      const served_ms = servedBy(line, now_ms)
      if (!next || served_ms < next.served_ms) next = { line, at, served_ms }
    }
    if (!next) return undefined
    const [job] = next.line.waiting.splice(next.at, 1)
    this.#waiting -= 1
    next.line.running.set(job!, now_ms)
    if (isLong(job!)) this.#long_running += 1
    return job
  }

  /** The job has ended, or gave up waiting. */
  remove(job: Job, now_ms: number): void {
    const line = this.#lines.get(job.tenant_id)
    if (!line) return
    const begun_ms = line.running.get(job)
    const at = line.waiting.indexOf(job)
    if (at >= 0) {
      line.waiting.splice(at, 1)
      this.#waiting -= 1
    }
    if (begun_ms !== undefined) {
      line.served_ms += now_ms - begun_ms
      line.running.delete(job)
      if (isLong(job)) this.#long_running -= 1
    }
    this.#forget()
  }

  /** Ends all waiting. */
  drain(): Job[] {
    const jobs = [...this.#lines.values()].flatMap(({ waiting }) => waiting.splice(0))
    this.#waiting = 0
    return jobs
  }

  /** A tenant earns nothing by absence: it begins at the usage of the least served of the others. */
  #lineOf(tenant_id: string, now_ms: number): Line<Job> {
    const existing = this.#lines.get(tenant_id)
    if (existing && !isIdle(existing)) return existing
    const others = [...this.#lines.values()].filter((line) => !isIdle(line))
    const least_ms = others.length > 0 ? Math.min(...others.map((line) => servedBy(line, now_ms))) : 0
    const line = existing ?? { waiting: [], running: new Map(), served_ms: 0 }
    line.served_ms = Math.max(line.served_ms, least_ms)
    this.#lines.set(tenant_id, line)
    return line
  }

  #mayRun(line: Line<Job>, job: Job): boolean {
    const { tenant_max, tenant_long_max, long_max } = this.#shares
    if (line.running.size >= tenant_max) return false
    if (!isLong(job)) return true
    return this.#long_running < long_max && longOf(line.running) < tenant_long_max
  }

  #longest(): Line<Job> {
    return [...this.#lines.values()].reduce((longest, line) =>
      line.waiting.length > longest.waiting.length ? line : longest,
    )
  }

  /** Usage matters only to waiting tenants; when nobody waits, it is reset. */
  #forget(): void {
    if (this.#waiting > 0 && this.#lines.size < lines_max) return
    for (const [tenant_id, line] of this.#lines) {
      if (isIdle(line)) this.#lines.delete(tenant_id)
      else if (this.#waiting === 0) line.served_ms = 0
    }
  }
}

/** Every tenant that can have a job at once, and as many that had one a moment ago. */
const lines_max = 2 * waiting_max

function isLong({ deadline_ms }: QueuedJob): boolean {
  return deadline_ms > short_ms_max
}

function isIdle({ waiting, running }: { waiting: { length: number }; running: { size: number } }): boolean {
  return waiting.length === 0 && running.size === 0
}

function longOf(running: ReadonlyMap<QueuedJob, number>): number {
  let long = 0
  for (const job of running.keys()) if (isLong(job)) long += 1
  return long
}

function servedBy<Job>({ served_ms, running }: Line<Job>, now_ms: number): number {
  let total = served_ms
  for (const begun_ms of running.values()) total += now_ms - begun_ms
  return total
}

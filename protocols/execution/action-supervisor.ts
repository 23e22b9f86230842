// Watches over actions: begins what is authorised, keeps saying that it is alive, stops what is to stop, and mourns for others.
import type { AuditEntry } from '@svc/contract/audit-record'
import type { News } from '@svc/contract/news'
import type { Database } from '@svc/contract/operation-context'
import { asRefusal } from '@svc/contract/refusal'
import type { Vault } from '@svc/contract/vault'
import { isOver } from './action.ts'
import { type Means, makeSafe, type Running, type Stopped, startExecutor } from './action-executors.ts'
import { finishedEntry } from './action-record.ts'
import { findAction, type OpenAction } from './action-store.ts'
import {
  type ActionEnd,
  beat,
  endAction,
  noteProcess,
  takeAction,
  takeOver,
  type Watched,
  waitingActions,
} from './action-watch.ts'
import { refuseWhileStopped } from './stop-latch.ts'

export const maker_topic = 'maker'
const begun_at_once_max = 32
const running_max = 256

export function actionTopic(action_id: string): string {
  return `maker:${action_id}`
}

export interface Watch extends Means {
  readonly db: Database
  readonly supervisor: string
  readonly host: string
  transaction(tenant_id: string): {
    readonly db: Database
    commit(events: readonly AuditEntry[]): Promise<void>
    rollback(): Promise<void>
  }
  vaultOf(tenant_id: string): Vault
  /** Whether nothing of a process group of this machine is left. */
  isGroupGone(process_group: number): Promise<boolean>
  readonly news: News
  readonly clock: { now_ms(): number; uuid(): string }
  readonly onFailure: (error: unknown, action_id: string) => void
}

interface Kept {
  readonly action: OpenAction
  readonly running: Running
  is_stopping: boolean
}

export class ActionSupervisor {
  readonly #watch: Watch
  readonly #kept = new Map<string, Kept>()
  readonly #ending = new Set<Promise<void>>()
  #is_closed = false

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Begins what waits; called every so often, and whenever somebody says so. */
  async takeUp(): Promise<void> {
    const { db } = this.#watch
    if (this.#is_closed || this.#kept.size >= running_max) return
    for (const watched of await waitingActions(db, begun_at_once_max)) await this.#begin(watched)
  }

  /** Says that it is alive, hears what is to stop, and takes over from whoever is not. */
  async look(): Promise<void> {
    const { db, supervisor, clock } = this.#watch
    for (const stopping of await beat(db, supervisor)) {
      if (this.#kept.has(stopping.action_id)) this.#stop(stopping.action_id, stopping.stop_mode)
      else await this.#proveAgain(stopping)
    }
    for (const { action, is_stopping } of this.#kept.values()) {
      if (!is_stopping && action.deadline_at.getTime() <= clock.now_ms()) this.#expire(action.action_id)
    }
    if (this.#is_closed) return
    for (const orphan of await takeOver(db, supervisor, begun_at_once_max)) {
      await this.#adopt(orphan).catch((error) => this.#watch.onFailure(error, orphan.action_id))
    }
  }

  /** What runs here ends with this engine: it is stopped, in order, and said to be. */
  async close(): Promise<void> {
    this.#is_closed = true
    for (const action_id of this.#kept.keys()) this.#stop(action_id, 'graceful', 'the engine is going')
    await Promise.all(this.#ending)
  }

  /** The latch is read in the transaction that says it has begun: after a stop is set nothing it covers begins. */
  async #begin(watched: Watched): Promise<void> {
    const { tenant_id, action_id } = watched
    const { supervisor, host } = this.#watch
    const transaction = this.#watch.transaction(tenant_id)
    try {
      const { db } = transaction
      const action = await findAction({ db, tenant_id, vault: this.#watch.vaultOf(tenant_id) }, action_id)
      const is_mine = action !== undefined && (await takeAction(db, watched, supervisor, host))
      if (is_mine) await refuseWhileStopped(db, tenant_id, covering(action))
      await transaction.commit([])
      if (is_mine) await this.#carryOut(action)
    } catch (thrown) {
      await transaction.rollback()
      const { code, details } = asRefusal(thrown)
      if (code !== 'policy_denied') throw thrown
      await this.#refuse(watched, String(details.reason))
    }
  }

  /** Its stop was set between its order and its beginning. */
  async #refuse(watched: Watched, reason: string): Promise<void> {
    const { supervisor, host, db } = this.#watch
    if (await takeAction(db, watched, supervisor, host)) {
      await this.#end(watched, {
        state: 'stopped',
        how: `never started: ${reason}`,
        error_code: 'policy_denied',
      })
    }
  }

  async #carryOut(action: OpenAction): Promise<void> {
    const { db } = this.#watch
    const running = await startExecutor(action, this.#watch)
    if (running.process_group !== undefined) await noteProcess(db, action, running.process_group)
    this.#keep(action, running)
  }

  #keep(action: OpenAction, running: Running): void {
    const kept: Kept = { action, running, is_stopping: false }
    this.#kept.set(action.action_id, kept)
    const ending = running.done
      .then((end) => (kept.is_stopping ? undefined : this.#end(action, end)))
      .catch((error) => this.#watch.onFailure(error, action.action_id))
      .finally(() => {
        if (!kept.is_stopping) this.#kept.delete(action.action_id)
        this.#ending.delete(ending)
      })
    this.#ending.add(ending)
  }

  #stop(action_id: string, mode: 'graceful' | 'immediate' | null, why = 'emergency stop'): void {
    const kept = this.#kept.get(action_id)
    if (!kept || kept.is_stopping) return
    kept.is_stopping = true
    const grace_ms = mode === 'immediate' ? 0 : kept.action.grace_ms
    const ending = kept.running
      .stop(grace_ms)
      .then((stopped) => this.#end(kept.action, endOf(stopped, why)))
      .catch((error) => this.#watch.onFailure(error, action_id))
      .finally(() => {
        this.#kept.delete(action_id)
        this.#ending.delete(ending)
      })
    this.#ending.add(ending)
  }

  #expire(action_id: string): void {
    const kept = this.#kept.get(action_id)!
    kept.is_stopping = true
    const ending = kept.running
      .stop(kept.action.grace_ms)
      .then(({ confirmed }) => {
        const state = confirmed ? 'failed' : 'stop_unconfirmed'
        return this.#end(kept.action, {
          state,
          how: 'took longer than max_duration_ms',
          error_code: 'timeout',
        })
      })
      .catch((error) => this.#watch.onFailure(error, action_id))
      .finally(() => {
        this.#kept.delete(action_id)
        this.#ending.delete(ending)
      })
    this.#ending.add(ending)
  }

  /** A workflow goes on, for it is carried elsewhere; everything else ended with its supervisor, which is looked for, not assumed. */
  async #adopt(orphan: Awaited<ReturnType<typeof takeOver>>[number]): Promise<void> {
    const { tenant_id, action_id, state } = orphan
    const place = { db: this.#watch.db, tenant_id, vault: this.#watch.vaultOf(tenant_id) }
    const action = await findAction(place, action_id)
    if (!action || isOver(action.state)) return
    if ('manifest_ref' in action.ask.executor) {
      await this.#carryOut(action)
      return
    }
    const stopped = await this.#proofOf(action, orphan)
    if (!stopped.confirmed) await this.#end(action, endOf(stopped, 'supervisor gone'))
    else if (state === 'running')
      await this.#end(action, {
        state: 'failed',
        how: `supervisor gone; ${stopped.how}`,
        error_code: 'internal',
      })
    else await this.#end(action, endOf(stopped, 'supervisor gone'))
  }

  async #proofOf(
    action: OpenAction,
    { host, process_group, state }: { host: string | null; process_group: number | null; state: string },
  ): Promise<Stopped> {
    const { executor } = action.ask
    if ('actuator_id' in executor && state !== 'running')
      return makeSafe(action, this.#watch, action.grace_ms)
    if ('tool_id' in executor)
      return { confirmed: false, why: 'its supervisor is gone, and the tool may still be at work' }
    if (process_group === null) return { confirmed: true, how: 'its connection closed with its supervisor' }
    if (host !== this.#watch.host)
      return { confirmed: false, why: `only an engine on ${host} can see whether it has ended` }
    const gone = await this.#watch.isGroupGone(process_group)
    return gone
      ? { confirmed: true, how: 'process group gone' }
      : { confirmed: false, why: 'its process group is still there' }
  }

  /** What could not be proven stopped is asked for again until it can; a tool has no way to say so. */
  async #proveAgain({ tenant_id, action_id }: Watched): Promise<void> {
    const { db } = this.#watch
    const action = await findAction({ db, tenant_id, vault: this.#watch.vaultOf(tenant_id) }, action_id)
    if (!action || isOver(action.state) || 'tool_id' in action.ask.executor) return
    const stopped = await this.#proofOf(action, action)
    if (stopped.confirmed) await this.#end(action, endOf(stopped, 'emergency stop'))
  }

  async #end(watched: Watched, end: ActionEnd): Promise<void> {
    const { tenant_id, action_id } = watched
    const { supervisor, clock, news } = this.#watch
    const vault = this.#watch.vaultOf(tenant_id)
    const transaction = this.#watch.transaction(tenant_id)
    try {
      const now = new Date(clock.now_ms())
      const action = await findAction({ db: transaction.db, tenant_id, vault }, action_id)
      const state = await endAction(transaction.db, vault, watched, supervisor, end, now)
      await transaction.commit(
        state && action ? [finishedEntry(action, { ...end, state: state as ActionEnd['state'] }, clock)] : [],
      )
      news.tell(actionTopic(action_id))
      if (state && state !== 'succeeded' && action) await this.#compensate(action)
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  async #compensate(action: OpenAction): Promise<void> {
    const { tenant_id, action_id, ask, acting } = action
    if (!ask.compensation || action.state === 'stop_unconfirmed') return
    const input = {
      action: 'start',
      ...ask.compensation,
      run_key: `undo ${action_id}`,
      input: { action_id, target: ask.target },
    }
    const workflow = { run: `maker://action/${action_id}`, path: 'compensation' }
    const deed = {
      tenant_id,
      protocol: 'MOON',
      operation: 'execute_workflow',
      input,
      timeout_ms: 30_000,
      acting,
      workflow,
    }
    await this.#watch.perform(deed, new AbortController().signal)
  }
}

function covering({ action_id, owner_did, device_id }: OpenAction) {
  return { action: action_id, agent: owner_did, device: device_id ?? undefined }
}

function endOf(stopped: Stopped, why: string): ActionEnd {
  return stopped.confirmed
    ? { state: 'stopped', how: `${why}: ${stopped.how}`, error_code: null }
    : { state: 'stop_unconfirmed', how: `${why}: ${stopped.why}`, error_code: 'internal' }
}

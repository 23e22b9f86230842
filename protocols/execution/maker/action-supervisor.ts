// Supervises actions: starts authorised ones, sends heartbeats, stops them on request, recovers orphans.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Vault } from '@svc/contract/needs/vault'
import { asRefusal } from '@svc/database/as-refusal'
import { refuseWhileStopped } from '../stop-latch/api.ts'
import { isOver } from './action.ts'
import {
  followManifest,
  type Means,
  makeSafe,
  type Running,
  type Stopped,
  startExecutor,
} from './action-executors.ts'
import { endOf, expired, finishedEntry, stoppedByOrder, too_late } from './action-record.ts'
import { findAction, type OpenAction } from './action-store.ts'
import { startUndoing } from './action-undoing.ts'
import {
  type ActionEnd,
  type Beaten,
  beat,
  endAction,
  noteProcess,
  takeAction,
  takeOver,
  type Watched,
  waitingActions,
} from './action-watch.ts'

export const maker_topic = 'maker'
const begun_at_once_max = 32
const running_max = 256
const running_of_tenant_max = 64

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
  /** Whether no process of a group on this machine is left. */
  isGroupGone(process_group: number): Promise<boolean>
  readonly change_notifications: ChangeNotifications
  readonly clock: { now_ms(): number; uuid(): string }
  readonly onFailure: (error: unknown, action_id: string) => void
}

interface Stored {
  readonly action: OpenAction
  readonly running: Running
  is_stopping: boolean
  /** How it ended, if that is not stored yet. */
  unwritten?: ActionEnd
}

export class ActionSupervisor {
  readonly #watch: Watch
  readonly #kept = new Map<string, Stored>()
  /** Claimed but not yet running: a stop that arrives now takes effect once they run. */
  readonly #beginning = new Set<string>()
  readonly #ending = new Set<Promise<void>>()
  #is_recovering = false
  #is_closed = false

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Starts waiting actions; called periodically and on notification. */
  async takeUp(): Promise<void> {
    const { db, onFailure } = this.#watch
    if (this.#is_closed || this.#kept.size >= running_max) return
    for (const watched of await waitingActions(db, begun_at_once_max, this.#crowded())) {
      if (this.#crowded().includes(watched.tenant_id)) continue
      await this.#begin(watched).catch((error) => onFailure(error, watched.action_id))
    }
  }

  /** Tenants that have reached their limit of running actions here. */
  #crowded(): string[] {
    const counts = new Map<string, number>()
    for (const { action } of this.#kept.values())
      counts.set(action.tenant_id, (counts.get(action.tenant_id) ?? 0) + 1)
    return [...counts].flatMap(([tenant_id, count]) => (count >= running_of_tenant_max ? [tenant_id] : []))
  }

  /** Sends heartbeats, handles stop requests, and takes over from dead supervisors. */
  async look(): Promise<void> {
    const { db, supervisor, clock } = this.#watch
    if (!this.#is_closed) await takeOver(db, supervisor, begun_at_once_max)
    const mine = await beat(db, supervisor)
    for (const { action_id, state, stop_mode } of mine) {
      const own = this.#kept.get(action_id)
      const is_to_stop = state === 'stopping' || state === 'stop_unconfirmed'
      if (own && is_to_stop) this.#stop(own, stop_mode === 'immediate' ? 0 : own.action.grace_ms)
    }
    for (const own of this.#kept.values()) {
      if (own.unwritten) this.#track(this.#settle(own, own.unwritten), own)
      else if (own.action.deadline_at.getTime() <= clock.now_ms())
        this.#stop(own, own.action.grace_ms, expired)
    }
    this.#recoverAll(mine.filter(({ action_id }) => !this.#has(action_id)))
  }

  #has(action_id: string): boolean {
    return this.#kept.has(action_id) || this.#beginning.has(action_id)
  }

  /** Stops what runs here, in order, and records it. Workflows continue under another engine. */
  async close(): Promise<void> {
    this.#is_closed = true
    for (const own of this.#kept.values()) {
      if (own.running.leave) own.running.leave()
      else this.#stop(own, own.action.grace_ms, (stopped) => endOf(stopped, 'the engine is going'))
    }
    await Promise.all(this.#ending)
  }

  async #begin(watched: Watched): Promise<void> {
    this.#beginning.add(watched.action_id)
    try {
      const action = await this.#claim(watched)
      if (action) await this.#carryOut(action)
    } finally {
      this.#beginning.delete(watched.action_id)
    }
  }

  /** Reads the latch in the claiming transaction: nothing covered starts after a stop is set. */
  async #claim(watched: Watched): Promise<OpenAction | undefined> {
    const { tenant_id, action_id } = watched
    const { supervisor, host } = this.#watch
    const transaction = this.#watch.transaction(tenant_id)
    try {
      const { db } = transaction
      const action = await findAction({ db, tenant_id, vault: this.#watch.vaultOf(tenant_id) }, action_id)
      // Latch before row, as in a stop: the opposite order could deadlock.
      if (action) await refuseWhileStopped(db, tenant_id, covering(action))
      const is_mine = action !== undefined && (await takeAction(db, watched, supervisor, host))
      await transaction.commit([])
      return is_mine ? action : undefined
    } catch (thrown) {
      await transaction.rollback()
      const { code, details } = asRefusal(thrown)
      if (code !== 'policy_denied') throw thrown
      await this.#refuse(watched, String(details.reason))
      return undefined
    }
  }

  /** A stop was set between its authorisation and its start. */
  async #refuse(watched: Watched, reason: string): Promise<void> {
    const { supervisor, host, db } = this.#watch
    if (await takeAction(db, watched, supervisor, host)) {
      const how = `never started: ${reason}`
      await this.#end(watched, { state: 'stopped', how, error_code: 'policy_denied' })
    }
  }

  async #carryOut(action: OpenAction): Promise<void> {
    const { db, clock, onFailure } = this.#watch
    if (action.deadline_at.getTime() <= clock.now_ms()) return this.#end(action, too_late)
    const { action_id } = action
    const running = await startExecutor(action, this.#watch, (error) => onFailure(error, action_id))
    this.#keep(action, running)
    if (running.process_group !== undefined) await noteProcess(db, action, running.process_group)
  }

  #keep(action: OpenAction, running: Running): void {
    const own: Stored = { action, running, is_stopping: false }
    this.#kept.set(action.action_id, own)
    this.#track(
      running.done.then((end) => (end && !own.is_stopping ? this.#settle(own, end) : undefined)),
      own,
    )
  }

  #stop(own: Stored, grace_ms: number, ending: (stopped: Stopped) => ActionEnd = stoppedByOrder): void {
    if (own.is_stopping) return
    own.is_stopping = true
    this.#track(
      own.running.stop(grace_ms).then((stopped) => this.#settle(own, ending(stopped))),
      own,
    )
  }

  /** A failed action is released and checked at the next look. */
  #track(work: Promise<void>, { action }: Stored): void {
    const { action_id } = action
    const ending = work
      .catch((error) => {
        this.#kept.delete(action_id)
        this.#watch.onFailure(error, action_id)
      })
      .finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** Stays registered until its end is stored. */
  async #settle(own: Stored, end: ActionEnd): Promise<void> {
    const { action_id } = own.action
    try {
      await this.#end(own.action, end)
      this.#kept.delete(action_id)
    } catch (error) {
      own.unwritten = end
      this.#watch.onFailure(error, action_id)
    }
  }

  /** In the background, one round at a time: an offline device must not delay stops. */
  #recoverAll(lost: readonly Beaten[]): void {
    if (this.#is_recovering || this.#is_closed || lost.length === 0) return
    this.#is_recovering = true
    const recovering = this.#recoverEach(lost).finally(() => {
      this.#is_recovering = false
      this.#ending.delete(recovering)
    })
    this.#ending.add(recovering)
  }

  async #recoverEach(lost: readonly Beaten[]): Promise<void> {
    const { onFailure } = this.#watch
    for (let from = 0; from < lost.length && !this.#is_closed; from += begun_at_once_max) {
      const some = lost.slice(from, from + begun_at_once_max)
      await Promise.all(
        some.map((one) => this.#recover(one).catch((error) => onFailure(error, one.action_id))),
      )
    }
  }

  /** Recovers an orphan. Workflows continue elsewhere; anything else must be proven to have ended. */
  async #recover({ tenant_id, action_id }: Watched): Promise<void> {
    const place = { db: this.#watch.db, tenant_id, vault: this.#watch.vaultOf(tenant_id) }
    const action = await findAction(place, action_id)
    if (!action || isOver(action.state) || this.#has(action_id) || this.#is_closed) return
    if ('manifest_ref' in action.ask.executor) {
      this.#keep(action, followManifest(action, this.#watch))
      return
    }
    const stopped = await this.#proofOf(action)
    if (!stopped.confirmed && action.state === 'stop_unconfirmed') return
    await this.#end(
      action,
      stopped.confirmed && action.state === 'running'
        ? { state: 'failed', how: `supervisor gone; ${stopped.how}`, error_code: 'internal' }
        : endOf(stopped, action.stop_ref === null ? 'supervisor gone' : 'emergency stop'),
    )
  }

  /** Unproven stops are retried until proven; a tool cannot prove one. */
  async #proofOf(action: OpenAction): Promise<Stopped> {
    const { host, process_group, state, ask, grace_ms } = action
    if ('actuator_id' in ask.executor && state !== 'running') return makeSafe(action, this.#watch, grace_ms)
    if ('tool_id' in ask.executor)
      return { confirmed: false, why: 'its supervisor is gone, and the tool may still be at work' }
    if (process_group === null) return { confirmed: true, how: 'its connection closed with its supervisor' }
    if (host !== this.#watch.host)
      return { confirmed: false, why: `only an engine on ${host} can see whether it has ended` }
    return (await this.#watch.isGroupGone(process_group))
      ? { confirmed: true, how: 'process group gone' }
      : { confirmed: false, why: 'its process group is still there' }
  }

  async #end(watched: Watched, end: ActionEnd): Promise<void> {
    const { tenant_id, action_id } = watched
    const { supervisor, clock, change_notifications, db } = this.#watch
    const vault = this.#watch.vaultOf(tenant_id)
    const action = await findAction({ db, tenant_id, vault }, action_id)
    if (!action || isOver(action.state) || action.supervisor !== supervisor) return
    // Before the end is stored: after a crash in between, the successor starts the same run again.
    const undone = await startUndoing(action, end, this.#watch)
    const transaction = this.#watch.transaction(tenant_id)
    try {
      const now = new Date(clock.now_ms())
      const state = await endAction(transaction.db, vault, watched, supervisor, end, now)
      const ended = { ...end, state: state as ActionEnd['state'] }
      await transaction.commit(state ? [finishedEntry(action, ended, clock, undone)] : [])
      change_notifications.tell(actionTopic(action_id))
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }
}

function covering({ action_id, owner_did, device_id }: OpenAction) {
  return { action: action_id, agent: owner_did, device: device_id ?? undefined }
}

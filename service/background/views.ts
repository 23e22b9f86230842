// Saved views that run by themselves: looks every five seconds which are due.
import { vaults } from '@svc/adapters/custody/vault'
import { queueMailWith } from '@svc/adapters/smtp/mail-queue'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Clock, Log } from '@svc/engine/ports'
import { runDueViews } from '@svc/protocols/awareness/max/api'
import type { Executor } from '@svc/protocols/execution/moon/api'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 5_000
const run_ms_max = 90_000

interface Parts {
  readonly root_keys: RootKeys
  readonly store: Pick<PostgresStore, 'transaction' | 'engine'>
  readonly executor: Pick<Executor, 'perform'>
  readonly clock: Clock
  readonly log: Log
}

export function openViews(
  { smtp }: Pick<Config, 'smtp'>,
  { store, root_keys, executor, clock, log }: Parts,
  closing: (() => Promise<unknown>)[],
): void {
  const vaultOf = vaults(root_keys)
  const leaving = new AbortController()
  let round: Promise<unknown> = Promise.resolve()
  const look = () => {
    const running = runDueViews({
      db: store.engine,
      now: new Date(clock.now_ms()),
      newId: () => clock.uuid(),
      transaction: (tenant_id) => store.transaction(tenant_id),
      vaultOf,
      fileFor: ({ tenant_id, name }, input, acting) =>
        executor.perform(
          {
            ...{ tenant_id, protocol: 'MAX', operation: 'view_file', input, acting, timeout_ms: run_ms_max },
            workflow: { run: `view ${name}`, path: 'schedule' },
          },
          leaving.signal,
        ),
      queueMail: queueMailWith(vaultOf, smtp !== undefined),
      warn: (error, { tenant_id, name }) =>
        log.warn({ err: error, tenant_id, view: name }, 'a saved view could not run; trying again'),
    })
    round = running.catch(() => {})
    return running
  }
  const timer = every(look_every_ms, look, log)
  closing.push(async () => {
    clearInterval(timer)
    leaving.abort()
    await round
  })
}

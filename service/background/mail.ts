// Background work of mail: delivery of due messages and deletion of old ones.
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import { forgetMail, forgetTasks, forgetTopicMail, settleMail } from '@svc/protocols/awareness/mim/api'
import { every } from './tick.ts'

const settle_every_ms = 60_000
const forget_every_ms = 60_000

interface Parts {
  readonly db: Database
  readonly clock: Pick<Clock, 'now_ms'>
  readonly log: Log
}

export function openMail({ db, clock, log }: Parts, closing: (() => Promise<unknown>)[]): void {
  const now = () => new Date(clock.now_ms())
  const timers = [
    every(settle_every_ms, () => settleMail(db, now()), log),
    every(forget_every_ms, () => forgetMail(db, now()), log),
    every(forget_every_ms, () => forgetTasks(db, now()), log),
    every(forget_every_ms, () => forgetTopicMail(db, now()), log),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
  })
}

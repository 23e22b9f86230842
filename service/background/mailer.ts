// E-mail to people: looks each second whether one is due. Without a mail server nothing is queued.
import { vaults } from '@svc/adapters/custody/vault'
import { forgetMail, giveUpOldMail } from '@svc/adapters/smtp/mail-queue'
import { sendDueMail } from '@svc/adapters/smtp/mailer'
import { openTransport } from '@svc/adapters/smtp/transport'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 1_000
const forget_every_ms = 600_000

interface Parts {
  readonly root_keys: RootKeys
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

export function openMailer(
  { smtp, agent_did: engine_did }: Pick<Config, 'smtp' | 'agent_did'>,
  { db, root_keys, clock, log }: Parts,
  closing: (() => Promise<unknown>)[],
): void {
  const forget = async () => {
    const now = new Date(clock.now_ms())
    await giveUpOldMail(db, engine_did, { now, newId: () => clock.uuid() })
    await forgetMail(db, now)
  }
  const timers = [every(forget_every_ms, forget, log)]
  const vaultOf = vaults(root_keys)
  const transport = smtp && openTransport(smtp)
  let sending: Promise<unknown> = Promise.resolve()
  if (smtp && transport) {
    const look = () => {
      const round = sendDueMail({ db, transport, settings: smtp, engine_did, vaultOf, clock, log })
      sending = round.catch(() => {})
      return round
    }
    timers.push(every(look_every_ms, look, log))
  }
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
    await sending
    transport?.close()
  })
}

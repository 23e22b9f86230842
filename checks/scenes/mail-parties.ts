// Those who write to each other in the tests of MIM, and how they call it.
import { issueKey } from '@svc/adapters/access/api-keys'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import type { Protocol } from '@svc/contract/protocol'
import { mim } from '@svc/protocols/awareness/mim/mim'
import { type Rehearsal, rehearse } from '../rehearsal/rehearse.ts'
import { mailDid } from './mail-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export type Fields = Record<string, any>

export interface Party {
  readonly did: string
  readonly tenant_id: string
}

const member = (letter: string, tenant_id = 'acme'): Party => ({ did: mailDid(letter, tenant_id), tenant_id })

export const ann = member('a')
export const cy = member('c')
export const dan = member('d')
export const bob = member('b', 'globex')
/** Without a key or anything else that is known of them. */
export const nobody = member('e')
/** Bob in the other organization. */
export const guest: Party = { ...bob, tenant_id: 'acme' }

export interface MailStage extends Rehearsal {
  ask(who: Party, operation: string, input: Fields, idempotency_key?: string): Promise<Fields>
}

export async function rehearseMail(others: readonly Protocol[] = []): Promise<MailStage> {
  const ports = { identity: localAdminResolver() }
  const stage = await rehearse(mim, { others, tenants: ['acme', 'globex'], ports })
  for (const party of [ann, cy, dan, bob])
    await issueKey(stage.store.engine, { ...party, mode: 'test', capabilities: [] })
  return {
    ...stage,
    ask: (who, operation, input, idempotency_key) =>
      stage.run(operation, input, { ...who, ...(idempotency_key !== undefined && { idempotency_key }) }),
  }
}

// Some answers name the place of a record in the audit log, known only after the operation's rows are committed.

import type { Stored } from '@svc/contract/protocol'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Done } from '../call.ts'
import type { Ports } from '../ports.ts'
import { checkOutput } from '../stages/7-check-schema.ts'

/** Also runs for replays: the stored answer names the record, so each answer refers to the same one. */
export function finishAnswer(done: Done, ports: Ports): Done | Promise<Done> {
  const finish = done.endpoint.finish?.(done.operation.name)
  return finish ? finishWith(finish, done, ports) : done
}

type Finish = NonNullable<ReturnType<NonNullable<Done['endpoint']['finish']>>>

async function finishWith(finish: Finish, done: Done, ports: Ports): Promise<Done> {
  const stored = JSON.parse(done.output_text) as Stored
  const committed = stored.pending && (await ports.audit_log.committed(stored.pending))
  const data = finish(stored, committed)
  return checkOutput(Object.assign(done, { output_text: canonicalJson(data) }), ports, data)
}

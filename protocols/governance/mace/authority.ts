// Authority for operations that bind a whole organization: a verdict is required, and the operation consumes
// it.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { keyEventsOfAll } from '../../identity/keys/api.ts'
import {
  type Bind,
  finalPositions,
  findBinding,
  findMotion,
  findVerdict,
  isRecomputable,
  keepVerdict,
  lockVerdict,
  nameOf,
  soleVerdict,
  useVerdict,
  type Verdict,
} from '../motions/api.ts'

/** Reference by which the only charter member requests a verdict written by the engine. */
const sole_member_ref = 'mace://sole-member'
const gate = 'MACE-quorum'
const candidates_max = 16

interface Wanted {
  /** `MOAT.sign` */
  readonly operation: string
  readonly subject: string
  readonly ref: string | undefined
}

interface Fault {
  readonly reason:
    | 'charter quorum required'
    | 'authority expired'
    | 'authority already used'
    | 'authority does not bind this operation'
  readonly why: string
  readonly verdict?: Verdict
}

/** The authorizing verdict, consumed in the operation's transaction; refuses if there is none. */
export async function requireAuthority(
  context: OperationContext<'charter'>,
  request: Wanted,
): Promise<string> {
  const { ref } = request
  const is_member = await context.charter.has(context.caller.did)
  const judged =
    ref === undefined
      ? await findUsable(context, request, is_member)
      : ref === sole_member_ref
        ? none(request, is_member)
        : await judge(context, request, is_member, ref)
  if ('verdict_id' in judged) return consume(context, request, judged)
  const may_act_alone = ref === undefined || ref === sole_member_ref
  if (may_act_alone && is_member && (await context.charter.members()).length === 1)
    return consume(context, request, await writeSole(context, request))
  throw refused(request, judged)
}

/** The newest usable verdict; otherwise the fault of the newest. */
async function findUsable(
  context: OperationContext,
  request: Wanted,
  is_member: boolean,
): Promise<Verdict | Fault> {
  const { db, tenant_id } = context
  let first: Fault | undefined
  for (const ref of await findBinding(db, tenant_id, request, candidates_max)) {
    const verdict = await findVerdict(db, tenant_id, ref)
    // Checked before locking, so that no call waits for a used-up verdict.
    const fault = verdict && faultOf(context, request, is_member, verdict)
    const judged = fault ?? (await judge(context, request, is_member, ref))
    if ('verdict_id' in judged) return judged
    first ??= judged
  }
  return first ?? none(request, is_member)
}

async function judge(
  context: OperationContext,
  request: Wanted,
  is_member: boolean,
  ref: string,
): Promise<Verdict | Fault> {
  const verdict = await lockVerdict(context.db, context.tenant_id, ref)
  if (!verdict)
    return { reason: 'charter quorum required', why: `${ref} is not a verdict of ${context.tenant_id}` }
  const fault = faultOf(context, request, is_member, verdict)
  if (fault) return fault
  if (await holds(context, verdict)) return verdict
  context.alarm('verdict does not recompute', { verdict: verdict.ref, gate, pass: false })
  return {
    reason: 'charter quorum required',
    why: `${ref} does not match the stored votes`,
    verdict,
  }
}

function faultOf(
  { caller, now }: OperationContext,
  request: Wanted,
  is_member: boolean,
  verdict: Verdict,
): Fault | undefined {
  const { outcome, charter_level, uses, max_uses, valid_until, binds, executor_did, ref } = verdict
  const quorum = 'charter quorum required'
  if (outcome !== 'PASSED') return { reason: quorum, why: `${ref} is ${outcome}`, verdict }
  if (!charter_level) return { reason: quorum, why: `${ref} is not a charter-level verdict`, verdict }
  if (uses >= max_uses)
    return { reason: 'authority already used', why: `${ref} was used ${uses} of ${max_uses} times`, verdict }
  if (Date.parse(now) > Date.parse(valid_until))
    return { reason: 'authority expired', why: `${ref} was valid until ${valid_until}`, verdict }
  const is_bound = (bind: Bind) => nameOf(bind) === request.operation && bind.subject === request.subject
  if (!binds.some(is_bound))
    return {
      reason: 'authority does not bind this operation',
      why: `${ref} does not bind ${request.operation} to ${request.subject}`,
      verdict,
    }
  if (is_member || executor_did === caller.did) return undefined
  return { reason: quorum, why: `${caller.did} is neither a charter member nor its executor`, verdict }
}

async function holds({ db, tenant_id }: OperationContext, verdict: Verdict): Promise<boolean> {
  const { motion_id } = verdict
  const motion = motion_id === null ? undefined : await findMotion(db, tenant_id, motion_id)
  if (motion === undefined) return false
  const taken = await finalPositions(db, motion.body)
  const events = await keyEventsOfAll(
    db,
    taken.map(({ did }) => did),
  )
  return isRecomputable(verdict, motion, taken, (did) => events.get(did) ?? [])
}

function none({ ref }: Wanted, is_member: boolean): Fault {
  const alone = ref === sole_member_ref ? 'the caller is not its only member' : 'no verdict authorizes it'
  return { reason: 'charter quorum required', why: is_member ? alone : 'the caller is not a charter member' }
}

/** The only member decides by acting; that is recorded in a verdict like any other. */
async function writeSole(context: OperationContext, { operation, subject }: Wanted): Promise<Verdict> {
  const { tenant_id, caller, now, db } = context
  const [protocol, ...rest] = operation.split('.') as [string, ...string[]]
  const bind = { protocol, operation: rest.join('.'), subject }
  const body = soleVerdict({ tenant_id, did: caller.did, bind, at: now, position_id: context.newId() })
  return keepVerdict(db, body)
}

async function consume(
  context: OperationContext,
  { operation, subject }: Wanted,
  verdict: Verdict,
): Promise<string> {
  const { db, caller, now, invoke } = context
  const { correlation_id } = invoke
  await useVerdict(db, verdict, { operation, subject, correlation_id, used_by: caller.did, used_at: now })
  const { ref, uses, max_uses, sole_member } = verdict
  const facts = { gate, verdict: ref, pass: true, operation, use: uses + 1, max_uses, sole_member }
  // Named in the record of the act too, where a compliance report looks for it.
  context.metadata.verdict = ref
  context.audit('AuthorizationCheck', facts, { also: [context.tenant_id], supplied: { subject } })
  return ref
}

/** Recorded as a failed check. It names dissenters; their reasons are visible in MACE tally. */
function refused({ operation, subject }: Wanted, { reason, why, verdict }: Fault): Refusal {
  const dissent =
    verdict && verdict.outcome !== 'PASSED'
      ? verdict.positions
          .filter(({ did }) => verdict.dissent.includes(did))
          .map(({ did, position, position_id }) => ({ did, position, position_id }))
      : undefined
  return refuse(
    'policy_denied',
    `${operation} binds the whole organization, but ${why}; convene a charter-level motion that binds ${operation} ` +
      `to ${subject}, or pass its verdict as authority.`,
    {
      reason,
      denying_policy: 'MACE quorum',
      appeal_path: 'MACE convene',
      gate,
      pass: false,
      ...(verdict && { verdict: verdict.ref }),
      ...(dissent && { dissent }),
    },
  )
}

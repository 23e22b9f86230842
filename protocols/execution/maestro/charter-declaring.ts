// MAESTRO charter.declare: a mission with objectives and limits, as the next version under its name.
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import type { Fault, MethodSource } from '../planning/api.ts'
import { faultsOf, warnOf } from './charter.ts'
import { requireAffordable } from './charter-budget.ts'
import type { Charter, DeclareInput, DeclareOutput } from './charter-input.ts'
import type { CharterExpressions } from './charter-job.ts'
import { type CharterVersion, charterRef, findHead, keepCharter } from './charter-store.ts'
import { refuseFaults } from './plan-faults.ts'

const compile_ms_max = 20_000
const job = computation<CharterExpressions, Fault[]>(new URL('./charter-job.ts', import.meta.url))

export async function declare(
  input: DeclareInput,
  context: OperationContext<'budgets' | 'compute' | 'embedder' | 'requireAuthority' | 'tenants' | 'vault'>,
): Promise<Static<typeof DeclareOutput>> {
  const { authority, supersedes, ...charter } = input
  refuseFaults(faultsOf(charter))
  const { methods = [], constraints = [], resources } = charter
  if (methods.length + constraints.length > 0) {
    const expressions = {
      methods: methods as readonly MethodSource[],
      constraints: constraints.map(({ expr }) => expr ?? ''),
    }
    refuseFaults(await context.compute(job, expressions, compile_ms_max))
  }
  if (resources?.budget) await requireAffordable(context, resources.budget)
  const warnings = warnOf(charter, Date.parse(context.now))
  const head = await findHead(context, charter.name)
  requireHead(charter, head, supersedes)
  if (head && charterRef(charter, head.previous) === head.charter_ref) {
    const { charter_ref, version } = head
    return { charter_ref, version, warnings }
  }
  const verdict =
    authority === undefined
      ? null
      : await context.requireAuthority('MAESTRO.charter.declare', charter.name, authority)
  const previous = head?.charter_ref ?? null
  const declared: CharterVersion = {
    charter_ref: charterRef(charter, previous),
    version: (head?.version ?? 0) + 1,
    previous,
  }
  if (!(await keepCharter(context, charter, declared))) {
    const winner = await findHead(context, charter.name)
    if (winner?.charter_ref !== declared.charter_ref) throw conflict(charter, declared)
    return { charter_ref: winner.charter_ref, version: winner.version, warnings }
  }
  const { objectives } = charter
  context.audit('CharterDeclared', {
    ...declared,
    objectives: objectives.length,
    constraints: constraints.length,
    methods: methods.length,
    agents: resources?.agents?.length ?? 0,
    warnings: warnings.length,
    authority: verdict,
  })
  return { charter_ref: declared.charter_ref, version: declared.version, warnings }
}

function conflict({ name }: Charter, { version }: CharterVersion) {
  return refuse(
    'invalid_payload',
    `Somebody else declared version ${version} of ${name} at this moment; read it, and declare again.`,
    { reason: 'version_conflict', path: '/name' },
  )
}

/** If `supersedes` is given, it must be the newest. */
function requireHead(
  { name }: Charter,
  head: CharterVersion | undefined,
  supersedes: string | undefined,
): void {
  if (supersedes === undefined || supersedes === head?.charter_ref) return
  throw refuse(
    'invalid_payload',
    `${supersedes} is not the newest charter called ${name}; read that, and supersede it.`,
    { reason: 'version_conflict', path: '/supersedes' },
  )
}

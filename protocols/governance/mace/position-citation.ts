// Cited evidence must exist: it is looked up as the caller sees it, as in court cases.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { checkEvidence } from '../evidence/api.ts'
import { readVersions } from '../policies/api.ts'

const policy_form = /^maxim:\/\/([a-z0-9._-]{1,96})@(.{1,64})$/

export async function requireCitations(
  context: OperationContext<'audit_log' | 'telemetry'>,
  citations: readonly string[],
): Promise<void> {
  if (citations.length === 0) return
  const { checks } = await checkEvidence(context, citations)
  for (const { ref, found } of checks) {
    if (found || (await isPolicy(context, ref))) continue
    throw refuse('invalid_payload', `${ref} does not exist or is not visible to you; cite something else.`, {
      reason: 'not_found',
      faults: [{ pointer: `/citations/${citations.indexOf(ref)}`, message: 'leads nowhere' }],
    })
  }
}

async function isPolicy({ db, tenant_id }: OperationContext, ref: string): Promise<boolean> {
  const [, policy_id, version] = policy_form.exec(ref) ?? []
  if (policy_id === undefined) return false
  return (await readVersions(db, tenant_id, policy_id)).some(
    (policy_version) => policy_version.version === version,
  )
}

// The council behind a decision: its verdict and who dissented.
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { findPage } from '../registry/api.ts'

const verdict_prefix = 'mace://verdict/'

export interface Council {
  readonly verdict: string | null
  readonly pass: boolean
  readonly dissent: readonly unknown[]
}

/** Undefined if no council was required. */
export async function councilOf(
  records: readonly AuditRecord[],
  context: OperationContext<'telemetry'>,
): Promise<Council | undefined> {
  const checked = records.find((record) => record.meta.gate === 'MACE-quorum' && !isNote(record))
  if (!checked) return enactingCouncil(records)
  const { verdict, pass, dissent } = checked.meta
  const ref = typeof verdict === 'string' ? verdict : null
  return {
    verdict: ref,
    pass: pass === true,
    dissent: Array.isArray(dissent) ? dissent : await dissentOf(ref, context),
  }
}

/** The council that enacted the denying rule, as named in the refusal. */
function enactingCouncil(records: readonly AuditRecord[]): Council | undefined {
  for (const record of records) {
    const { denying_policy, verdict, dissent } = record.meta
    if (isNote(record) || typeof denying_policy !== 'string' || typeof verdict !== 'string') continue
    if (denying_policy.startsWith('maxim://') && Array.isArray(dissent))
      return { verdict, pass: true, dissent }
  }
  return undefined
}

/** As stored in the registry; a decision of a one-member charter has no verdict. */
async function dissentOf(
  ref: string | null,
  context: OperationContext<'telemetry'>,
): Promise<readonly unknown[]> {
  if (!ref?.startsWith(verdict_prefix)) return []
  const { entries } = await findPage(
    context,
    {
      kind: 'verdict',
      subject: ref.slice(verdict_prefix.length),
      tenant_id: context.tenant_id,
      versions: 'current',
    },
    1,
  )
  const { dissent, positions } = entries[0]?.body.content ?? {}
  if (!Array.isArray(dissent)) return []
  if (!Array.isArray(positions)) return dissent
  return positions.filter(({ did }: { did?: unknown }) => dissent.includes(did))
}

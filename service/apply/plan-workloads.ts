// Workloads of other platforms that act as agents of an organization.
import { listWorkloads, type Workload } from '@svc/adapters/access/workloads'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { requireDidOf } from '../admin/command.ts'
import { readKeys } from '../admin/workloads.ts'
import type { TenantConfig } from './config-schema.ts'
import { option, type Plan, settle } from './plan.ts'
import type { View } from './plan-tenant.ts'

/** For one agent, issuer and audience the file lists all mappings: one that was narrowed must not stay as it was. */
export async function planWorkloads(plan: Plan, view: View, { id, workloads }: TenantConfig): Promise<void> {
  if (!workloads) return
  const stored = await listWorkloads(view.db, id)
  const declared = workloads.map(({ jwks, ...workload }) => {
    requireDidOf(id, workload.did, `${id}: the agent of a workload`)
    const file = jwks === undefined ? undefined : view.pathOf(jwks)
    return { ...workload, file, jwks: file === undefined ? null : readKeys(file) }
  })
  const whole = new Set(declared.map(contentOf))
  const groups = new Set(declared.map(groupOf))
  const there = new Set(stored.map(contentOf))
  const rest = stored.filter(
    (workload) => !whole.has(contentOf(workload)) && (view.prune || groups.has(groupOf(workload))),
  )
  for (const workload of rest) {
    const args = ['workload', 'remove', id, workload.workload_id]
    plan.steps.push({
      action: 'remove',
      what: `${id}: ${wordsOf(workload)}`,
      changes: claimsOf(workload),
      args,
    })
  }
  for (const workload of declared) {
    const { did, issuer, audience, claims, file } = workload
    const pairs = Object.entries(claims).flatMap(([name, texts]) => texts.map((text) => `${name}=${text}`))
    const options = [...option('issuer', issuer), ...option('audience', audience), ...option('claim', pairs)]
    const before = there.has(contentOf(workload)) ? { claims: pairs } : undefined
    settle(plan, `${id}: ${wordsOf(workload)}`, before, { claims: pairs }, () => [
      ...['workload', 'add', id, did, ...options, ...option('jwks', file)],
    ])
  }
}

type Mapping = Pick<Workload, 'did' | 'issuer' | 'audience' | 'claims' | 'jwks'>

function groupOf({ did, issuer, audience }: Mapping): string {
  return canonicalJson({ did, issuer, audience })
}

function contentOf(workload: Mapping): string {
  const { claims, jwks } = workload
  const sets = Object.entries(claims).map(([name, texts]) => [name, [...new Set(texts)].toSorted()])
  return `${groupOf(workload)} ${canonicalJson({ claims: Object.fromEntries(sets), jwks })}`
}

function wordsOf({ did, issuer, audience }: Mapping): string {
  return `workload of ${issuer} for ${audience} as ${did}`
}

function claimsOf({ claims }: Mapping) {
  const texts = Object.entries(claims).flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
  return [{ field: 'claims', before: texts.toSorted().join(', '), after: 'none' }]
}

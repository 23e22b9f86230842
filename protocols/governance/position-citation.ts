// What a vote leans on must be there: each kind of reference is looked up where its things are kept.
import { findRecords } from '@svc/audit/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { findPage } from '../awareness/registry-reads.ts'
import { findContract } from '../economic/contract-store.ts'
import { readVersions } from './policy-store.ts'
import { findVerdict } from './verdict-store.ts'

type Resolver = (context: OperationContext, rest: string) => Promise<boolean>

const correlation_form = /^([a-z0-9-]{1,63})\/correlation\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const hash_form = /^sha256:[0-9a-f]{64}$/

/** As the caller sees it: what it may not see is not there. */
const resolvers: Readonly<Record<string, Resolver>> = {
  mace: async ({ db, tenant_id }, rest) => (await findVerdict(db, tenant_id, `mace://${rest}`)) !== undefined,
  moat: async (context, rest) => (await context.treaty(rest)) !== undefined,
  made: async ({ db }, rest) => (await findContract(db, rest.replace(/^contract\//, ''))) !== undefined,
  maxim: async ({ db, tenant_id }, rest) => {
    const [policy_id, version] = rest.split('@') as [string, string?]
    return (await readVersions(db, tenant_id, policy_id)).some((known) => known.version === version)
  },
  mars: async (context, rest) =>
    hash_form.test(rest) && (await findPage(context, { entry: rest, versions: 'all' }, 1)).entries.length > 0,
  max: async (context, rest) => {
    const [, tenant_id, correlation_id] = correlation_form.exec(rest) ?? []
    if (!tenant_id || !correlation_id) return false
    await context.book.settled()
    const filter = { correlation_ids: [correlation_id], limit: 1 }
    return (await findRecords(context.db, tenant_id, filter)).length > 0
  },
}

export async function requireCitations(
  context: OperationContext,
  citations: readonly string[],
): Promise<void> {
  for (const [place, citation] of citations.entries()) {
    const [scheme, rest] = citation.split('://') as [string, string]
    const resolve = Object.hasOwn(resolvers, scheme) ? resolvers[scheme] : undefined
    if (resolve && (await resolve(context, rest))) continue
    throw refuse('invalid_payload', `There is nothing at ${citation} that you may see; cite what is there.`, {
      reason: 'not_found',
      faults: [{ pointer: `/citations/${place}`, message: 'leads nowhere' }],
    })
  }
}

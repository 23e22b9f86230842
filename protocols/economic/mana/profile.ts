// An agent's economic profile: its own statements, and computed figures it cannot set.

import { parseDid } from '@svc/contract/identity/did'
import { meetsLevel } from '@svc/contract/identity/identity'
import { microUsdOf, Qty, UsdText, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, Uuid } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { dealingsOf } from '../contracts/api.ts'
import { requireActor } from '../ledger/api.ts'
import { spentSince } from '../usage/api.ts'
import { Department } from './envelope.ts'
import { envelopes_active_max } from './envelope-store.ts'
import { isForeign } from './lot-access.ts'
import { addProfile, findProfile, lockProfile, Profile } from './profile-store.ts'

export const ProfileInput = Closed({
  agent_did: Type.Optional(described(Did, 'Whose profile; default: yourself.')),
  set: Type.Optional(described(Profile, 'Your new profile; it replaces the one before. Absent: only read.')),
})

export const ProfileOutput = Closed({
  agent_did: described(Did, 'Whose profile it is.'),
  profile: described(Profile, 'What it says about itself.'),
  version: Type.Integer({ minimum: 0, description: '0 if no profile was ever set.' }),
  completed_contracts: Type.Integer({ minimum: 0, description: 'Contracts it fulfilled.' }),
  defaulted_contracts: Type.Integer({ minimum: 0, description: 'Contracts it did not fulfil in time.' }),
  merit_score: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: 'Rating by MERIT, 0 to 10000; absent: none.' }),
  ),
  envelopes: Type.Optional(
    described(
      ListOf(
        Closed({ envelope_id: described(Uuid, 'Names the envelope.'), department: Department }),
        0,
        envelopes_active_max,
      ),
      'Envelopes it is a member of; to its own organization.',
    ),
  ),
  spend: Type.Optional(
    Closed(
      {
        today_usd: described(UsdText, 'In this UTC day.'),
        month_usd: described(UsdText, 'In this calendar month, UTC.'),
      },
      { description: 'What its calls cost; to its own organization.' },
    ),
  ),
  earnings: Type.Optional(
    described(
      ListOf(
        Closed({
          asset_id: Type.String({ description: 'Asset it was paid in.' }),
          amount: described(Qty, 'Sum, in the smallest unit of the asset.'),
        }),
        0,
        256,
      ),
      'What it was paid; to its own organization.',
    ),
  ),
})

export async function tellProfile(
  input: Static<typeof ProfileInput>,
  context: OperationContext<'budgets' | 'charter'>,
) {
  const { db, tenant_id, caller } = context
  requireActor(caller)
  const did = input.agent_did ?? caller.did
  // A tenant knows only its own agents.
  if (parseDid(did)?.namespace !== tenant_id) throw notFound('agent', did)
  if (input.set) await setProfile(did, input.set, context)
  const { profile, version } = (await findProfile(db, tenant_id, did)) ?? { profile: {}, version: 0 }
  const { completed, defaulted, earnings } = await dealingsOf(db, did)
  const open = {
    agent_did: did,
    profile,
    version,
    completed_contracts: completed,
    defaulted_contracts: defaulted,
  }
  if (isForeign(context)) return open
  return {
    ...open,
    envelopes: await envelopesOf(did, context),
    spend: await spendOf(did, context),
    earnings: earnings.map(({ asset_id, amount }) => ({ asset_id, amount: String(amount) })),
  }
}

/** An identical profile is not a new version. */
async function setProfile(
  did: string,
  profile: Profile,
  context: OperationContext<'charter'>,
): Promise<void> {
  const { db, tenant_id, caller, now } = context
  if (!meetsLevel(caller, 'L1')) {
    throw refuse(
      'policy_denied',
      'Setting a profile needs a verified lineage; prove it with MACS verify_response.',
      {
        reason: 'verified lineage required',
        denying_policy: 'conformance L1',
      },
    )
  }
  if (caller.did !== did && !(await context.charter.has(caller.did))) {
    throw refuse(
      'policy_denied',
      'Only the agent itself or a charter member may set its profile; ask one of them.',
      {
        reason: 'not the agent or a charter member',
      },
    )
  }
  await lockProfile(db, tenant_id, did)
  const before = await findProfile(db, tenant_id, did)
  if (before && canonicalJson(before.profile) === canonicalJson(profile)) return
  const version = (before?.version ?? 0) + 1
  await addProfile(db, tenant_id, did, { version, profile }, { did: caller.did, at: now })
}

async function envelopesOf(did: string, context: OperationContext<'budgets'>) {
  const { envelopes } = await context.budgets.rules()
  return envelopes
    .filter(({ members }) => members.has(did))
    .map(({ envelope_id, department }) => ({ envelope_id, department }))
}

async function spendOf(did: string, { db, tenant_id, now }: OperationContext) {
  const spentFrom = async (start: string) =>
    usdText(microUsdOf((await spentSince(db, tenant_id, new Date(start), did)).quanta))
  return {
    today_usd: await spentFrom(`${now.slice(0, 10)}T00:00:00.000Z`),
    month_usd: await spentFrom(`${now.slice(0, 7)}-01T00:00:00.000Z`),
  }
}

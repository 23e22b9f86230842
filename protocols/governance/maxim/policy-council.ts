// The council that enacted a policy and its dissent, named in every refusal by that policy.

import type { PolicyCouncil } from '@svc/contract/authority/policy'
import type { Database } from '@svc/contract/database'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { finalPositions, findVerdict } from '../motions/api.ts'

const reasoning_told_max = 500
const policy_form = /^maxim:\/\/([^@]+)@(.+)$/

/** Undefined for a sole charter member or a policy unknown to this tenant. As the engine's role. */
export async function councilOf(
  db: Database,
  tenant_id: string,
  policy: string,
): Promise<PolicyCouncil | undefined> {
  const [, policy_id, version] = policy_form.exec(policy) ?? []
  if (policy_id === undefined || version === undefined) return undefined
  const row = await sql<{ authority: string }>`
    SELECT authority FROM policies
    WHERE tenant_id = ${tenant_id} AND policy_id = ${policy_id} AND version = ${version}`.first(db)
  const verdict = row && (await findVerdict(db, tenant_id, row.authority))
  if (!verdict || verdict.motion_id === null) return undefined
  const { ref, dissent, positions, motion_id } = verdict
  const taken = await finalPositions(db, { tenant_id, motion_id })
  const words = new Map(taken.map(({ position_id, reasoning }) => [position_id, reasoning]))
  return {
    verdict: ref,
    dissent: positions
      .filter(({ did }) => dissent.includes(did))
      .map(({ did, position, position_id, reasoning_hash }) => {
        const reasoning = words.get(position_id)
        // Reasons that do not match the hash in the verdict are not shown.
        const is_theirs = reasoning !== undefined && sha256Hex(reasoning) === reasoning_hash
        return {
          did,
          position,
          position_id,
          reasoning_hash,
          ...(is_theirs && { reasoning: reasoning.slice(0, reasoning_told_max) }),
        }
      }),
  }
}

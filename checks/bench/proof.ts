// The cost of a proof in audit logs of a thousand and of a million records, side by side, and the cost of
// checking it.

import { hash } from 'node:crypto'
import { asOwner, entryOf } from '@svc/audit/test-audit-log'
import { storeRecords } from '@svc/audit/test-stored'
import { appendLeaf, type Frontier, leafHash, packFrontier, rootOf } from '@svc/audit/tree/merkle'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import { verifyProof } from '@svc/sdk'
import type { Client } from 'pg'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'

const small = 1_000
const rounds = 300
const warm_up = 50
const goal_ratio = 3
const nodes_per_insert = 10_000
const records_per_insert = 25_600

type Kind = 'inclusion' | 'consistency'
type Caller = { readonly did: string; readonly tenant_id: string; readonly size: number }

export async function measureProofs(large: number): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  try {
    const callers = [
      await filledAuditLog(service, 'small', small),
      await filledAuditLog(service, 'large', large),
    ]
    const keys = await trustedKeys(service)
    const result: Record<string, unknown> = { small, large, goal_ratio }
    for (const kind of ['inclusion', 'consistency'] as const) {
      const times = callers.map(() => ({ prove: [] as number[], verify: [] as number[] }))
      for (let round = 0; round < warm_up + rounds; round++) {
        for (const [place, caller] of callers.entries()) {
          const measured = await measure(service, caller, kind, keys)
          if (round < warm_up) continue
          times[place]!.prove.push(measured.prove_ms)
          times[place]!.verify.push(measured.verify_ms)
        }
      }
      const [few, many] = times.map(({ prove, verify }) => ({ prove_ms: p50(prove), verify_ms: p50(verify) }))
      const ratio = many!.prove_ms / few!.prove_ms
      console.log(
        `${kind}: p50 ${few!.prove_ms.toFixed(2)} ms of ${small}, ${many!.prove_ms.toFixed(2)} ms of ${large} records: ` +
          `${ratio.toFixed(2)} times (goal ${goal_ratio}); verified in ${many!.verify_ms.toFixed(2)} ms`,
      )
      result[kind] = { few, many, ratio }
    }
    return result
  } finally {
    await service.stop()
  }
}

/** Any record, any older size: through the whole pipeline, as a caller would. */
async function measure(service: InProcessService, caller: Caller, kind: Kind, trusted: readonly string[]) {
  const place = 1 + Math.floor(Math.random() * caller.size)
  const input =
    kind === 'inclusion'
      ? { kind, record_hash: hashAt(caller.tenant_id, place).toString('hex') }
      : { kind, first: place }
  // Earlier answers are committed first; waiting for that is not part of a proof.
  await service.service.audit_log.flush()
  const begun = performance.now()
  const output = await dispatch(service, caller, 'MAZE', 'prove', input)
  const proved = performance.now()
  const verdict = await verifyProof(proofOf(output), { trustedKeys: trusted })
  const verify_ms = performance.now() - proved
  // The rows have no content, so their commitments cannot be checked.
  if (!verdict.ok) throw new Error(`the bench's own proof does not verify: ${verdict.reason}`)
  return { prove_ms: proved - begun, verify_ms }
}

function proofOf(output: Record<string, unknown>): Record<string, unknown> {
  const { leaf } = output as { leaf?: { record_hash: string } }
  return leaf ? { ...output, leaf: { ...leaf, canonical_commitment: leaf.record_hash } } : output
}

async function dispatch(
  { service: { engine } }: InProcessService,
  { did, tenant_id }: Pick<Caller, 'did' | 'tenant_id'>,
  protocol: string,
  operation: string,
  input: object,
): Promise<Record<string, unknown>> {
  const outcome = await engine.dispatch({
    request: { protocol, version: 'v1', operation, tenant_id, input },
    credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'internal',
  })
  if (outcome.kind !== 'success') throw new Error(`${operation} was not answered: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.output_text) as Record<string, unknown>
}

async function trustedKeys({ db_url }: InProcessService): Promise<string[]> {
  const { rows } = await asOwner(db_url, (owner) =>
    owner.query<{ public_key: Buffer }>('SELECT public_key FROM audit_keys'),
  )
  return rows.map(({ public_key }) => public_key.toString('base64url'))
}

function hashAt(tenant_id: string, seq: number): Buffer {
  return hash('sha256', `${tenant_id} ${seq}`, 'buffer')
}

/** Rows with real hashes under a real tree, inserted at once; the first call then signs the whole tree. */
async function filledAuditLog(service: InProcessService, tenant_id: string, size: number): Promise<Caller> {
  const { agent_did: did } = await service.newCaller({ tenant_id })
  const { audit_log } = service.service
  await audit_log.ready(tenant_id)
  await audit_log.flush()
  const frontier: Frontier = []
  const nodes: { level: number; index: number; hash: string }[] = []
  for (let seq = 1; seq <= size; seq++)
    appendLeaf(frontier, seq - 1, leafHash(hashAt(tenant_id, seq)), (node) =>
      nodes.push({ ...node, hash: node.hash.toString('hex') }),
    )
  await asOwner(service.db_url, (owner) => insertAuditLog(owner, tenant_id, size, frontier, nodes))
  await dispatch(service, { did, tenant_id }, 'MAX', 'audit_log_entry', { event_type: 'custom.filled', meta: {} }) // biome-ignore format: one thought
  await audit_log.flush()
  return { did, tenant_id, size }
}

async function insertAuditLog(
  owner: Client,
  tenant_id: string,
  size: number,
  frontier: Frontier,
  nodes: readonly object[],
): Promise<void> {
  await owner.query('SET session_replication_role = replica')
  const fields = entryOf(tenant_id)
  const textOf = (seq: number) => (seq === 0 ? genesis_hash : hashAt(tenant_id, seq).toString('hex'))
  for (let first = 1; first <= size; first += records_per_insert)
    await storeRecords(
      owner,
      Array.from({ length: Math.min(records_per_insert, size - first + 1) }, (_, n) => {
        const seq = first + n
        return {
          tenant_id,
          seq,
          body: '{}',
          fields,
          previous_hash: textOf(seq - 1),
          record_hash: textOf(seq),
        }
      }),
    )
  for (let first = 0; first < nodes.length; first += nodes_per_insert)
    await owner.query(
      `INSERT INTO audit_tree SELECT $1, level, index, decode(hash, 'hex')
       FROM json_to_recordset($2) AS t(level smallint, index bigint, hash text)`,
      [tenant_id, JSON.stringify(nodes.slice(first, first + nodes_per_insert))],
    )
  await owner.query(`UPDATE chain_heads SET seq = $2, head_hash = $3, frontier = $4 WHERE tenant_id = $1`, [
    tenant_id,
    size,
    hashAt(tenant_id, size),
    packFrontier(frontier),
  ])
  await owner.query(`INSERT INTO audit_checkpoints VALUES ($1, $2, $3, 'not signed')`, [
    tenant_id,
    size,
    rootOf(frontier),
  ])
  await owner.query('ANALYZE audit_pages, audit_tail, audit_tree, audit_checkpoints')
}

function p50(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

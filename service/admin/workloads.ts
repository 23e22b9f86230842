// Workloads of other platforms (Kubernetes, GitHub Actions, SPIFFE) that act as an agent without a stored secret.
import { readFileSync } from 'node:fs'
import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import {
  addWorkload,
  countWorkloads,
  listWorkloads,
  removeWorkload,
  type Workload,
} from '@svc/adapters/access/workloads'
import { workloads_max } from '@svc/contract/needs/workloads'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireDidOf, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'

const text_chars_max = 500
const claims_max = 16
const jwks_bytes_max = 64 * 1024

export const workload: Noun = {
  add: {
    usage:
      'workload add <tenant> <did> --issuer URL --audience A --claim NAME=TEXT [--claim ...] [--jwks FILE]',
    summary: 'lets a token of this issuer, with this audience and these claims, act as the agent',
    takes: ['issuer', 'audience', 'claim', 'jwks'],
    async run({ store, operator, values, names }) {
      const [tenant_id, did] = names as [string, string]
      requireDidOf(tenant_id, did, 'The agent')
      await requireTenant(store.engine, tenant_id)
      const workload: Workload = {
        workload_id: operator.clock.randomBytes(5).toString('hex'),
        tenant_id,
        did,
        issuer: readIssuer(values.issuer, values.jwks !== undefined),
        audience: readText('--audience', values.audience),
        claims: readClaims(values.claim ?? []),
        jwks: values.jwks === undefined ? null : readKeys(values.jwks),
      }
      const { workload_id, issuer, audience, claims } = workload
      await store.engine.transaction(async (trx) => {
        await requireLiveIdentity(trx, tenant_id, did)
        if ((await countWorkloads(trx, tenant_id)) >= workloads_max)
          throw new ConfigError(`${tenant_id} has ${workloads_max} workloads; remove one first.`)
        await addWorkload(trx, { ...workload, named_only: false })
        const meta = { workload_id, did, issuer, audience, claims }
        await recordChange(trx, operator, { tenant_id, command: 'workload add', grants: true, meta })
      })
      const note = 'It exchanges its token at <this engine>/oauth/token, or sets SVC_WORKLOAD_TOKEN_FILE.'
      return { rows: [{ workload_id, did, issuer, audience, claims }], note }
    },
  },
  list: {
    usage: 'workload list <tenant>',
    summary: 'which tokens act as which agents',
    takes: [],
    async run({ store, names }) {
      await requireTenant(store.engine, names[0]!)
      const workloads = await listWorkloads(store.engine, names[0]!)
      const rows = workloads.map(({ workload_id, did, issuer, audience, claims, jwks }) => {
        return { workload_id, did, issuer, audience, claims, keys: jwks ? 'stored' : 'of the issuer' }
      })
      return { rows, columns: ['workload_id', 'did', 'issuer', 'audience', 'claims', 'keys'] }
    },
  },
  remove: {
    usage: 'workload remove <tenant> <workload-id>',
    summary: 'its tokens are not accepted any more, and its sessions end within a second',
    takes: [],
    run: remove,
  },
}

async function remove({ store, operator, names }: Work) {
  const [tenant_id, workload_id] = names as [string, string]
  await store.engine.transaction(async (trx) => {
    if (!(await removeWorkload(trx, tenant_id, workload_id)))
      throw new ConfigError(`${tenant_id} has no workload ${workload_id}; workload list shows them.`)
    await recordChange(trx, operator, { tenant_id, command: 'workload remove', meta: { workload_id } })
  })
  return { rows: [{ workload_id, removed: true }] }
}

/** Asked for its keys over https; a trust domain of SPIFFE cannot be asked. */
function readIssuer(text = '', has_keys: boolean): string {
  const url = URL.parse(text)
  const is_address = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (is_address && !url.search && !url.hash && text.length <= text_chars_max) return text
  if (url?.protocol === 'spiffe:' && has_keys) return text
  if (url?.protocol === 'spiffe:')
    throw new ConfigError('A SPIFFE trust domain needs --jwks with the keys of its bundle.')
  throw new ConfigError('--issuer is the address in the iss of its tokens, or a SPIFFE trust domain.')
}

function readText(option: string, text = ''): string {
  if (text.trim() !== '' && text.length <= text_chars_max) return text
  throw new ConfigError(`${option} is a text of 1 to ${text_chars_max} characters.`)
}

/** The same name several times: any of its texts is accepted. */
function readClaims(pairs: readonly string[]): Record<string, string[]> {
  const claims = new Map<string, string[]>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new ConfigError('--claim is NAME=TEXT, such as sub=repo:acme/app:ref:refs/heads/main.')
    const name = readText('--claim', pair.slice(0, at))
    claims.set(name, [...(claims.get(name) ?? []), readText('--claim', pair.slice(at + 1))])
  }
  if (claims.size >= 1 && claims.size <= claims_max) return Object.fromEntries(claims)
  throw new ConfigError(
    `Name 1 to ${claims_max} claims: without one, every workload of the issuer would be this agent.`,
  )
}

export function readKeys(path: string): JSONWebKeySet {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length > jwks_bytes_max) throw new Error('it is too large')
    const jwks: JSONWebKeySet = JSON.parse(text)
    createLocalJWKSet(jwks)
    return { keys: jwks.keys.map(({ d: _private, ...key }) => key) }
  } catch (error) {
    throw new ConfigError(`${path} is not a JSON Web Key Set (${(error as Error).message}).`)
  }
}

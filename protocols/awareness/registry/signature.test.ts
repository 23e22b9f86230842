import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didOfKey } from '@svc/contract/identity/did'
import { Refusal } from '@svc/contract/refusal'
import { isSignedBy, privateKeyOf, publicKeyOf, signText } from '@svc/contract/signing/signature'
import { empty_database, testContext } from '../../../checks/rehearsal/test-context.ts'
import { type Proof, requireSignature } from './signature.ts'

function keyOf(seed: number) {
  const private_key = privateKeyOf(Buffer.alloc(32, seed))
  const public_key = publicKeyOf(private_key)
  const did = didOfKey('acme', 'agent', Buffer.from(public_key, 'base64url'))
  return { did, public_key, sign: (text: string) => signText(private_key, text) }
}
const [agent, parent, stranger] = [keyOf(1), keyOf(2), keyOf(3)] as const

/** Requests a signature as this caller, with these keys held by the engine. */
async function ask(
  proof: Partial<Proof>,
  {
    caller = agent,
    kept = [] as (typeof agent)[],
    kind = 'agent',
    outdated = undefined as string | undefined,
  } = {},
) {
  const alarms: string[] = []
  const context = testContext<'audit_log' | 'custody'>({
    caller: { did: caller.did },
    db: empty_database,
    custody: {
      publicKeyOf: async (did: string) => kept.find((key) => key.did === did)?.public_key,
      async sign(did: string, text: string) {
        const key = kept.find((one) => one.did === did)
        return key && { public_key: key.public_key, signature: key.sign(text) }
      },
    },
    audit_log: { sign: async () => ({ key_id: 'k', public_key: 'p', signature: 's' }) },
    alarm: (reason: string) => void alarms.push(reason),
  })
  const whole = { signers: [agent.did, parent.did], ...proof }
  const request = {
    kind: kind as 'agent',
    names: 'sha256:x',
    ...(outdated === undefined ? {} : { outdated }),
  }
  try {
    return { alarms, ...(await requireSignature(context, 'text', whole, request)) }
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return {
      alarms,
      code: error.code,
      reason: error.details.reason,
      fault: error.details.faults?.[0]?.message,
    }
  }
}
const signed = (key: typeof agent, text = 'text') => ({
  signature: key.sign(text),
  public_key: key.public_key,
})

test('the agent and its parent may sign, each with its own key', async () => {
  for (const key of [agent, parent]) {
    const made = await ask(signed(key))
    assert.partialDeepStrictEqual(made, { signed_by: key.did, public_key: key.public_key, method: 'own' })
  }
  const other = await ask(signed(stranger))
  assert.deepEqual(other.alarms, ['public key does not match DID'])
  const swapped = await ask({ signature: stranger.sign('text'), public_key: agent.public_key })
  assert.deepEqual(
    [swapped.alarms, 'reason' in swapped && swapped.reason],
    [['signature invalid'], 'signature invalid'],
  )
})

test('without a signature the engine signs for the caller, if it holds the key and the caller may sign', async () => {
  for (const caller of [agent, parent]) {
    const made = await ask({}, { caller, kept: [agent, parent] })
    assert.ok('signature' in made && isSignedBy(caller.public_key, 'text', made.signature))
    assert.deepEqual([made.signed_by, made.method], [caller.did, 'custodial'])
  }
  const refused = await ask({}, { caller: stranger, kept: [stranger, agent] })
  assert.equal('reason' in refused && refused.reason, 'signature required')
})

test('if nobody can sign, the refusal contains the exact text and raises no alarm', async () => {
  assert.deepEqual(await ask({}), {
    alarms: [],
    code: 'invalid_payload',
    reason: 'signature required',
    fault: 'text',
  })
  const keyless = await ask({ signature: agent.sign('text') })
  assert.equal('reason' in keyless && keyless.reason, 'public_key missing')
  const entry_signature = await ask({ signature: agent.sign('text') }, { kept: [agent] })
  assert.equal('method' in entry_signature && entry_signature.method, 'own')
})

test('a signature over the previous newest version is outdated, not forged', async () => {
  const late = await ask(signed(agent, 'old text'), { outdated: 'old text' })
  assert.deepEqual(late, { alarms: [], code: 'invalid_payload', reason: 'version_conflict', fault: 'text' })
  const forged = await ask(signed(agent, 'other text'), { outdated: 'old text' })
  assert.deepEqual(forged.alarms, ['signature invalid'])
})

test('only entries that are not of an agent may be signed by the audit key of the tenant', async () => {
  const made = await ask({}, { kind: 'report' })
  assert.partialDeepStrictEqual(made, { signed_by: 'book:k', method: 'book' })
})

// Audit log proofs from MAZE, checked by the SDK and by svc verify: any change makes them invalid.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { surroundingNodes } from '@svc/audit/tree/merkle'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { verifyProof } from '@svc/sdk'
import { webPrimitives } from '@svc/sdk/verify/primitives'
import { judgeProof } from '@svc/sdk/verify/proof'
import { runCli } from '../../../clients/cli/run.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { changedValue } from '../../tamper/changed-json.ts'
import { chooseSeed, type Random, seeded } from '../../tamper/random.ts'
import { testTerminal } from '../test-terminal.ts'
import {
  base64,
  consistency,
  count,
  inclusion,
  leafAt,
  newSigner,
  nodeOf,
  segment,
  signer,
  trusted,
} from './proof-scene.ts'

const mutations = is_long ? 20_000 : 240
const seed = chooseSeed()
const replay = `seed ${seed}; replay: SVC_TEST_SEED=${seed} node --test checks/clients/sdk/proof.test.ts`
const in_browser = webPrimitives(crypto.subtle)

function someProof(random: Random): object {
  const size = 1 + random.below(count)
  const note_size = random.chance(0.5) ? size : size + random.below(count - size + 1)
  const from_seq = 1 + random.below(size)
  return random.pick([
    () => inclusion(random.below(size), size, note_size),
    () => consistency(random.below(size + 1), size, note_size),
    () => segment(from_seq, from_seq + random.below(Math.min(9, size - from_seq + 1)), size),
  ])()
}

test("the engine's proofs verify, on Node and with web APIs alike", async () => {
  for (let n = 0; n < 60; n++) {
    const proof = someProof(seeded(`${seed}/clean/${n}`))
    const verdict = await verifyProof(proof, trusted)
    assert.partialDeepStrictEqual(verdict, { ok: true, vouched: true, tenant_id: 'acme' })
    if (n % 8 === 0) assert.deepEqual(await judgeProof(proof, trusted, in_browser), verdict)
  }
})

test('a proof with any change is invalid', async () => {
  for (let n = 0; n < mutations; n++) {
    const random = seeded(`${seed}/changed/${n}`)
    const proof = someProof(random)
    const { value, where } = changedValue(proof, random)
    if (canonicalJson(value) === canonicalJson(proof)) continue
    const { ok, vouched } = await verifyProof(value, trusted)
    assert.ok(!(ok && vouched), `${where} of ${JSON.stringify(proof)}; ${replay}`)
  }
})

test('parts of two proofs do not make a third', async () => {
  for (let n = 0; n < mutations / 2; n++) {
    const random = seeded(`${seed}/mixed/${n}`)
    const [one, other] = [someProof(random), someProof(random)] as Record<string, unknown>[]
    const field = random.pick(Object.keys(one!))
    const mixed = { ...one, [field]: other![field] }
    if (other![field] === undefined || canonicalJson(mixed) === canonicalJson(one)) continue
    // A larger note over the same tree is valid only with its path.
    const { ok, vouched } = await verifyProof(mixed, trusted)
    assert.ok(!(ok && vouched), `${field} of ${JSON.stringify([one, other])}; ${replay}`)
  }
})

test('without a key or a kept note nothing vouches for it, and a differing kept note reveals a rewritten log', async () => {
  const proof = inclusion(3, 10)
  const unknown = newSigner('acme')
  assert.partialDeepStrictEqual(await verifyProof(proof), { ok: true, vouched: false })
  assert.match(
    (await verifyProof(proof, { trustedKeys: [unknown.public_key] })).reason!,
    /not signed by a key/,
  )
  const verifyWith = (note: string) => verifyProof(consistency(5, 10), { checkpoints: [note] })
  assert.partialDeepStrictEqual(await verifyWith(signer.noteAt(10)), { ok: true, vouched: true })
  assert.partialDeepStrictEqual(await verifyWith(signer.noteAt(5)), { ok: true, vouched: false })
  const root = Buffer.alloc(32, 1).toString('base64')
  const rewritten = signer.noteAt(5).replace(/\n5\n[^\n]*/, `\n5\n${root}`)
  assert.match((await verifyWith(rewritten)).reason!, /log was rewritten/)
  assert.match((await verifyWith(newSigner('rival').noteAt(5))).reason!, /another log/)
  for (const nothing of [null, [], 'x', {}, { verify: {}, kind: 'inclusion' }])
    assert.equal((await verifyProof(nothing, trusted)).ok, false)
})

test('unsigned content proves nothing: an empty log, an empty row, text beside a hash', async () => {
  const { checkpoint: _unsigned, ...empty } = consistency(0, 0)
  assert.partialDeepStrictEqual(await verifyProof(empty), { ok: true, vouched: false })
  assert.match((await verifyProof(empty, trusted)).reason!, /log is empty is not signed by a key you trust/)
  const proof = base64(surroundingNodes(3, 4, 10, nodeOf))
  const nothing = { ...segment(5, 5, 10), segment: [], proof }
  assert.match((await verifyProof(nothing, trusted)).reason!, /no row/)
  const row = segment(2, 3, 10)
  const amount = { amount_usd: '1000.00' }
  for (const changed_proof of [
    { ...inclusion(3, 10), leaf: { ...leafAt(3), ...amount } },
    { ...row, segment: row.segment.map((one, i) => (i === 1 ? { ...one, ...amount } : one)) },
    { ...inclusion(3, 10), verify: { algorithm: 'RFC9162-SHA256', ...amount } },
    { ...inclusion(3, 10), ...amount },
  ])
    assert.match(
      (await verifyProof(changed_proof, trusted)).reason!,
      /field amount_usd, which nobody has signed/,
    )
})

const folder = mkdtempSync(join(tmpdir(), 'svc-proof-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function svc(argv: string[], stdin?: string) {
  const fetch = () => assert.fail('the network is not asked')
  const terminal = testTerminal({ ...(stdin === undefined ? {} : { stdin }), fetch, columns: 200 })
  const code = await runCli(['verify', ...argv], terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

test('svc verify checks answers and whole envelopes, from a file or standard input, without network access', async () => {
  const file = join(folder, 'proof.json')
  const keys = [`--key=${signer.public_key}`]
  for (const proof of [inclusion(3, 10), consistency(4, 10, 12), segment(2, 5, 10)]) {
    writeFileSync(file, JSON.stringify({ output: proof, metadata: {} }, null, 2))
    const result = await svc([file, ...keys])
    assert.deepEqual([result.code, result.out.slice(0, 9)], [0, 'Verified:'], result.out + result.err)
    assert.equal((await svc(['-', ...keys], JSON.stringify(proof))).code, 0)
    const unvouched = await svc([file])
    assert.equal(unvouched.code, 8)
    assert.match(unvouched.out, /^Consistent, but nothing you trust vouches for it: /)
  }
  const note = join(folder, 'kept.note')
  writeFileSync(note, signer.noteAt(10))
  assert.equal((await svc(['-', '--checkpoint', note], JSON.stringify(segment(2, 5, 10)))).code, 0)
  const forged = { ...inclusion(3, 10), leaf: leafAt(4) }
  const refused = await svc(['-', ...keys, '-o', 'json'], JSON.stringify(forged))
  assert.equal(refused.code, 1)
  assert.match(JSON.parse(refused.out).reason, /path does not lead/)
  assert.equal((await svc([])).code, 1)
  assert.match((await svc(['-'], 'no audit log')).out, /^Invalid: /)
})

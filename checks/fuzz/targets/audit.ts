// What a reader of an audit log is handed: notes, exports, receipts, proofs, answers and events.
import assert from 'node:assert/strict'
import { runtime_words, type Target } from '../target.ts'
import { attempt, fieldsIn, fieldsOf, valueIn } from './input.ts'

const zeros = '0'.repeat(64)
const tenant_id = 'acme'
const origin = `svc/${tenant_id}`
const root = `${'A'.repeat(43)}=`
const note = `${origin}\n7\n${root}\n\n— ${origin} ${'A'.repeat(91)}=\n— w ${'A'.repeat(102)}==\n`

interface Verdict {
  readonly ok: boolean
  readonly reason?: string
}

function requireReason({ ok, reason }: Verdict): void {
  assert.ok(ok || typeof reason === 'string')
  assert.doesNotMatch(reason ?? '', runtime_words)
}

/** Signs what the fuzzer made, so that more than the signature check is reached. */
async function notary() {
  const { privateKeyOf, publicKeyOf, signText } = await import('@svc/contract/signing/signature')
  const { keyId } = await import('@svc/audit/tree/checkpoint')
  const private_key = privateKeyOf(Buffer.alloc(32, 9))
  const public_key = publicKeyOf(private_key)
  const key_id = keyId(origin, Buffer.from(public_key, 'base64url'))
  const sign = (size: unknown, root_hex: string) => {
    const text = `${origin}\n${JSON.stringify(size)}\n${Buffer.from(root_hex, 'hex').toString('base64')}\n`
    const signature = Buffer.from(signText(private_key, text), 'base64url')
    const line = Buffer.concat([Buffer.from(key_id, 'hex'), signature]).toString('base64')
    return `${text}\n— ${origin} ${line}\n`
  }
  return { public_key, key_id, sign }
}

export const audit_targets: Readonly<Record<string, Target>> = {
  note: {
    files: [
      'clients/sdk-typescript/verify/note.ts',
      'clients/sdk-typescript/verify/bytes.ts',
      'audit/witness/witness-submission.ts',
    ],
    seeds: [note, `old 3\n${root}\n${root}\n\n${note}`],
    words: ['— ', '\n\n', 'old 0', root, '9007199254740993'],
    async load() {
      const { readNote } = await import('@svc/sdk/verify/note')
      const { readSubmission, writeSubmission } = await import('@svc/audit/witness/witness-submission')
      const written = (read: NonNullable<ReturnType<typeof readNote>>) =>
        `${read.origin}\n${read.size}\n${Buffer.from(read.root, 'hex').toString('base64')}\n\n${read.signatures
          .map(({ name, key_id, signature }) => {
            const bytes = Buffer.concat([Buffer.from(key_id, 'hex'), signature])
            return `— ${name} ${bytes.toString('base64')}\n`
          })
          .join('')}`
      return (input) => {
        const read = readNote(input)
        if (read) assert.equal(written(read), input)
        const submission = readSubmission(input)
        if (submission)
          assert.equal(
            writeSubmission(submission.old_size, submission.proof, written(submission.note)),
            input,
          )
      }
    },
  },

  witness: {
    files: ['clients/sdk-typescript/verify/witnesses.ts', 'clients/sdk-typescript/verify/note.ts'],
    seeds: [
      `w+00000000+BA${'A'.repeat(42)}`,
      'a.example/w+0a1b2c3d+BGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1',
    ],
    async load() {
      const { readWitnessKey, cosignedAt } = await import('@svc/sdk/verify/witnesses')
      const { readNote } = await import('@svc/sdk/verify/note')
      const { Fault } = await import('@svc/sdk/verify/fault')
      const { createHash } = await import('node:crypto')
      return async (input) => {
        // The id is set right, so that what follows it is reached.
        const [name = '', , key = ''] = input.split('+')
        const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.from(key, 'base64')])
        const key_id = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
        for (const text of [input, `${name}+${key_id}+${key}`]) {
          const witness = await attempt(() => readWitnessKey(text), Fault)
          const line = Buffer.concat([Buffer.from(key_id, 'hex'), Buffer.alloc(72, 1)]).toString('base64')
          const cosigned = readNote(`${note}— ${name} ${line}\n`)
          if (witness && cosigned) assert.equal(await cosignedAt(cosigned, witness), 'bad')
        }
      }
    },
  },

  export: {
    files: ['clients/sdk-typescript/verify/'],
    is_json: true,
    seeds: [
      JSON.stringify({
        header: { from_seq: 1, to_seq: 2, previous_hash: zeros },
        records: [
          { seq: 1, tenant_id, event_type: 'Dispatch', meta: { a: [1, 'é'] } },
          { seq: 2, tenant_id, event_type: 'ChainSealed', meta: {} },
        ],
        sizes: [1, 2],
      }),
      JSON.stringify({ lines: ['{"format":"svc-audit-export/1"}', '{"checkpoint":"x"}'] }),
    ],
    async load() {
      const { verifyExport } = await import('@svc/sdk/verify/export')
      const { canonicalText } = await import('@svc/sdk/verify/canonical')
      const { GrowingTree } = await import('@svc/sdk/verify/tree')
      const { platformPrimitives } = await import('@svc/sdk/verify/primitives')
      const { createHash } = await import('node:crypto')
      const { public_key, key_id, sign } = await notary()
      /** The lines of a log with these records, with hashes and signatures that fit. */
      const linesOf = async (log: Record<string, unknown>) => {
        const header = fieldsOf(log.header)
        const keys = [{ key_id, public_key, from_seq: 1, until_seq: null }]
        const lines = [JSON.stringify({ format: 'svc-audit-export/1', tenant_id, origin, keys, ...header })]
        const sizes = [log.sizes].flat()
        const tree = new GrowingTree(platformPrimitives(), sizes.map(Number))
        let head = String(header.previous_hash)
        for (const record of [log.records].flat().slice(0, 50)) {
          const body = canonicalText(record ?? null)
          head = createHash('sha256')
            .update(head + body)
            .digest('hex')
          lines.push(canonicalText({ record: record ?? null, record_hash: head }))
          tree.add(head)
        }
        for (const size of sizes) {
          const signed_root = (await tree.rootAt(Number(size))) ?? zeros
          lines.push(JSON.stringify({ checkpoint: sign(size, signed_root) }))
        }
        return lines
      }
      return async (input) => {
        const log = fieldsIn(input)
        const lines = Array.isArray(log.lines)
          ? (log.lines as string[])
          : ((await attempt(() => linesOf(log), TypeError)) ?? [])
        const verdict = await verifyExport(lines, { trustedKeys: [public_key] })
        requireReason(verdict)
        if (verdict.verified) assert.equal(verdict.tenant_id, tenant_id)
      }
    },
  },

  receipt: {
    files: ['clients/sdk-typescript/verify/'],
    is_json: true,
    seeds: [
      JSON.stringify({
        record: { seq: 1, tenant_id, previous_hash: zeros, record_hash: zeros },
        tree_size: 1,
        inclusion_path: [],
      }),
      JSON.stringify({
        ...{
          kind: 'inclusion',
          tree_size: 2,
          root_hash: zeros,
          proof: [root],
          verify: { algorithm: 'RFC9162-SHA256' },
        },
        ...{
          leaf_index: 1,
          leaf: { record_hash: zeros, canonical_commitment: zeros },
          checkpoint_proof: [root],
        },
      }),
      JSON.stringify({
        ...{
          kind: 'consistency',
          tree_size: 2,
          root_hash: zeros,
          proof: [root],
          verify: { algorithm: 'RFC9162-SHA256' },
        },
        ...{ first_size: 1, first_root: zeros },
      }),
      JSON.stringify({
        ...{
          kind: 'segment',
          tree_size: 3,
          root_hash: zeros,
          proof: [root],
          verify: { algorithm: 'RFC9162-SHA256' },
        },
        ...{
          leaf_index: 1,
          segment: [{ seq: 2, record_hash: zeros, canonical_commitment: zeros }],
          previous_hash: zeros,
        },
      }),
    ],
    async load() {
      const { verifyReceipt } = await import('@svc/sdk/verify/receipt')
      const { verifyProof } = await import('@svc/sdk/verify/proof')
      const { public_key, sign } = await notary()
      return async (input) => {
        const answer = fieldsIn(input)
        const checkpoint = answer.checkpoint ?? sign(answer.tree_size, zeros)
        requireReason(await verifyReceipt({ ...answer, checkpoint } as never, [public_key]))
        const options = { trustedKeys: [public_key], checkpoints: [sign(answer.first_size, zeros)] }
        for (const each of [{}, options])
          requireReason((await verifyProof({ ...answer, checkpoint }, each)) as Verdict)
      }
    },
  },

  canonical: {
    files: ['contract/signing/canonical-json.ts', 'clients/sdk-typescript/verify/canonical.ts'],
    is_json: true,
    seeds: ['{"b":1,"a":[true,null,-0,1e21,1e-7,"é\\u2028"],"10":{},"2":"\\ud83d\\ude00"}', '[["\\ud800"]]'],
    words: ['"__proto__":1', '"toJSON":1', '[[[[[[[['],
    async load() {
      const { canonicalJson } = await import('@svc/contract/signing/canonical-json')
      const { canonicalText } = await import('@svc/sdk/verify/canonical')
      return async (input) => {
        const value = valueIn(input)
        const text = await attempt(() => canonicalJson(value), TypeError)
        assert.equal(
          await attempt(() => canonicalText(value), TypeError),
          text,
          'the engine and the SDK agree',
        )
        if (text !== undefined) assert.equal(canonicalJson(valueIn(text)), text)
      }
    },
  },
}

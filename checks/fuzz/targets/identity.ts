// Who somebody is and what they may: names, keys, tokens, documents, delegations, signed by strangers.
import assert from 'node:assert/strict'
import type { Target } from '../target.ts'
import { attempt, fieldsIn, valueIn } from './input.ts'

const digest = '0a'.repeat(32)
const did = `did:oas:acme:agent:${digest}`
const uuid = '3f2b8c1e-0a4d-4b7e-9c55-2f1d6e7a8b90'
const moment = '2026-11-15T10:00:00.000Z'
const now_ms = Date.parse(moment)
const now_s = now_ms / 1000
const sample_key = 'A'.repeat(43)
const sample_signature = 'A'.repeat(86)

/** A key whose DID names it, made of a fixed seed. */
async function signer() {
  const { privateKeyOf, publicKeyOf } = await import('@svc/contract/signing/signature')
  const { didOfKey } = await import('@svc/contract/identity/did')
  const private_key = privateKeyOf(Buffer.alloc(32, 7))
  const public_key = publicKeyOf(private_key)
  return { did: didOfKey('acme', 'agent', Buffer.from(public_key, 'base64url')), public_key, private_key }
}

export const identity_targets: Readonly<Record<string, Target>> = {
  did: {
    files: ['contract/identity/did.ts'],
    seeds: [did, `did:oas:a-1:agent-instance:${digest}`],
    words: ['did:oas:', 'acme', ':', digest, '\n'],
    async load() {
      const { parseDid, keyMatchesDid } = await import('@svc/contract/identity/did')
      const { Did } = await import('@svc/contract/schema')
      const { Compile } = await import('typebox/compile')
      const { resolveSettings } = await import('@svc/sdk/settings')
      const form = Compile(Did)
      return (input) => {
        const parts = parseDid(input)
        if (parts) {
          const settings = resolveSettings({ apiUrl: 'http://x', apiKey: 'k', agentDid: input }, undefined)
          assert.equal(settings.tenant_id, parts.namespace, 'the SDK and the engine agree on the tenant')
        }
        assert.equal(parts !== undefined, form.Check(input), 'the schema and the parser agree')
        assert.equal(keyMatchesDid(input, new Uint8Array(32)), false)
        if (parts) assert.equal(`did:oas:${parts.namespace}:${parts.entity_kind}:${parts.identifier}`, input)
      }
    },
  },

  names: {
    files: [
      'contract/authority/c',
      'contract/identity/api-key.ts',
      'contract/money/money.ts',
      'engine/routing/semver.ts',
      'contract/moment.ts',
    ],
    seeds: [
      'svc.max.audit_query',
      'svc.*.*',
      'time:22-06',
      'time:mon-fri,sun 22:30-06@Europe/Berlin',
      'weekly_budget:12.50',
      'network:10.0.0.0/8,2001:db8::/32',
      'input:input.amount <= 100 && input.to.matches("^a+$")',
      'tenant:acme,globex',
      'agent:0123456789abcdef',
      'once:2026-q3',
      'v1.2.3-rc.1',
      `svc_live_abcdefgh_${'x'.repeat(43)}`,
      moment,
    ],
    async load() {
      const { covers, isCapabilityName, namesThatGrant } = await import('@svc/contract/authority/capability')
      const { isCaveatSatisfied, isKnownCaveat } = await import('@svc/contract/authority/caveat')
      const { CapabilityName } = await import('@svc/contract/schema')
      const { parseApiKey } = await import('@svc/contract/identity/api-key')
      const { compareVersions, parseMajor, parseVersion } = await import('@svc/engine/routing/semver')
      const { isMoment } = await import('@svc/contract/moment')
      const { microUsd, usdText } = await import('@svc/contract/money/money')
      const { Compile } = await import('typebox/compile')
      const form = Compile(CapabilityName)
      const { inputJudge } = await import('@svc/contract/authority/input-condition')
      const facts = {
        now: new Date(now_ms),
        weekSpend: () => 0n,
        call_cost_micro_usd: 1n,
        address: '10.1.2.3',
        tenant_id: 'acme',
        agent_did: `did:oas:acme:agent:${'0123456789abcdef'.repeat(4)}`,
        isUnused: () => true,
      }
      return (input) => {
        if (input.length <= 128)
          assert.equal(isCapabilityName(input), form.Check(input) || input === 'svc.*.*')
        if (isCapabilityName(input)) assert.ok(covers(input, input), 'a name covers itself')
        namesThatGrant(input)
        const judgeInput = inputJudge({ amount: 1, to: 'aa' }, now_ms)
        if (isCaveatSatisfied(input, { ...facts, judgeInput }))
          assert.ok(isKnownCaveat(input), 'only a known caveat is satisfied')
        parseApiKey(input)
        parseMajor(input)
        isMoment(input)
        const amount = microUsd(input)
        if (amount !== undefined) assert.equal(microUsd(usdText(amount)), amount)
        const version = parseVersion(input)
        if (version) assert.equal(compareVersions(version, version), 0)
      }
    },
  },

  jws: {
    files: ['contract/signing/jws.ts', 'contract/identity/did-auth.ts', 'contract/signing/signature.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({ aud: 'node', iat: now_s, exp: now_s + 30, jti: uuid, body: digest }),
      JSON.stringify({ text: 'DID e30.e30.AA' }),
    ],
    async load() {
      const { signJws } = await import('@svc/contract/signing/jws')
      const { claimedSignerOf, readAuthorization } = await import('@svc/contract/identity/did-auth')
      const key = await signer()
      return (input) => {
        const payload = fieldsIn(input)
        const text = typeof payload.text === 'string' ? payload.text : `DID ${signJws(payload, key)}`
        const caller = readAuthorization(text, { audience: 'node', body: '', now_ms })
        if (typeof caller === 'object')
          assert.deepEqual([caller.did, claimedSignerOf(text)], [key.did, key.did])
        else claimedSignerOf(text)
      }
    },
  },

  context: {
    files: ['gateway/dispatch/signed-context.ts', 'gateway/oauth/holding.ts', 'contract/invoke-context.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        aud: did,
        iat: now_s,
        exp: now_s + 30,
        jti: uuid,
        key_id: 'abcdefgh',
        head_sha256: digest,
        body_sha256: digest,
        context: { correlation_id: uuid, tenant_id: 'acme', agent_did: did, timestamp: moment, metadata: {} },
        warnings: [],
      }),
    ],
    async load() {
      const { readContext, requireBody } = await import('@svc/gateway/dispatch/signed-context')
      const { signJws } = await import('@svc/contract/signing/jws')
      const key = await signer()
      const trusted = new Set([key.did])
      return (input) => {
        const claims = fieldsIn(input)
        requireBody(
          readContext(signJws({ iss: key.did, ...claims }, key), {}, trusted, did, now_ms),
          Buffer.from(''),
        )
      }
    },
  },

  token: {
    files: ['gateway/oauth/access-token.ts', 'node_modules/jose/'],
    is_json: true,
    seeds: [
      JSON.stringify({
        header: { alg: 'EdDSA', typ: 'at+jwt', kid: 'k' },
        claims: {
          ...{
            iss: 'https://svc.example/oauth',
            aud: 'https://svc.example',
            exp: now_s + 60,
            iat: now_s,
            jti: 'j',
          },
          ...{ sub: 's', gid: 'g', did, tenant_id: 'acme', client_id: 'c', scope: 'svc.call' },
        },
      }),
      JSON.stringify({ text: 'e30.e30.AA' }),
    ],
    async load() {
      const { tokenVerifier } = await import('@svc/gateway/oauth/access-token')
      const { openSite } = await import('@svc/gateway/oauth/site')
      const { signText } = await import('@svc/contract/signing/signature')
      const { private_key, public_key } = await signer()
      const site = openSite()
      site.settle('https://svc.example')
      const clock = { now_ms: () => now_ms, monotonic_ms: () => 1e6 } as never
      const keys = [
        { kty: 'OKP', crv: 'Ed25519', x: public_key, kid: 'k', alg: 'EdDSA', use: 'sig' },
      ] as never
      const verify = tokenVerifier(async () => keys, site, clock)
      return async (input) => {
        const { header, claims, text } = fieldsIn(input)
        const encode = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url')
        const signed = `${encode(header)}.${encode(claims)}`
        const token = typeof text === 'string' ? text : `${signed}.${signText(private_key, signed)}`
        await verify(token, ['engine'])
      }
    },
  },

  document: {
    files: ['contract/identity/', 'contract/signing/', 'contract/authority/attenuation.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        entity_kind: 'Agent',
        lineage: [],
        capabilities: [{ name: 'svc.max.*', caveats: ['time:08-18'], expires_at: moment }],
        service_endpoints: [],
        revoked: false,
        extended: { attestations: [], more: { a: 1 } },
        version: 1,
        updated_at: moment,
      }),
    ],
    async load() {
      const { readDocument } = await import('@svc/contract/identity/received-document')
      const { verifyLineage } = await import('@svc/contract/identity/lineage')
      const { signDocument } = await import('@svc/contract/identity/identity-document')
      const key = await signer()
      return async (input) => {
        const unsigned = { id: key.did, public_key: key.public_key, ...fieldsIn(input) } as never
        // What has no canonical form cannot be signed either.
        const signed = await attempt(() => signDocument(unsigned, key), TypeError)
        const document = readDocument(signed ?? unsigned, key.did)
        if (typeof document === 'object') verifyLineage(key.did, document.lineage, { now: moment })
      }
    },
  },

  delegation: {
    files: ['contract/authority/', 'contract/signing/signature.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        links: [
          {
            token_id: `sha256:${digest}`,
            token: {
              ...{ from_did: did, to_did: did, capabilities: [{ name: 'svc.max.*', caveats: [] }] },
              ...{ max_redelegation_depth: 1, expires_at: moment, signature: sample_signature },
            },
            public_key: sample_key,
            state: 'ACTIVE',
            issued_at: moment,
            challenged: false,
          },
        ],
        policies: [{ did, rules: {}, version: 0 }],
      }),
    ],
    async load() {
      const { readAnswer } = await import('@svc/contract/authority/received-delegations')
      const { faultIn, forgeryIn, worthOf } = await import('@svc/contract/authority/delegation-chain')
      const own = [{ name: 'svc.max.*', caveats: [] }]
      return (input) => {
        const chain = readAnswer('chain', valueIn(input))
        if (!chain) return
        for (const link of chain.links) forgeryIn(link)
        faultIn(chain.links)
        worthOf(chain.links, {
          now: '2026-11-01T00:00:00.000Z',
          own,
          policies: chain.policies,
          isRevoked: () => false,
        })
      }
    },
  },

  proof: {
    files: ['contract/signing/data-integrity.ts', 'protocols/truth/merit/status-list.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id: 'x',
        credentialSubject: { encodedList: 'uH4sI' },
      }),
    ],
    async load() {
      const { proveDocument, verifyProof } = await import('@svc/contract/signing/data-integrity')
      const { decodeBits } = await import('@svc/protocols/truth/merit/status-list')
      const { signText } = await import('@svc/contract/signing/signature')
      const { public_key, private_key } = await signer()
      const key = { public_key, sign: (bytes: Uint8Array) => signText(private_key, bytes) }
      return async (input) => {
        const document = fieldsIn(input)
        decodeBits((document.credentialSubject as { encodedList?: unknown } | null | undefined)?.encodedList)
        verifyProof(document, document.proof)
        const proof = await attempt(() => proveDocument(document, key, { created: moment }), TypeError)
        if (proof) assert.equal(verifyProof({ ...document, proof }, proof), public_key)
      }
    },
  },
}

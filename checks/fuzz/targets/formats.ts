// Files, addresses, reports and cursors of strangers.
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { runtime_words, type Target } from '../target.ts'
import { attempt, fieldsIn, fieldsOf, valueIn } from './input.ts'

const digest = '0a'.repeat(32)
const did = `did:oas:acme:device:${digest}`
const moment = '2026-11-15T10:00:00.000Z'

interface ModuleNames {
  readonly module: string
  readonly name: string
}

/** V8's own reader; the library of types has it for browsers only. */
interface V8Modules {
  validate(bytes: Uint8Array): boolean
  readonly Module: {
    new (bytes: Uint8Array): object
    imports(module: object): ModuleNames[]
    exports(module: object): Pick<ModuleNames, 'name'>[]
  }
}
const v8_modules = (globalThis as never as { WebAssembly: V8Modules }).WebAssembly

export const format_targets: Readonly<Record<string, Target>> = {
  manifest: {
    files: ['adapters/plugins/plugin-folder.ts', 'contract/foreign/plugin-', 'node_modules/smol-toml/'],
    seeds: [
      `[plugin]\nname = "a"\nversion = "1.0.0"\ndescription = "x"\nplugin_type = "Protocol"\nprotocol = 'MAX'
binary = { source_type = "wasm", path = "a/b.wasm" }\n[plugin.metadata]\nauthor = "${did}"\nlicense = "MIT"
min_svc_version = "0.1.0"\n[plugin.operations]\noperations = ["a.b", "c"]\n[plugin.integrations.x]\nkind = "wasi"\nendpoint = "clocks"`,
      'a = [1, 0x1F, 1_000.5e3, inf, nan]\nb = """x\\\n y"""\nc = 1979-05-27T07:32:00Z\nd = 07:32:00\n[[e]]\nf.g = true',
    ],
    words: [
      '[plugin.signature]',
      'signed_at = ',
      '"""',
      "'''",
      '\\u00e9',
      '[[',
      ' = ',
      '1979-05-27',
      '{',
      '}',
    ],
    async load() {
      const { readManifest, Rejected } = await import('@svc/adapters/plugins/plugin-folder')
      const { pluginDigest } = await import('@svc/contract/foreign/plugin-signature')
      return (input) => {
        try {
          pluginDigest(readManifest(Buffer.from(input, 'utf8')), new Map())
        } catch (error) {
          if (!(error instanceof Rejected)) throw error
          assert.doesNotMatch(error.message, runtime_words)
        }
      }
    },
  },

  operations: {
    files: ['adapters/plugins/plugin-operations.ts', 'adapters/plugins/schema-work.ts', 'contract/foreign/'],
    is_json: true,
    seeds: [
      JSON.stringify({
        run: {
          summary: 'x',
          effect: 'read',
          level: 'L1',
          input: { type: 'object', properties: { a: { items: { $ref: '#' } } } },
          example: {},
        },
      }),
    ],
    words: ['$defs', '$ref', 'anyOf', 'pattern', '^(a|b)*$', 'maxLength', 'uniqueItems', 'patternProperties'],
    steps_max: 5_000_000,
    async load() {
      const { operationsFault, PluginOperations } = await import('@svc/adapters/plugins/plugin-operations')
      const { Compile } = await import('typebox/compile')
      const form = Compile(PluginOperations)
      return (input) => {
        const operations = fieldsIn(input)
        if (form.Check(operations)) operationsFault(operations, ['run'])
      }
    },
  },

  wasm: {
    files: ['adapters/plugins/translator/core-module.ts'],
    seeds: [
      '\0asm\x01\0\0\0\x02\x0b\x01\x01a\x01b\x02\x03\x01\x02\x04\x04\x01p\0\x01\x05\x03\x01\0\x01\x07\x05\x01\x01m\x02\0',
      '\0asm\x01\0\0\0\x02\x06\x01\x01a\x01b\x00\x00\x02\x07\x01\x01a\x01b\x01\x70\0\x01',
    ],
    async load() {
      const { readCoreModule } = await import('@svc/adapters/plugins/translator/core-module')
      return (input) => {
        const bytes = Buffer.from(input, 'latin1')
        const module = readCoreModule(bytes)
        if (!v8_modules.validate(bytes)) return
        assert.ok(module, 'a valid module is read')
        const compiled = new v8_modules.Module(bytes)
        const names = [
          ...v8_modules.Module.imports(compiled).flatMap(({ module: from, name }) => [from, name]),
          ...v8_modules.Module.exports(compiled).map(({ name }) => name),
        ]
        assert.deepEqual(module.names, names, 'the names are those V8 reads')
      }
    },
  },

  outside: {
    files: ['adapters/endpoint/', 'adapters/external/answer-metadata.ts', 'adapters/tools/plain-data.ts'],
    is_json: true,
    seeds: [
      '{"data":{},"metadata":{"usage":{"tokens_in":5,"tokens_out":1e9},"model":"é"}}',
      '{"error":{"code":"not_found","message":"invalid adapter timeout","reason":"r","retry_after_ms":10}}',
    ],
    words: ['missing capability', 'capability_denied', 'rate_limited', '\\ud800', '1e999'],
    async load() {
      const { refusalOf } = await import('@svc/adapters/endpoint/foreign-refusal')
      const { moduleMetadata, tokensIn } = await import('@svc/adapters/external/answer-metadata')
      const { asPlainData } = await import('@svc/adapters/tools/plain-data')
      const { readJson } = await import('@svc/gateway/dispatch/read-json')
      const { canonicalJson } = await import('@svc/contract/signing/canonical-json')
      const { Refusal } = await import('@svc/contract/refusal')
      return async (input) => {
        const plain = await attempt(() => asPlainData(valueIn(input) ?? null), RangeError)
        if (plain !== undefined) canonicalJson(plain)
        const answer = await attempt(() => readJson(Buffer.from(input, 'utf8')), Refusal)
        const { metadata } = fieldsOf(answer)
        assert.ok(tokensIn(metadata).every((tokens) => tokens >= 0 && tokens <= 1_000_000))
        assert.ok(canonicalJson(moduleMetadata(metadata)).length <= 4_096)
        for (const status of [404, 422, 500])
          refusalOf({ protocol: 'X', status, answer, request: 'invalid' }, ['not_found', 'rate_limited'])
      }
    },
  },

  device: {
    files: [
      'protocols/execution/mote/device-',
      'protocols/execution/mote/actuator-state.ts',
      'contract/needs/devices.ts',
    ],
    seeds: [
      `svc/acme/device-${digest}/telemetry/t\n{"v":1.5,"unit":"C","at":"${moment}","seq":1}`,
      `svc/acme/device-${digest}/ack/a\n{"command_id":"3f2b8c1e-0a4d-4b7e-9c55-2f1d6e7a8b90","status":"accepted","at":"${moment}"}`,
      `svc/acme/device.${digest}/state/a\n{"v":{"on":true,"level":2},"at":"${moment}","seq":2,"sig":"${'A'.repeat(86)}"}`,
    ],
    async load() {
      const { parseTopic, commandTopic } = await import('@svc/protocols/execution/mote/device-topic')
      const { readAck, readReported, readTelemetry } = await import(
        '@svc/protocols/execution/mote/device-report'
      )
      const device = { public_key: 'A'.repeat(43), signed_readings: false } as never
      const sensor = { unit: 'C' } as never
      const actuator = {
        fields: { on: { kind: 'flag' }, level: { kind: 'number', min: 0, max: 9 } },
      } as never
      const now = new Date(moment)
      return (input) => {
        const [topic = '', ...rest] = input.split('\n')
        const payload = Buffer.from(rest.join('\n'), 'utf8')
        const place = parseTopic(topic)
        if (!place) return
        assert.ok(commandTopic(place.tenant_id, place).startsWith(topic.split('/').slice(0, 3).join('/')))
        const reading = readTelemetry(topic, payload, sensor, device, now)
        if ('observed_at' in reading) assert.ok(Number.isFinite(reading.observed_at.getTime()))
        readAck(topic, payload, device, now)
        readReported(topic, payload, actuator, device, now)
      }
    },
  },

  cursor: {
    files: ['contract/list-page.ts', 'protocols/awareness/registry/entry.ts', 'contract/moment.ts'],
    seeds: [`${moment}|abc`, `1790000000000.${digest}`],
    words: ['|', '.', '+010000-01-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '999999999999999'],
    async load() {
      const { readPage } = await import('@svc/contract/list-page')
      const { readCursor, writeCursor } = await import('@svc/protocols/awareness/registry/entry')
      const { isMoment } = await import('@svc/contract/moment')
      const { Refusal } = await import('@svc/contract/refusal')
      return async (input) => {
        const cursor = Buffer.from(input, 'latin1').toString('base64url')
        const listing = {
          id_form: /^[a-z]{3}$/,
          placeOf: () => ({ at: moment, id: 'abc' }),
          async read({ before }: { before: { at: string } | null }) {
            assert.ok(before && isMoment(before.at), 'the database takes no other time')
            return []
          },
        }
        await attempt(() => readPage({ cursor }, listing), Refusal)
        const position = readCursor(cursor)
        if (!position) return
        assert.ok(isMoment(position.registered_at), 'the database takes no other time')
        assert.deepEqual(readCursor(writeCursor(position)), position)
      }
    },
  },

  address: {
    files: [
      'protocols/awareness/mars/endpoint-url.ts',
      'adapters/outbound/public-address.ts',
      'protocols/execution/mat/tool-id.ts',
      'protocols/awareness/mim/mail-receipt.ts',
    ],
    seeds: [
      'https://a.example/x?y#z',
      'http://127.1:80',
      'https://[::ffff:10.0.0.1]/',
      'https://0x7f.1',
      'mcp:server/tool',
      'svc:max.audit_query',
      `3f2b8c1e-0a4d-4b7e-9c55-2f1d6e7a8b90.1.${'0'.repeat(32)}`,
    ],
    words: [
      'https://',
      '[',
      ']',
      '::',
      '@',
      '%00',
      '169.254.169.254',
      '2130706433',
      'fe80::1',
      '64:ff9b::',
      '2002:',
    ],
    async load() {
      const { urlFault } = await import('@svc/protocols/awareness/mars/endpoint-url')
      const { isLoopbackAddress, isPublicAddress } = await import('@svc/adapters/outbound/public-address')
      const { isToolId, readToolId, serverToolId, svcToolId } = await import(
        '@svc/protocols/execution/mat/tool-id'
      )
      const { readReceipt } = await import('@svc/protocols/awareness/mim/mail-receipt')
      const vault = { blind: () => '1'.repeat(32) } as never
      return (input) => {
        readReceipt(vault, input)
        isPublicAddress(input)
        if (isToolId(input)) {
          const tool = readToolId(input)
          const written =
            tool.kind === 'svc'
              ? svcToolId(tool.protocol, tool.operation)
              : serverToolId(
                  { id: tool.server_id, transport: tool.kind === 'a2a' ? 'a2a' : 'http' },
                  tool.name,
                )
          assert.equal(written, input)
        }
        if (urlFault({ kind: 'external', url: input }) !== undefined) return
        const host = new URL(input).hostname.replace(/^\[|\]$/g, '')
        const is_private = isIP(host) !== 0 && /^(10|192\.168|169\.254)\./.test(host)
        assert.ok(!is_private || isLoopbackAddress(host), 'an address inside is not published')
      }
    },
  },
}

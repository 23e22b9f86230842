import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { DelegationToken } from './authority/delegation-token.ts'
import { Treaty } from './authority/treaty.ts'
import { ClientConfig } from './client-config.ts'
import { Answer, ErrorBody, HandleRequestInput } from './dispatch.ts'
import { ExternalProtocolRegistration } from './foreign/external-protocol.ts'
import { PluginLoaderConfig, PluginManifest } from './foreign/plugin-manifest.ts'
import { Recipe, StepResult } from './recipe.ts'

const hex = '0123456789abcdef'.repeat(4)
const did = `did:oas:acme:agent:${hex}`
const other_did = `did:oas:bolt:agent:${hex}`
const hash = `sha256:${hex}`
const signature = 'A'.repeat(86)
const time = '2026-11-15T10:00:00Z'
const uuid = '00000000-0000-4000-8000-000000000001'

interface Row {
  name: string
  schema: TSchema
  good: Record<string, unknown>
  /** Each is merged into the valid value and must then be refused; `undefined` removes a field. */
  bad: Record<string, unknown>[]
}

const rows: Row[] = [
  {
    name: 'DelegationToken',
    schema: DelegationToken,
    good: {
      from_did: did,
      to_did: other_did,
      capabilities: [
        {
          name: 'svc.max.audit_query',
          caveats: ['time:09-17'],
          limits: { max_per_hour: 5 },
          expires_at: time,
        },
      ],
      max_redelegation_depth: 0,
      expires_at: time,
      revocation_url: 'https://acme.example/revoked/1',
      signature,
    },
    bad: [
      { signature: undefined },
      { signature: 'A'.repeat(85) },
      { capabilities: [] },
      { max_redelegation_depth: -1 },
      { max_redelegation_depth: 0.5 },
      { revocation_url: 'http://acme.example/revoked' },
      { revocation_url: 'https://user@acme.example/' },
      { expires_at: 'tomorrow' },
    ],
  },
  {
    name: 'Treaty',
    schema: Treaty,
    good: {
      id: hash,
      parties: [
        { tenant: 'acme', did },
        { tenant: 'bolt', did: other_did },
      ],
      grants: [
        {
          to: 'bolt',
          capability: 'svc.mind.*',
          caveats: ['time:09-17'],
          limits: { max_per_call_bps: 10, weekly_budget_usd: '100.50' },
        },
      ],
      settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: 25 },
      dispute_resolution: { via: 'MOOT', venue: 'acme' },
      effective_from: time,
      expires_at: time,
      signatures: [{ signed_by: did, timestamp: time, signature }],
    },
    bad: [
      { id: hex },
      { parties: [{ tenant: 'acme', did }] },
      { grants: [{ to: 'bolt', capability: 'svc.*.*' }] },
      { grants: [{ to: 'bolt', capability: 'svc.mind.*', limits: { weekly_budget_usd: 100 } }] },
      { settlement: { rail: 'internal', currency: 'usd' } },
      { dispute_resolution: undefined },
      { signatures: [{ signed_by: did, signature }] },
    ],
  },
  {
    name: 'PluginManifest',
    schema: PluginManifest,
    good: { plugin: manifest({}) },
    bad: [
      { plugin: manifest({ plugin_type: 'Other' }) },
      { plugin: manifest({ binary: { source_type: 'native', path: 'a.so' } }) },
      { plugin: manifest({ binary: { source_type: 'wasm', path: '../a.wasm' } }) },
      { plugin: manifest({ binary: { source_type: 'wasm', path: 'a/../../b.wasm' } }) },
      { plugin: manifest({ binary: { source_type: 'wasm', path: '/etc/passwd' } }) },
      { plugin: manifest({ operations: { operations: [] } }) },
      { plugin: manifest({ operations: ['score'] }) },
      { plugin: manifest({ integrations: { model: { kind: 'model' } } }) },
      { plugin: manifest({ integrations: { 'Bad Name': { kind: 'model', endpoint: 'x' } } }) },
      { plugin: manifest({ signature: { signed_by: did, signature } }) },
      { plugin: undefined },
    ],
  },
  {
    name: 'PluginLoaderConfig',
    schema: PluginLoaderConfig,
    good: {
      directory: '/var/lib/svc/plugins',
      auto_discover: true,
      allowed_sources: ['wasm', 'builtin'],
      watch_interval_ms: 5000,
      require_signatures: true,
      trusted_publishers: [did],
    },
    bad: [
      { allowed_sources: ['native'] },
      { watch_interval_ms: 0 },
      { trusted_publishers: ['acme'] },
      { directory: '' },
    ],
  },
  {
    name: 'ExternalProtocolRegistration',
    schema: ExternalProtocolRegistration,
    good: {
      name: 'MIM',
      version: 'v1.0.0',
      endpoint: 'https://mim.example:8443/base',
      timeout: '30s',
      operations: ['message_send', 'charter.declare'],
      auth: { kind: 'did-auth', did },
    },
    bad: [
      { timeout: 30 },
      { timeout: '30' },
      { timeout: '0s' },
      { endpoint: 'ftp://mim.example' },
      { endpoint: 'http://a@127.0.0.1' },
      { endpoint: 'https://mim.example/?a=1' },
      { operations: [] },
      { operations: ['Send'] },
      { auth: { kind: 'none' } },
    ],
  },
  {
    name: 'Recipe',
    schema: Recipe,
    good: {
      id: hash,
      version: '1.0.0',
      steps: [
        {
          kind: 'Protocol',
          name: 'look',
          protocol: 'MAX',
          operation: 'audit_query',
          payload: {},
          depends_on: [],
        },
        {
          kind: 'Gate',
          condition: 'true',
          on_true: [{ kind: 'Audit', event_type: 'custom.a', metadata: {} }],
          on_false: [],
        },
        { kind: 'SubRecipe', recipe_id: hash, params: {} },
        { kind: 'Parallel', steps: [{ kind: 'Parallel', steps: [] }] },
      ],
      audit_checkpoints: ['look'],
      governance_gates: [{ at_step: 'look', kind: 'MACE-quorum', on_pass: 'Continue', on_fail: 'Escalate' }],
    },
    bad: [
      { steps: [] },
      { steps: [{ kind: 'Loop', steps: [] }] },
      { steps: [{ kind: 'Parallel', steps: [{ kind: 'Parallel', steps: [{ kind: 'Loop' }] }] }] },
      { steps: [{ kind: 'Audit', event_type: 'custom.a', metadata: {}, extra: 1 }] },
      { governance_gates: [{ at_step: 'look', kind: 'COUNCIL', on_pass: 'Continue', on_fail: 'Abort' }] },
    ],
  },
  {
    name: 'StepResult',
    schema: StepResult,
    good: { data: [1], metadata: {}, confidence_score: 0.5, execution_time_ms: 3.2, error: 'late' },
    bad: [{ confidence_score: 1.01 }, { confidence_score: -0.1 }, { execution_time_ms: -1 }],
  },
  {
    name: 'ClientConfig',
    schema: ClientConfig,
    good: {
      auth_url: 'https://a.example',
      api_url: 'http://127.0.0.1:8080',
      agent_did: did,
      api_key: 'k',
      tenant_id: 'acme',
      access_token: 't',
      refresh_token: 'r',
    },
    bad: [{ agent_did: 'me' }, { api_key: '' }, { api_url: 'example' }],
  },
  {
    name: 'HandleRequestInput',
    schema: HandleRequestInput,
    good: {
      protocol: 'MAX',
      version: 'v1',
      operation: 'audit_query',
      input: null,
      tenant_id: 'acme',
      idempotency_key: 'k',
      invoke_context: { metadata: {} },
    },
    bad: [{ input: undefined }, { tenant_id: '' }, { protocol: 1 }, { idempotency_key: '' }],
  },
  {
    name: 'Answer',
    schema: Answer,
    good: { output: {}, metadata: answerMetadata({}) },
    bad: [
      { metadata: answerMetadata({ audit_head: 'x' }) },
      { metadata: answerMetadata({ replayed: undefined }) },
    ],
  },
  {
    name: 'ErrorBody',
    schema: ErrorBody,
    good: { error: errorFields({}) },
    bad: [
      { error: errorFields({ stage: 9 }) },
      { error: errorFields({ message: undefined }) },
      { error: errorFields({ cause: 'x' }) },
    ],
  },
]

function manifest(over: Record<string, unknown>) {
  return {
    name: 'reasoner',
    version: '1.2.3',
    description: 'Scores things.',
    plugin_type: 'Protocol',
    protocol: 'MARE',
    binary: { source_type: 'wasm', path: 'build/reasoner.wasm' },
    metadata: { author: did, license: 'Apache-2.0', min_svc_version: '0.1.0' },
    operations: { operations: ['score'] },
    integrations: { model: { kind: 'model', endpoint: 'https://model.example/v1' } },
    signature: { signed_by: did, signature, signed_at: time },
    ...over,
  }
}

function answerMetadata(over: Record<string, unknown>) {
  const usage = { tokens_in: 0, tokens_out: 0, seconds: 0.003, watt_hours: 0.00002, amount_usd: '0.000054' }
  const named = { correlation_id: uuid, protocol: 'MIND', version: 'v1.0.0', operation: 'store_memory' }
  return { ...named, audit_head: hex, audit_record_id: uuid, usage, replayed: false, ...over }
}

function errorFields(over: Record<string, unknown>) {
  const details = {
    requested_capability: 'svc.mind.store_memory',
    denying_policy: null,
    dissent: null,
    appeal_path: null,
  }
  const error = {
    code: 'capability_denied',
    message: 'No.',
    reason: 'no active treaty',
    stage: 4,
    correlation_id: uuid,
  }
  return { ...error, retryable: false, retry_after_ms: null, details, audit_head: hex, ...over }
}

function lay(good: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...good, ...over }).filter(([, value]) => value !== undefined))
}

for (const { name, schema, good, bad } of rows) {
  test(`${name} accepts what the spec describes and refuses what it does not`, () => {
    assert.ok(Check(schema, good))
    assert.ok(!Check(schema, { ...good, surprise: 1 }), 'a field nobody declared was accepted')
    for (const over of bad) assert.ok(!Check(schema, lay(good, over)), JSON.stringify(over))
  })
}

// The five questions of InvokeContext and those of ResolvedAgentIdentity: the contract and the plugin kit
// agree. The Rust kit runs the same vectors.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { covers } from '@svc/contract/authority/capability'
import * as contract from '@svc/contract/identity/identity'
import {
  callerEntityKind,
  callerHumanRoot,
  callerLineageVerified,
  type InvokeContext,
  identity as identityOf,
  pluginConfig,
} from '@svc/contract/invoke-context'
import * as kit from '@svc/plugin'
import { covers as kitCovers } from '@svc/plugin/identity'
import { localAdmin, testHost } from '@svc/plugin/test-host'

interface Row {
  readonly name: string
  readonly context: InvokeContext
  readonly identity: contract.ResolvedAgentIdentity
  readonly entity_kind: string
  readonly human_root: string | null
  readonly lineage_verified: boolean
  readonly is_human_root: boolean
  readonly is_autonomous_org: boolean
  readonly has_verified_lineage: boolean
  readonly effective_root_did: string | null
  readonly has_capability: Readonly<Record<string, boolean>>
  readonly plugin_config: Readonly<Record<string, unknown>>
}

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
const { contexts, local_admin } = read('caller-questions.json') as {
  contexts: readonly Row[]
  local_admin: { did: string; identity: contract.ResolvedAgentIdentity }
}
const { capabilities } = read('vectors.json')

type Questions = Pick<
  typeof contract,
  'isHumanRoot' | 'isAutonomousOrg' | 'hasVerifiedLineage' | 'effectiveRootDid' | 'hasCapability'
>

/** All questions, by their names in the vectors. */
function answersOf(row: Row, identity: contract.ResolvedAgentIdentity, ask: Questions) {
  const names = Object.keys(row.has_capability)
  return {
    identity,
    is_human_root: ask.isHumanRoot(identity),
    is_autonomous_org: ask.isAutonomousOrg(identity),
    has_verified_lineage: ask.hasVerifiedLineage(identity),
    effective_root_did: ask.effectiveRootDid(identity) ?? null,
    has_capability: Object.fromEntries(names.map((name) => [name, ask.hasCapability(identity, name)])),
  }
}

const any = kit.Type.Object({})
const asking = kit.definePlugin({
  operations: {
    who: kit.operation({
      summary: 'Says all that the kit answers about the caller.',
      effect: 'read',
      input: any,
      output: any,
      example: {},
      handle: (_input, context) => ({
        identity: context.identity(),
        entity_kind: context.caller_entity_kind(),
        human_root: context.caller_human_root() ?? null,
        lineage_verified: context.caller_lineage_verified(),
        plugin_config: context.plugin_config(),
      }),
    }),
  },
})

for (const row of contexts) {
  const { name, context, ...expected } = row

  test(`contract: ${name}`, () => {
    const actual = {
      entity_kind: callerEntityKind(context),
      human_root: callerHumanRoot(context) ?? null,
      lineage_verified: callerLineageVerified(context),
      plugin_config: pluginConfig(context),
    }
    assert.deepEqual({ ...actual, ...answersOf(row, identityOf(context), contract) }, expected)
  })

  test(`plugin kit: ${name}`, async () => {
    const host = testHost(asking, { context: context as kit.CallFacts, config: { ...row.plugin_config } })
    const answer = (await host.run('who', {})) as Pick<Row, 'identity'>
    assert.deepEqual({ ...answer, ...answersOf(row, answer.identity, kit as never) }, expected)
  })
}

test('local_admin: development only, so the kit has it for tests alone', () => {
  assert.deepEqual(contract.localAdmin(local_admin.did), local_admin.identity)
  assert.deepEqual(localAdmin(local_admin.did), local_admin.identity)
  assert.equal('localAdmin' in kit, false)
})

test('capability names match in the kit as in the contract', () => {
  for (const { held, wanted, covers: covered } of capabilities.pairs)
    assert.deepEqual([covers(held, wanted), kitCovers(held, wanted)], [covered, covered], `${held} ${wanted}`)
})

// Depth, parent and root of an identity are the same wherever they are shown.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { runCli } from '@svc/cli/run'
import { admin as runAdmin } from '@svc/service/admin'
import { testTerminal } from '../../clients/test-terminal.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'
import { call, type DeveloperScene, type Fields, openDeveloperScene } from './developer-scene.ts'

let scene: DeveloperScene
let developer: Addresses
let root_did: string

before(async () => {
  scene = await openDeveloperScene()
  developer = scene.developer
  root_did = (await call(developer, 'OAS', 'resolve', { did: developer.agent_did })).identity.human_root_did
})
after(() => scene.close())

interface Place {
  readonly depth: number
  readonly parent: string | undefined
  readonly root: string | undefined
  readonly verified: boolean
}

/** What each surface shows of an identity. */
async function placesOf(caller: Addresses): Promise<Record<string, Place>> {
  const { agent_did: did } = caller
  const place = (shown: Fields): Place => ({
    depth: shown.lineage_depth,
    parent: shown.creator_did ?? shown.parent_did ?? undefined,
    root: shown.human_root_did ?? shown.root_did ?? undefined,
    verified: shown.lineage_verified,
  })
  const { identity } = await call(caller, 'OAS', 'resolve', { did })
  const verdict = await call(caller, 'OAS', 'verify_lineage', { did })
  assert.equal(verdict.agrees, true)
  const { items } = await call(developer, 'MACS', 'list', { did })
  const headers = { authorization: `Bearer ${caller.api_key}`, 'x-agent-did': did }
  const answer = await until('the caller is known', async () => {
    const whoami = await fetch(`${caller.api_url}/v1/whoami`, { headers })
    return whoami.status !== 503 && whoami
  })
  return {
    resolve: place(identity),
    verify_lineage: {
      depth: verdict.depth,
      parent: verdict.chain[1],
      root: verdict.root_did,
      verified: verdict.verified,
    },
    list: place(items[0]),
    whoami: place(((await answer.json()) as Fields).identity),
    verify_response: place(await prove(caller)),
    cli: place((await cliWhoami(caller)).identity),
    admin: place(await adminShow(did)),
  }
}

/** Its key is in custody, so the test signs with it as the engine does. */
async function prove(caller: Addresses): Promise<Fields> {
  const { agent_did, tenant_id } = caller
  const kind = { profile: 'DidAuth', challenge_kind: 'Nonce' }
  const { session_id } = await call(caller, 'MACS', 'auth_negotiation', kind)
  const challenge = await call(caller, 'MACS', 'generate_challenge', { session_id })
  const custody = openKeystore(scene.service.service.root_keys).open(
    tenant_id,
    scene.service.service.store.engine,
  )
  const proof = await custody.sign(agent_did, challenge.signing_input)
  return await call(caller, 'MACS', 'verify_response', {
    challenge_id: challenge.challenge_id,
    agent_did,
    ...proof,
  })
}

async function cliWhoami({ api_url, api_key, agent_did, tenant_id }: Addresses): Promise<Fields> {
  const env = {
    SVC_API_URL: api_url,
    SVC_API_KEY: api_key,
    SVC_AGENT_DID: agent_did,
    SVC_TENANT_ID: tenant_id,
  }
  const terminal = testTerminal({ env })
  assert.equal(await runCli(['whoami', '--output', 'json'], terminal), 0)
  return JSON.parse(terminal.stdout)
}

async function adminShow(did: string): Promise<Fields> {
  let out = ''
  const environment = {
    SVC_DB_URL: scene.service.db_url,
    SVC_MASTER_KEY: Buffer.from(scene.service.config.master_key).toString('hex'),
  }
  const write = async (part: string) => {
    out += part
  }
  const args = ['identity', 'show', did, '--json']
  assert.equal(await runAdmin(args, environment, { input: Readable.from(['']), write }), 0)
  return JSON.parse(out)
}

test('depth, parent and root agree on every surface, for the developer, a child and a grandchild', async () => {
  const child = await scene.derive(developer, 'child')
  const grandchild = await scene.derive(child, 'grandchild')
  const family = [developer, child, grandchild]
  for (const [place, member] of family.entries()) {
    const expected = {
      depth: place + 1,
      parent: family[place - 1]?.agent_did ?? root_did,
      root: root_did,
      verified: true,
    }
    for (const [surface, shown] of Object.entries(await placesOf(member)))
      assert.deepEqual(shown, expected, `${surface} of member ${place}`)
  }
  const { items } = await call(developer, 'MACS', 'list', { limit: 100 })
  const tree = new Map(items.map(({ did, parent_did }: Fields) => [did, parent_did]))
  assert.deepEqual(
    family.map(({ agent_did }) => tree.get(agent_did)),
    [root_did, developer.agent_did, child.agent_did],
    'the tree of the console is drawn from this list',
  )
})

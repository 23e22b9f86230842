// Two releases on one database: engines are replaced one at a time under callers without retries, forward and back.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newSigner, openGateway } from '../conformance/gateway/gateway-scene.ts'
import { laterRelease, type Release, releaseOf } from '../engines/releases.ts'
import { freePorts } from '../engines/running-engine.ts'
import { readAuditLogs } from '../faults/scene/audit-log-check.ts'
import { emit, startCallers } from '../faults/scene/callers.ts'
import { announce, is_long, openChance, report } from '../faults/scene/chance.ts'
import { openProduction, type Production, type Serving } from '../faults/scene/production-scene.ts'
import { until } from '../suite/eventually.ts'

const rounds = is_long ? 5 : 1
const callers_count = 4
const calls_between = 50
/** Whoever knows only the present release goes on with it. */
const migration = {
  name: '2099-01-01-00-later-release',
  sql: `ALTER TABLE tenants ADD COLUMN later text NOT NULL DEFAULT 'later';
    CREATE INDEX later_release ON idempotency_keys (tenant_id, created_at);`,
}
const earlier_commit = readFileSync(join(import.meta.dirname, '../formats/0.11/source'), 'utf8').trim()

test(
  'a later release takes over engine by engine, and gives back, without a failed call',
  {
    timeout: 1_800_000,
  },
  (t) => takeTurns(t, undefined, laterRelease(t, migration)),
)

test(
  'this release takes over from the one before, and gives back, without a failed call',
  {
    skip: !is_long,
    timeout: 1_800_000,
  },
  (t) => takeTurns(t, releaseOf(t, earlier_commit), undefined),
)

/** Undefined is the release of this checkout. */
async function takeTurns(t: TestContext, from: Release | undefined, to: Release | undefined): Promise<void> {
  const chance = openChance()
  announce(t, import.meta.filename, rounds, chance)
  const production = await openProduction()
  t.after(() => production.close())
  const installation = await openInstallation(t, production, from)
  const callers = startCallers(installation.caller, callers_count, [emit], chance)
  t.after(() => callers.stop())
  const flow = async () => {
    const before = callers.answered.length
    await until('calls are answered', () => callers.answered.length > before + calls_between)
  }
  await flow()
  for (let round = 0; round < rounds; round++)
    for (const release of [to, from])
      for (const engine of [0, 1]) {
        await installation.replace(engine, release)
        await flow()
      }
  await callers.stop()
  const { answered, unanswered } = callers
  const refused = answered.flatMap(({ status, code }) => (status === 200 ? [] : [code]))
  assert.deepEqual([unanswered, [...new Set(refused)]], [0, []])
  const where = { data_dir: production.dir, db_url: production.db_url }
  const { own } = await readAuditLogs(installation.caller, where)
  // An engine that is stopping refuses a call, on record, and the other one does it.
  const faults = answered.filter(
    ({ correlation_id, record_id }) =>
      own.correlations.get(correlation_id)?.done !== 1 || own.outcomes.get(record_id!) !== 'success',
  )
  assert.deepEqual([faults.slice(0, 3), own.doubled_ids], [[], []])
  report(t, { answers: answered.length, replaced: 4 * rounds, failed: 0, lost: 0 })
}

async function openInstallation(t: TestContext, production: Production, release: Release | undefined) {
  const signer = newSigner()
  const env = { SVC_TRUSTED_GATEWAYS: signer.did, SVC_REQUIRE_GATEWAY: 'true' }
  const ports = [production.port, await freePorts()]
  const start = (which: number, { program }: Partial<Release> = {}) =>
    production.start({
      port: ports[which]!,
      folder: `audit-${which}`,
      env,
      ...(program === undefined ? {} : { program }),
    })
  const engines: Serving[] = []
  for (const which of [0, 1]) engines.push(await start(which, release))
  const api_urls = ports.map((port) => new URL(`http://127.0.0.1:${port}`))
  const behind = { db_url: production.db_url, api_url: api_urls[0]!.href, engine_did: production.engine_did }
  const gateway = await openGateway(behind, { api_urls, signer, plain: true })
  t.after(() => gateway.stop())
  return {
    caller: { ...production.caller, api_url: gateway.url },
    async replace(which: number, by: Release | undefined) {
      assert.equal(await engines[which]!.stop(), 0, engines[which]!.stderr())
      engines[which] = await start(which, by)
    },
  }
}

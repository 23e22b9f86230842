// Several real Redis servers that work together: a cluster of masters, and a master with a replica and sentinels.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePorts } from '../engines/running-engine.ts'
import { eventually, until } from '../suite/eventually.ts'
import { askRedis, redisProgram, startRedis, type TestRedis } from './test-redis.ts'

const slots = 16_384

/** The slots are divided equally; a node that is gone takes none of the others with it. */
export async function startCluster(t: TestContext, count: number): Promise<readonly TestRedis[]> {
  const args = ['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no']
  const nodes: TestRedis[] = []
  for (let place = 0; place < count; place++) {
    const node = await startRedis([...args, '--cluster-node-timeout', '1000'])
    t.after(() => node.close())
    const [from, to] = [place, place + 1].map((end) => Math.floor((end * slots) / count))
    await node.command(`CLUSTER ADDSLOTSRANGE ${from} ${to! - 1}`)
    nodes.push(node)
  }
  const [first, ...others] = nodes
  for (const { port, bus_port } of others) await first!.command(`CLUSTER MEET 127.0.0.1 ${port} ${bus_port}`)
  await eventually(async () => {
    const replies = await Promise.all(nodes.map((node) => node.command('CLUSTER INFO')))
    for (const info of replies) assert.match(info, /cluster_state:ok.*cluster_slots_ok:16384/s)
  })
  return nodes
}

export interface SentinelSet {
  readonly url: string
  readonly master: TestRedis
  readonly replica: TestRedis
}

/** Three sentinels, which promote the replica half a second after the master has gone. */
export async function startSentinels(t: TestContext): Promise<SentinelSet> {
  const master = await startRedis()
  t.after(() => master.close())
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`])
  t.after(() => replica.close())
  await until('the replica is in step', async () =>
    (await replica.command('INFO replication')).includes('master_link_status:up'),
  )
  const folder = mkdtempSync(join(tmpdir(), 'svc-sentinel-'))
  const running: ChildProcess[] = []
  t.after(async () => {
    for (const child of running) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })
  const first = await freePorts()
  const ports = [first, first + 1, first + 2]
  for (const port of ports) {
    const file = join(folder, `${port}.conf`)
    writeFileSync(
      file,
      `port ${port}\nbind 127.0.0.1\ndir ${folder}\nsentinel monitor shared 127.0.0.1 ${master.port} 2
sentinel down-after-milliseconds shared 500\nsentinel failover-timeout shared 2000\n`,
    )
    running.push(spawn(redisProgram(), [file, '--sentinel'], { stdio: 'ignore' }))
  }
  await until('the sentinels know each other and the replica', async () => {
    const views = await Promise.all(
      ports.map((port) => askRedis(port, 'SENTINEL MASTER shared').catch(() => '')),
    )
    return views.every((view) =>
      /num-slaves\r\n\$1\r\n1\r\n.*num-other-sentinels\r\n\$1\r\n2\r\n/s.test(view),
    )
  })
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
  return { url: `redis+sentinel://${hosts}/shared`, master, replica }
}

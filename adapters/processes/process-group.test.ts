import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import type { AllowedCommand } from '@svc/contract/needs/commands'
import fc from 'fast-check'
import { eventually } from '../../checks/suite/eventually.ts'
import { groupMembers } from './group-members.ts'
import { type ProcessGroup, startGroup } from './process-group.ts'
import { keepOutput } from './stored-output.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', GREETING: 'hello' }

function shell(script: string, ...args: string[]): AllowedCommand {
  return { command: '/bin/sh', args: ['-c', script, 'sh', ...args], env, idempotent: true }
}

async function prints(group: ProcessGroup) {
  await eventually(() => assert.ok(group.output.total() > 0))
}

test("a program runs in its own folder, with the environment of its entry and nothing of the engine's", async () => {
  const group = await startGroup(shell('cat; pwd; echo "$HOME"; env; echo "$1" >&2; exit 3', '$(touch x); *'))
  group.stdin.end('from outside\n')
  const end = await group.ended
  const [read, cwd, home, ...variables] = group.output.text().trim().split('\n')
  assert.equal(read, 'from outside')
  assert.equal(cwd, home)
  assert.ok(!existsSync(home!), 'the folder is removed with the program')
  const names = variables.map((line) => line.split('=')[0]).sort()
  assert.deepEqual(
    names,
    ['GREETING', 'HOME', 'OLDPWD', 'PATH', 'PWD', 'TMPDIR'].filter((n) => names.includes(n)),
  )
  assert.equal(group.complaints.text(), '$(touch x); *\n', 'no shell reads the arguments')
  assert.deepEqual(end, { how: 'exited', exit_code: 3, signal: null, gone: true })
  assert.deepEqual(await group.stopGroup(10), end, 'stopping an ended program changes nothing')
})

test('a program that obeys SIGTERM is not killed', async () => {
  const group = await startGroup(shell('trap "exit 7" TERM; echo up; while :; do sleep 0.01; done'))
  await prints(group)
  const end = await group.stopGroup(10_000)
  assert.deepEqual(end, { how: 'SIGTERM', exit_code: 7, signal: null, gone: true })
})

test('a program that ignores SIGTERM, and its children, are gone when stopGroup resolves', async () => {
  const script = `trap "" TERM; (trap "" TERM; while :; do sleep 0.01; done) & echo up; while :; do sleep 0.01; done`
  const group = await startGroup(shell(script))
  await prints(group)
  const [first, second] = await Promise.all([group.stopGroup(30), group.stopGroup(30)])
  assert.deepEqual(first, { how: 'SIGKILL', exit_code: null, signal: 'SIGKILL', gone: true })
  assert.deepEqual(second, first)
  assert.deepEqual((await groupMembers(group.pid)) ?? [], [])
})

test('orphaned children of a program end with it', async () => {
  const group = await startGroup(shell('(trap "" TERM HUP; exec sleep 600) & exit 0'))
  const end = await group.ended
  assert.deepEqual(end, { how: 'exited', exit_code: 0, signal: null, gone: true })
  assert.deepEqual((await groupMembers(group.pid)) ?? [], [])
})

test('a command that does not exist exits with 127 and says so', async () => {
  const group = await startGroup({ command: '/nowhere/program', args: [], env, idempotent: false })
  assert.equal((await group.ended).exit_code, 127)
  assert.match(group.complaints.text(), /nowhere/)
})

test('a program that ignores all signals dies with its engine', async (t) => {
  const module = new URL('./process-group.ts', import.meta.url).href
  const engine = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { startGroup } from ${JSON.stringify(module)}
     const group = await startGroup({ command: '/bin/sh', env: ${JSON.stringify(env)}, idempotent: true,
       args: ['-c', 'trap "" TERM INT HUP; echo up; while :; do sleep 0.05; done'] },
       { onOutput: () => console.log(group.pid) })`,
  ])
  t.after(() => engine.kill('SIGKILL'))
  const [line] = (await once(engine.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString().trim())
  assert.ok(pid > 1)
  engine.kill('SIGKILL')
  await once(engine, 'close')
  await eventually(async () => assert.deepEqual((await groupMembers(pid)) ?? [], []))
})

test('output is limited, keeping the requested end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme-ascii' })),
      fc.integer({ min: 1, max: 20 }),
      (parts, room) => {
        const [first, last] = [keepOutput(room, 'beginning'), keepOutput(room, 'end')]
        for (const part of parts) for (const buffer of [first, last]) buffer.add(Buffer.from(part))
        const whole = parts.join('')
        assert.equal(first.text(), whole.slice(0, room))
        assert.equal(last.text(), whole.slice(-room))
        assert.equal(first.total(), whole.length)
      },
    ),
  )
})

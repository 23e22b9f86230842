// svc as its own process: signals, closed pipes, and completions in the installed shells.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../clients/cli/main.ts')
let folder: string
let env: Record<string, string | undefined>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-process-'))
  const svc = join(folder, 'svc')
  await writeFile(svc, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  await chmod(svc, 0o755)
  const { PATH, NODE_COMPILE_CACHE } = process.env
  env = { PATH: `${folder}:${PATH}`, NODE_COMPILE_CACHE, HOME: folder }
})
after(() => rm(folder, { recursive: true, force: true }))

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: 'pipe' })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return { child, ended }
}

test('a reader that closes early is no error: svc ... | head', async () => {
  const { child, ended } = start(['completions', 'bash'])
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  assert.deepEqual(await ended, { code: 0, signal: null })
  assert.equal(stderr, '')
})

test('Ctrl-C ends the wait for standard input with 130', async () => {
  const { child, ended } = start(['invoke', 'NOBODY', 'knows'])
  // Printed before it waits.
  await new Promise((resolve) => child.stderr.once('data', resolve))
  child.kill('SIGINT')
  assert.deepEqual(await ended, { code: 130, signal: null })
})

test('the exit code of the process is that of the command', async () => {
  assert.deepEqual(await start(['invok']).ended, { code: 1, signal: null })
  assert.deepEqual(await start(['--version']).ended, { code: 0, signal: null })
})

/** Undefined if the shell is not installed. */
async function inShell(shell: string, script: string): Promise<string | undefined> {
  try {
    return (await run(shell, ['-c', script], { env })).stdout.trim()
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

test('completions <shell>: bash', async (t) => {
  const offered = (words: readonly string[]) => {
    const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    return inShell(
      'bash',
      `source <(svc completions bash); COMP_WORDS=(svc ${quoted}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
  }
  const first = await offered(['inv'])
  if (first === undefined) return t.skip('bash is not installed')
  assert.equal(first, 'invoke')
  const cases = [
    [['invoke', 'MAX', 'audit_q'], 'audit_query'],
    [['invoke', '--dry'], '--dry-run'],
    [['invoke', 'MAX', 'audit_query', '--output', '=', 'h'], 'human'],
    // An open quote stays open; a second completion with the same prefix keeps bash from closing it.
    [['invoke', 'MAX', 'audit_query', '--input', `'{"lim`], '{"limit":\n{"limit":'],
  ] as const
  const answers = await Promise.all(cases.map(([words]) => offered(words)))
  assert.deepEqual(
    answers,
    cases.map(([, expected]) => expected),
  )
  assert.match((await offered(['invoke', 'MAX', 'audit_query', '--input', '']))!, /^'\{"/)
})

test('completions <shell>: zsh reads its script', async (t) => {
  const read = await inShell('zsh', 'svc completions zsh | zsh -n && echo read')
  if (read === undefined) return t.skip('zsh is not installed')
  assert.equal(read, 'read')
})

test('completions <shell>: fish', async (t) => {
  const offered = await inShell('fish', `svc completions fish | source; complete -C 'svc invoke MAX audit_q'`)
  if (offered === undefined) return t.skip('fish is not installed')
  assert.match(offered, /^audit_query\t/)
})

// Runs while the image is built: starts everything once as `svc-engine up`, and stops it, so that Node stores its compiled code.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const start_ms_max = 180_000
// Without settings each of these loads its code and refuses to start.
for (const name of ['serve', 'gateway', 'console', 'node'])
  spawnSync('svc-engine', [name], { timeout: start_ms_max })
const data_dir = mkdtempSync(join(tmpdir(), 'svc-warm-'))
// A builder may share the network of its machine, where the usual ports may be taken.
const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
probe.close()
const child = spawn('svc-engine', ['up', '--json', '--data-dir', data_dir, '--port', `${port}`], {
  stdio: ['ignore', 'pipe', 'inherit'],
  timeout: start_ms_max,
})
const closed = once(child, 'close')
const [line] = await Promise.race([once(child.stdout, 'data'), closed])
child.kill('SIGTERM')
const [code] = await closed
if (!String(line).includes('api_url') || code !== 0)
  throw new Error(`svc-engine up ended with ${code}: ${line}`)
rmSync(data_dir, { recursive: true })

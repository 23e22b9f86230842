// node deploy/make-secrets.mjs [--folder D] [--tenant T] [--host H]: everything an installation needs to know and nobody else may.
// Each secret is a file that compose or Kubernetes mounts; what is no secret (the DIDs) goes to .env beside the folder.
// What is there already stays as it is, so that it can be run again after an upgrade.
import { spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'

const certificate_days = 365
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(import.meta.dirname, '.secrets') },
    tenant: { type: 'string', default: 'operator' },
    host: { type: 'string', default: 'localhost' },
  },
})
const folder = resolve(values.folder)
const made = []

/** Containers read the files as other users, so the folder is closed and not each file. */
function keep(name, make) {
  const file = join(folder, name)
  if (!existsSync(file)) {
    writeFileSync(file, `${make()}\n`, { mode: 0o444, flag: 'wx' })
    made.push(name)
  }
  return readFileSync(file, 'utf8').trim()
}

/** Without characters that mean something in an address. */
const password = () => randomBytes(24).toString('base64url')
const seed = () => randomBytes(32).toString('hex')

/** did:oas:<tenant>:service:<sha256 of the public key>, of the key whose seed this is. */
function didOf(seed_hex) {
  // The fixed beginning of every PKCS#8 form of an Ed25519 seed (RFC 8410).
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from(seed_hex, 'hex'),
  ])
  const key = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
  const raw = key.export({ format: 'der', type: 'spki' }).subarray(-32)
  return `did:oas:${values.tenant}:service:${createHash('sha256').update(raw).digest('hex')}`
}

/** A certificate that signs itself: for a first try. Put a real pair in its place before anybody else calls. */
function makeCertificate() {
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  if (existsSync(cert) && existsSync(key)) return
  const names = [...new Set([values.host, 'localhost', 'gateway'])].map((name) => `DNS:${name}`)
  const subject = ['-subj', `/CN=${values.host}`, '-addext', `subjectAltName=${names.join(',')},IP:127.0.0.1`]
  const kind = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    `${certificate_days}`,
  ]
  const done = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], {
    encoding: 'utf8',
  })
  if (done.status !== 0) {
    const why = done.error?.message ?? done.stderr
    console.error(
      `No certificate could be made (${why.trim()}).\nPut a pair into ${cert} and ${key}, and run this again.`,
    )
    process.exit(1)
  }
  for (const file of [cert, key]) chmodSync(file, 0o444)
  made.push('tls.crt', 'tls.key')
}

if (!/^[a-z0-9-]{1,63}$/.test(values.tenant) || !/^[a-z0-9.-]{1,253}$/i.test(values.host)) {
  console.error('--tenant is a-z, 0-9 and -; --host is the name callers reach the gateway by.')
  process.exit(1)
}
mkdirSync(folder, { recursive: true, mode: 0o700 })
chmodSync(folder, 0o700)
keep('master_key', seed)
const agent_did = didOf(keep('agent_key', seed))
const gateway_did = didOf(keep('gateway_key', seed))
keep('postgres_password', password)
const svc_password = keep('svc_password', password)
keep('db_url', () => `postgresql://svc:${svc_password}@postgres:5432/svc`)
const redis_password = keep('redis_password', password)
keep(
  'redis_conf',
  () => `requirepass ${redis_password}\nmaxmemory-policy noeviction\nappendonly yes\nappendfsync everysec`,
)
keep('redis_url', () => `redis://:${redis_password}@redis:6379`)
keep('grafana_password', password)
makeCertificate()

const public_url = `https://${values.host}`
const settings = {
  SVC_TENANT_ID: values.tenant,
  SVC_AGENT_DID: agent_did,
  SVC_GATEWAY_DID: gateway_did,
  SVC_PUBLIC_URL: public_url,
}
const env_file = join(dirname(folder), '.env')
if (!existsSync(env_file)) {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(env_file, lines.join(''), { mode: 0o644, flag: 'wx' })
  made.push('.env')
}
// What stands in the file, which an earlier run may have been told otherwise: that is what compose reads.
const kept = parseEnv(readFileSync(env_file, 'utf8'))
console.log(JSON.stringify({ folder, env_file, made, ...kept }, null, 2))

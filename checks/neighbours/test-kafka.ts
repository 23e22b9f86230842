// A real Kafka for the test: one broker that is its own controller, its files in a temporary folder.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { arrives, until } from '../suite/eventually.ts'

const version = '3.9.1'
const java = process.env.SVC_TEST_JAVA ?? 'java'
const maven = process.env.SVC_TEST_MAVEN ?? 'mvn'
const download_ms_max = 540_000
/** Kept between runs: 46 MB of Java archives, and one that makes the broker start in a third of the time. */
const cache = join(tmpdir(), `svc-test-kafka-${process.getuid?.() ?? 0}`, version)
const jars = join(cache, 'jars')
const formatted = join(cache, 'formatted')
const classes = join(cache, 'classes.jsa')
const cluster_id = 'c3ZjLXRlc3Qta2Fma2EtMQ'
const small_java = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** A second listener: TLS that demands a certificate, and a password. */
export interface SecureListener {
  readonly ca_file: string
  /** One PEM file with the certificate and its key. */
  readonly pair_file: string
  /** A user of SASL/PLAIN. */
  readonly user: { readonly name: string; readonly password: string }
}

export interface TestKafka {
  /** host:port, as in an engine's settings. */
  readonly broker: string
  /** Where it listens with TLS and SASL, if it does. */
  readonly secure_broker: string
  readonly pid: number
  /** Kills it: `start` brings it back on the same port with its data. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its files. */
  close(): Promise<void>
}

/** Why no broker can be started here, in a sentence; undefined if one can. */
export function findKafkaMissing(): string | undefined {
  if (!runs(java, '-version'))
    return 'No Java was found to run Kafka with; install 17 or newer, or name it in SVC_TEST_JAVA.'
  if (existsSync(jars)) return undefined
  if (!is_long)
    return `Kafka ${version} was not downloaded yet, which takes minutes; npm run assurance does it once.`
  return runs(maven, '-v')
    ? undefined
    : `No Maven was found to download Kafka ${version} with; name it in SVC_TEST_MAVEN.`
}

function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

export async function startKafka(secure?: SecureListener): Promise<TestKafka> {
  await fillCache()
  const folder = mkdtempSync(join(tmpdir(), 'svc-kafka-'))
  const port = await freePorts()
  const settings = writeSettings(folder, port, secure)
  cpSync(formatted, join(folder, 'data'), { recursive: true })
  let child = await launch(settings, port, `-XX:SharedArchiveFile=${classes}`)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    broker: `127.0.0.1:${port}`,
    secure_broker: `127.0.0.1:${port + 2}`,
    get pid() {
      return child.pid!
    },
    kill,
    async start() {
      child = await launch(settings, port, `-XX:SharedArchiveFile=${classes}`)
    },
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function writeSettings(folder: string, port: number, secure?: SecureListener): string {
  const path = join(folder, 'server.properties')
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${port + 1}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${port + 1}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    // After a kill the controller accepts the new broker only after the old one's session expired.
    'broker.session.timeout.ms': 1000,
    'broker.heartbeat.interval.ms': 200,
  }
  const lines = Object.entries({ ...settings, ...(secure && secureSettings(port, secure)) }).map(
    ([name, value]) => `${name}=${value}\n`,
  )
  writeFileSync(path, lines.join(''))
  return path
}

function secureSettings(port: number, { ca_file, pair_file, user }: SecureListener) {
  const own = `127.0.0.1:${port}`
  const secure = `SASL_SSL://127.0.0.1:${port + 2}`
  const login = 'org.apache.kafka.common.security'
  return {
    listeners: `PLAINTEXT://${own},CONTROLLER://127.0.0.1:${port + 1},${secure}`,
    'advertised.listeners': `PLAINTEXT://${own},${secure}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
    'listener.name.sasl_ssl.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_${user.name}="${user.password}";`,
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': pair_file,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca_file,
    // A listener with SASL looks at no other place for it.
    'listener.name.sasl_ssl.ssl.client.auth': 'required',
  }
}

/** A user of SCRAM-SHA-512, by Kafka's own tool over the plain listener. */
export function addScramUser(broker: string, name: string, password: string): void {
  const change = ['--alter', '--entity-type', 'users', '--entity-name', name]
  const config = ['--add-config', `SCRAM-SHA-512=[iterations=4096,password=${password}]`]
  const args = ['-cp', join(jars, '*'), 'kafka.admin.ConfigCommand', '--bootstrap-server', broker]
  execFileSync(java, [...small_java, ...args, ...change, ...config], { stdio: 'ignore' })
}

/** Ready when it accepts connections: by then the controller has admitted it. */
async function launch(settings: string, port: number, ...options: string[]): Promise<ChildProcess> {
  const args = [...small_java, ...options, '-cp', join(jars, '*'), 'kafka.Kafka', settings]
  const child = spawn(java, args, { stdio: 'ignore' })
  await until('the broker is up', async () => child.exitCode !== null || (await takesConnections(port)))
  if (child.exitCode !== null) throw new Error(`the broker ended with ${child.exitCode}`)
  return child
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Named last: a partly filled cache is never used. */
async function fillCache(): Promise<void> {
  mkdirSync(join(cache, '..'), { recursive: true, mode: 0o700 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(join(cache, '..')).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  if (existsSync(jars) && existsSync(formatted) && existsSync(classes)) return
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'filling-'))
  try {
    if (!existsSync(jars)) download(folder)
    const port = await freePorts()
    const settings = writeSettings(folder, port)
    const format = ['kafka.tools.StorageTool', 'format', '-t', cluster_id, '-c', settings]
    execFileSync(java, [...small_java, '-cp', join(jars, '*'), ...format], { stdio: 'ignore' })
    if (!existsSync(formatted)) cpSync(join(folder, 'data'), formatted, { recursive: true })
    const noted = join(folder, 'classes.jsa')
    const child = await launch(settings, port, `-XX:ArchiveClassesAtExit=${noted}`)
    child.kill('SIGTERM')
    await arrives('the end of the broker', once(child, 'exit'))
    renameSync(noted, classes)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function download(folder: string): void {
  const pom = join(folder, 'pom.xml')
  writeFileSync(
    pom,
    `<project><modelVersion>4.0.0</modelVersion><groupId>svc</groupId><artifactId>test-kafka</artifactId>
     <version>1</version><packaging>pom</packaging><dependencies><dependency><groupId>org.apache.kafka</groupId>
     <artifactId>kafka_2.13</artifactId><version>${version}</version></dependency></dependencies></project>`,
  )
  const out = join(folder, 'jars')
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${out}`]
  execFileSync(maven, args, { stdio: 'ignore', timeout: download_ms_max })
  renameSync(out, jars)
}

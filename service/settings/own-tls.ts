// The TLS of this program: its own certificate, whom it trusts, and whose clients it accepts. Renewed files are used without a restart.
import { unwatchFile, watchFile } from 'node:fs'
import { system_clock } from '@svc/adapters/clock/system'
import type { ClientTls } from '@svc/contract/client-tls'
import type { Log } from '@svc/engine/ports'
import type { ListenerTls } from '@svc/gateway/listener'
import { readCertificate } from './certificate.ts'
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'
import { pem_file, readFileOf } from './setting-types.ts'

const look_at_files_ms = 2_000
/** Anybody can be refused as often as they like, so the log is told seldom. */
const refusals_told_every_ms = 10_000

export interface TlsFiles {
  /** Authorities that this program trusts. */
  readonly ca_file?: string | undefined
  readonly cert_file?: string | undefined
  readonly key_file?: string | undefined
  /** Authorities whose clients it accepts; undefined for all clients. */
  readonly clients_file?: string | undefined
}

interface Material {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly clients?: string
}

export class OwnTls {
  readonly files: TlsFiles
  #material: Material | undefined
  #log: Log | undefined
  #refused = 0
  #told_ms = Number.NEGATIVE_INFINITY
  readonly #renewing = new Set<() => void>()

  /** Reads no file yet. */
  constructor(files: TlsFiles) {
    this.files = files
  }

  static of(read: Reader): OwnTls {
    const ca_file = read('SVC_TLS_CA')
    // It listens on this machine only.
    if (read.program === 'up') return new OwnTls({ ca_file })
    const [cert_file, key_file] = [read('SVC_TLS_CERT'), read('SVC_TLS_KEY')]
    if ((cert_file === undefined) !== (key_file === undefined))
      throw new ConfigError('SVC_TLS_CERT and SVC_TLS_KEY belong together; set both, or neither.')
    const clients_file = read.program === 'console' ? undefined : read('SVC_TLS_CLIENTS')
    if (clients_file !== undefined && cert_file === undefined)
      throw new ConfigError('SVC_TLS_CLIENTS needs TLS; set SVC_TLS_CERT and SVC_TLS_KEY too.')
    return new OwnTls({ ca_file, cert_file, key_file, clients_file })
  }

  /** Undefined without a certificate: then the program listens without TLS. */
  get listener(): ListenerTls | undefined {
    if (this.files.cert_file === undefined) return undefined
    return {
      current: () => {
        const { cert = '', key = '', clients } = this.#current()
        return { cert, key, clients }
      },
      onRenewed: (renewed) => void this.#renewing.add(renewed),
      refused: (error) => this.#noteRefused(error),
    }
  }

  /** For links to our own programs and servers: trusts SVC_TLS_CA and shows the certificate. */
  readonly client: ClientTls = () => {
    const { ca, cert, key } = this.#current()
    return { ca, cert, key }
  }

  /** For servers of others: nothing is shown. */
  readonly authorities = (): string | undefined => this.#current().ca

  /** Reads the files, and again when one of them changes; throws if they cannot be used now. */
  follow(log: Log, closing: (() => Promise<unknown>)[]): void {
    this.#log = log
    this.#current()
    const renew = () => this.renew()
    const watched = Object.values(this.files).filter((file) => file !== undefined)
    // Polls instead of watching: a mounted secret changes by a symlink far above the file.
    for (const file of watched) watchFile(file, { interval: look_at_files_ms, persistent: false }, renew)
    closing.push(async () => {
      for (const file of watched) unwatchFile(file, renew)
    })
  }

  /** Open connections are kept. If the new files are invalid, the old ones stay in use. */
  renew(): void {
    if (Object.values(this.files).every((file) => file === undefined)) return
    try {
      this.#material = this.#read()
      for (const renewed of this.#renewing) renewed()
      this.#log?.info({ cert_file: this.files.cert_file }, 'the certificate was reloaded')
    } catch (error) {
      this.#log?.error({ err: error }, 'the new certificate cannot be used; the old one stays in use')
    }
  }

  #current(): Material {
    this.#material ??= this.#read()
    return this.#material
  }

  #read(): Material {
    const { ca_file, cert_file, key_file, clients_file } = this.files
    const pair =
      cert_file !== undefined && key_file !== undefined
        ? readCertificate({ cert_file, key_file }, system_clock.now_ms())
        : {}
    return {
      ...pair,
      ...(ca_file !== undefined && { ca: authoritiesIn('SVC_TLS_CA', ca_file) }),
      ...(clients_file !== undefined && { clients: authoritiesIn('SVC_TLS_CLIENTS', clients_file) }),
    }
  }

  #noteRefused(error: Error): void {
    this.#refused++
    const now_ms = system_clock.monotonic_ms()
    if (now_ms - this.#told_ms < refusals_told_every_ms) return
    this.#told_ms = now_ms
    const details = { error: error.message, connections: this.#refused }
    this.#refused = 0
    this.#log?.warn(details, 'a client was refused: it has no certificate of SVC_TLS_CLIENTS')
  }
}

/** For what is opened once, with the authorities of that moment. */
export function tlsAuthorities(read: Reader): string | undefined {
  const file = read('SVC_TLS_CA')
  return file === undefined ? undefined : readFileOf('SVC_TLS_CA', file)
}

function authoritiesIn(name: string, file: string): string {
  return readFileOf(name, pem_file.parse(file, name)!)
}

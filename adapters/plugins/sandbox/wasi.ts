// WASI 0.2 for a plugin: everything that a language's runtime needs at its start, and nothing that leads outside.
import { Buffer } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import process from 'node:process'
import type { Interface } from './bare.ts'
import type { WasiGrant } from './words.ts'

const random_bytes_max = 65_536n
const write_bytes_max = 4_096n

/** Where the plugin's printed text goes; bounded there. */
export type Print = (text: string) => void

export function inertWasi(grants: readonly WasiGrant[], print: Print): Readonly<Record<string, Interface>> {
  return {
    'wasi:cli/environment': {
      getEnvironment: () => [],
      getArguments: () => [],
      initialCwd: () => undefined,
    },
    'wasi:cli/exit': {
      exit: () => trap('a plugin cannot exit'),
      exitWithCode: () => trap('a plugin cannot exit'),
    },
    ...standardStreams(print),
    ...clocks(grants.includes('clocks')),
    ...chance(grants.includes('random')),
    'wasi:filesystem/preopens': { getDirectories: () => [] },
    'wasi:filesystem/types': { Descriptor, DirectoryEntryStream, filesystemErrorCode: () => undefined },
  }
}

function trap(why: string): never {
  throw new Error(why)
}

/** Never reachable, since there is no directory to begin at; here because runtimes import the types. */
class Descriptor {}
class DirectoryEntryStream {}
class Pollable {
  ready(): boolean {
    return true
  }
  block(): void {}
}
class IoError {
  toDebugString(): string {
    return 'closed'
  }
}
class InputStream {
  read(): never {
    throw { tag: 'closed' }
  }
  blockingRead(): never {
    throw { tag: 'closed' }
  }
  skip(): never {
    throw { tag: 'closed' }
  }
  blockingSkip(): never {
    throw { tag: 'closed' }
  }
  subscribe(): Pollable {
    return new Pollable()
  }
}
class TerminalInput {}
class TerminalOutput {}

function standardStreams(print: Print): Readonly<Record<string, Interface>> {
  const show = (bytes: Uint8Array) => print(Buffer.from(bytes).toString('utf8'))
  class OutputStream {
    checkWrite(): bigint {
      return write_bytes_max
    }
    write(bytes: Uint8Array): void {
      show(bytes)
    }
    blockingWriteAndFlush(bytes: Uint8Array): void {
      show(bytes)
    }
    flush(): void {}
    blockingFlush(): void {}
    writeZeroes(): void {}
    blockingWriteZeroesAndFlush(): void {}
    splice(): bigint {
      return 0n
    }
    blockingSplice(): bigint {
      return 0n
    }
    subscribe(): Pollable {
      return new Pollable()
    }
  }
  return {
    'wasi:io/error': { Error: IoError },
    'wasi:io/poll': { Pollable, poll: (waited: readonly unknown[]) => Uint32Array.from(waited.keys()) },
    'wasi:io/streams': { InputStream, OutputStream },
    'wasi:cli/stdin': { getStdin: () => new InputStream() },
    'wasi:cli/stdout': { getStdout: () => new OutputStream() },
    'wasi:cli/stderr': { getStderr: () => new OutputStream() },
    'wasi:cli/terminal-input': { TerminalInput },
    'wasi:cli/terminal-output': { TerminalOutput },
    'wasi:cli/terminal-stdin': { getTerminalStdin: () => undefined },
    'wasi:cli/terminal-stdout': { getTerminalStdout: () => undefined },
    'wasi:cli/terminal-stderr': { getTerminalStderr: () => undefined },
  }
}

function clocks(granted: boolean): Readonly<Record<string, Interface>> {
  const wall = () => {
    const now_ms = granted
      ? Date.now()
      : trap('the manifest asks for no clock: add an integration wasi clocks')
    return { seconds: BigInt(Math.floor(now_ms / 1000)), nanoseconds: (now_ms % 1000) * 1_000_000 }
  }
  const monotonic = () =>
    granted ? process.hrtime.bigint() : trap('the manifest asks for no clock: add an integration wasi clocks')
  // Waiting is not provided: the deadline of a call is for work.
  const subscribe = () => trap('a plugin cannot wait')
  return {
    'wasi:clocks/wall-clock': { now: wall, resolution: () => ({ seconds: 0n, nanoseconds: 1_000_000 }) },
    'wasi:clocks/monotonic-clock': {
      now: monotonic,
      resolution: () => 1n,
      subscribeInstant: subscribe,
      subscribeDuration: subscribe,
    },
  }
}

function chance(granted: boolean): Readonly<Record<string, Interface>> {
  const bytes = (count: bigint): Uint8Array => {
    if (!granted) trap('the manifest asks for no random numbers: add an integration wasi random')
    if (count > random_bytes_max) trap(`a plugin gets at most ${random_bytes_max} random bytes at once`)
    return randomFillSync(new Uint8Array(Number(count)))
  }
  const number = () => Buffer.from(bytes(8n)).readBigUInt64LE()
  return {
    'wasi:random/random': { getRandomBytes: bytes, getRandomU64: number },
    'wasi:random/insecure': { getInsecureRandomBytes: bytes, getInsecureRandomU64: number },
    // Seeds hash maps; a constant seed reveals nothing.
    'wasi:random/insecure-seed': { insecureSeed: () => [0n, 0n], getInsecureSeed: () => [0n, 0n] },
  }
}

/** Interfaces by name, without version; any other import is refused before loading. */
export const wasi_names: ReadonlySet<string> = new Set(Object.keys(inertWasi([], () => {})))

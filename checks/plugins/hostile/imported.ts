// Plugins that import from WASI or unknown interfaces: the WIT of each, and the core imports that follow.
import { type WatPlugin, watPlugin } from '../wat-plugin.ts'

const io = `package wasi:io@0.2.0 {
  interface poll { resource pollable { ready: func() -> bool; block: func(); } }
  interface error { resource error { to-debug-string: func() -> string; } }
  interface streams {
    use error.{error}; use poll.{pollable};
    variant stream-error { last-operation-failed(error), closed }
    resource input-stream {
      read: func(len: u64) -> result<list<u8>, stream-error>;
      subscribe: func() -> pollable;
    }
    resource output-stream { blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>; }
  }
}`
const cli = `package wasi:cli@0.2.0 {
  interface environment {
    get-environment: func() -> list<tuple<string, string>>;
    get-arguments: func() -> list<string>;
    initial-cwd: func() -> option<string>;
  }
  interface exit { exit: func(status: result); }
  interface stdin { use wasi:io/streams@0.2.0.{input-stream}; get-stdin: func() -> input-stream; }
  interface stdout { use wasi:io/streams@0.2.0.{output-stream}; get-stdout: func() -> output-stream; }
}`
const filesystem = `package wasi:filesystem@0.2.0 {
  interface types {
    flags path-flags { symlink-follow } flags open-flags { create, directory, exclusive, truncate }
    flags descriptor-flags { read, write }
    enum error-code { access, no-entry }
    resource descriptor {
      open-at: func(path-flags: path-flags, path: string, open-flags: open-flags, %flags: descriptor-flags)
        -> result<descriptor, error-code>;
    }
  }
  interface preopens { use types.{descriptor}; get-directories: func() -> list<tuple<descriptor, string>>; }
}`
const clocks = `package wasi:clocks@0.2.0 {
  interface monotonic-clock {
    use wasi:io/poll@0.2.0.{pollable};
    now: func() -> u64; subscribe-duration: func(when: u64) -> pollable;
  }
  interface wall-clock { record datetime { seconds: u64, nanoseconds: u32 } now: func() -> datetime; }
}`
const random = `package wasi:random@0.2.0 {
  interface random { get-random-bytes: func(len: u64) -> list<u8>; get-random-u64: func() -> u64; }
}`

interface Imported {
  readonly world: string
  readonly packages: string
  readonly imports: string
}

const streams = 'wasi:io/streams@0.2.0'

const interfaces = {
  printing: {
    world: 'import wasi:cli/stdout@0.2.0;',
    packages: io + cli,
    imports: `(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
      (import "${streams}" "[method]output-stream.blocking-write-and-flush" (func $print (param i32 i32 i32 i32)))`,
  },
  polling: {
    world: 'import wasi:cli/stdin@0.2.0; import wasi:io/poll@0.2.0;',
    packages: io + cli,
    imports: `(import "wasi:cli/stdin@0.2.0" "get-stdin" (func $stdin (result i32)))
      (import "${streams}" "[method]input-stream.subscribe" (func $subscribe (param i32) (result i32)))
      (import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))`,
  },
  reading: {
    world: 'import wasi:cli/stdin@0.2.0;',
    packages: io + cli,
    imports: `(import "wasi:cli/stdin@0.2.0" "get-stdin" (func $stdin (result i32)))
      (import "${streams}" "[method]input-stream.read" (func $read (param i32 i64 i32)))
      (import "${streams}" "[resource-drop]input-stream" (func $drop (param i32)))`,
  },
  sleeping: {
    world: 'import wasi:clocks/monotonic-clock@0.2.0;',
    packages: io + clocks,
    imports: `(import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $now (result i64)))
      (import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $sleep (param i64) (result i32)))`,
  },
  wall: {
    world: 'import wasi:clocks/wall-clock@0.2.0;',
    packages: io + clocks,
    imports: '(import "wasi:clocks/wall-clock@0.2.0" "now" (func $now (param i32)))',
  },
  chance: {
    world: 'import wasi:random/random@0.2.0;',
    packages: random,
    imports: `(import "wasi:random/random@0.2.0" "get-random-u64" (func $random (result i64)))
      (import "wasi:random/random@0.2.0" "get-random-bytes" (func $bytes (param i64 i32)))`,
  },
  environment: {
    world: 'import wasi:cli/environment@0.2.0;',
    packages: cli + io,
    imports: `(import "wasi:cli/environment@0.2.0" "get-environment" (func $environment (param i32)))
      (import "wasi:cli/environment@0.2.0" "get-arguments" (func $arguments (param i32)))
      (import "wasi:cli/environment@0.2.0" "initial-cwd" (func $cwd (param i32)))`,
  },
  exit: {
    world: 'import wasi:cli/exit@0.2.0;',
    packages: cli + io,
    imports: '(import "wasi:cli/exit@0.2.0" "exit" (func $exit (param i32)))',
  },
  files: {
    world: 'import wasi:filesystem/preopens@0.2.0;',
    packages: filesystem,
    imports: `(import "wasi:filesystem/preopens@0.2.0" "get-directories" (func $directories (param i32)))
      (import "wasi:filesystem/types@0.2.0" "[method]descriptor.open-at"
        (func $open (param i32 i32 i32 i32 i32 i32 i32)))
      (import "wasi:filesystem/types@0.2.0" "[resource-drop]descriptor" (func $drop (param i32)))`,
  },
} satisfies Record<string, Imported>

export function imported(what: keyof typeof interfaces, plugin: WatPlugin): Promise<Uint8Array> {
  return watPlugin({ ...interfaces[what], ...plugin })
}

/**
 * Imports one function without arguments of an interface nobody provides: `namespace:package/name@version`.
 */
export function importing(name: string, named = 'go'): Promise<Uint8Array> {
  const [path = '', version = ''] = name.split('@')
  const [page_registry = '', interface_name = ''] = path.split('/')
  return watPlugin({
    world: `import ${name};`,
    packages: `package ${page_registry}@${version} { interface ${interface_name} { ${named}: func(); } }`,
    imports: `(import "${name}" "${named}" (func $go))`,
    invoke: 'call $go (i32.const 64)',
  })
}

// Access to the outside: WASI that is not granted, unknown handles, and names meant to become JavaScript.
import { escaped, host_imports, watPlugin, withMore } from '../wat-plugin.ts'
import type { HostileCase } from './hostile-case.ts'
import { imported, importing } from './imported.ts'

const done = '(i32.const 64)'
const ok = { answered: '{"ok":true}' }
/** Traps unless the list written to `at` is empty. */
const is_empty = (at: number) => `(if (i32.load offset=4 (i32.const ${at})) (then unreachable))`
const unlisted = (name: string): HostileCase => ({
  name: `an import of ${name}`,
  make: () => importing(name),
  fate: { refused: /which no plugin is given/ },
})

/** JavaScript that does whatever it can; between quotes it is only a name. */
const loot = `globalThis.process?.kill?.(process.ppid)`
const code_names: Readonly<Record<string, string>> = {
  'a quote': `'+(${loot})+'`,
  'a quote and a bracket': `'];${loot};['`,
  'a backslash before the quote': `\\'];${loot};//`,
  'a backslash at its end': 'a\\',
  'a line break': `a\n${loot}//`,
  'a carriage return': `a\r${loot}//`,
  'a template literal': `\`\${${loot}}\``,
  'a comment': `*/${loot}/*`,
  'double quotes': `"+${loot}+"`,
  'a line separator': `a\u2028${loot}`,
  'a brace': `a}${loot}{`,
  ['__proto__']: '__proto__',
}

function codeNames(): HostileCase[] {
  return Object.entries(code_names).flatMap(([what, name]) => [
    {
      name: `${what} in the name of a module's import`,
      make: async () =>
        withMore(
          await watPlugin(),
          `(core module $y (func (export "f"))) (core instance $yi (instantiate $y))
           (core module $x (import "${escaped(name)}" "f" (func)))
           (core instance (instantiate $x (with "${escaped(name)}" (instance $yi))))`,
        ),
      fate: { refused: /uses the name .*, which no compiler writes/ },
    },
    {
      name: `${what} in the name of a module's export`,
      make: async () =>
        withMore(
          await watPlugin(),
          `(core module $y (func (export "${escaped(name)}"))) (core instance $yi (instantiate $y))
           (core module $x (import "a" "f" (func)))
           (core instance (instantiate $x
             (with "a" (instance (export "f" (func $yi "${escaped(name)}"))))))`,
        ),
      fate: { refused: /uses the name .*, which no compiler writes/ },
    },
  ])
}

export const reaching: readonly HostileCase[] = [
  ...[
    'wasi:sockets/tcp@0.2.0',
    'wasi:sockets/instance-network@0.2.0',
    'wasi:http/outgoing-handler@0.2.0',
    'wasi:keyvalue/store@0.2.0',
    'node:fs/promises@1.0.0',
    'svc:engine/keys@1.0.0',
  ].map(unlisted),
  {
    name: 'an import of what every JavaScript object has',
    make: () =>
      watPlugin({
        world: 'import wasi:random/insecure-seed@0.2.0;',
        packages:
          'package wasi:random@0.2.0 { interface insecure-seed { %constructor: func(); to-string: func(); } }',
        imports: `(import "wasi:random/insecure-seed@0.2.0" "constructor" (func $c))
          (import "wasi:random/insecure-seed@0.2.0" "to-string" (func $t))`,
        invoke: `call $c call $t ${done}`,
      }),
    fate: [{ trapped: /./ }, { unstarted: /./ }, { refused: /./ }],
  },
  {
    name: 'environment, arguments and folder',
    make: () =>
      imported('environment', {
        invoke: `(call $environment (i32.const 2048)) ${is_empty(2048)} (call $arguments (i32.const 2048)) ${is_empty(2048)}
          (call $cwd (i32.const 2048)) (if (i32.load8_u (i32.const 2048)) (then unreachable)) ${done}`,
      }),
    fate: ok,
  },
  {
    name: 'folders to begin at',
    make: () =>
      imported('files', { invoke: `(call $directories (i32.const 2048)) ${is_empty(2048)} ${done}` }),
    fate: ok,
  },
  {
    name: 'a path with ../ from a handle nobody gave',
    make: () =>
      imported('files', {
        fields: '(data (i32.const 3072) "../../../../etc/passwd")',
        invoke: `(call $open (i32.const 3) (i32.const 1) (i32.const 3072) (i32.const 22) (i32.const 0) (i32.const 1)
          (i32.const 2048)) ${done}`,
      }),
    fate: { trapped: /./ },
  },
  {
    name: 'a handle nobody gave, dropped',
    make: () => imported('files', { invoke: `(call $drop (i32.const 3)) ${done}` }),
    fate: [{ trapped: /./ }, ok],
  },
  {
    name: 'a handle dropped twice',
    make: () =>
      imported('reading', {
        invoke: `(local $s i32) (local.set $s (call $stdin)) (call $drop (local.get $s)) (call $drop (local.get $s)) ${done}`,
      }),
    fate: { trapped: /./ },
  },
  {
    name: 'a handle used after it was dropped',
    make: () =>
      imported('reading', {
        invoke: `(local $s i32) (local.set $s (call $stdin)) (call $drop (local.get $s))
          (call $read (local.get $s) (i64.const 9) (i32.const 2048)) ${done}`,
      }),
    // The translator makes an empty object of an unknown number: ours is empty as well.
    fate: [{ trapped: /./ }, ok],
  },
  {
    name: 'standard input',
    make: () =>
      imported('reading', {
        invoke: `(call $read (call $stdin) (i64.const 0x7fffffffffffffff) (i32.const 2048))
          (if (i32.ne (i32.load8_u (i32.const 2048)) (i32.const 1)) (then unreachable)) ${done}`,
      }),
    fate: ok,
  },
  {
    name: 'exit',
    make: () => imported('exit', { invoke: `(call $exit (i32.const 0)) ${done}` }),
    fate: { trapped: /cannot exit/ },
  },
  {
    name: 'exit in operations',
    make: () => imported('exit', { operations: `(call $exit (i32.const 1)) (i32.const 3584)` }),
    fate: { unstarted: /cannot exit/ },
  },
  {
    name: 'the clock without a grant',
    make: () => imported('wall', { invoke: `(call $now (i32.const 2048)) ${done}` }),
    fate: { trapped: /no clock/ },
  },
  {
    name: 'time that passes, without a grant',
    make: () => imported('sleeping', { invoke: `(drop (call $now)) ${done}` }),
    fate: { trapped: /no clock/ },
  },
  {
    name: 'random numbers without a grant',
    make: () => imported('chance', { invoke: `(drop (call $random)) ${done}` }),
    wasi: ['clocks'],
    fate: { trapped: /no random/ },
  },
  {
    name: 'four thousand million random bytes, with a grant',
    make: () =>
      imported('chance', { invoke: `(call $bytes (i64.const 0xffffffff) (i32.const 2048)) ${done}` }),
    wasi: ['random'],
    fate: { trapped: /at most 65536 random bytes/ },
  },
  {
    name: 'words to the log that would colour a terminal',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        fields: `(data (i32.const 3072) "${escaped('\u001b[2J\u001b]0;owned\u0007\nlevel=50')}")`,
        invoke: `(call $log (i32.const 3) (i32.const 3072) (i32.const 24)) ${done}`,
      }),
    fate: ok,
  },
  ...codeNames(),
]

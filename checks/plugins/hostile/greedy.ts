// Plugins that demand all memory.
import { host_imports, watPlugin, withMore, words } from '../wat-plugin.ts'
import type { HostileCase } from './hostile-case.ts'

const done = '(i32.const 64)'
/** Answers as usual, but only if the instruction returned -1. */
const only_if_refused = (grow: string) => `(if (i32.ne ${grow} (i32.const -1)) (then unreachable)) ${done}`
const extra = (fields: string) => `(core module $x ${fields}) (core instance (instantiate $x))`
const hungry =
  '(memory 1) (func $s (memory.fill (i32.shl (memory.grow (i32.const 1000)) (i32.const 16)) (i32.const 1) (i32.const 65536000))) (start $s)'
const ok = { answered: '{"ok":true}' }
const sixty_mb = '(drop (memory.grow (i32.const 960)))'

export const greedy: readonly HostileCase[] = [
  {
    name: 'memory.grow to 4 GiB at once',
    make: () => watPlugin({ invoke: only_if_refused('(memory.grow (i32.const 65533))') }),
    fate: ok,
  },
  {
    name: 'memory.grow, page by page, until there is none',
    make: () =>
      watPlugin({
        invoke: `(loop $l (br_if $l (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
          (if (i32.gt_u (memory.size) (i32.const 1024)) (then unreachable)) ${done}`,
      }),
    fate: ok,
  },
  {
    name: 'a memory that begins with 4 GiB',
    make: () => watPlugin({ memory: '(memory (export "memory") 65536)' }),
    fate: { refused: /begins with 4294967296 bytes/ },
  },
  {
    name: 'modules that begin with little each, and with much together',
    make: async () =>
      withMore(
        await watPlugin(),
        Array.from({ length: 40 }, (_, i) => extra('(memory 40)').replaceAll('$x', `$x${i}`)).join(''),
      ),
    fate: { refused: /bytes of memory, and a plugin has at most/ },
  },
  {
    name: 'forty modules that each fill 64 MiB when they start',
    make: async () =>
      withMore(
        await watPlugin(),
        Array.from({ length: 40 }, (_, i) => extra(hungry).replaceAll('$x', `$x${i}`)).join(''),
      ),
    fate: [{ unstarted: /out of bounds|memory/i }],
  },
  {
    name: 'more modules than any plugin has',
    make: async () =>
      withMore(
        await watPlugin(),
        Array.from({ length: 70 }, (_, i) => extra('').replaceAll('$x', `$x${i}`)).join(''),
      ),
    fate: { refused: /more than 64 modules/ },
  },
  {
    name: 'two memories in one module',
    make: async () => withMore(await watPlugin(), extra('(memory 1) (memory 1)')),
    fate: { refused: /several memories|multi-memory|multiple memories/ },
  },
  {
    name: 'memory64',
    make: async () => withMore(await watPlugin(), extra('(memory i64 1)')),
    fate: { refused: /memory64/ },
  },
  {
    name: 'table64',
    make: async () => withMore(await watPlugin(), extra('(table i64 1 funcref)')),
    fate: { refused: /memory64/ },
  },
  {
    name: 'shared memory and atomics',
    make: async () =>
      withMore(
        await watPlugin(),
        extra(
          '(memory 1 1 shared) (func (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1))))',
        ),
      ),
    fate: { refused: /shared memory or threads/ },
  },
  {
    name: 'table.grow to four thousand million',
    make: () =>
      watPlugin({
        fields: '(table $t 1 funcref)',
        invoke: only_if_refused('(table.grow $t (ref.null func) (i32.const 0x7fffffff))'),
      }),
    fate: ok,
  },
  {
    name: 'table.grow, step by step, until there is none',
    make: () =>
      watPlugin({
        fields: '(table $t 1 funcref)',
        invoke: `(loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
          (if (i32.gt_u (table.size $t) (i32.const 100000)) (then unreachable)) ${done}`,
      }),
    fate: ok,
  },
  {
    name: 'a table that begins with ten million entries',
    make: async () => withMore(await watPlugin(), extra('(table 10000000 funcref)')),
    fate: [{ unstarted: /table/i }, { refused: /table/i }],
  },
  {
    name: 'objects of the garbage collector, kept for ever',
    make: () =>
      watPlugin({
        fields:
          '(type $list (struct (field (ref null $list)) (field i64) (field i64))) (global $all (mut (ref null $list)) (ref.null $list))',
        invoke: `(loop $l (global.set $all (struct.new $list (global.get $all) (i64.const 1) (i64.const 2))) (br $l)) ${done}`,
      }),
    fate: [{ died: /./ }, 'killed at its deadline', { refused: /gc|heap types|struct/i }],
  },
  {
    name: 'one array of a thousand million',
    make: () =>
      watPlugin({
        fields: '(type $bytes (array (mut i64)))',
        invoke: `(drop (array.new $bytes (i64.const 1) (i32.const 1000000000))) ${done}`,
      }),
    fate: [{ trapped: /array is too large|requested new array/i }, { refused: /gc|array/i }],
  },
  {
    name: 'an answer of sixty million bytes',
    make: () =>
      watPlugin({
        invoke: `${sixty_mb} (memory.fill (i32.const 131072) (i32.const 32) (i32.const 60000000))
          (i32.store (i32.const 2048) (i32.const 0)) (i32.store (i32.const 2052) (i32.const 131072))
          (i32.store (i32.const 2056) (i32.const 60000000)) (i32.const 2048)`,
      }),
    fate: [
      { died: /bytes at once|more than a call may say|memory/ },
      { trapped: /string/i },
      'killed at its deadline',
    ],
  },
  {
    name: 'a word of sixty million bytes to the log',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        invoke: `${sixty_mb} (call $log (i32.const 1) (i32.const 131072) (i32.const 60000000)) ${done}`,
      }),
    fate: [ok, { died: /memory/ }, 'killed at its deadline'],
  },
  {
    name: 'a call with seven million bytes',
    make: () =>
      watPlugin({
        imports: host_imports.call,
        invoke: `${sixty_mb} (memory.fill (i32.const 131072) (i32.const 32) (i32.const 7000000))
          (call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3)
            (i32.const 131072) (i32.const 7000000) (i32.const 2048)) ${done}`,
      }),
    fate: { died: /bytes at once/ },
  },
  {
    name: 'calls of a million bytes each, one after the other',
    make: () =>
      watPlugin({
        imports: host_imports.call,
        invoke: `${sixty_mb} (memory.fill (i32.const 131072) (i32.const 32) (i32.const 1000000))
          (loop $l (call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3)
            (i32.const 131072) (i32.const 1000000) (i32.const 2048)) (br $l)) ${done}`,
      }),
    fate: [{ died: /more than a call may say/ }, 'killed at its deadline'],
  },
  {
    name: 'a list of operations that is four thousand million long',
    make: () =>
      watPlugin({
        fields: `(data (i32.const 2048) "${words(4096, 0xffffffff)}")`,
        operations: '(i32.const 2048)',
      }),
    fate: { unstarted: /./ },
  },
  {
    name: 'a million operations',
    make: () =>
      watPlugin({
        memory: '(memory (export "memory") 200)',
        fields: `(data (i32.const 2048) "${words(131072, 1_000_000)}")`,
        operations: '(i32.const 2048)',
      }),
    fate: { unstarted: /./ },
  },
]

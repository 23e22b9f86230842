// Plugins that never end, or start again and again.
import { host_imports, watPlugin } from '../wat-plugin.ts'
import { type HostileCase, hangs_at_start_ms } from './hostile-case.ts'
import { imported } from './imported.ts'

const forever = '(loop $l (br $l))'
const million = (body: string) => `(local $i i32)
  (loop $l ${body} (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $i) (i32.const 1000000))))`
const done = '(i32.const 64)'
const too_many = { died: /more than 1000 things/ }

export const endless: readonly HostileCase[] = [
  {
    name: 'a loop in invoke',
    make: () => watPlugin({ invoke: `${forever} unreachable` }),
    fate: 'killed at its deadline',
  },
  {
    name: 'a loop in operations',
    make: () => watPlugin({ operations: `${forever} unreachable` }),
    fate: { unstarted: /not loaded within/ },
    start_ms_max: hangs_at_start_ms,
  },
  {
    name: 'a loop in the start function',
    make: () => watPlugin({ fields: `(func $s ${forever}) (start $s)` }),
    fate: { unstarted: /not loaded within/ },
    start_ms_max: hangs_at_start_ms,
  },
  {
    name: 'a loop in realloc',
    make: () => watPlugin({ realloc: `${forever} unreachable` }),
    fate: 'killed at its deadline',
  },
  {
    name: 'a loop in post-return',
    make: () => watPlugin({ fields: `(func (export "cabi_post_invoke") (param i32) ${forever})` }),
    fate: 'killed at its deadline',
  },
  {
    name: 'tail calls without end',
    make: () => watPlugin({ fields: '(func $f (result i32) return_call $f)', invoke: 'call $f' }),
    fate: 'killed at its deadline',
  },
  {
    name: 'recursion without end',
    make: () =>
      watPlugin({ fields: '(func $f (result i32) (i32.add (call $f) (call $f)))', invoke: 'call $f' }),
    fate: { trapped: /call stack/i },
  },
  {
    name: 'recursion in the start function',
    make: () => watPlugin({ fields: '(func $f call $f call $f) (start $f)' }),
    fate: { unstarted: /call stack/i },
  },
  {
    name: 'a million words to the log',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        invoke: `${million('(call $log (i32.const 1) (i32.const 192) (i32.const 3))')} ${done}`,
      }),
    fate: too_many,
  },
  {
    name: 'a million steps of progress',
    make: () =>
      watPlugin({
        imports: host_imports.progress,
        invoke: `${million('(call $progress (i32.const 192) (i32.const 3) (i32.const 1) (f64.const nan))')} ${done}`,
      }),
    fate: too_many,
  },
  {
    name: 'a million events',
    make: () =>
      watPlugin({
        imports: host_imports.audit,
        invoke: `${million(
          '(call $audit (i32.const 192) (i32.const 3) (i32.const 256) (i32.const 11) (i32.const 2048))',
        )} ${done}`,
      }),
    fate: [too_many, 'killed at its deadline'],
  },
  {
    name: 'a million calls',
    make: () =>
      watPlugin({
        imports: host_imports.call,
        invoke: `${million(
          '(call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3) (i32.const 256) (i32.const 11) (i32.const 2048))',
        )} ${done}`,
      }),
    fate: [too_many, 'killed at its deadline'],
  },
  {
    name: 'its configuration read for ever',
    make: () =>
      watPlugin({
        imports: host_imports.config,
        invoke: `(loop $l (call $config (i32.const 2048)) (br $l)) ${done}`,
      }),
    fate: 'killed at its deadline',
  },
  {
    name: 'words to the log without end, from the start function',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        operations: '(loop $l (call $log (i32.const 1) (i32.const 192) (i32.const 3)) (br $l)) unreachable',
      }),
    fate: { unstarted: /more than 1000 things/ },
  },
  {
    name: 'a call before there is a caller',
    make: () =>
      watPlugin({
        imports: host_imports.call,
        operations:
          '(call $call (i32.const 192) (i32.const 3) (i32.const 192) (i32.const 3) (i32.const 256) (i32.const 11) (i32.const 2048)) (i32.const 3584)',
      }),
    fate: { unstarted: /for invoke alone/ },
  },
  {
    name: 'a word to the log out of realloc',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        realloc: '(call $log (i32.const 1) (i32.const 192) (i32.const 3)) (i32.const 4096)',
      }),
    fate: [{ trapped: /cannot leave|may ?leave/i }, { answered: '{"ok":true}' }],
  },
  {
    name: 'printing without end',
    make: () =>
      imported('printing', {
        invoke: `(local $s i32) (local.set $s (call $stdout))
          (loop $l (call $print (local.get $s) (i32.const 192) (i32.const 3) (i32.const 2048)) (br $l)) ${done}`,
      }),
    fate: too_many,
  },
  {
    name: 'waiting for what is always ready',
    make: () =>
      imported('polling', {
        invoke: `(local $p i32) (local.set $p (call $subscribe (call $stdin)))
          (loop $l (call $block (local.get $p)) (br $l)) ${done}`,
      }),
    fate: 'killed at its deadline',
  },
  {
    name: 'sleep',
    make: () => imported('sleeping', { invoke: `(drop (call $sleep (i64.const 1000000000000))) ${done}` }),
    wasi: ['clocks'],
    fate: { trapped: /cannot wait/ },
  },
]

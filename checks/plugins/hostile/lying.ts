// Invalid values: addresses, lengths and numbers out of range, and texts that are not what they seem.
import { host_imports, refusal_at, refusalFields, type WatPlugin, watPlugin, words } from '../wat-plugin.ts'
import type { HostileCase } from './hostile-case.ts'

const result_at = 2_048
/** Answers with these words, wherever they point. */
const result = (...numbers: number[]): WatPlugin => ({
  fields: `(data (i32.const ${result_at}) "${words(...numbers)}")`,
  invoke: `(i32.const ${result_at})`,
})
const text = (answer: string) => () => watPlugin({ answer })
const bytes = (escaped: string, length: number): WatPlugin => ({
  fields: `(data (i32.const ${result_at}) "${words(0, 3_072, length)}") (data (i32.const 3072) "${escaped}")`,
  invoke: `(i32.const ${result_at})`,
})
const trapped = { trapped: /./ }

export const lying: readonly HostileCase[] = [
  {
    name: 'a result that lies outside its memory',
    make: () => watPlugin({ invoke: '(i32.const -4)' }),
    fate: trapped,
  },
  {
    name: 'a result that is not aligned',
    make: () => watPlugin({ invoke: '(i32.const 65)' }),
    fate: trapped,
  },
  {
    name: 'an answer that begins outside its memory',
    make: () => watPlugin(result(0, 0xfffffff0, 8)),
    fate: trapped,
  },
  {
    name: 'an answer that ends outside its memory',
    make: () => watPlugin(result(0, 256, 0xffffffff)),
    fate: trapped,
  },
  {
    name: 'an answer of a negative length',
    make: () => watPlugin(result(0, 256, 0x80000000)),
    fate: trapped,
  },
  { name: 'a result that is neither ok nor err', make: () => watPlugin(result(7, 256, 2)), fate: trapped },
  {
    name: 'a refusal with a code that is none',
    make: () => watPlugin({ fields: refusalFields(200, 'no'), invoke: `(i32.const ${refusal_at})` }),
    fate: trapped,
  },
  {
    name: 'a refusal whose reason is neither there nor absent',
    make: () => watPlugin(result(1, 10, 256, 2, 9, 256, 2, 0, 0, 0)),
    fate: trapped,
  },
  {
    name: 'a refusal in the name of the service itself',
    make: () =>
      watPlugin({ fields: refusalFields(15, 'It is broken.'), invoke: `(i32.const ${refusal_at})` }),
    fate: { says_no: 'internal' },
  },
  {
    name: 'realloc outside its memory',
    make: () => watPlugin({ realloc: '(i32.const 0xfffffff0)' }),
    fate: trapped,
  },
  {
    name: 'realloc into its own code of answers',
    make: () => watPlugin({ realloc: '(i32.const 64)' }),
    fate: [trapped, { answered: /./ }],
  },
  { name: 'realloc that traps', make: () => watPlugin({ realloc: 'unreachable' }), fate: trapped },
  {
    name: 'a level of the log that is none',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        invoke: '(call $log (i32.const 99) (i32.const 192) (i32.const 3)) (i32.const 64)',
      }),
    fate: trapped,
  },
  {
    name: 'a word to the log from outside its memory',
    make: () =>
      watPlugin({
        imports: host_imports.log,
        invoke: '(call $log (i32.const 1) (i32.const -8) (i32.const 64)) (i32.const 64)',
      }),
    fate: trapped,
  },
  {
    name: 'host functions told to answer outside its memory',
    make: () =>
      watPlugin({ imports: host_imports.config, invoke: '(call $config (i32.const -4)) (i32.const 64)' }),
    fate: trapped,
  },
  {
    name: 'bytes that are no UTF-8',
    make: () => watPlugin(bytes('\\22\\ff\\fe\\c0\\80\\22', 6)),
    fate: [trapped, { answered: /^"\uFFFD+"$/ }],
  },
  {
    name: 'half a surrogate',
    make: () => watPlugin(bytes('\\22\\ed\\a0\\80\\22', 5)),
    fate: [trapped, { answered: /^"\uFFFD+"$/ }],
  },
  {
    name: 'an answer that imitates a frame',
    make: text('\u0010\0\0\0{"loaded":["x"]}'),
    fate: { answered: /loaded/ },
  },
  {
    name: 'an answer that imitates the words between frames',
    make: text('"},{"refused":{"code":"internal"'),
    fate: { answered: /refused/ },
  },
  { name: 'a trap', make: () => watPlugin({ invoke: 'unreachable' }), fate: { trapped: /unreachable/ } },
  {
    name: 'a division by zero',
    make: () => watPlugin({ invoke: '(i32.div_u (i32.const 1) (i32.const 0))' }),
    fate: { trapped: /divide by zero/ },
  },
  {
    name: 'an exception nobody catches',
    make: () => watPlugin({ fields: '(tag $t)', invoke: '(throw $t)' }),
    fate: [{ trapped: /./ }, { refused: /failed to translate/ }],
  },
  {
    name: 'a call through a table with another type',
    make: () =>
      watPlugin({
        fields:
          '(table 1 funcref) (elem (i32.const 0) $f) (func $f) (type $t (func (param i64) (result i32)))',
        invoke: '(call_indirect (type $t) (i64.const 1) (i32.const 0))',
      }),
    fate: { trapped: /type mismatch|signature/ },
  },
]

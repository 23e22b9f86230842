// Files that are no plugin.
import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { escaped, moduleText, watPlugin, withMore } from '../wat-plugin.ts'
import type { HostileCase } from './hostile-case.ts'

const no_component = { refused: /no component that can be run/ }
const many = (count: number, line: string) => Array.from({ length: count }, () => line).join('')

/** Always the same bytes, without a pattern. */
function noise(length: number): Uint8Array {
  let state = 0x9e3779b9
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

export const misshapen: readonly HostileCase[] = [
  { name: 'no bytes', make: async () => new Uint8Array(), fate: { refused: /./ } },
  { name: 'noise', make: async () => noise(4_096), fate: no_component },
  {
    name: 'noise behind the right beginning',
    make: async () => Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]), noise(4_096)]),
    fate: no_component,
  },
  { name: 'a core module', make: () => parse(moduleText({})), fate: { refused: /./ } },
  {
    name: 'half a component',
    make: async () => {
      const whole = await watPlugin()
      return whole.subarray(0, whole.length / 2)
    },
    fate: no_component,
  },
  {
    name: 'a component with one byte turned',
    make: async () => {
      const turned = Uint8Array.from(await watPlugin())
      turned[turned.length >> 1]! ^= 0x55
      return turned
    },
    fate: [no_component, { unstarted: /./ }, { answered: /./ }, { trapped: /./ }, { refused: /./ }],
  },
  {
    name: 'a component of another world',
    make: () => parse('(component (type (func)) )'),
    fate: { refused: /does not export operations and invoke/ },
  },
  {
    name: 'operations that is no function',
    make: () =>
      parse(
        '(component (instance $i) (export "svc:plugin/operations" (instance $i)) (export "svc:plugin/invoke" (instance $i)))',
      ),
    fate: { refused: /does not export operations and invoke|no component/ },
  },
  {
    name: 'functions of the right names and another type',
    make: () =>
      parse(`(component (core module $m (func (export "f"))) (core instance $i (instantiate $m))
        (func $f (canon lift (core func $i "f"))) (export "operations" (func $f)) (export "invoke" (func $f)))`),
    fate: { unstarted: /./ },
  },
  {
    name: 'an import by address',
    make: () => parse(`(component (import "url=<data:text/javascript,0>" (func)))`),
    fate: { refused: /./ },
    breaks_translator: true,
  },
  {
    name: 'a name that is no name',
    make: () => parse(`(component (import "${escaped("a'b")}" (func)))`),
    fate: no_component,
  },
  {
    name: 'components in components, ninety deep',
    make: () => parse(`(component ${many(90, '(component ')}${many(90, ')')})`),
    fate: { refused: /./ },
    breaks_translator: true,
  },
  {
    name: 'twenty thousand types',
    make: async () => withMore(await watPlugin(), many(20_000, '(type (list u8))')),
    fate: [{ refused: /./ }, { answered: '{"ok":true}' }],
    breaks_translator: true,
  },
  {
    name: 'types that double with each step',
    make: async () =>
      withMore(
        await watPlugin(),
        `(type $t0 (tuple u8 u8)) ${Array.from({ length: 40 }, (_, i) => `(type $t${i + 1} (tuple $t${i} $t${i}))`).join('')}`,
      ),
    fate: [{ refused: /./ }, { answered: '{"ok":true}' }],
    breaks_translator: true,
  },
  {
    name: 'a function of forty thousand locals and three hundred blocks',
    make: () =>
      watPlugin({
        fields: `(func (local ${many(40_000, 'i64 ')}) ${many(300, '(block ')}${many(300, ')')})`,
      }),
    fate: [{ refused: /./ }, { answered: '{"ok":true}' }],
  },
]

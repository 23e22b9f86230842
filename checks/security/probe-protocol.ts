// The protocol of an attacked engine, which inspects it.
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, ListOf, Text } from '@svc/contract/schema'
import { Type } from 'typebox'

const inborn = new Set(Reflect.ownKeys(Object.prototype))

export const probe = protocol({
  id: 'PROBE',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Looks at the engine from inside, and fails on request.',
  operations: {
    look: operation({
      summary: 'Name what objects inherit that they did not inherit when the engine started.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({}),
      output: Closed({ inherited: ListOf(Type.String()) }),
      example: {},
      handle: () => ({
        inherited: Reflect.ownKeys(Object.prototype)
          .filter((key) => !inborn.has(key))
          .map(String),
      }),
    }),
    keep: operation({
      summary: 'Take any object, so that its input is kept.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      input: AnyObject,
      output: Closed({ keys: Type.Integer() }),
      example: {},
      handle: (input) => ({ keys: Object.keys(Object.assign({}, input)).length }),
    }),
    fail: operation({
      summary: 'Break with the words that were given.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ text: Text(500) }),
      output: Closed({}),
      example: { text: 'broken' },
      handle({ text }) {
        throw new Error(text)
      },
    }),
  },
})

// {{protocol}}: the operations of the plugin {{name}}. operations.json is derived from this literal.
import { definePlugin, operation, Type } from '@svc/plugin'

const closed = { additionalProperties: false }

export const plugin = definePlugin({
  operations: {
    hello: operation({
      summary: 'Says hello to somebody.',
      effect: 'read',
      level: 'L0',
      input: Type.Object({ name: Type.String({ minLength: 1, maxLength: 80 }) }, closed),
      output: Type.Object({ greeting: Type.String() }, closed),
      example: { name: 'Ada' },

      handle({ name }, context) {
        context.log('debug', 'somebody is greeted')
        return { greeting: `Hello, ${name}!` }
      },
    }),
  },
})

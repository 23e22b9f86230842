// GREET: a small protocol that uses everything a host offers.
import { type Context, definePlugin, operation, refuse, Type } from '@svc/plugin'
import { greet, isLanguage, type Language, languages } from './greeting.ts'

const closed = { additionalProperties: false }
const Name = Type.String({ minLength: 1, maxLength: 80, description: 'Who is greeted.' })
const Spoken = Type.Enum(languages)

export const plugin = definePlugin({
  operations: {
    hello: operation({
      summary: 'Greets somebody, in the language asked for or else that of the operator.',
      effect: 'read',
      level: 'L0',
      input: Type.Object({ name: Name, language: Type.Optional(Spoken) }, closed),
      output: Type.Object({ greeting: Type.String(), language: Spoken }, closed),
      example: { name: 'Ada', language: 'de' },

      handle(input, context) {
        const language = input.language ?? operatorsLanguage(context)
        context.log('debug', `greeting in ${language}`)
        return { greeting: greet(input.name, language), language }
      },
    }),

    remember: operation({
      summary: 'Greets somebody, and remembers it in the memory of who asked.',
      effect: 'write',
      level: 'L1',
      input: Type.Object({ name: Name }, closed),
      output: Type.Object({ greeting: Type.String(), memory_id: Type.String() }, closed),
      example: { name: 'Grace' },

      handle({ name }, context) {
        const language = operatorsLanguage(context)
        const greeting = greet(name, language)
        context.progress(`greeting ${name}`, 0.5)
        const { memory_id } = context.call('MIND', 'store_memory', {
          kind: 'episodic',
          payload: { text: `Greeted ${name} with: ${greeting}` },
          occurred_at: context.timestamp,
        }) as { memory_id: string }
        // No content: the audit log is permanent.
        const by = context.caller_entity_kind()
        context.audit('custom.greeting.remembered', { language, memory_id, by })
        context.progress('remembered', 1)
        return { greeting, memory_id }
      },
    }),
  },
})

function operatorsLanguage({ config }: Context): Language {
  const { language = 'en' } = config
  if (isLanguage(language)) return language
  const language_list = languages.join(', ')
  throw refuse(
    'policy_denied',
    `The operator set the language ${language}; this plugin speaks ${language_list}.`,
    {
      reason: 'unknown language',
      details: { language, known: [...languages] },
    },
  )
}

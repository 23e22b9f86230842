// A protocol that stores content like any of ours, for tests of content.
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import { linkContent } from '@svc/protocols/cognition/content/link'
import { keepContent, type NewContent, readContent } from '@svc/protocols/cognition/content/store'
import { addTriples } from '@svc/protocols/cognition/knowledge/store'

export type Note = NewContent & { cites?: string }

const facts = { level: 'L1', meters: ['seconds'], input: AnyObject, output: AnyObject, example: {} } as const

export const notes = protocol({
  id: 'NOTES',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Content for tests.',
  operations: {
    keep: operation({
      needs: ['embedder', 'vault'],
      ...facts,
      summary: 'Store content.',
      effect: 'write',
      async handle(input, context) {
        const { cites, ...content } = input as unknown as Note
        const { created } = await keepContent(context, content)
        await addTriples(context, content.ref, content.triples ?? [])
        if (cites) await linkContent(context, content.ref, [{ ref: cites }], 'cites')
        return { created }
      },
    }),
    read: operation({
      needs: ['vault'],
      ...facts,
      summary: 'Read content.',
      effect: 'read',
      async handle({ ref, ...at }, context) {
        const { status, body, version, reason } = (await readContent(context, String(ref), at)) ?? {}
        return JSON.parse(JSON.stringify({ status, body, version, reason }))
      },
    }),
  },
})

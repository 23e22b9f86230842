// What a gate of a recipe declares of the signal it waits for.
import { Type } from 'typebox'
import { Closed, Did, described, ListOf, Text } from './schema.ts'

const senders_max = 100

/** Who may send a signal, and what it must say. */
export const signal_terms = {
  schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema that the payload of the signal must fit. Absent: any payload.',
    }),
  ),
  from: Type.Optional(
    Closed(
      {
        agents: Type.Optional(described(ListOf(Did, 1, senders_max), 'Identities that may send it.')),
        roles: Type.Optional(
          described(
            ListOf(Text(64), 1, senders_max),
            'Roles of which the credential of the sender must bring one.',
          ),
        ),
        council: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'Also whoever brings a verdict of MACE that binds MOON.execute_workflow to this signal.',
          }),
        ),
        not_starter: Type.Optional(
          Type.Boolean({
            default: false,
            description:
              'Four eyes: neither whoever started the run nor an identity with the same root may send it.',
          }),
        ),
      },
      {
        minProperties: 1,
        description: 'Who may send it. Without agents, roles and council: everybody who may signal a run.',
      },
    ),
  ),
}

// What a message is sent with, and where it came to.
import { Closed, described, ListOf, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'
import { Written } from './mail-letter.ts'
import { recipients_max } from './mail-limits.ts'

const day_ms = 86_400_000

export const SendInput = Closed({
  to: Type.Union([Address, ListOf(Address, 1, recipients_max)], {
    description: 'Where it goes; each recipient of a list gets a message of its own.',
  }),
  ...Written.properties,
  qos: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      description:
        '0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once.',
    }),
  ),
  ttl_ms: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: 30 * day_ms,
      description:
        'The message expires after this time. Default 7 days; in a topic at most as long as it keeps any.',
    }),
  ),
  deliver_after_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * day_ms,
      description: 'The message is not handed out before this time has passed. Default 0.',
    }),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      description: 'Higher is delivered first. Default 4. Within an ordering_key the order counts instead.',
    }),
  ),
})
export type SendInput = Static<typeof SendInput>

export const Delivery = Closed({
  to: Address,
  message_id: described(Uuid, 'Names the message in this mailbox.'),
  seq: Type.Integer({
    minimum: 1,
    description: 'Increases by one for each message of its mailbox and ordering_key.',
  }),
  duplicate: Type.Boolean({ description: 'It was sent before and was not sent again.' }),
})

export type Delivery = Static<typeof Delivery>

import { operation, protocol } from '@svc/contract/protocol'
import { ListInput, ListOutput, listMail } from './mail-list.ts'
import { receiveMessages } from './mail-receive.ts'
import { ReceiveInput, ReceiveOutput } from './mail-receive-input.ts'
import { SendInput, SendOutput, sendMessage } from './mail-send.ts'

const deadline_ms = 25_000

const order = {
  to: 'mailbox:orders',
  body: { order: 1042, items: ['pump', 'valve'] },
  qos: 1,
  ordering_key: 'customer-7',
}
const sent = [{ call: 'MIM.message_send', input: order }]

export const mim = protocol({
  id: 'MIM',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Mailboxes: messages delivered at most once, at least once or exactly once, in order on request.',

  operations: {
    message_send: operation({
      summary: 'Send a message to one or more mailboxes.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms,
      input_bytes_max: 8 * 1024 * 1024,
      // Messages are sealed for their reader: a retained copy would outlive them.
      keep_input: false,
      needs: ['mail', 'change_notifications', 'treaties', 'vault'],
      input: SendInput,
      output: SendOutput,
      example: order,
      handle: sendMessage,
    }),

    message_receive: operation({
      summary: 'Receive messages, and acknowledge those received before.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms,
      keep_input: false,
      secret_output: true,
      needs: ['mail', 'change_notifications', 'treaties', 'vault'],
      input: ReceiveInput,
      output: ReceiveOutput,
      scene: sent,
      example: { mailbox: 'mailbox:orders', max: 10, visibility_timeout_ms: 30_000 },
      handle: receiveMessages,
    }),

    list: operation({
      summary: 'List mailboxes with what waits, is in flight or is dead in them; without their content.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      // Operators can still use it when the budget is exhausted.
      essential: true,
      needs: ['charter'],
      input: ListInput,
      output: ListOutput,
      scene: sent,
      example: { holding: 'waiting', limit: 10 },
      handle: listMail,
    }),
  },
})

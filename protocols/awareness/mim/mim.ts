import { operation, protocol } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import { ListInput, ListOutput, listMail } from './mail-list.ts'
import { receiveMessages } from './mail-receive.ts'
import { ReceiveInput, ReceiveOutput } from './mail-receive-input.ts'
import { SendOutput, sendMessage } from './mail-send.ts'
import { SendInput } from './mail-send-input.ts'
import { SendManyInput, SendManyOutput, sendMany } from './mail-send-many.ts'
import { DeclareInput, DeclareOutput, declareMailbox } from './mailbox-declaring.ts'
import { cancelTask, TaskCancelInput, TaskCancelOutput } from './tasks/cancel.ts'
import { getTask, TaskGetInput, TaskGetOutput } from './tasks/get.ts'
import { listOwnTasks, TaskListInput, TaskListOutput } from './tasks/list.ts'
import { sendTask, TaskSendInput, TaskSendOutput } from './tasks/send.ts'
import { declareTopic, TopicDeclareInput, TopicDeclareOutput } from './topics/declare.ts'
import {
  SubscribeInput,
  SubscribeOutput,
  subscribe,
  UnsubscribeInput,
  UnsubscribeOutput,
  unsubscribe,
} from './topics/subscribe.ts'

const deadline_ms = 25_000

const order = {
  to: 'mailbox:orders',
  body: { order: 1042, items: ['pump', 'valve'] },
  qos: 1,
  ordering_key: 'customer-7',
}
const sent = [{ call: 'MIM.message_send', input: order }]

const prices = { topic: 'topic:prices', retention_ms: 86_400_000 }
const subscription = 'topic:prices/billing'
const topic_declared: readonly SceneStep[] = [{ call: 'MIM.topic_declare', input: prices }]

const task_id = '6e0a9d52-1f3c-4b77-9a61-2f4c8a7d1b90'
const question = {
  agent_did: stand_ins.did,
  message: { message_id: 'question-1', parts: [{ text: 'Translate "gate 4 is locked" into German.' }] },
}
const registered: readonly SceneStep[] = [
  {
    call: 'MARS.register_agent',
    input: { name: 'Translator', entity_kind: 'Agent', capabilities: [], service_endpoints: [] },
  },
]
const question_sent: readonly SceneStep[] = [
  ...registered,
  { call: 'MIM.task_send', input: question, answer: { task: { task_id } } },
]

export const mim = protocol({
  id: 'MIM',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary:
    'Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents.',

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
      needs: ['authority', 'change_notifications', 'mail', 'membership', 'treaties', 'vault'],
      input: SendInput,
      output: SendOutput,
      example: order,
      handle: sendMessage,
    }),

    message_send_many: operation({
      summary: 'Send up to 100 messages in one call: all of them or none.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms,
      input_bytes_max: 8 * 1024 * 1024,
      keep_input: false,
      needs: ['authority', 'change_notifications', 'mail', 'membership', 'treaties', 'vault'],
      input: SendManyInput,
      output: SendManyOutput,
      example: { messages: [order, { ...order, body: { order: 1043 } }] },
      handle: sendMany,
    }),

    mailbox_declare: operation({
      summary: 'Say whose a mailbox with a name is, and who else receives from it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'membership'],
      input: DeclareInput,
      output: DeclareOutput,
      example: { mailbox: 'mailbox:orders', owner_did: stand_ins.did },
      handle: declareMailbox,
    }),

    topic_declare: operation({
      summary: 'Open a topic, say who may publish and subscribe, or close it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'membership'],
      input: TopicDeclareInput,
      output: TopicDeclareOutput,
      example: prices,
      handle: declareTopic,
    }),

    topic_subscribe: operation({
      summary: 'Subscribe to a topic, alone or as a group of consumers of which one gets each message.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      input: SubscribeInput,
      output: SubscribeOutput,
      scene: topic_declared,
      example: { subscription, from: 'earliest', consumers: [stand_ins.did] },
      handle: subscribe,
    }),

    topic_unsubscribe: operation({
      summary: 'End a subscription: what it has not finished is removed with it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      input: UnsubscribeInput,
      output: UnsubscribeOutput,
      scene: [...topic_declared, { call: 'MIM.topic_subscribe', input: { subscription } }],
      example: { subscription },
      handle: unsubscribe,
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

    task_send: operation({
      summary:
        'Give a registered agent a task, or send it more for one; its answer becomes part of the task.',
      effect: 'write',
      // A task of an agent elsewhere is passed on.
      acts_outside: true,
      level: 'L1',
      meters: ['seconds'],
      deadline_ms,
      input_bytes_max: 4 * 1024 * 1024,
      keep_input: false,
      secret_output: true,
      needs: ['mail', 'change_notifications', 'treaties', 'vault', 'telemetry'],
      input: TaskSendInput,
      output: TaskSendOutput,
      scene: registered,
      example: question,
      handle: sendTask,
    }),

    task_get: operation({
      summary: 'Read a task of yours, or wait until it changes.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms,
      reveals: true,
      needs: ['mail', 'change_notifications', 'treaties', 'vault', 'telemetry'],
      input: TaskGetInput,
      output: TaskGetOutput,
      scene: question_sent,
      example: { task_id, history_length: 10 },
      handle: getTask,
    }),

    task_list: operation({
      summary: 'List your tasks, the last changed first.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      reveals: true,
      needs: ['vault'],
      input: TaskListInput,
      output: TaskListOutput,
      scene: question_sent,
      example: { state: 'submitted', limit: 10 },
      handle: listOwnTasks,
    }),

    task_cancel: operation({
      summary: 'Cancel a task of yours that has not ended, and tell its agent.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      keep_input: false,
      secret_output: true,
      needs: ['mail', 'change_notifications', 'treaties', 'vault', 'telemetry'],
      input: TaskCancelInput,
      output: TaskCancelOutput,
      scene: question_sent,
      example: { task_id },
      handle: cancelTask,
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

// The operations of MAX by which an organization has events of its audit log sent to addresses of its own.
import { operation } from '@svc/contract/protocol'
import { example_webhook, webhook_set } from './scenes.ts'
import {
  ListWebhooksInput,
  ListWebhooksOutput,
  listWebhooks,
  RemoveWebhookInput,
  RemoveWebhookOutput,
  removeWebhook,
  SetWebhookInput,
  SetWebhookOutput,
  setWebhook,
} from './webhooks.ts'

export const webhook_operations = {
  set_webhook: operation({
    summary:
      'Have events of your audit log posted, signed, to an address of yours, or change where and which.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    hands_on: true,
    secret_output: true,
    needs: ['audit_log', 'authority', 'webhooks'],
    input: SetWebhookInput,
    output: SetWebhookOutput,
    example: example_webhook,
    handle: setWebhook,
  }),

  list_webhooks: operation({
    summary: "List your organization's webhooks, and how their deliveries go.",
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    reveals: true,
    needs: ['webhooks'],
    input: ListWebhooksInput,
    output: ListWebhooksOutput,
    scene: webhook_set,
    example: {},
    handle: listWebhooks,
  }),

  remove_webhook: operation({
    summary: 'Stop a webhook for good; what it has not delivered is not sent any more.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['webhooks'],
    input: RemoveWebhookInput,
    output: RemoveWebhookOutput,
    scene: webhook_set,
    example: { name: example_webhook.name, reason: 'the receiver is gone' },
    handle: removeWebhook,
  }),
}

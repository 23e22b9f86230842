// Whoever follows an order book is told that it changed, on every engine.
import type { OperationContext } from '@svc/contract/operation-context'

export function bookTopic(tenant_id: string, instrument: string): string {
  return `market|${tenant_id}|${instrument}`
}

/** After the commit, when there is something to read. */
export function tellFollowers(context: OperationContext<'change_notifications'>, instrument: string): void {
  context.afterCommit(async () => context.change_notifications.tell(bookTopic(context.tenant_id, instrument)))
}

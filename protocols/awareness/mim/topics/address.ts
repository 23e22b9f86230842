// The addresses of a topic and of its subscriptions.
import { Type } from 'typebox'

const name = '[a-z0-9][a-z0-9._-]{0,62}'
export const topic_form = `topic:${name}`
export const subscription_form = `${topic_form}/${name}`

export const TopicName = Type.String({
  pattern: `^${topic_form}$`,
  description: 'topic:<name>, a topic of your organization.',
})
export const SubscriptionName = Type.String({
  pattern: `^${subscription_form}$`,
  description: 'topic:<name>/<subscription>, from which the messages of the topic are received.',
})

const topic = new RegExp(`^${topic_form}$`)
const subscription = new RegExp(`^${subscription_form}$`)

export function isTopic(address: string): boolean {
  return topic.test(address)
}

export function isSubscription(address: string): boolean {
  return subscription.test(address)
}

export function topicOf(subscription_name: string): string {
  return subscription_name.slice(0, subscription_name.indexOf('/'))
}

/** Whose change notifications tell of mail there: subscriptions are told of by their topic. */
export function heardAt(address: string): string {
  return isSubscription(address) ? topicOf(address) : address
}

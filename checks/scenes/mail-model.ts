// Mail as a list and a clock: what QoS, order and time mean, without indexes, flags or locks.

export interface ModelAnswer {
  readonly id: string
  readonly attempt: number
}

interface Said extends ModelAnswer {
  readonly kind: 'ack' | 'release' | 'nack'
  readonly receipt: string
  readonly delay_ms?: number
  readonly dead?: boolean
}

interface Message {
  readonly id: string
  readonly qos: number
  readonly priority: number
  readonly key: string | null
  readonly dedupe_id: string | undefined
  readonly ttl_ms: number
  place: number
  seq: number
  visible_ms: number
  expires_ms: number
  attempt: number
  attempts_max: number
  state: 'queued' | 'in_flight' | 'received' | 'acked' | 'dead' | 'expired'
}

interface Sending extends Pick<Message, 'id' | 'qos' | 'priority' | 'key' | 'dedupe_id' | 'ttl_ms'> {
  readonly delay_ms: number
  readonly now_ms: number
}

interface Receiving {
  readonly mode: 'live' | 'dead'
  readonly max: number
  readonly visibility_ms: number
  readonly answers: readonly Said[]
  readonly now_ms: number
}

const deliveries_max = 5

export class MailModel {
  readonly #messages: Message[] = []
  readonly #seqs = new Map<string | null, number>()
  #place = 0

  send({ now_ms, delay_ms, ...sent }: Sending): { id: string; seq: number; duplicate: boolean } {
    const duplicate = sent.dedupe_id && this.#messages.find(({ dedupe_id }) => dedupe_id === sent.dedupe_id)
    if (duplicate) return { id: duplicate.id, seq: duplicate.seq, duplicate: true }
    const message: Message = {
      ...sent,
      ...this.#end(sent.key),
      visible_ms: now_ms + delay_ms,
      expires_ms: now_ms + sent.ttl_ms,
      attempt: 0,
      attempts_max: deliveries_max,
      state: 'queued',
    }
    this.#messages.push(message)
    return { id: message.id, seq: message.seq, duplicate: false }
  }

  receive({ answers, now_ms, mode, max, visibility_ms }: Receiving) {
    const outcomes = answers.map((answer) => [this.#answer(answer, now_ms), answer.receipt] as const)
    this.settle(now_ms)
    const messages = mode === 'dead' ? this.#inState('dead').slice(0, max) : this.#ready(now_ms).slice(0, max)
    for (const message of mode === 'dead' ? [] : messages) {
      message.attempt++
      message.visible_ms = now_ms + visibility_ms
      message.state = message.qos === 0 ? 'acked' : 'in_flight'
    }
    const that = (kind: string) =>
      outcomes.filter(([outcome]) => outcome === kind).map(([, receipt]) => receipt)
    const live = this.#messages.filter(({ state }) => ['queued', 'in_flight', 'received'].includes(state))
    return {
      seen: messages.map(({ id, attempt, seq }) => ({ id, attempt, seq })),
      said: ['ack', 'release', 'nack', 'stale'].map(that),
      unreleased:
        mode === 'dead'
          ? []
          : this.#inState('received')
              .slice(0, max)
              .map(({ id }) => id),
      backlog: { live: live.length, dead: this.#inState('dead').length },
    }
  }

  settle(now_ms: number): void {
    for (const message of this.#messages) {
      const is_back = message.state === 'in_flight' && message.visible_ms <= now_ms
      if ((is_back || message.state === 'queued') && message.expires_ms <= now_ms) message.state = 'expired'
      else if (is_back) message.state = message.attempt >= message.attempts_max ? 'dead' : 'queued'
    }
  }

  states(): Record<string, number> {
    const counted: Record<string, number> = {}
    for (const { state } of this.#messages) counted[state] = (counted[state] ?? 0) + 1
    return counted
  }

  #answer({ id, attempt, kind, delay_ms = 0, dead = false }: Said, now_ms: number): string {
    const message = this.#messages.find((one) => one.id === id)!
    const { state, qos } = message
    const was_handed = message.attempt === attempt
    const is_open = state === 'queued' || state === 'in_flight'
    if (!was_handed || state === 'expired') return 'stale'
    if (kind === 'ack') {
      if (is_open || state === 'dead') message.state = qos === 2 ? 'received' : 'acked'
      return kind
    }
    if (kind === 'release') {
      if (qos !== 2 || !['received', 'acked'].includes(state)) return 'stale'
      message.state = 'acked'
      return kind
    }
    if (!is_open && state !== 'dead') return 'stale'
    if (state === 'dead' && dead) return kind
    if (dead || (is_open && attempt >= message.attempts_max)) message.state = 'dead'
    else {
      if (state === 'dead') {
        Object.assign(message, this.#end(message.key))
        message.attempts_max = attempt + deliveries_max
        message.expires_ms = now_ms + message.ttl_ms
      }
      message.state = 'queued'
      message.visible_ms = now_ms + delay_ms
    }
    return kind
  }

  #end(key: string | null): { place: number; seq: number } {
    const seq = (this.#seqs.get(key) ?? 0) + 1
    this.#seqs.set(key, seq)
    return { place: ++this.#place, seq }
  }

  #inState(state: Message['state']): Message[] {
    return this.#messages.filter((one) => one.state === state).toSorted((a, b) => a.place - b.place)
  }

  #ready(now_ms: number): Message[] {
    const open = this.#messages.filter(({ state }) => state === 'queued' || state === 'in_flight')
    const isFirst = ({ key, seq }: Message) =>
      key === null || open.every((other) => other.key !== key || other.seq >= seq)
    return open
      .filter((one) => one.state === 'queued' && one.visible_ms <= now_ms && isFirst(one))
      .toSorted((a, b) => b.priority - a.priority || a.place - b.place)
  }
}

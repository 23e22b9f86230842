// The tone of a state. Only what is listed as good is green: an unknown state, a refusal or a failure never is.

export type Tone = 'good' | 'bad' | 'warn' | 'plain'

const tones: Readonly<Record<Exclude<Tone, 'plain'>, readonly string[]>> = {
  good: [
    'success',
    'allowed',
    'active',
    'met',
    'ok',
    'completed',
    'done',
    'passed',
    'verified',
    'ample',
    'healthy',
    'live',
    'approved',
    'granted',
    'resolved',
    'yes',
    'yours',
    'delivered',
    'closed circuit',
    'reachable',
    'in_force',
    'normal',
    'succeeded',
    'remedied',
    'settled',
    'executed',
    'ready to seal',
    'serving',
    'connected',
    'reporting',
  ],
  bad: [
    'refused',
    'denied',
    'error',
    'open circuit',
    'failed',
    'revoked',
    'stopped',
    'exhausted',
    'critical',
    'broken',
    'expired',
    'disabled',
    'rejected',
    'unreachable',
    'terminated',
    'no',
    'failing',
    'overflow',
    'no quorum',
    'blocked',
    'defaulted',
    'impossible',
    'firing',
    'above',
    'contradicted',
  ],
  warn: [
    'pending',
    'waiting',
    'low',
    'half-open circuit',
    'not yours',
    'consistent',
    'not proved',
    'proposed',
    'draining',
    'connection lost; reconnecting',
    'needs attention',
    'paused',
    'buffering',
    'recovering',
    'unresolved',
    'suspended',
    'open',
    'warning',
    'silenced',
  ],
}

export function toneOf(state: string): Tone {
  const word = state.toLowerCase().replaceAll('_', ' ')
  const has = (tone: keyof typeof tones) =>
    tones[tone].some((each) => word === each.replaceAll('_', ' ') || word.startsWith(`${each}:`))
  if (has('bad')) return 'bad'
  if (has('warn')) return 'warn'
  return has('good') ? 'good' : 'plain'
}

/** An open breaker means that calls are stopped, which the bare word does not say. */
export function breakerWord(state: string): string {
  const breaker_words: Readonly<Record<string, string>> = {
    CLOSED: 'healthy',
    OPEN: 'failing',
    HALF_OPEN: 'recovering',
  }
  return breaker_words[state] ?? state
}

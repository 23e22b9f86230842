// A remedy in words, as cases and pleadings name it.

export interface Remedy {
  readonly kind: string
  readonly amount_usd?: string
  readonly target?: string
}

export function remedyText(remedy: Remedy | undefined): string {
  if (!remedy) return 'none'
  const { kind, amount_usd, target } = remedy
  return [kind.replaceAll('_', ' '), amount_usd && `${amount_usd} USD`, target].filter(Boolean).join(', ')
}

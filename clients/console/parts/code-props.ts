// What is edited, for the editor and for what stands there before.

export interface CodeProps {
  readonly label: string
  readonly value: string
  readonly language?: 'json' | 'cedar'
  readonly fault?: string | undefined
  readonly hint?: string | undefined
  onChange(text: string): void
}

export interface Command {
  readonly command_id: string
  readonly version: number
  readonly kind: 'set' | 'safe'
  readonly v: Readonly<Record<string, unknown>>
  readonly at: string
  readonly expires_at?: string
  readonly key_id: string
}

export function acceptCommand(
  topic: string,
  payload: string,
  device: {
    readonly keys: Readonly<Record<string, string>>
    readonly version: number
    readonly now_ms: number
  },
): Command | undefined
